"""Long short-term memory for whole sequences."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.utils import clear
from pytorch_legacy.rnn.FastLSTM import FastLSTM
from pytorch_legacy.rnn.SequenceModule import SequenceModule, sigmoid

IFOG = 1  # the order of the gates, as LSTMSequence_updateOutput wants it


class SeqLSTM(SequenceModule):
    """A fast form of ``Sequencer(FastLSTM(...))``, computed in one array::

        i, f, o, g = x(t) W_x + h(t-1) W_h + b                          split into four
        c(t) = sigmoid(f) * c(t-1) + sigmoid(i) * tanh(g)
        h(t) = sigmoid(o) * tanh(c(t))

    Parameters
    ----------
    inputsize, hiddensize : int
        Elements of an input and of a state.
    outputsize : int, optional
        That of the output, for nn.SeqLSTMP; hiddensize here.

    Attributes
    ----------
    weight : array of (inputsize + outputsize) x (4 * hiddensize)
        W_x over W_h; columns in the order i, f, o, g.
    bias : array of 4 * hiddensize
        At first 1 for f, else 0.
    userPrevCell, userGradPrevCell, userNextGradCell : array
        As ``userPrevOutput``, ``userGradPrevOutput`` and ``gradPrevOutput``, for the cell.

    Raises
    ------
    ShapeError
        If the input is not ``T x N x inputsize``.

    Notes
    -----
    Shapes: ``T x N x inputsize`` (or [h0, x], or [c0, h0, x], with gradients for all) to ``T x N x outputsize``;
    ``batchfirst`` swaps T and N. ``remember()``, ``forget()`` and ``maskzero`` are those of `SequenceModule`.
    Unlike in Torch7, ``backward`` takes any scale, and may be called again.
    Source: Element-Research rnn ``SeqLSTM``; Justin Johnson's torch-rnn.

    Examples
    --------
    >>> layer = rnn.SeqLSTM(1, 1)
    >>> layer.weight.fill(0)
    >>> layer.bias[:] = 20  # all gates are open then, and g is 1: the cell counts the steps
    >>> layer.forward(np.ones((3, 1, 1), np.float32)).ravel()  # tanh of 1, 2, 3
    array([0.7615942, 0.9640276, 0.9950548], dtype=float32)
    >>> rnn.SeqLSTM(3, 2).forward(np.ones((5, 4, 3), np.float32)).shape  # five steps of four sequences
    (5, 4, 2)
    """

    _file = Form(
        scratch=dict.fromkeys(("buffer1", "buffer2", "buffer3", "grad_a_buffer", "grad_c0", "grad_h0", "grad_x")),
        defaults={
            "hiddensize": lambda fields: fields.get("outputsize"),
            "outputsize": lambda fields: len(fields["weight"]) - fields["inputsize"] if "weight" in fields else None,
        },
        kinds=dict.fromkeys(("inputsize", "hiddensize", "outputsize"), "a whole number"),
    )
    _isProjected = False
    userPrevCell: Any = None
    userGradPrevCell: Any = None
    userNextGradCell: Any = None
    c0: Tensor
    cell: Tensor
    _gradGates: Tensor
    inputsize: int
    hiddensize: int
    outputsize: int

    def __init__(self, inputsize: int, hiddensize: int, outputsize: int | None = None) -> None:
        super().__init__()
        self.inputsize = check.count(self, "inputsize", inputsize)
        self.hiddensize = check.count(self, "hiddensize", hiddensize)
        self.outputsize = self.hiddensize if outputsize is None else check.count(self, "outputsize", outputsize)
        self._makeParameters(self.inputsize, self.outputsize, 4, self.hiddensize)
        self.c0 = self.cell = np.empty(0, self._dtype)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new weights, normal with standard deviation `stdv`, 1 / sqrt(inputsize + outputsize) if not given."""
        self._drawParameters(self.hiddensize, 1 / sqrt(self.inputsize + self.outputsize) if stdv is None else stdv)
        return self

    def forget(self) -> Self:
        clear(self, "c0")
        return super().forget()

    def updateOutput(self, input: Any) -> Tensor:
        c0, h0, x = self._unpacked(input, 2, self.inputsize)
        steps, batch, size = len(x), x.shape[1], self.hiddensize
        last = self._output
        c = self._initial("c0", c0, "userPrevCell", None if last is None else self.cell, (batch, size))
        h = self._initial("h0", h0, "userPrevOutput", last, (batch, self.outputsize))
        self._steps, self._mask = x, self._rows(x)
        output = self._output = self._resize("_output", (steps, batch, self.outputsize))
        cells = self._resize("cell", (steps, batch, size))
        gates = self._resize("gates", (steps, batch, 4 * size))
        self._fromInputs(x, gates)
        if self._mask is None and not self._isProjected:
            self._call("LSTMSequence_updateOutput", gates, output, cells, self.weight[self.inputsize :], self.bias, h, c, IFOG)
        else:
            self._stepByStep(h, c)
        self.output = self._turned(output)
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        gradients, x = self._gradients(gradOutput), self._steps
        gradH = np.zeros_like(self.h0) if self.gradPrevOutput is None else np.array(self.gradPrevOutput, like=x)
        gradC = np.zeros_like(self.c0) if self.userNextGradCell is None else np.array(self.userNextGradCell, like=x)
        gradGates = self._resize("_gradGates", self.gates.shape)
        if self._mask is None and not self._isProjected:
            results, read = (gradGates, gradH, gradC), (self.weight[self.inputsize :], self.c0, self.cell)
            self._call("LSTMSequence_updateGradInput", self.gates, gradients, *results, *read, IFOG)
        else:
            gradH, gradC = self._backStepByStep(gradients, gradH, gradC)
        self.gradPrevOutput = self.userNextGradCell = None
        self.userGradPrevOutput, self.userGradPrevCell = gradH, gradC
        gradX = self._resize("_grad_x", x.shape)
        self._toInputs(gradGates, gradX)
        turned = self._turned(gradX)
        self.gradInput = [gradC, gradH, turned][3 - len(input) :] if isinstance(input, list) else turned
        return self.gradInput

    def _stepByStep(self, h: Tensor, c: Tensor) -> None:
        """All steps of a pass, from the sums in the gates, where outputs are projected or inputs masked."""
        gates, cells, output, size = self.gates, self.cell, self._output, self.hiddensize
        hidden, feedback = self._hiddenBuffer(output, size), self.weight[self.inputsize :]
        for t in range(len(gates)):
            a = gates[t]
            a += compute.matmul(h, feedback) + self.bias
            sigmoid(a[:, : 3 * size])
            compute.tanh(a[:, 3 * size :], out=a[:, 3 * size :])
            i, f, o, g = (a[:, k * size : (k + 1) * size] for k in range(4))
            np.multiply(i, g, out=hidden[t])
            np.multiply(f, c, out=cells[t])
            cells[t] += hidden[t]
            compute.tanh(cells[t], out=hidden[t])
            hidden[t] *= o
            self._project(hidden[t], output[t])
            if self._mask is not None:
                for array in (output[t], cells[t], a):
                    array[self._mask[t]] = 0
            h, c = output[t], cells[t]

    def _backStepByStep(self, gradients: Tensor, gradH: Tensor, gradC: Tensor) -> tuple[Tensor, Tensor]:
        """The way back of `_stepByStep`; returns the gradients of the states before the first step."""
        cells, size = self.cell, self.hiddensize
        steps, batch = cells.shape[:2]
        # By what the gradients of cell and hidden state are to be multiplied to get those of the sums in the gates.
        i, f, o, g = (self.gates[:, :, k * size : (k + 1) * size] for k in range(4))
        squashed = compute.tanh(cells)
        factors = self._gradGates.reshape(steps, batch, 4, size)
        factors[:, :, 0] = g * i * (1 - i)
        factors[:1, :, 1] = self.c0
        factors[1:, :, 1] = cells[:-1]
        factors[:, :, 1] *= f * (1 - f)
        factors[:, :, 2] = squashed * o * (1 - o)
        factors[:, :, 3] = i * (1 - g * g)
        throughCell = o * (1 - squashed * squashed)
        feedback = self.weight[self.inputsize :].T
        for t in reversed(range(steps)):
            gradH = gradH + gradients[t]
            if self._mask is not None:
                gradH[self._mask[t]] = 0
            gradH = self._unproject(t, gradH)
            gradC = gradC + gradH * throughCell[t]
            a = factors[t]
            a[:, 0:2] *= gradC[:, None]
            a[:, 2] *= gradH
            a[:, 3] *= gradC
            gradC = gradC * f[t]
            gradH = compute.matmul(a.reshape(batch, 4 * size), feedback)
        return gradH, gradC

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        gates = self._gradGates.reshape(*self._steps.shape[:2], 4 * self.hiddensize)
        before = np.concatenate([self.h0[None], self._output[:-1]])[: len(gates)]
        self._addGradients(self._steps, gates, 0, scale)
        self._addGradients(before, gates, self.inputsize, scale)
        self.gradBias += scale * compute.sum(gates, (0, 1))

    def toFastLSTM(self) -> FastLSTM:
        """An nn.FastLSTM with copies of the parameters: in an nn.Sequencer it gives the same output."""
        lstm = FastLSTM(self.inputsize, self.hiddensize)
        lstm.type(self._type)
        for targets, weight, bias in zip(
            lstm.parameters(), (self.weight, self.gradWeight), (self.bias, self.gradBias), strict=True
        ):
            i, f, o, g = np.split(weight.T, 4)
            rows = np.concatenate([i, g, f, o])
            targets[0][...], targets[2][...] = rows[:, : self.inputsize], rows[:, self.inputsize :]
            i, f, o, g = np.split(bias, 4)
            targets[1][...] = np.concatenate([i, g, f, o])
        return lstm

    def clearState(self) -> Self:
        for name in ("userGradPrevCell", "userNextGradCell"):
            self.__dict__.pop(name, None)
        clear(self, "cell")
        return super().clearState()

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        size = 4 * self.hiddensize
        return {"weight": (self.inputsize + self.outputsize, size), "bias": (size,)}

    def _hiddenBuffer(self, output: Tensor, size: int) -> Tensor:
        """Returns the buffer of the hidden states of all steps, which is the output."""
        return output

    def _project(self, hidden: Tensor, output: Tensor) -> None:
        """Makes the output of a step of the hidden state."""

    def _unproject(self, t: int, gradient: Tensor) -> Tensor:
        """The gradient of the hidden state of a step from that of the output."""
        return gradient
