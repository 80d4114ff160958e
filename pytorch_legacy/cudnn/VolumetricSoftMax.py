"""Probabilities from scores, place by place in a volume."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Channels import Channels


class VolumetricSoftMax(Channels, nn.SoftMax):
    """Makes the channels of each place of a volume positive, with sum 1.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x T x H x W`` or ``N x C x T x H x W``; the output has that of the input.
    Source: cudnn.torch ``VolumetricSoftMax``.

    Examples
    --------
    >>> x = np.zeros((1, 2, 2, 1, 1), np.float32)  # two channels at two places
    >>> cudnn.VolumetricSoftMax().forward(x).ravel()
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """

    _ranks = 1, 2, 4, 5
