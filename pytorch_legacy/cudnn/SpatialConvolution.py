"""Convolution of planes, in groups."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Grouped import Grouped
from pytorch_legacy.cudnn.Layer import no_size
from pytorch_legacy.files.form import Form


class SpatialConvolution(Grouped, nn.SpatialConvolution):
    """``nn.SpatialConvolution``, whose planes may fall into groups.

    .. math:: y_{o,h,w} = b_o + \\sum_{c \\in G(o),i,j} W_{o,c,i,j} \\, x_{c,\\; h dH + i - padH,\\; w dW + j - padW}

    where G(o) are the nInputPlane / groups input planes of the group that o belongs to.

    Parameters
    ----------
    nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH
        As in ``nn.SpatialConvolution``.
    groups : int
        Number of groups; it divides nInputPlane and nOutputPlane.

    Attributes
    ----------
    weight, gradWeight : array of nOutputPlane x (nInputPlane / groups) x kH x kW
    bias, gradBias : array of nOutputPlane, or None after ``noBias()``

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, the filter does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) nOutputPlane x oH x oW`` as in ``nn.SpatialConvolution``.
    Source: cudnn.torch ``SpatialConvolution``.

    Examples
    --------
    >>> layer = cudnn.SpatialConvolution(2, 2, 1, 1, groups=2)  # each output plane sees one input plane
    >>> layer.weight[...], layer.bias[...] = np.reshape([10, 100], (2, 1, 1, 1)), 0
    >>> layer.forward(np.float32([[[1]], [[2]]])).ravel()
    array([ 10., 200.], dtype=float32)
    >>> cudnn.SpatialConvolution(4, 6, 3, 3, groups=2).weight.shape
    (6, 2, 3, 3)
    """

    _file = Form(defaults={"groups": lambda fields: 1})

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
        groups: int = 1,
    ) -> None:
        self._setGroups(groups, nInputPlane, nOutputPlane)
        nn.SpatialConvolution.__init__(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH)
        self.iSize = no_size(4)

    def _weightShape(self) -> tuple[int, ...]:
        return self.nOutputPlane, self.nInputPlane // self.groups, *self._kernel()
