"""Transposed convolution of planes."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.convolution.FullConvolution import FullConvolution


class SpatialFullConvolution(FullConvolution, PlaneFields):
    """Stamps learned filters onto the output, each weighted by a cell of the input: the transpose of a convolution.

    .. math:: y_{o,\\; h dH + i - padH,\\; w dW + j - padW} \\mathrel{+}= W_{c,o,i,j} \\, x_{c,h,w}

    for all c, h, w, i, j, where y starts as the bias, and what falls outside is dropped.

    Parameters
    ----------
    nInputPlane, nOutputPlane : int
        Number of planes before and after.
    kW, kH : int
        Width and height of a filter.
    dW, dH : int
        Distance of the stamps.
    padW, padH : int, optional
        Cells by which the output is cropped on either side.
    adjW, adjH : int, optional
        Cells that the output has more at the far end, less than dW and dH.

    Attributes
    ----------
    weight, gradWeight : array of nInputPlane x nOutputPlane x kH x kW
    bias, gradBias : array of nOutputPlane, or None after ``noBias()``

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, the output has no cells, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) nOutputPlane x oH x oW`` with
    oH = (H - 1) dH - 2 padH + kH + adjH, oW likewise.
    An input [x, y] chooses adj such that the output is as large as y, if one is: then a convolution with the same numbers
    gives the size of x back. The gradient of y is zero.
    Weight and bias start uniform in [-s, s) with s = 1 / sqrt(kW kH nInputPlane).
    Source: Torch7 ``nn.SpatialFullConvolution``; C: ``THNN/convolution/FullConvolution.c``.

    Examples
    --------
    >>> layer = nn.SpatialFullConvolution(1, 1, 3, 1, 2, 1)  # stamps of three cells, two apart
    >>> layer.weight[...], layer.bias[...] = [1, 2, 3], 0
    >>> layer.forward(np.float32([[[1, 10]]]))  # 3 * 1 + 1 * 10 where they meet
    array([[[ 1.,  2., 13., 20., 30.]]], dtype=float32)
    """

    _layer = "SpatialFullConvolution"

    _file = Form(scratch={"ones": None}, defaults={"adjW": 0, "adjH": 0})

    def __init__(
        self,
        nInputPlane: int,
        nOutputPlane: int,
        kW: int,
        kH: int,
        dW: int = 1,
        dH: int = 1,
        padW: int = 0,
        padH: int = 0,
        adjW: int = 0,
        adjH: int = 0,
    ) -> None:
        super().__init__(nInputPlane, nOutputPlane, (kW, kH), (dW, dH), (padW, padH))
        self.adjW, self.adjH = adjW, adjH
