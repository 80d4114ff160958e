"""The rectified linear unit with a ceiling."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.activation.HardTanh import HardTanh


class ReLU6(HardTanh):
    """The positive part of each element, 6 at most.

    .. math:: y = \\min(\\max(x, 0), 6)

    Parameters
    ----------
    inplace : bool
        Write the output into the input and gradInput into gradOutput.

    Notes
    -----
    Shapes: any; the output has that of the input. NaN stays NaN; in Torch7 it became 6.
    Source: Torch7 ``nn.ReLU6``; A. Krizhevsky, Convolutional Deep Belief Networks on CIFAR-10 (2010).

    Examples
    --------
    >>> nn.ReLU6().forward(np.float32([-2, 3, 10]))
    array([0., 3., 6.], dtype=float32)
    """

    min_val = 0.0  # files do not say
    max_val = 6.0

    _file = Form(implied={"min_val": 0, "max_val": 6})

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(self.min_val, self.max_val, inplace)
