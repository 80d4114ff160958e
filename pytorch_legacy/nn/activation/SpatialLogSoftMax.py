"""Logarithms of each position's probabilities from scores."""

from pytorch_legacy.nn.activation.LogSoftMax import LogSoftMax


class SpatialLogSoftMax(LogSoftMax):
    """The logarithm of SoftMax over the channels of each position of an image: another name of `LogSoftMax`.

    Notes
    -----
    Shapes: ``(N x) C x H x W``, and those of `LogSoftMax`.
    Source: Torch7 ``nn.SpatialLogSoftMax``.
    """
