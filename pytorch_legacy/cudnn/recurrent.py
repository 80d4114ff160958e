"""Recurrent networks of cuDNN by the names of their cells."""

from pytorch_legacy.cudnn.RNN import RNN


class LSTM(RNN):
    """Layers of cells with a memory.

    .. math:: c_t = f \\odot c_{t-1} + i \\odot g, \\qquad h_t = o \\odot \\tanh(c_t)

    where i, f, g, o are the logistic function (of g the hyperbolic tangent) of their parts of
    :math:`W x_t + b_W + R h_{t-1} + b_R`; they lie in this order in the matrices.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``LSTM``.

    Examples
    --------
    >>> net = cudnn.LSTM(1, 1, 1)
    >>> net.weight.fill(0)  # all gates are 0.5 then, and g is 0
    >>> net.cellInput = np.float32([[[2]]])
    >>> net.forward(np.ones((2, 1, 1), np.float32)).ravel().round(4)  # tanh(1) / 2, tanh(0.5) / 2
    array([0.3808, 0.2311], dtype=float32)
    >>> net.cellOutput.ravel()  # half of the cell is forgotten each time
    array([0.5], dtype=float32)
    """

    _mode = "CUDNN_LSTM"
    mode = "CUDNN_LSTM"


class BLSTM(LSTM):
    """LSTM in both directions.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``BLSTM``.

    Examples
    --------
    >>> net = cudnn.BLSTM(3, 2, 1)
    >>> net.forward(np.ones((5, 4, 3), np.float32)).shape  # five steps of four sequences; twice two features
    (5, 4, 4)
    """

    _directions = 2


class GRU(RNN):
    """Layers of gated cells without a memory of their own.

    .. math:: h_t = (1 - z) \\odot n + z \\odot h_{t-1}, \\qquad
              n = \\tanh(W_n x_t + b_{Wn} + r \\odot (R_n h_{t-1} + b_{Rn}))

    where r and z are the logistic function of their parts of :math:`W x_t + b_W + R h_{t-1} + b_R`; r, z, n lie in this
    order in the matrices.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``GRU``.

    Examples
    --------
    >>> net = cudnn.GRU(1, 1, 1)
    >>> net.weight.fill(0)  # all gates are 0.5 then, and n is 0
    >>> net.hiddenInput = np.float32([[[8]]])
    >>> net.forward(np.ones((3, 1, 1), np.float32)).ravel()  # half of the last h each time
    array([4., 2., 1.], dtype=float32)
    """

    _mode = "CUDNN_GRU"
    mode = "CUDNN_GRU"


class BGRU(GRU):
    """GRU in both directions.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``BGRU``.

    Examples
    --------
    >>> net = cudnn.BGRU(3, 2, 1)
    >>> net.forward(np.ones((5, 4, 3), np.float32)).shape  # five steps of four sequences; twice two features
    (5, 4, 4)
    """

    _directions = 2


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
