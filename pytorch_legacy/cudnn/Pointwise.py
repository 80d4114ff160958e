"""Activations that may write their results over what they are computed from."""

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
