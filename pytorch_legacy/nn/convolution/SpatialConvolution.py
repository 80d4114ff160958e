"""Convolution of planes."""

from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.convolution.Convolution import Convolution


class SpatialConvolution(Convolution, PlaneFields):
    """Convolves planes with a bank of learned filters.

    .. math:: y_{o,h,w} = b_o + \\sum_{c,i,j} W_{o,c,i,j} \\, x_{c,\\; h dH + i - padH,\\; w dW + j - padW}

    with x = 0 outside its planes. (The filter is not turned over: a cross-correlation, as everywhere in Torch7.)

    Parameters
    ----------
    nInputPlane, nOutputPlane : int
        Number of planes before and after.
    kW, kH : int
        Width and height of a filter.
    dW, dH : int
        Steps of the filters.
    padW, padH : int, optional
        Zeros on either side; padH is as padW if not given.

    Attributes
    ----------
    weight, gradWeight : array of nOutputPlane x nInputPlane x kH x kW
    bias, gradBias : array of nOutputPlane, or None after ``noBias()``

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, the filter does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) nOutputPlane x oH x oW`` with
    oH = floor((H + 2 padH - kH) / dH) + 1, oW likewise.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kW kH nInputPlane).
    Source: Torch7 ``nn.SpatialConvolution``; C: ``THNN/convolution/Convolution.c``.

    Examples
    --------
    >>> layer, x = nn.SpatialConvolution(1, 1, 2, 2), np.arange(9, dtype=np.float32).reshape(1, 3, 3)
    >>> layer.weight[...], layer.bias[...] = [[1, 10], [100, 1000]], 0.5
    >>> layer.forward(x)  # 1 * 0 + 10 * 1 + 100 * 3 + 1000 * 4 + 0.5, ...
    array([[[4310.5, 5421.5],
            [7643.5, 8754.5]]], dtype=float32)
    >>> nn.SpatialConvolution(1, 8, 3, 3, 1, 1, 1, 1).forward(x).shape  # eight planes as large as the input
    (8, 3, 3)
    """

    _layer = "SpatialConvolutionMM"

    def __init__(
        self,
        nInputPlane: int,
        nOutputPlane: int,
        kW: int,
        kH: int,
        dW: int = 1,
        dH: int = 1,
        padW: int = 0,
        padH: int | None = None,
    ) -> None:
        super().__init__(nInputPlane, nOutputPlane, (kW, kH), (dW, dH), (padW, padW if padH is None else padH))
