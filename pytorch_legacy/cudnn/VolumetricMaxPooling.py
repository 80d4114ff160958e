"""Maxima of windows."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer, no_size
from pytorch_legacy.files.form import Form


class VolumetricMaxPooling(Layer, nn.VolumetricMaxPooling):
    """``nn.VolumetricMaxPooling`` under cudnn's name.

    Parameters
    ----------
    kT, kW, kH, dT, dW, dH, padT, padW, padH
        As in ``nn.VolumetricMaxPooling``.

    Notes
    -----
    Source: cudnn.torch ``VolumetricMaxPooling``.

    Examples
    --------
    >>> cudnn.VolumetricMaxPooling(2, 1, 1, 2, 1, 1).forward(np.float32([1, 3, 9, 5]).reshape(1, 4, 1, 1)).ravel()
    array([3., 9.], dtype=float32)
    """

    _file = Form(version=1, private=("indices", "iheight", "iwidth", "itime"), kinds={"mode": "text"})

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.mode = "CUDNN_POOLING_MAX"
        self.ceil_mode = False
        self.iSize = no_size(5)

    def __repr__(self) -> str:
        return self._typename
