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
    """

    nDim = 4
