"""Rows of zeros that are left out."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.arrays.device import recorder
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.utils import by_example
from pytorch_legacy.rnn.MaskZero import MaskZero


class TrimZero(MaskZero):
    """As an nn.MaskZero, but the module does not see the samples whose input is all zeros::

        output[n] = 0 if input[n] is 0, else the row of module(input without such rows)

    That is faster where many samples are padding.

    Parameters
    ----------
    module, nInputDim
        As in `MaskZero`.

    Notes
    -----
    If all samples are zero the module runs on one row of zeros. Unlike in Torch7, ``accGradParameters`` leaves the rows
    of the gradient out too, so that a single layer such as nn.Linear learns.
    Source: Element-Research rnn ``TrimZero``.

    Examples
    --------
    >>> layer = rnn.TrimZero(nn.AddConstant(1.0), 1)
    >>> layer.forward(np.float32([[5, 6], [0, 0], [0, 7]]))  # the second sample is padding
    array([[6., 7.],
           [0., 0.],
           [1., 8.]], dtype=float32)
    >>> layer.modules[0].output.shape  # the module saw two samples
    (2, 2)
    """

    _file = Form(dropped=("_maskindices", "_maskbyte"), scratch={"temp": None, "gradTemp": None})

    def updateOutput(self, input: Any) -> Any:
        if recorder() is not None:  # a program has fixed sizes: the module sees all samples
            return super().updateOutput(input)
        self._mask = self._zeroRows(input)
        output = self._inner("updateOutput", self._trimmed(input))
        self.output = self._spread(output)
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        gradInput = self._inner("updateGradInput", self._trimmed(input), self._trimmed(gradOutput))
        self.gradInput = self._spread(gradInput)
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        self._inner("accGradParameters", self._trimmed(input), self._trimmed(gradOutput), scale)

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        self._inner("accUpdateGradParameters", self._trimmed(input), self._trimmed(gradOutput), lr)

    def _trimmed(self, table: Any) -> Any:
        """The rows of the samples that are not zero."""
        rows = np.flatnonzero(~self._mask)

        def trim(_: Any, array: Tensor) -> Tensor:
            if self._mask.ndim == 0:
                return np.zeros_like(array) if self._mask else array
            return array[rows] if rows.size else np.zeros_like(array, shape=(1, *array.shape[1:]))

        return by_example(None, table, trim)

    def _spread(self, table: Any) -> Any:
        """The opposite: such rows between rows of zeros."""
        rows = np.flatnonzero(~self._mask)

        def spread(_: Any, array: Tensor) -> Tensor:
            if self._mask.ndim == 0:
                return np.zeros_like(array) if self._mask else array
            result = np.zeros_like(array, shape=(len(self._mask), *array.shape[1:]))
            if rows.size:
                result[rows] = array
            return result

        return by_example(None, table, spread)
