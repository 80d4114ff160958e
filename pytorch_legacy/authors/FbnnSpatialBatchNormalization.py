"""Normalisation of channels over a batch of images."""

from pytorch_legacy import nn


class FbnnSpatialBatchNormalization(nn.SpatialBatchNormalization):
    """``nn.SpatialBatchNormalization`` from the time when it was in fbnn.

    Notes
    -----
    Source: fbnn ``SpatialBatchNormalization``.
    """

    _typename = "fbnn.SpatialBatchNormalization"
