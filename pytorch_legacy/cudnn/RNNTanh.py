"""RNNTanh of cuDNN."""

from pytorch_legacy.cudnn.RNN import RNN


class RNNTanh(RNN):
    """The hyperbolic tangent as the cell.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``RNNTanh``.
    """

    _mode = "CUDNN_RNN_TANH"
    mode = "CUDNN_RNN_TANH"
