"""Probabilities of each position from scores."""

from pytorch_legacy.nn.activation.SoftMax import SoftMax


class SpatialSoftMax(SoftMax):
    """Makes the channels of each position of an image positive, with sum 1: another name of `SoftMax`.

    Notes
    -----
    Shapes: ``(N x) C x H x W``, and those of `SoftMax`.
    Source: Torch7 ``nn.SpatialSoftMax``.

    Examples
    --------
    >>> x = np.float32([1, 0, 1, 100]).reshape(2, 1, 2)  # two channels of one row
    >>> np.round(nn.SpatialSoftMax().forward(x), 4)[:, 0]
    array([[0.5, 0. ],
           [0.5, 1. ]], dtype=float32)
    """
