"""Probabilities from scores, place by place."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Channels import Channels


class SpatialSoftMax(Channels, nn.SpatialSoftMax):
    """``nn.SpatialSoftMax`` under cudnn's name.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: cudnn.torch ``SpatialSoftMax``.

    Examples
    --------
    >>> cudnn.SpatialSoftMax().forward(np.zeros((1, 2, 1, 2), np.float32)).ravel()  # two channels at each place
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """
