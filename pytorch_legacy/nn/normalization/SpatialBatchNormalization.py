"""Normalisation of channels over a batch of images."""

from pytorch_legacy.nn.normalization.BatchNormalization import BatchNormalization


class SpatialBatchNormalization(BatchNormalization):
    """BatchNormalization of images: the values of a channel are those of all pixels of all samples.

    Parameters
    ----------
    nOutput, eps, momentum, affine
        As in BatchNormalization.

    Notes
    -----
    Shapes: ``N x nOutput x H x W``; after ``evaluate()`` also ``nOutput x H x W``.
    Source: Torch7 ``nn.SpatialBatchNormalization``.

    Examples
    --------
    >>> layer = nn.SpatialBatchNormalization(2, affine=False)
    >>> x = np.float32([[[[1, 1]], [[10, 30]]], [[[3, 3]], [[10, 30]]]])  # 2 samples of 2 planes of 1 x 2
    >>> np.round(layer.forward(x), 3).tolist()
    [[[[-1.0, -1.0]], [[-1.0, 1.0]]], [[[1.0, 1.0]], [[-1.0, 1.0]]]]
    """

    nDim = 4
