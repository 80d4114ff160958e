"""Vectors picked from a table by their indices."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.files import migration
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class LookupTable(Native):
    """Replaces each index by its row of the weight::

        output[...]            = weight[input[...]]
        gradWeight[input[...]] += scale * gradOutput[...]

    Parameters
    ----------
    nIndex, nOutput : int
        Number of rows, and of elements of a row.
    paddingValue : int
        The index of a row that gets no gradient; -1 for none.
    maxNorm : float, optional
        ``forward`` shortens the rows that it picks, in the weight itself, to this norm.
    normType : float
        The p of that norm, ``(sum |w|^p)^(1/p)``; may be infinite.

    Attributes
    ----------
    weight, gradWeight : array of nIndex x nOutput
    shouldScaleGradByFreq : bool
        Whether the gradient of a row is divided by the number of times that its index comes in the input.

    Raises
    ------
    IndexRangeError
        If an index is not in 0 .. nIndex-1.
    DtypeError
        If the input holds anything but whole numbers.

    Notes
    -----
    Shapes: any shape to the same with nOutput appended. Indices count from 0, in an array of any integer dtype or of
    whole numbers in floating point. The weight starts normal with standard deviation 1. The gradient of the input is 0.
    Unlike Torch7, the input may have any number of dimensions, and `paddingValue` counts from 0: that of a .t7 file is
    made one less. Tables of older files may have rows of more than one dimension.
    Source: Torch7 ``nn.LookupTable``; C: ``THNN/embedding/LookupTable.c``.

    Examples
    --------
    >>> layer = nn.LookupTable(4, 2)  # four words, two numbers for each
    >>> layer.weight[...] = [[0, 1], [10, 11], [20, 21], [30, 31]]
    >>> layer.forward(np.array([3, 0, 3]))  # words count from 0; from 1 in Lua
    array([[30., 31.],
           [ 0.,  1.],
           [30., 31.]], dtype=float32)
    """

    _layer = "LookupTable"
    _file = Form(
        version=4,
        dropped=("_count", "_input", "_gradOutput", "_sorted", "_indices", "copiedInput", "size", "batchSize", "inputs"),
        defaults={"paddingValue": lambda fields: -1},
    )
    _lua = Lua(inputs="indices", fields={"paddingValue": "indices"}, methods={"renorm": {"input": "indices"}})
    _updatesDirectly = True
    weight: Tensor
    paddingValue = -1
    maxNorm: float | None = None
    normType = 2.0
    shouldScaleGradByFreq = False

    def __init__(
        self, nIndex: int, nOutput: int, paddingValue: int = -1, maxNorm: float | None = None, normType: float | None = None
    ) -> None:
        super().__init__()
        shape = check.count(self, "nIndex", nIndex), check.count(self, "nOutput", nOutput)
        self._newParameters(weight=shape)
        self.setPadding(paddingValue).setMaxNorm(maxNorm).setNormType(normType)
        self.reset()

    def accUpdateOnly(self) -> Self:
        """Drops ``gradWeight``, for training with ``backwardUpdate`` alone, and returns self.

        ``updateParameters`` raises NullError then.
        """
        self.gradWeight = None
        return self

    def setPadding(self, paddingValue: int) -> Self:
        """Sets the index that gets no gradient, -1 for none, and returns self."""
        self.paddingValue = paddingValue
        return self

    def setMaxNorm(self, maxNorm: float | None) -> Self:
        """Sets the largest norm of a row, None for any, and returns self."""
        self.maxNorm = maxNorm
        return self

    def setNormType(self, normType: float | None) -> Self:
        """Sets the p of the norm, None for 2, and returns self."""
        self.normType = 2.0 if normType is None else normType
        return self

    def scaleGradByFreq(self) -> Self:
        """Divides the gradient of a row by the number of times that its index comes, and returns self."""
        self.shouldScaleGradByFreq = True
        return self

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new weight, normal with standard deviation `stdv`, 1 if it is not given."""
        self.weight[...] = random.normal(0, 1 if stdv is None else stdv, self.weight.shape, self._dtype, self._onDevice)
        return self

    def renorm(self, input: Tensor) -> Self:
        """Shortens the rows that `input` names to ``maxNorm``, if there is one."""
        if self.maxNorm is not None:
            self._call("renorm", self._indices(input))
        return self

    def updateOutput(self, input: Tensor) -> Tensor:
        indices = self._indices(input)
        weight = check.tensor(self, "weight", self.weight)
        output = self._resize("output", (*indices.shape, *weight.shape[1:]))
        self.renorm(indices)
        self._call("updateOutput", indices)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        indices = self._indices(input)
        check.tensor(self, "gradOutput", gradOutput)
        check.shape(self, "gradOutput", gradOutput, (*indices.shape, *self.weight.shape[1:]))
        gradInput = self._resize("gradInput", indices.shape)
        gradInput.fill(0)
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        if self.gradWeight is not None:
            numbers = self.shouldScaleGradByFreq, self.paddingValue, scale
            self._call("accGradParameters", self._indices(input), gradOutput, self.gradWeight, *numbers)

    def _indices(self, input: Any) -> Tensor:
        array = check.numbers(self, "input", input, "an array of indices")
        if check.looks(self) and not check.areWhole(array):
            raise DtypeError(f"{self._typename}: input: expected indices, got numbers between them")
        indices = array.astype(np.int64, copy=False)
        return indices if indices.ndim else indices.reshape(1)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        missing = [name for name in ("normType", "paddingValue") if fields.get(name) is None]
        fields = {name: value for name, value in fields.items() if name not in missing}
        for name in ("weight", "gradWeight"):
            if isinstance(fields.get(name), np.ndarray) and fields[name].ndim > 2:
                migration.note(self, name, f"of version {version} has rows of {fields[name].ndim - 1} dimensions")
        super()._fromTorch7(fields, version)
