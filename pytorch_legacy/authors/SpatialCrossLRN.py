"""Local response normalization across planes."""

from pytorch_legacy import nn


class SpatialCrossLRN(nn.SpatialCrossMapLRN):
    """What ``nn.SpatialCrossMapLRN`` was called before.

    Notes
    -----
    Source: Torch7 ``nn.SpatialCrossLRN`` of 2014.
    """
