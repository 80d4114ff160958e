"""The kinds of recurrent cells, over a whole sequence and back.

A cell gets what the inputs give to the gates, with their biases, in an array for its use; R and its bias, which make of a state
what it gives to them; and the states before the first step. The gates lie side by side in cuDNN's order. Products are libTHNN's:
NumPy's BLAS has threads that look for work for some milliseconds afterwards, and compete with ours.
"""

from typing import Any, Protocol

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn.Native import Caller

States = tuple[Tensor, Tensor]


class Cell(Protocol):
    """One kind of cell."""

    gates: int

    def forward(self, net: Caller, x: Tensor, R: Tensor, bias: Tensor, states: States) -> tuple[Tensor, States, Any]:
        """The outputs, the states after the last step, and what the way back needs."""

    def backward(self, net: Caller, gradOutput: Tensor, R: Tensor, kept: Any, states: States) -> tuple[Tensor, Tensor, States]:
        """The gradients of the gates as inputs and as states give to them, and those of the states before the first step.

        `states` are the gradients of those after the last step.
        """


class Simple:
    """h = f(x + h'), with f the positive part or the hyperbolic tangent."""

    gates = 1

    def __init__(self, isTanh: bool) -> None:
        self.isTanh = isTanh

    def forward(self, net: Caller, x: Tensor, R: Tensor, bias: Tensor, states: States) -> tuple[Tensor, States, Any]:
        outputs = np.add(x, bias, out=x)
        h, c = states
        fromState = np.empty_like(h)
        for sums in outputs:
            net._call("Linear_updateOutput", h, fromState, R, None)
            sums += fromState
            h = np.tanh(sums, out=sums) if self.isTanh else np.maximum(sums, 0, out=sums)
        return outputs, (h, c), outputs

    def backward(self, net: Caller, gradOutput: Tensor, R: Tensor, kept: Any, states: States) -> tuple[Tensor, Tensor, States]:
        gradSums = 1 - kept * kept if self.isTanh else (kept > 0).astype(kept.dtype)
        dh, dc = states
        past = np.empty_like(dh)
        for t in reversed(range(len(kept))):
            gradSums[t] *= dh + gradOutput[t]
            net._call("Linear_updateGradInput", past, gradSums[t], past, R)
            dh = past
        return gradSums, gradSums, (dh, dc)


class LSTM:
    """c = f c' + i g and h = o tanh(c), with gates i, f, g, o; all steps are one call of THNN."""

    gates = 4
    order = 0

    def forward(self, net: Caller, x: Tensor, R: Tensor, bias: Tensor, states: States) -> tuple[Tensor, States, Any]:
        gates = np.add(x, bias, out=x)
        outputs, cells = np.empty((2, *x.shape[:2], R.shape[1]), R.dtype, like=x)
        net._call("LSTMSequence_updateOutput", gates, outputs, cells, R.T, *states, self.order)
        last = (outputs[-1], cells[-1]) if len(x) else states
        return outputs, last, (gates, cells, states[1])

    def backward(self, net: Caller, gradOutput: Tensor, R: Tensor, kept: Any, states: States) -> tuple[Tensor, Tensor, States]:
        gates, cells, first = kept
        gradGates, (dh, dc) = np.empty_like(gates), map(np.array, states)
        net._call("LSTMSequence_updateGradInput", gates, gradOutput, gradGates, dh, dc, R.T, first, cells, self.order)
        return gradGates, gradGates, (dh, dc)


class GRU:
    """h = (1 - z) n + z h' with n = tanh(x_n + r (h'_n)), and gates r, z, n: the reset gate comes after the product."""

    gates = 3

    def forward(self, net: Caller, x: Tensor, R: Tensor, bias: Tensor, states: States) -> tuple[Tensor, States, Any]:
        outputs = np.empty((*x.shape[:2], R.shape[1]), R.dtype, like=x)
        kept = np.empty((*x.shape[:2], 5 * R.shape[1]), R.dtype, like=x)
        h, c = states
        fromState = np.empty((len(h), len(R)), R.dtype, like=x)
        for t in range(len(x)):
            net._call("Linear_updateOutput", h, fromState, R, None)
            net._call("GRUFused_updateOutput", x[t], fromState, None, bias, h, outputs[t], kept[t])
            h = outputs[t]
        return outputs, (h, c), kept

    def backward(self, net: Caller, gradOutput: Tensor, R: Tensor, kept: Any, states: States) -> tuple[Tensor, Tensor, States]:
        fromInput, fromState = np.empty((2, *gradOutput.shape[:2], len(R)), R.dtype, like=R)
        dh, dc = states
        past, back = np.empty_like(dh), np.empty_like(dh)
        for t in reversed(range(len(gradOutput))):
            net._call("GRUFused_updateGradInput", fromInput[t], fromState[t], dh + gradOutput[t], past, kept[t])
            net._call("Linear_updateGradInput", past, fromState[t], back, R)
            dh = past + back
        return fromInput, fromState, (dh, dc)


CELLS: dict[str, Cell] = {
    "CUDNN_RNN_RELU": Simple(False),
    "CUDNN_RNN_TANH": Simple(True),
    "CUDNN_LSTM": LSTM(),
    "CUDNN_GRU": GRU(),
}
