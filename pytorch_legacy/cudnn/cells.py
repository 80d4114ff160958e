"""The kinds of recurrent cells, over a whole sequence and back.

A cell gets what the inputs give to the gates, in an array for its use; a function that gives memory of a name and a shape, the
same in each pass; R, which makes of a state what it gives to the gates; the biases of both; and the states before the first
step. The gates lie side by side in cuDNN's order. Products are libTHNN's: NumPy's BLAS has threads that look for work for some
milliseconds afterwards, and compete with ours.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.nn.Native import Caller

States = tuple[Tensor, Tensor]
Biases = tuple[Tensor, Tensor]
Workspace = Callable[[str, tuple[int, ...]], Tensor]


class Cell(Protocol):
    """One kind of cell."""

    gates: int

    def forward(
        self, net: Caller, x: Tensor, workspace: Workspace, R: Tensor, biases: Biases, states: States
    ) -> tuple[Tensor, States, Any]:
        """The outputs, the states after the last step, and what the way back needs."""

    def backward(
        self, net: Caller, gradOutput: Tensor, workspace: Workspace, R: Tensor, kept: Any, states: States
    ) -> tuple[Tensor, Any, States]:
        """The gradients of what inputs give to the gates, and of the states before the first step.

        Between them the gradient of what states give to the last gates, or None if inputs give the same. `states` are the
        gradients of the states after the last step.
        """


class Simple:
    """h = f(x + h'), with f the positive part or the hyperbolic tangent."""

    gates = 1

    def __init__(self, isTanh: bool) -> None:
        self.isTanh = isTanh

    def forward(
        self, net: Caller, x: Tensor, workspace: Workspace, R: Tensor, biases: Biases, states: States
    ) -> tuple[Tensor, States, Any]:
        outputs = np.add(x, biases[0] + biases[1], out=x)
        h, c = states
        fromState = np.empty_like(h)
        for sums in outputs:
            net._call("Linear_updateOutput", h, fromState, R, None)
            sums += fromState
            h = compute.tanh(sums, out=sums) if self.isTanh else compute.maximum(sums, 0, out=sums)
        return outputs, (h, c), outputs

    def backward(
        self, net: Caller, gradOutput: Tensor, workspace: Workspace, R: Tensor, kept: Any, states: States
    ) -> tuple[Tensor, Any, States]:
        gradSums = 1 - kept * kept if self.isTanh else (kept > 0).astype(kept.dtype)
        dh, dc = states
        past = np.empty_like(dh)
        for t in reversed(range(len(kept))):
            gradSums[t] *= dh + gradOutput[t]
            net._call("Linear_updateGradInput", past, gradSums[t], past, R)
            dh = past
        return gradSums, None, (dh, dc)


class LSTM:
    """c = f c' + i g and h = o tanh(c), with gates i, f, g, o; all steps are one call of THNN."""

    gates = 4
    order = 0

    def forward(
        self, net: Caller, x: Tensor, workspace: Workspace, R: Tensor, biases: Biases, states: States
    ) -> tuple[Tensor, States, Any]:
        outputs, cells = workspace("outputs", (2, *x.shape[:2], R.shape[1]))
        net._call("LSTMSequence_updateOutput", x, outputs, cells, R.T, biases[0] + biases[1], *states, self.order)
        last = (outputs[-1], cells[-1]) if len(x) else states
        return outputs, last, (x, cells, states[1])

    def backward(
        self, net: Caller, gradOutput: Tensor, workspace: Workspace, R: Tensor, kept: Any, states: States
    ) -> tuple[Tensor, Any, States]:
        gates, cells, first = kept
        gradGates, dh, dc = workspace("gradGates", gates.shape), states[0].copy(), states[1].copy()
        net._call("LSTMSequence_updateGradInput", gates, gradOutput, gradGates, dh, dc, R.T, first, cells, self.order)
        return gradGates, None, (dh, dc)


class GRU:
    """h = (1 - z) n + z h' with n = tanh(x_n + r (h'_n)), and gates r, z, n; all steps are one call of THNN."""

    gates = 3
    resetFirst = 0  # r comes after the product

    def forward(
        self, net: Caller, x: Tensor, workspace: Workspace, R: Tensor, biases: Biases, states: States
    ) -> tuple[Tensor, States, Any]:
        outputs, reset = workspace("outputs", (2, *x.shape[:2], R.shape[1]))
        (ofInput, ofState), (first, c), both = biases, states, 2 * R.shape[1]
        bias = np.concatenate([ofInput[:both] + ofState[:both], ofInput[both:], ofState[both:]])
        net._call("GRUSequence_updateOutput", x, outputs, reset, R.T, bias, first, None, self.resetFirst)
        return outputs, (outputs[-1] if len(x) else first, c), (x, outputs, reset, first)

    def backward(
        self, net: Caller, gradOutput: Tensor, workspace: Workspace, R: Tensor, kept: Any, states: States
    ) -> tuple[Tensor, Any, States]:
        gates, outputs, reset, first = kept
        gradGates, gradReset, dh = workspace("gradGates", gates.shape), np.empty_like(reset), states[0].copy()
        results, read = (gradGates, gradReset, dh), (R.T, first, outputs, reset, None)
        net._call("GRUSequence_updateGradInput", gates, gradOutput, *results, *read, self.resetFirst)
        return gradGates, gradReset, (dh, states[1])


CELLS: dict[str, Cell] = {
    "CUDNN_RNN_RELU": Simple(False),
    "CUDNN_RNN_TANH": Simple(True),
    "CUDNN_LSTM": LSTM(),
    "CUDNN_GRU": GRU(),
}
