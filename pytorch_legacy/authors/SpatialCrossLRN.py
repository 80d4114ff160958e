"""Local response normalization across planes."""

from pytorch_legacy import nn


class SpatialCrossLRN(nn.SpatialCrossMapLRN):
    """An older name of ``nn.SpatialCrossMapLRN``.

    Notes
    -----
    Source: Torch7 ``nn.SpatialCrossLRN`` of 2014.

    Examples
    --------
    >>> x = np.float32([1, 2, 3]).reshape(3, 1, 1)
    >>> authors.SpatialCrossLRN(3, alpha=3, beta=1).forward(x).ravel()  # x / (1 + the squares in three planes)
    array([0.16666666, 0.13333333, 0.2142857 ], dtype=float32)
    """
