"""Transposed convolution of planes, in groups."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Grouped import Grouped
from pytorch_legacy.cudnn.Layer import no_size


class SpatialFullConvolution(Grouped, nn.SpatialFullConvolution):
    """``nn.SpatialFullConvolution``, whose planes may fall into groups.

    Each of the `groups` groups of nInputPlane / groups input planes makes nOutputPlane / groups output planes.

    Parameters
    ----------
    nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, adjW, adjH
        As in ``nn.SpatialFullConvolution``.
    groups : int
        Number of groups; it divides nInputPlane and nOutputPlane.

    Attributes
    ----------
    weight, gradWeight : array of nInputPlane x (nOutputPlane / groups) x kH x kW
    bias, gradBias : array of nOutputPlane, or None after ``noBias()``

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D with nInputPlane planes, the output has no cells, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputPlane x H x W`` to ``(N x) nOutputPlane x oH x oW`` as in ``nn.SpatialFullConvolution``. With
    groups the input is one array.
    Source: cudnn.torch ``SpatialFullConvolution``.

    Examples
    --------
    >>> layer = cudnn.SpatialFullConvolution(4, 6, 3, 3, 2, 2, groups=2)
    >>> layer.weight.shape  # each input plane adds to three output planes
    (4, 3, 3, 3)
    >>> layer.forward(np.zeros((1, 4, 5, 5), np.float32)).shape
    (1, 6, 11, 11)
    """

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
        groups: int = 1,
    ) -> None:
        self._setGroups(groups, nInputPlane, nOutputPlane)
        if groups == 1:
            del self.groups  # the class has no such field
        nn.SpatialFullConvolution.__init__(self, nInputPlane, nOutputPlane, kW, kH, dW, dH, padW, padH, adjW, adjH)
        self.iSize = no_size(4)

    def _weightShape(self) -> tuple[int, ...]:
        return self.nInputPlane, self.nOutputPlane // self.groups, *self._kernel()
