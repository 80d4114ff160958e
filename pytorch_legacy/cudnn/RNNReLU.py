"""RNNReLU of cuDNN."""

from pytorch_legacy.cudnn.RNN import RNN


class RNNReLU(RNN):
    """The positive part as the cell: what RNN is, too.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``RNNReLU``.

    Examples
    --------
    >>> net = cudnn.RNNReLU(1, 1, 1)
    >>> net.weight[:] = [1, 1, 0, 0]  # W, R and both biases
    >>> net.forward(np.float32([1, 10, -100]).reshape(3, 1, 1)).ravel()
    array([ 1., 11.,  0.], dtype=float32)
    """

    _mode = "CUDNN_RNN_RELU"
    mode = "CUDNN_RNN_RELU"
