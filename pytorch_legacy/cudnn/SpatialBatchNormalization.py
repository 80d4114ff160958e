"""Normalisation of channels over a batch."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer


class SpatialBatchNormalization(Layer, nn.SpatialBatchNormalization):
    """``nn.SpatialBatchNormalization`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``SpatialBatchNormalization``.
    """

    _version = 2
    _trainIsNumber = False
