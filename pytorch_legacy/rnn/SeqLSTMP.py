"""Long short-term memory with a projection, for whole sequences."""

from math import sqrt
from typing import Any, NoReturn, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import ArrayField
from pytorch_legacy.rnn.SeqLSTM import SeqLSTM
from pytorch_legacy.rnn.SequenceModule import product


class SeqLSTMP(SeqLSTM):
    """An nn.SeqLSTM whose output, which is fed back too, is a linear map of its larger hidden state::

        output(t) = h(t) W_O

    Parameters
    ----------
    inputsize, hiddensize, outputsize : int
        Elements of an input, of the hidden state and the cell, and of an output.

    Attributes
    ----------
    weightO : array of hiddensize x outputsize

    Notes
    -----
    Shapes: ``T x N x inputsize`` to ``T x N x outputsize``; h0 has outputsize and c0 hiddensize columns.
    In Torch7 the biases that start at 1 are those of the forget gate only if both sizes are equal.
    Source: Element-Research rnn ``SeqLSTMP``; Sak et al., "Long Short-Term Memory Based Recurrent Neural Network
    Architectures for Large Vocabulary Speech Recognition" (2014).

    Examples
    --------
    >>> layer = rnn.SeqLSTMP(1, 2, 1)
    >>> layer.weight.fill(0)
    >>> layer.bias[:] = 20  # all gates are open then, and g is 1: both cells count the steps
    >>> layer.weightO[...] = [[10], [1]]
    >>> layer.forward(np.ones((3, 1, 1), np.float32)).ravel()  # 11 times tanh of 1, 2, 3
    array([ 8.377536, 10.604303, 10.945603], dtype=float32)
    """

    _file = Form(
        dropped=("_hidden",),
        defaults={"gradWeightO": lambda fields: np.zeros_like(fields["weightO"])},
        kinds=dict.fromkeys(("weightO", "gradWeightO"), "a tensor of floating-point numbers"),
    )
    weightO: Tensor
    gradWeightO: Tensor
    _arrayFields = (ArrayField("weightO", 2),)
    _isProjected = True
    _hidden: Tensor
    _gradHidden: Tensor

    def __init__(self, inputsize: int, hiddensize: int, outputsize: int) -> None:
        shape = check.count(self, "hiddensize", hiddensize), check.count(self, "outputsize", outputsize)
        Module.__init__(self)  # SeqLSTM's own draws the parameters, which must be there by then
        self._newParameters(weightO=shape)
        super().__init__(inputsize, hiddensize, outputsize)

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new weights, normal with standard deviation `stdv`, 1 / sqrt(rows + columns) if it is not given."""
        self._drawParameters(self.hiddensize, 1 / sqrt(self.hiddensize + self.inputsize) if stdv is None else stdv)
        stdv = 1 / sqrt(self.outputsize + self.hiddensize) if stdv is None else stdv
        self.weightO[...] = random.normal(0, stdv, self.weightO.shape, self._dtype, self._onDevice)
        return self

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        return [self.weight, self.bias, self.weightO], [self.gradWeight, self.gradBias, self.gradWeightO]

    def accGradParameters(self, input: Any, gradOutput: Any, scale: float = 1.0) -> None:
        super().accGradParameters(input, gradOutput, scale)
        if len(self._output):
            self.gradWeightO += scale * product(self._hidden, self._gradHidden)

    def toFastLSTM(self) -> NoReturn:
        """Raises UnsupportedError: an nn.FastLSTM has no projection."""
        raise UnsupportedError(f"{self._typename}: toFastLSTM: nn.FastLSTM has no projection")

    def clearState(self) -> Self:
        for name in ("_hidden", "_gradHidden"):
            self.__dict__.pop(name, None)
        return super().clearState()

    def _hiddenBuffer(self, output: Tensor, size: int) -> Tensor:
        return self._resize("_hidden", (*output.shape[:2], size))

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return super()._shapes() | {"weightO": (self.hiddensize, self.outputsize)}

    def _project(self, hidden: Tensor, output: Tensor) -> None:
        compute.matmul(hidden, self.weightO, out=output)

    def _unproject(self, t: int, gradient: Tensor) -> Tensor:
        self._resize("_gradHidden", self._output.shape)[t] = gradient
        result: Tensor = compute.matmul(gradient, self.weightO.T)
        return result
