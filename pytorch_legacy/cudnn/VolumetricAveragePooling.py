"""Means of windows of a volume."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.cudnn.AveragePooling import INCLUDE, AveragePooling
from pytorch_legacy.cudnn.Layer import no_size


class VolumetricAveragePooling(AveragePooling, nn.VolumetricAveragePooling):
    """``nn.VolumetricAveragePooling`` under cudnn's name.

    Parameters
    ----------
    kT, kW, kH, dT, dW, dH, padT, padW, padH
        As in ``nn.VolumetricAveragePooling``.

    Notes
    -----
    Source: cudnn.torch ``VolumetricAveragePooling``.
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.ceil_mode = False
        self.mode = INCLUDE
        self.iSize = no_size(5)

    def __repr__(self) -> str:
        return self._typename
