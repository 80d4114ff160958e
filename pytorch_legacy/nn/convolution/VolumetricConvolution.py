"""Convolution of volumes."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import VolumeFields
from pytorch_legacy.nn.convolution.Convolution import Convolution, strides_and_pads


class VolumetricConvolution(Convolution, VolumeFields):
    """Convolves volumes, such as films, with a bank of learned filters.

    .. math:: y_{o,t,h,w} = b_o + \\sum_{c,m,i,j} W_{o,c,m,i,j} \\,
              x_{c,\\; t dT + m - padT,\\; h dH + i - padH,\\; w dW + j - padW}

    with x = 0 outside its volumes.

    Parameters
    ----------
    nInputPlane, nOutputPlane : int
        Number of volumes before and after.
    kT, kW, kH : int
        Length in time, width and height of a filter.
    dT, dW, dH : int, optional
        Steps of the filters.
    padT, padW, padH : int, optional
        Zeros on either side; padW is as padT if not given, and padH as padW.

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
    oT = floor((T + 2 padT - kT) / dT) + 1, oH and oW likewise.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kT kW kH nInputPlane).
    Source: Torch7 ``nn.VolumetricConvolution``; C: ``THNN/convolution/Convolution.c``.

    Examples
    --------
    >>> layer, x = nn.VolumetricConvolution(1, 1, 2, 1, 1), np.float32([1, 2, 4])
    >>> layer.weight[..., 0, 0], layer.bias[...] = [-1, 1], 0
    >>> layer.forward(x.reshape(1, 3, 1, 1)).ravel()  # what changed from one time to the next
    array([1., 2.], dtype=float32)
    >>> nn.VolumetricConvolution(1, 8, 3, 3, 3, 1, 1, 1, 1).forward(np.zeros((1, 4, 5, 6), np.float32)).shape
    (8, 4, 5, 6)
    """

    _axes = "TWH"
    _file = Form(defaults=strides_and_pads("T"))
    _printsNoBias = False
    _layer = "VolumetricConvolutionMM"

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
    ) -> None:
        padW = padT if padW is None else padW
        pad = (padT, padW, padW if padH is None else padH)
        super().__init__(nInputPlane, nOutputPlane, (kT, kW, kH), (dT, dW, dH), pad)
