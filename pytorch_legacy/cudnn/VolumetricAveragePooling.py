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

    Examples
    --------
    >>> x = np.float32([1, 3, 5, 9]).reshape(1, 4, 1, 1)
    >>> cudnn.VolumetricAveragePooling(2, 1, 1).forward(x).ravel()
    array([2., 7.], dtype=float32)
    """

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.ceil_mode = False
        self.mode = INCLUDE
        self.iSize = no_size(5)

    def __repr__(self) -> str:
        return self._typename
