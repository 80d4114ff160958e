"""Activations of cudnn.torch."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.activation.Inplace import Inplace


class Pointwise(Layer, Inplace):
    """Base of activations whose gradient follows from their output.

    Attributes
    ----------
    mode : str
        cuDNN's name of the function.
    """

    mode: str

    _file = Form(kinds={"mode": "text"})


class ReLU(Layer, nn.ReLU):
    """``nn.ReLU`` under cudnn's name.

    Parameters
    ----------
    inplace : bool
        Write the output into the input and gradInput into gradOutput.

    Notes
    -----
    Source: cudnn.torch ``ReLU``.

    Examples
    --------
    >>> cudnn.ReLU().forward(np.float32([-1, 2]))
    array([0., 2.], dtype=float32)
    """

    _file = Form(private=("threshold", "val"), kinds={"mode": "text"})
    threshold = 0.0
    val = 0.0

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.mode = "CUDNN_ACTIVATION_RELU"


class ClippedReLU(Layer, nn.HardTanh):
    """Limits each element to the range from 0 to a ceiling.

    .. math:: y = \\min(\\max(x, 0), ceiling)

    Parameters
    ----------
    ceiling : float
    inplace : bool
        Write the output into the input and gradInput into gradOutput.

    Notes
    -----
    Source: cudnn.torch ``ClippedReLU``.

    Examples
    --------
    >>> cudnn.ClippedReLU(6).forward(np.float32([-1, 3, 9]))
    array([0., 3., 6.], dtype=float32)
    """

    _file = Form(
        private=("min_val", "max_val"),
        defaults={"min_val": lambda fields: 0.0, "max_val": lambda fields: fields["ceiling"]},
        kinds={"ceiling": "a number"},
    )

    def __init__(self, ceiling: float, inplace: bool = False) -> None:
        super().__init__(0.0, ceiling, inplace)
        self.ceiling = ceiling


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
