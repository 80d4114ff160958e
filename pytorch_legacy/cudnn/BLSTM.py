"""BLSTM of cuDNN."""

from pytorch_legacy.cudnn.LSTM import LSTM


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
