"""Maxima of boxes at random distances."""

from typing import ClassVar

from pytorch_legacy.nn.pooling.FractionalMaxPooling import FractionalMaxPooling


class VolumetricFractionalMaxPooling(FractionalMaxPooling):
    """Maximum of boxes of one size that lie at random distances: ``SpatialFractionalMaxPooling`` with a third axis.

    .. math:: y_o = \\max_{i \\in R_o} x_i

    **Time is the last axis of a plane**, unlike in all other volumetric layers, as it was in Torch7.

    Parameters
    ----------
    poolSizeT, poolSizeW, poolSizeH : int
        Length, width and height of a box, at least 2.
    outT, outW, outH : int or float
        Length, width and height of the output. Three numbers below 1 are ratios of output to input, rounded down.

    Attributes
    ----------
    randomSamples : array N x C x 3
        The u of each plane along time, width and height (see ``FractionalMaxPooling``), uniform in [0, 1).
    indices : int64 array, as output
        Position of each maximum within its plane: (row * width + column) * length + time.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, has no room for the boxes (in < out + poolSize - 1), or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W x T`` to ``(N x) C x outH x outW x outT``.
    What differs from Torch7 is what differs in ``SpatialFractionalMaxPooling``.
    Source: Torch7 ``nn.VolumetricFractionalMaxPooling``; C: ``THNN/pooling/FractionalMaxPooling.c``.

    Examples
    --------
    >>> pool, x = nn.VolumetricFractionalMaxPooling(2, 2, 2, 3, 1, 1), np.arange(20, dtype=np.float32)
    >>> pool.fixPoolingRegions().randomSamples = np.float32([[[0.5, 0, 0]]])  # drawn without this line
    >>> pool.forward(x.reshape(1, 2, 2, 5))  # boxes begin at times 0, 2 and 3
    array([[[[16., 18., 19.]]]], dtype=float32)
    """

    _layer = "VolumetricFractionalMaxPooling"
    _axes: ClassVar[str] = "TWH"
    _layout: ClassVar[str] = "HWT"
    poolSizeT: int
    poolSizeW: int
    poolSizeH: int
    outT: int
    outW: int
    outH: int
    ratioT: float
    ratioW: float
    ratioH: float

    def __init__(self, poolSizeT: int, poolSizeW: int, poolSizeH: int, outT: float, outW: float, outH: float) -> None:
        super().__init__((poolSizeT, poolSizeW, poolSizeH), (outT, outW, outH))
