"""Normalisation of channels over a batch of volumes."""

from pytorch_legacy.nn.normalization.BatchNormalization import BatchNormalization


class VolumetricBatchNormalization(BatchNormalization):
    """BatchNormalization of volumes: the values of a channel are those of all voxels of all samples.

    Parameters
    ----------
    nOutput, eps, momentum, affine
        As in BatchNormalization.

    Notes
    -----
    Shapes: ``N x nOutput x T x H x W``; after ``evaluate()`` also ``nOutput x T x H x W``.
    Source: Torch7 ``nn.VolumetricBatchNormalization``.
    """

    _version = 1  # the others have 2
    nDim = 5
