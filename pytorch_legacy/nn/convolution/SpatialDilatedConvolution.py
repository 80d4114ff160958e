"""Convolution of planes with filters that have holes."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.convolution.SpatialConvolution import SpatialConvolution


class SpatialDilatedConvolution(SpatialConvolution):
    """Convolves planes with filters whose cells lie apart.

    .. math:: y_{o,h,w} = b_o + \\sum_{c,i,j} W_{o,c,i,j} \\,
              x_{c,\\; h dH + i dilationH - padH,\\; w dW + j dilationW - padW}

    with x = 0 outside its planes.

    Parameters
    ----------
    nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH
        As in SpatialConvolution.
    dilationW, dilationH : int, optional
        Distance of a filter's cells; 1 is a filter without holes.

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
    oH = floor((H + 2 padH - dilationH (kH - 1) - 1) / dH) + 1, oW likewise.
    Source: Torch7 ``nn.SpatialDilatedConvolution``; C: ``THNN/convolution/Convolution.c``.

    Examples
    --------
    >>> layer = nn.SpatialDilatedConvolution(1, 1, 2, 1, 1, 1, 0, 0, 2, 1)  # cells two apart
    >>> layer.weight[...], layer.bias[...] = [1, 10], 0
    >>> layer.forward(np.float32([[[1, 2, 3, 4]]]))  # 1 + 10 * 3, 2 + 10 * 4
    array([[[31., 42.]]], dtype=float32)
    """

    _layer = "SpatialDilatedConvolution"

    _file = Form(defaults={"dilationW": 1, "dilationH": 1})

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
        dilationW: int = 1,
        dilationH: int = 1,
    ) -> None:
        super().__init__(nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
        self.dilationW, self.dilationH = dilationW, dilationH

    def _shown(self) -> list[tuple[int, ...]]:
        return [*super()._shown(), self._sizes("dilation")]
