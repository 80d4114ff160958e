"""Logarithms of probabilities from scores, place by place in a volume."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Channels import Channels


class VolumetricLogSoftMax(Channels, nn.LogSoftMax):
    """The logarithm of VolumetricSoftMax.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x T x H x W`` or ``N x C x T x H x W``; the output has that of the input.
    Source: cudnn.torch ``VolumetricLogSoftMax``.

    Examples
    --------
    >>> np.exp(cudnn.VolumetricLogSoftMax().forward(np.zeros((1, 2, 2, 1, 1), np.float32))).round(4).ravel()
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """

    _ranks = 1, 2, 4, 5
