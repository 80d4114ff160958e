"""Logarithms of each position's probabilities from scores."""

from pytorch_legacy.nn.activation.LogSoftMax import LogSoftMax


class SpatialLogSoftMax(LogSoftMax):
    """The logarithm of SoftMax over the channels of each position of an image: another name of `LogSoftMax`.

    Notes
    -----
    Shapes: ``(N x) C x H x W``, and those of `LogSoftMax`.
    Source: Torch7 ``nn.SpatialLogSoftMax``.

    Examples
    --------
    >>> x = np.float32([1, 0, 1, 100]).reshape(2, 1, 2)  # two channels of one row
    >>> np.round(nn.SpatialLogSoftMax().forward(x), 4)[:, 0]
    array([[  -0.6931, -100.    ],
           [  -0.6931,    0.    ]], dtype=float32)
    """
