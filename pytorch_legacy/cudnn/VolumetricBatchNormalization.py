"""Normalisation of channels over a batch."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer


class VolumetricBatchNormalization(Layer, nn.VolumetricBatchNormalization):
    """``nn.VolumetricBatchNormalization`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``VolumetricBatchNormalization``.
    """

    _version = 2
    _trainIsNumber = False
