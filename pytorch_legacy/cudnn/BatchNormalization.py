"""Normalisation of channels over a batch."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer


class BatchNormalization(Layer, nn.BatchNormalization):
    """``nn.BatchNormalization`` under cudnn's name.

    Notes
    -----
    Source: cudnn.torch ``BatchNormalization``.
    """

    _version = 2
    _trainIsNumber = False
