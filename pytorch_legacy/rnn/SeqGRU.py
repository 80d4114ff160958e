"""Gated recurrent unit for whole sequences."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.rnn.GRU import GRU
from pytorch_legacy.rnn.SequenceModule import SequenceModule, flat

RESET_FIRST = 1  # r multiplies the state, not what its product with the weights gives


class SeqGRU(SequenceModule):
    """A fast form of ``Sequencer(GRU(...))``, computed in one array::

        r, z = sigmoid(x(t) W_x + h(t-1) W_h + b)                       the first two thirds of W and b
        g    = tanh(x(t) W_x + (r * h(t-1)) W_h + b)                    the last third
        h(t) = (1 - z) * g + z * h(t-1)

    Parameters
    ----------
    inputSize, outputSize : int
        Elements of an input and of an output.

    Attributes
    ----------
    weight : array of (inputSize + outputSize) x (3 * outputSize)
        W_x over W_h; columns in the order r, z, g.
    bias : array of 3 * outputSize
        At first 1 for z, else 0.

    Raises
    ------
    ShapeError
        If the input is not ``T x N x inputSize``.

    Notes
    -----
    Shapes: ``T x N x inputSize`` (or [h0, x], with gradients for both) to ``T x N x outputSize``; ``batchfirst`` swaps T
    and N. ``remember()``, ``forget()`` and ``maskzero`` are those of `SequenceModule`.
    Unlike in Torch7, ``backward`` takes any scale, and may be called again.
    Source: Element-Research rnn ``SeqGRU``.

    Examples
    --------
    >>> layer = rnn.SeqGRU(1, 1)
    >>> layer.getParameters()[0].fill(0)  # all gates are 0.5 then, and g is 0
    >>> h0, x = np.float32([[8]]), np.ones((3, 1, 1), np.float32)  # three steps
    >>> layer.forward([h0, x]).ravel()  # half of the last h each time
    array([4., 2., 1.], dtype=float32)
    >>> rnn.SeqGRU(3, 2).forward(np.ones((5, 4, 3), np.float32)).shape  # five steps of four sequences
    (5, 4, 2)
    """

    _file = Form(
        scratch={
            **dict.fromkeys(("buffer1", "buffer2", "buffer3", "grad_a_buffer", "grad_h0", "grad_x")),
            **dict.fromkeys(("seqLength", "miniBatch"), lambda module: 1),
        },
        private=("_reset", "_gradReset"),
        kinds={"outputSize": "a whole number"},
    )
    inputSize: int
    outputSize: int
    _reset: Tensor
    _gradGates: Tensor

    def __init__(self, inputSize: int, outputSize: int) -> None:
        super().__init__()
        self.inputSize = check.count(self, "inputSize", inputSize)
        self.outputSize = check.count(self, "outputSize", outputSize)
        self._makeParameters(self.inputSize, self.outputSize, 3, self.outputSize)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new weights, normal with standard deviation `stdv`, 1 / sqrt(inputSize + outputSize) if not given."""
        self._drawParameters(self.outputSize, 1 / sqrt(self.inputSize + self.outputSize) if stdv is None else stdv)
        return self

    def updateOutput(self, input: Any) -> Tensor:
        h0, x = self._unpacked(input, 1, self.inputSize)
        steps, batch, size = len(x), x.shape[1], self.outputSize
        h = self._initial("h0", h0, "userPrevOutput", self._output, (batch, size))
        rows = self._rows(x)
        self._steps, self._mask = x, None if rows is None else rows.astype(x.dtype)
        output = self._output = self._resize("_output", (steps, batch, size))
        gates = self._resize("gates", (steps, batch, 3 * size))
        reset = self._resize("_reset", output.shape)
        self._fromInputs(x, gates)
        self._call("GRUSequence_updateOutput", gates, output, reset, self._feedback, self.bias, h, self._mask, RESET_FIRST)
        self.output = self._turned(output)
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        gradients, x = self._gradients(gradOutput), self._steps
        gradH = np.zeros_like(self.h0) if self.gradPrevOutput is None else np.array(self.gradPrevOutput, like=x)
        gradGates = self._resize("_gradGates", self.gates.shape)
        results = gradGates, self._resize("_gradReset", self._reset.shape), gradH
        read = self._feedback, self.h0, self._output, self._reset, self._mask
        self._call("GRUSequence_updateGradInput", self.gates, gradients, *results, *read, RESET_FIRST)
        self.gradPrevOutput = None
        self.userGradPrevOutput = gradH
        gradX = self._resize("_grad_x", x.shape)
        self._toInputs(gradGates, gradX)
        turned = self._turned(gradX)
        self.gradInput = [gradH, turned][2 - len(input) :] if isinstance(input, list) else turned
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        gates, toG = self._gradGates, 2 * self.outputSize
        before = np.concatenate([self.h0[None], self._output[:-1]])[: len(gates)]
        self._addGradients(self._steps, gates, 0, scale)
        rows = self.gradWeight[self.inputSize :]
        for values, columns in ((before, slice(toG)), (self._reset, slice(toG, None))):
            self._call("Linear_accGradParameters", flat(gates)[:, columns], flat(values), rows[:, columns], None, scale)
        self.gradBias += scale * compute.sum(gates, (0, 1))

    def toGRU(self) -> GRU:
        """An nn.GRU with copies of the parameters: in an nn.Sequencer it gives the same output."""
        gru = GRU(self.inputSize, self.outputSize)
        gru.type(self._type)
        inputs, gates = self.inputSize, 2 * self.outputSize
        for targets, weight, bias in zip(
            gru.parameters(), (self.weight, self.gradWeight), (self.bias, self.gradBias), strict=True
        ):
            x, h = weight[:inputs].T, weight[inputs:].T
            sources = (x[:gates], bias[:gates], h[:gates], x[gates:], bias[gates:], h[gates:])
            for target, source in zip(targets, sources, strict=True):
                target[...] = source
        return gru

    def clearState(self) -> Self:
        for name in ("_reset", "_gradReset"):
            self.__dict__.pop(name, None)
        return super().clearState()

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        size = self.outputSize
        return {"weight": (self.inputSize + size, 3 * size), "bias": (3 * size,)}

    @property
    def _feedback(self) -> Tensor:
        """W_h"""
        return self.weight[self.inputSize :]
