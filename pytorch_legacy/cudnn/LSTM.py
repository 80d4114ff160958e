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
    """

    _mode = "CUDNN_LSTM"
    mode = "CUDNN_LSTM"
