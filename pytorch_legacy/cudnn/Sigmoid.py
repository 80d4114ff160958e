"""Sigmoid, in place if wanted."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Pointwise import Pointwise


class Sigmoid(Pointwise, nn.Sigmoid):
    """``nn.Sigmoid``, which may write over its input.

    Parameters
    ----------
    inplace : bool
        Write the output into the input and gradInput into gradOutput.

    Notes
    -----
    Source: cudnn.torch ``Sigmoid``.

    Examples
    --------
    >>> cudnn.Sigmoid().forward(np.float32([0, 1000]))
    array([0.5, 1. ], dtype=float32)
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.mode = "CUDNN_ACTIVATION_SIGMOID"
