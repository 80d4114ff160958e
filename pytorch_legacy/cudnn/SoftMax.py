"""Probabilities from the scores of a sample."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Channels import INSTANCE, Channels


class SoftMax(Channels, nn.SoftMax):
    """Makes all cells of a sample positive, with sum 1: channels and places together, unlike ``nn.SoftMax``.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: cudnn.torch ``SoftMax``.

    Examples
    --------
    >>> x = np.zeros((1, 2, 1, 2), np.float32)
    >>> cudnn.SoftMax().forward(x).ravel()  # two channels at two places: four cells
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    >>> nn.SoftMax().forward(x).ravel()
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """

    mode = INSTANCE
