"""RNNReLU of cuDNN."""

from pytorch_legacy.cudnn.RNN import RNN


class RNNReLU(RNN):
    """The positive part as the cell: what RNN is, too.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``RNNReLU``.
    """

    _mode = "CUDNN_RNN_RELU"
    mode = "CUDNN_RNN_RELU"
