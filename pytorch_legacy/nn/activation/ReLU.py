"""The rectified linear unit."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.activation.Threshold import Threshold


class ReLU(Threshold):
    """The positive part of each element.

    .. math:: y = \\max(x, 0)

    Parameters
    ----------
    inplace : bool
        Write the output into the input and gradInput into gradOutput.

    Notes
    -----
    Shapes: any; the output has that of the input. NaN stays NaN; in Torch7 it became 0.
    Source: Torch7 ``nn.ReLU``, a Threshold at 0.

    Examples
    --------
    >>> nn.ReLU().forward(np.float32([-2, 0, 3]))
    array([0., 0., 3.], dtype=float32)
    """

    _file = Form(defaults={"threshold": 0.0, "val": 0.0})

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 0.0, inplace)
