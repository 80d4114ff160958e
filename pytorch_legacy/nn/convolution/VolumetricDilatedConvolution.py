"""Convolution of volumes with filters that have holes."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.convolution.VolumetricConvolution import VolumetricConvolution


class VolumetricDilatedConvolution(VolumetricConvolution):
    """Convolves volumes with filters whose cells lie apart.

    .. math:: y_{o,t,h,w} = b_o + \\sum_{c,m,i,j} W_{o,c,m,i,j} \\,
              x_{c,\\; t dT + m dilationT - padT,\\; h dH + i dilationH - padH,\\; w dW + j dilationW - padW}

    with x = 0 outside its volumes.

    Parameters
    ----------
    nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH
        As in VolumetricConvolution.
    dilationT, dilationW, dilationH : int, optional
        Distance of a filter's cells; 1 is a filter without holes.

    Attributes
    ----------
    weight, gradWeight : array of nOutputPlane x nInputPlane x kT x kH x kW
    bias, gradBias : array of nOutputPlane, or None after ``noBias()``

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D with nInputPlane volumes, the filter does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x T x H x W`` to ``(N x) nOutputPlane x oT x oH x oW`` with
    oT = floor((T + 2 padT - dilationT (kT - 1) - 1) / dT) + 1, oH and oW likewise.
    Source: Torch7 ``nn.VolumetricDilatedConvolution``; C: ``THNN/convolution/Convolution.c``.

    Examples
    --------
    >>> layer = nn.VolumetricDilatedConvolution(1, 1, 2, 1, 1, dilationT=2)
    >>> layer.weight[..., 0, 0], layer.bias[...] = [1, 10], 0
    >>> layer.forward(np.float32([1, 2, 3, 4]).reshape(1, 4, 1, 1)).ravel()  # 1 + 10 * 3, 2 + 10 * 4
    array([31., 42.], dtype=float32)
    """

    _printsNoBias = True
    _layer = "VolumetricDilatedConvolution"

    _file = Form(defaults={"dilationT": 1, "dilationW": 1, "dilationH": 1})

    def __init__(
        self,
        nInputPlane: int,
        nOutputPlane: int,
        kT: int,
        kW: int,
        kH: int,
        dT: int = 1,
        dW: int = 1,
        dH: int = 1,
        padT: int = 0,
        padW: int | None = None,
        padH: int | None = None,
        dilationT: int = 1,
        dilationW: int = 1,
        dilationH: int = 1,
    ) -> None:
        super().__init__(nInputPlane, nOutputPlane, kT, kW, kH, dT, dW, dH, padT, padW, padH)
        self.dilationT, self.dilationW, self.dilationH = dilationT, dilationW, dilationH

    def _shown(self) -> list[tuple[int, ...]]:
        return [*super()._shown(), self._sizes("dilation")]
