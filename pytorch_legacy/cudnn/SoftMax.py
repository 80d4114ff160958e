"""Probabilities from the scores of a sample."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Channels import INSTANCE, Channels


class SoftMax(Channels, nn.SoftMax):
    """Makes all cells of a sample positive, with sum 1: channels and places together, unlike ``nn.SoftMax``.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: cudnn.torch ``SoftMax``.
    """

    mode = INSTANCE
