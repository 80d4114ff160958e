"""BGRU of cuDNN."""

from pytorch_legacy.cudnn.GRU import GRU


class BGRU(GRU):
    """GRU in both directions.

    Parameters, fields, shapes and errors are those of RNN.

    Notes
    -----
    Source: cudnn.torch ``BGRU``.
    """

    _directions = 2
