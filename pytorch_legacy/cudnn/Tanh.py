"""Tanh, in place if wanted."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Pointwise import Pointwise


class Tanh(Pointwise, nn.Tanh):
    """``nn.Tanh``, which may write over its input.

    Parameters
    ----------
    inplace : bool
        Write the output into the input and gradInput into gradOutput.

    Notes
    -----
    Source: cudnn.torch ``Tanh``.

    Examples
    --------
    >>> cudnn.Tanh().forward(np.float32([0, 1000]))
    array([0., 1.], dtype=float32)
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.mode = "CUDNN_ACTIVATION_TANH"
