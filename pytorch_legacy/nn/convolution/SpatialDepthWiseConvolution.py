"""Convolution of each plane by itself."""

from math import prod
from typing import Any

from pytorch_legacy.files import migration
from pytorch_legacy.files.fields import Fields
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.convolution.SpatialConvolution import SpatialConvolution


class SpatialDepthWiseConvolution(SpatialConvolution):
    """Convolves each plane with filters of its own.

    .. math::
        y_{c \\, nOutputPlane + o,\\; h,w} = b_{o,c} + \\sum_{i,j} W_{o,c,i,j} \\, x_{c,\\; h dH + i - padH,\\; w dW + j - padW}

    with x = 0 outside its planes.

    Parameters
    ----------
    nInputPlane : int
        Number of input planes.
    nOutputPlane : int
        Number of output planes for each input plane (the multiplier).
    kW, kH : int
        Width and height of a filter.
    dW, dH : int
        Steps of the filters.
    padW, padH : int, optional
        Zeros on either side; padH is as padW if not given.

    Attributes
    ----------
    weight, gradWeight : array of nOutputPlane x (nInputPlane * kH * kW)
    bias, gradBias : array of nOutputPlane x nInputPlane, or None after ``noBias()``

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, the filter does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) (nInputPlane * nOutputPlane) x oH x oW`` with
    oH = floor((H + 2 padH - kH) / dH) + 1, oW likewise. The outputs of one input plane lie side by side.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kW kH nInputPlane).
    Torch7 took height for width, which went wrong where they differ, and lost a part of a gradient that was added to
    another one; neither happens here.
    Source: Torch7 ``nn.SpatialDepthWiseConvolution``; C: ``THNN/convolution/SpatialDepthWiseConvolution.c``.

    Examples
    --------
    >>> layer = nn.SpatialDepthWiseConvolution(2, 2, 1, 1)  # two planes for each of two
    >>> layer.weight[...], layer.bias[...] = [[1, 10], [2, 20]], 0
    >>> layer.forward(np.float32([[[3]], [[4]]])).ravel()  # 1 * 3, 2 * 3, 10 * 4, 20 * 4
    array([ 3.,  6., 40., 80.], dtype=float32)
    """

    _layer = "SpatialDepthWiseConvolution"

    _file = Form(
        version=1,
        dropped=("depthwiseMultiplier",),
        outdated=("depthwiseMultiplier",),
        kinds={"depthwiseMultiplier": "a whole number"},
    )

    def _makeParameters(self, shape: tuple[int, ...], outputs: int | tuple[int, ...]) -> None:
        super()._makeParameters(shape, (self.nOutputPlane, self.nInputPlane))

    def _weightShape(self) -> tuple[int, ...]:
        return self.nOutputPlane, self.nInputPlane * prod(self._kernel())

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """In files of version 2 nOutputPlane counts all output planes, and depthwiseMultiplier those of a plane."""
        multiplier = Fields(self, fields).get("depthwiseMultiplier")
        if multiplier:
            migration.note(self, "nOutputPlane", f"was {fields.get('nOutputPlane')}, all output planes: {multiplier}")
            fields = fields | {"nOutputPlane": multiplier}
        super()._fromTorch7(fields, version)
