"""BLSTM of cuDNN."""

from pytorch_legacy.cudnn.LSTM import LSTM


class BLSTM(LSTM):
    """LSTM in both directions.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``BLSTM``.
    """

    _directions = 2
