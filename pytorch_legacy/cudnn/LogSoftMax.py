"""Logarithms of probabilities from the scores of a sample."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Channels import INSTANCE, Channels


class LogSoftMax(Channels, nn.LogSoftMax):
    """The logarithm of SoftMax: channels and places together, unlike ``nn.LogSoftMax``.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: cudnn.torch ``LogSoftMax``.
    """

    _function = "LogSoftMax"
    mode = INSTANCE
