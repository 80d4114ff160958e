"""Probabilities of each position from scores."""

from pytorch_legacy.nn.activation.SoftMax import SoftMax


class SpatialSoftMax(SoftMax):
    """Makes the channels of each position of an image positive, with sum 1: another name of `SoftMax`.

    Notes
    -----
    Shapes: ``(N x) C x H x W``, and those of `SoftMax`.
    Source: Torch7 ``nn.SpatialSoftMax``.
    """
