"""Maxima of windows."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer, no_size
from pytorch_legacy.files.form import Form


class SpatialMaxPooling(Layer, nn.SpatialMaxPooling):
    """``nn.SpatialMaxPooling`` under cudnn's name.

    Parameters
    ----------
    kW, kH, dW, dH, padW, padH
        As in ``nn.SpatialMaxPooling``.

    Notes
    -----
    Source: cudnn.torch ``SpatialMaxPooling``.

    Examples
    --------
    >>> cudnn.SpatialMaxPooling(2, 1, 2, 1).forward(np.float32([[[1, 3, 9, 5]]]))
    array([[[3., 9.]]], dtype=float32)
    """

    _file = Form(private=("indices", "iheight", "iwidth"), kinds={"mode": "text"})

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.mode = "CUDNN_POOLING_MAX"
        self.ceil_mode = False
        self.iSize = no_size(4)
