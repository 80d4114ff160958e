"""LSTM of cuDNN."""

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
