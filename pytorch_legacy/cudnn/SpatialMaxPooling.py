"""Maxima of windows."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer, no_size


class SpatialMaxPooling(Layer, nn.SpatialMaxPooling):
    """``nn.SpatialMaxPooling`` under cudnn's name.

    Parameters
    ----------
    kW, kH, dW, dH, padW, padH
        As in ``nn.SpatialMaxPooling``.

    Notes
    -----
    Source: cudnn.torch ``SpatialMaxPooling``.
    """

    _nnOnly = ("indices", "iheight", "iwidth")

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.mode = "CUDNN_POOLING_MAX"
        self.ceil_mode = False
        self.iSize = no_size(4)
