"""Normalisation of channels over a batch of images."""

from pytorch_legacy import nn


class FbnnSpatialBatchNormalization(nn.SpatialBatchNormalization):
    """``nn.SpatialBatchNormalization`` from the time when it was in fbnn.

    Notes
    -----
    Source: fbnn ``SpatialBatchNormalization``.

    Examples
    --------
    >>> x = np.float32([1, 3]).reshape(2, 1, 1, 1)
    >>> authors.FbnnSpatialBatchNormalization(1, affine=False).forward(x).round(3).ravel()
    array([-1.,  1.], dtype=float32)
    """

    _typename = "fbnn.SpatialBatchNormalization"
