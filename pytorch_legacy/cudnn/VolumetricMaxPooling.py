"""Maxima of windows."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer, no_size


class VolumetricMaxPooling(Layer, nn.VolumetricMaxPooling):
    """``nn.VolumetricMaxPooling`` under cudnn's name.

    Parameters
    ----------
    kT, kW, kH, dT, dW, dH, padT, padW, padH
        As in ``nn.VolumetricMaxPooling``.

    Notes
    -----
    Source: cudnn.torch ``VolumetricMaxPooling``.
    """

    _version = 1
    _nnOnly = ("indices", "iheight", "iwidth", "itime")

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.mode = "CUDNN_POOLING_MAX"
        self.ceil_mode = False
        self.iSize = no_size(5)

    def __repr__(self) -> str:
        return self._typename
