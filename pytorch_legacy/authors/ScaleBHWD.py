"""Images enlarged, channels last."""

from typing import Any

import numpy as np

from pytorch_legacy.arguments import as_kind
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Native import Caller
from pytorch_legacy.nn.sampling.resampling import counts
from pytorch_legacy.nn.utils import sizes


class ScaleBHWD(Caller, Module):
    """Enlarges images with straight lines between their cells. The corners of input and output coincide.

    The output at (h, w) is the input at ``(h (H - 1) / (oH - 1), w (W - 1) / (oW - 1))``, as in nn.SpatialUpSamplingBilinear.

    Parameters
    ----------
    scale : float
        Scale factor of height and width, 1 by default: ``oH = floor(scale * H)`` and ``oW = floor(scale * W)``.

    Raises
    ------
    ShapeError
        If the input is not 3-D or 4-D, or nothing is left of it.
    ValueRangeError
        If the scale is not a positive finite number.

    Notes
    -----
    Shapes: ``(N x) H x W x C`` to ``(N x) oH x oW x C``.
    The C code of the original rounded the places down to whole cells, so that it copied cells; its CUDA code, with which
    models were trained, computes the formula. Its gradient of the input was broken.
    Source: SPyNet ``ScaleBHWD``; Ranjan & Black 2017. C: ``THNN/sampling/UpSamplingLinear.c``.

    Examples
    --------
    >>> x = np.float32([[0, 2], [4, 6]]).reshape(2, 2, 1)
    >>> authors.ScaleBHWD(1.5).forward(x)[..., 0]
    array([[0., 1., 2.],
           [2., 3., 4.],
           [4., 5., 6.]], dtype=float32)
    """

    _layer = "SpatialUpSamplingBilinear"
    _file = Form(defaults={"scale": 1}, kinds={"scale": "a number"})

    def __init__(self, scale: float = 1) -> None:
        super().__init__()
        self.scale = scale
        self._positive()

    def updateOutput(self, input: Tensor) -> Tensor:
        planes, target = self._planes(input), self._target(input)
        output = self._resize("output", (*input.shape[:-3], *target, input.shape[-1]), mustNotOverlap=input)
        scaled = np.empty((*planes.shape[:-2], *target), self._dtype, like=input)
        self._call("updateOutput", planes, scaled, *target)
        output[...] = np.moveaxis(scaled, -3, -1)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        planes, target = self._planes(input), self._target(input)
        shape = (*input.shape[:-3], *target, input.shape[-1])
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradient = np.empty_like(planes)
        gradPlanes = np.ascontiguousarray(np.moveaxis(gradOutput, -1, -3), like=input)
        self._call("updateGradInput", gradPlanes, gradient, *counts(planes, 2), *target)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        gradInput[...] = np.moveaxis(gradient, -3, -1)
        return gradInput

    def _planes(self, input: Any) -> Tensor:
        """Returns the images with channels first."""
        return np.ascontiguousarray(np.moveaxis(check.tensor(self, "input", input, 3, 4), -1, -3), like=input)

    def _target(self, input: Tensor) -> tuple[int, int]:
        """Returns height and width of the output."""
        scale = self._positive()
        height, width = (int(scale * size) for size in input.shape[-3:-1])
        if not height * width:
            raise ShapeError(f"{self._typename}: input: nothing is left of {sizes(input.shape)} with a scale of {scale}")
        return height, width

    def _positive(self) -> float:
        scale: float = as_kind(self, "scale", self.scale, float)
        if not 0 < scale < float("inf"):
            raise ValueRangeError(f"{self._typename}: scale: expected a positive number, got {scale}")
        return scale
