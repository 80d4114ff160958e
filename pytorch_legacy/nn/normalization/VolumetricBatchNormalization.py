"""Normalisation of channels over a batch of volumes."""

from pytorch_legacy.files.form import Form
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

    Examples
    --------
    >>> layer = nn.VolumetricBatchNormalization(1, affine=False)
    >>> x = np.float32([1, 1, 3, 3]).reshape(2, 1, 1, 1, 2)
    >>> np.round(layer.forward(x), 3).tolist()
    [[[[[-1.0, -1.0]]]], [[[[1.0, 1.0]]]]]
    """

    _file = Form(version=1)  # the others have 2
    nDim = 5
