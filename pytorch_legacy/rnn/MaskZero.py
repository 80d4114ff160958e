"""Rows of zeros that stay zeros."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import by_example, recursiveCopy, sizes
from pytorch_legacy.rnn.steps import areZero, first


class MaskZero(Decorator):
    """A decorator that returns zeros for samples whose input is all zeros, and no gradient for them::

        output[n]    = 0 if input[n] is 0 else module(input)[n]
        gradInput    = the module's, for gradOutput with zeros in the rows of these samples

    Parameters
    ----------
    module : Module
        For a recurrent one use its own method ``maskZero(nInputDim)``, which puts what runs in each step into a MaskZero:
        then the state is zero after such a step too.
    nInputDim : int
        The rank of one sample. Of an input that is a table its first array counts. It is 0 for a batch of indices: index 0 is
        padding then, as in an nn.LookupTableMaskZero.

    Raises
    ------
    ShapeError
        If the input has neither nInputDim nor nInputDim + 1 dimensions, or an output has another number of rows.

    Notes
    -----
    Tables of outputs are masked array by array. As in Torch7, the parameters of the module itself (not of layers further
    inside) get their gradients from the gradOutput as it is: the bias of an nn.Linear counts the rows of zeros too, unless
    the criterion masks them. Source: Element-Research rnn ``MaskZero``.

    Examples
    --------
    >>> layer = rnn.MaskZero(nn.AddConstant(1.0), 1)
    >>> layer.forward(np.float32([[5, 6], [0, 0], [0, 7]]))  # the second sample is padding
    array([[6., 7.],
           [0., 0.],
           [1., 8.]], dtype=float32)
    """

    _file = Form(dropped=("module", "zeroMask", "_zeroMask", "gradOutput"), private=("_mask", "_gradOutput"))
    _mask: Tensor = np.empty(0, np.bool_)

    def __init__(self, module: Module, nInputDim: int) -> None:
        super().__init__(module)
        self.nInputDim = check.count(self, "nInputDim", nInputDim, 0)
        self._mask = np.empty(0, np.bool_)

    def updateOutput(self, input: Any) -> Any:
        self._mask = self._zeroRows(input)
        output = self._inner("updateOutput", input)
        self.output = self._masked("output", self.output, output)
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        self._gradOutput = self._masked("gradOutput", getattr(self, "_gradOutput", None), gradOutput)
        self.gradInput = self._inner("updateGradInput", input, self._gradOutput)
        return self.gradInput

    def clearState(self) -> Self:
        self._mask = np.empty(0, np.bool_)
        self.__dict__.pop("_gradOutput", None)
        return super().clearState()

    def _zeroRows(self, input: Any) -> Tensor:
        """Returns a mask of the zero samples; an array without dimensions for a single sample."""
        array = first(self, "input", input)
        if array.ndim not in (self.nInputDim, self.nInputDim + 1):
            raise ShapeError(
                f"{self._typename}: input: expected {self.nInputDim} dimensions, or one more for a batch, "
                f"got {sizes(array.shape)}"
            )
        return areZero(array, self.nInputDim)

    def _masked(self, name: str, buffer: Any, table: Any) -> Any:
        """A copy of an array or a table, in which the rows of such samples are zero."""
        result = recursiveCopy(buffer, table)

        def mask(_: Any, array: Tensor) -> None:
            if array.shape[: self._mask.ndim] != self._mask.shape:
                raise ShapeError(
                    f"{self._typename}: {name}: expected {sizes(self._mask.shape)} rows as in the input, got {sizes(array.shape)}"
                )
            array[self._mask] = 0

        by_example(None, result, mask)
        return result
