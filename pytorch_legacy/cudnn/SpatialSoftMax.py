"""Probabilities from scores, place by place."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Channels import Channels


class SpatialSoftMax(Channels, nn.SpatialSoftMax):
    """``nn.SpatialSoftMax`` under cudnn's name.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: cudnn.torch ``SpatialSoftMax``.
    """
