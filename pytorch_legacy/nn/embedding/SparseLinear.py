"""An affine map of sparse vectors."""

from math import sqrt
from typing import Any, Self

import numpy as np

import pytorch_legacy.nn
from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import DtypeError, ShapeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.utils import clear, described, sizes

# Values of `sparseUpdate`: the gradients since zeroGradParameters have the columns of no input, of `lastInput` alone, or of
# several inputs.
_NONE, _ONE, _MANY = 0, 1, 2


class SparseLinear(Native):
    """Applies an affine map to vectors of which only the elements other than 0 are given, as rows (column, value).

    .. math:: y_o = b_o + \\sum_i value_i W_{o, column_i}

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of a vector before and after.
    doGradInput : bool
        Whether to compute the gradient of the input, which is dense.

    Attributes
    ----------
    weight, gradWeight : array of outputSize x inputSize
    bias, gradBias : array of outputSize
    weightDecay : float
        ``accGradParameters`` adds this times the whole weight to the gradient, whatever its `scale`.

    Raises
    ------
    IndexRangeError
        If a column is no whole number in 0 .. inputSize-1, where the value is not 0.
    ShapeError
        If the input has none of the three forms.

    Notes
    -----
    Input: one vector, ``nnz x 2``; a batch as a list of such arrays; or a batch as an array ``N x nnz x 2``, in which
    entries of value 0 are padding. Columns count from 0. Output: ``outputSize``, or ``N x outputSize``. ``gradInput`` is
    a list with an array ``inputSize x 2`` of columns and gradients for each sample, empty without `doGradInput`.

    If all gradients since ``zeroGradParameters`` come from one input, ``updateParameters`` and the next
    ``zeroGradParameters`` touch its columns only (with `weightDecay`, the others too).
    The weight starts uniform in [-s, s) with s = 1 / sqrt(inputSize), the bias in a millionth of it.
    Torch7 left gradInput of a batch array undefined, and its clearState raised an error. With `weightDecay` its
    ``accUpdateGradParameters`` made the weight grow.
    Source: Torch7 ``nn.SparseLinear``; C: ``THNN/embedding/SparseLinear.c``.

    Examples
    --------
    >>> layer = nn.SparseLinear(1000, 2)
    >>> layer.weight[...], layer.bias[...] = 1, 0
    >>> layer.forward(np.float32([[3, 0.5], [999, 2]]))  # columns count from 0; from 1 in Lua
    array([2.5, 2.5], dtype=float32)
    """

    _layer = "SparseLinear"
    _file = Form(
        dropped=("cooInput", "sizes", "formatted_input", "lastInput", "legacyMode"),
        scratch={"sparseUpdate": lambda module: 0},
        defaults={"doGradInput": False},
        kinds={"weightDecay": "a number"},
        dimensions={"weight": 2},
    )
    _lua = Lua(inputs="columns", gradInputs="columns")
    _updatesDirectly = True
    weight: Tensor
    gradWeight: Tensor
    bias: Tensor
    gradBias: Tensor
    weightDecay: Any = 0.0
    doGradInput = False
    sparseUpdate = _MANY
    lastInput: Tensor | None = None

    def __init__(self, inputSize: int, outputSize: int, doGradInput: bool = False) -> None:
        super().__init__()
        shape = check.count(self, "outputSize", outputSize), check.count(self, "inputSize", inputSize)
        self.weightDecay = 0.0
        self.doGradInput = doGradInput
        self._newParameters(weight=shape, bias=shape[0])
        self.gradInput = []
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, the weight uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self.weight.shape[1]) if stdv is None else stdv * sqrt(3)
        if pytorch_legacy.nn.oldSeed:  # each row, and then its bias
            rows, columns = self.weight.shape
            drawn = random.uniform(-limit, limit, (rows, columns + 1), np.float64, self._onDevice)
            self.weight[...], self.bias[...] = drawn[:, :-1], drawn[:, -1] * 1e-6
            return self
        self.weight[...] = random.uniform(-limit, limit, self.weight.shape, self._dtype, self._onDevice)
        self.bias[...] = random.uniform(-limit, limit, self.bias.shape, self._dtype, self._onDevice) * self._dtype.type(1e-6)
        return self

    def updateOutput(self, input: Tensor | list[Tensor]) -> Tensor:
        entries, samples = self._entries(input)
        outputs = len(check.tensor(self, "weight", self.weight))
        output = self._resize("output", (outputs,) if self._isSample(input) else (samples, outputs))
        function = "legacyUpdateOutput" if entries.ndim == 3 else "updateOutput"
        self._call(function, entries, output.reshape(samples, outputs))
        return output

    def updateGradInput(self, input: Tensor | list[Tensor], gradOutput: Tensor) -> list[Tensor]:
        gradient = self._gradient(input, gradOutput)
        self._resizeTable("gradInput", [(self.weight.shape[1], 2)] * (len(gradient) if self.doGradInput else 0))
        for dense, row in zip(self.gradInput, gradient, strict=False):
            dense[:, 0] = np.arange(len(dense), like=dense)
            dense[:, 1] = compute.matmul(row, self.weight)
        return self.gradInput

    def accGradParameters(self, input: Tensor | list[Tensor], gradOutput: Tensor, scale: float = 1.0) -> None:
        entries, _ = self._entries(input)
        gradient = self._gradient(input, gradOutput)
        function = "legacyAccGradParameters" if entries.ndim == 3 else "accGradParameters"
        isStep = self.gradWeight is self.weight  # for accUpdateGradParameters the decay is part of the step
        self._call(function, entries, gradient, weightDecay=self.weightDecay * (scale if isStep else 1), scale=scale)
        self.sparseUpdate = _ONE if self.sparseUpdate == _NONE and self.weightDecay == 0 else _MANY
        if self.sparseUpdate == _ONE:
            self._resize("lastInput", entries.shape)[...] = entries

    def updateParameters(self, learningRate: float) -> Self:
        if self.sparseUpdate != _ONE or self.lastInput is None:
            super().updateParameters(learningRate)
        else:
            function = "legacyUpdateParameters" if self.lastInput.ndim == 3 else "updateParameters"
            self._call(function, learningRate=learningRate)
        return self

    def zeroGradParameters(self) -> Self:
        if self.sparseUpdate == _ONE and self.lastInput is not None:
            function = "legacyZeroGradParameters" if self.lastInput.ndim == 3 else "zeroGradParameters"
            self._call(function)
        else:
            super().zeroGradParameters()
        self.sparseUpdate = _NONE
        return self

    def _restoreGradients(self, kept: Any) -> None:
        super()._restoreGradients(kept)
        self.sparseUpdate = _MANY  # they come from other inputs than the last one

    def clearState(self) -> Self:
        clear(self, "cooInput")
        self.lastInput, self.sparseUpdate = None, _MANY
        super().clearState()
        return self

    def _isSample(self, input: Any) -> bool:
        return is_tensor(input) and input.ndim == 2

    def _entries(self, input: Any) -> tuple[Tensor, int]:
        """Returns the argument of the C functions, and the number of samples: ``N x nnz x 2`` unchanged, else indexed rows."""
        if is_tensor(input):
            check.tensor(self, "input", input, 2, 3)
            check.shape(self, "input", input, (*input.shape[:-1], 2))
            if input.ndim == 3:
                return input, len(input)
        elif not isinstance(input, list):
            raise DtypeError(f"{self._typename}: input: expected an array or a table of arrays, got {described(input)}")
        vectors = input if isinstance(input, list) else [input]
        for i, vector in enumerate(vectors):
            name = f"input[{i}]"
            if check.tensor(self, name, vector).ndim != 2 or vector.shape[1] != 2:
                raise ShapeError(f"{self._typename}: {name}: expected nnz x 2, got {sizes(vector.shape)}")
        entries = self._resize("cooInput", (sum(map(len, vectors)), 3))
        at = 0
        for i, vector in enumerate(vectors):
            entries[at : at + len(vector), 0] = i
            entries[at : at + len(vector), 1:] = vector
            at += len(vector)
        return entries, len(vectors)

    def _gradient(self, input: Any, gradOutput: Tensor) -> Tensor:
        if is_tensor(input):
            check.tensor(self, "input", input, 2, 3)
        samples = 1 if self._isSample(input) else len(input)
        shape = (len(self.weight),) if self._isSample(input) else (samples, len(self.weight))
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        return self._dense("_gradOutput", gradOutput).reshape(samples, len(self.weight))
