"""Logarithms of probabilities from the scores of a sample."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Channels import INSTANCE, Channels


class LogSoftMax(Channels, nn.LogSoftMax):
    """The logarithm of SoftMax: channels and places together, unlike ``nn.LogSoftMax``.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: cudnn.torch ``LogSoftMax``.

    Examples
    --------
    >>> x = np.zeros((1, 2, 1, 2), np.float32)
    >>> np.exp(cudnn.LogSoftMax().forward(x)).round(4).ravel()  # two channels at two places: four cells
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    >>> np.exp(nn.LogSoftMax().forward(x)).round(4).ravel()
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """

    mode = INSTANCE
