"""RNNTanh of cuDNN."""

from pytorch_legacy.cudnn.RNN import RNN


class RNNTanh(RNN):
    """The hyperbolic tangent as the cell.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``RNNTanh``.

    Examples
    --------
    >>> net = cudnn.RNNTanh(1, 1, 1)
    >>> net.weight[:] = [0, 1, 1, 0]  # W, R and both biases: tanh(1), tanh(1 + that)
    >>> net.forward(np.zeros((2, 1, 1), np.float32)).ravel()
    array([0.7615942, 0.9426808], dtype=float32)
    """

    _mode = "CUDNN_RNN_TANH"
    mode = "CUDNN_RNN_TANH"
