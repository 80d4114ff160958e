"""Local response normalization across planes."""

from pytorch_legacy import nn


class SpatialCrossResponseNormalization(nn.SpatialCrossMapLRN):
    """``nn.SpatialCrossMapLRN`` under inn's name.

    Notes
    -----
    Source: imagine-nn ``SpatialCrossResponseNormalization``.
    """
