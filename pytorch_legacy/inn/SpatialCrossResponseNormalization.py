"""Local response normalization across planes."""

from pytorch_legacy import nn


class SpatialCrossResponseNormalization(nn.SpatialCrossMapLRN):
    """``nn.SpatialCrossMapLRN`` under inn's name.

    Notes
    -----
    Source: imagine-nn ``SpatialCrossResponseNormalization``.

    Examples
    --------
    >>> x = np.float32([1, 2, 3]).reshape(3, 1, 1)
    >>> layer = inn.SpatialCrossResponseNormalization(3, alpha=3, beta=1)  # x / (1 + the squares in three planes)
    >>> layer.forward(x).ravel()
    array([0.16666666, 0.13333333, 0.2142857 ], dtype=float32)
    """
