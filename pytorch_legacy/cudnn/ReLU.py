"""The rectified linear unit."""

from pytorch_legacy import nn
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.files.form import Form


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
