"""Maxima of adaptive windows."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check, utils
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class SpatialAdaptiveMaxPooling(Module):
    """Maximum of windows that share each plane as evenly as they can, so that the output has the size you ask for.

    .. math:: y_o = \\max_{i \\in R_o} x_i, \\qquad
              R_o = [\\lfloor o I / O \\rfloor, \\lceil (o + 1) I / O \\rceil)

    along height and along width, for an input of I and an output of O cells. Windows overlap where O does not divide I;
    O may exceed I. The gradient goes to the cell that the maximum came from: the first of equal ones in row-major order,
    and the first NaN before every number.

    Parameters
    ----------
    W, H : int or None
        Width and height of the output; None keeps the input's.

    Attributes
    ----------
    indices : int64 array, as output
        Where each maximum was: row * width + column within its plane. (Torch7 kept two arrays, counted from the
        beginning of the window.)

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, or a size is below 1.

    Notes
    -----
    Shapes: ``(N x) C x H_in x W_in`` to ``(N x) C x H x W``.
    Bounds are exact integers; Torch7 computed them in floating point, wrong already for 13 to 13 cells.
    Source: Torch7 ``nn.SpatialAdaptiveMaxPooling``; C: ``THNN/pooling/SpatialAdaptiveMaxPooling.c``.
    """

    def __init__(self, W: int | None, H: int | None) -> None:
        super().__init__()
        self.W = W
        self.H = H
        self.indices = np.empty(0, np.int64)

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = self._outputSize(input)
        output, indices = self._resize("output", shape), self._resize("indices", shape, np.int64)
        call(self, "SpatialAdaptiveMaxPooling_updateOutput", input, output, indices, shape[-1], shape[-2])
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self._outputSize(input))
        gradInput = self._resize("gradInput", input.shape)
        call(self, "SpatialAdaptiveMaxPooling_updateGradInput", input, gradOutput, gradInput, self.indices)
        return gradInput

    def clearState(self) -> Self:
        utils.clear(self, "indices")
        return super().clearState()

    def _outputSize(self, input: Tensor) -> tuple[int, ...]:
        height, width = (0, 0, *check.tensor(self, "input", input).shape)[-2:]  # C says so if there are too few
        size = (width if self.W is None else self.W, height if self.H is None else self.H)
        return output_size(self, "SpatialAdaptiveMaxPooling_outputSize", input, *size)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """The indices of a file are of another kind, and are made anew by the next forward: they stay behind."""
        super()._fromTorch7(fields | {"indices": np.empty(0, np.int64)}, version)
