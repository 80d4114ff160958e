"""Means of windows."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.AveragePooling import INCLUDE, AveragePooling
from pytorch_legacy.cudnn.Layer import no_size


class SpatialAveragePooling(AveragePooling, nn.SpatialAveragePooling):
    """``nn.SpatialAveragePooling`` whose windows lie side by side by default.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side.

    Notes
    -----
    Source: cudnn.torch ``SpatialAveragePooling``.

    Examples
    --------
    >>> cudnn.SpatialAveragePooling(2, 1).forward(np.float32([[[1, 3, 5, 9]]]))  # windows side by side
    array([[[2., 7.]]], dtype=float32)
    """

    def __init__(self, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0) -> None:
        super().__init__(kW, kH, kW if dW is None else dW, kH if dH is None else dH, padW, padH)
        self.ceil_mode = False
        self.count_include_pad = True
        self.mode = INCLUDE
        self.iSize = no_size(4)
