"""Square roots."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Native import Native


class Sqrt(Native):
    """The square root of each element.

    .. math:: y = \\sqrt{x}, \\qquad \\frac{\\partial y}{\\partial x} = \\frac{1}{2 y}

    where the gradient is 0 if y is 0. Negative elements give NaN.

    Parameters
    ----------
    eps : float
        Not used, as in Torch7 without a GPU.

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Sqrt``; C: ``THNN/activation/Sqrt.c``.

    Examples
    --------
    >>> layer, x = nn.Sqrt(), np.float32([4, 1, 0])
    >>> layer.forward(x)
    array([2., 1., 0.], dtype=float32)
    >>> layer.backward(x, np.float32([1, 1, 1]))
    array([0.25, 0.5 , 0.  ], dtype=float32)
    """

    _layer = "Sqrt"
    eps = 0.0  # the field is younger than many files

    _file = Form(defaults={"eps": 0})

    def __init__(self, eps: float = 0) -> None:
        super().__init__()
        self.eps = eps
