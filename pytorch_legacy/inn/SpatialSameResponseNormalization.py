"""Local response normalization within planes."""

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form


class SpatialSameResponseNormalization(nn.Sequential):
    """Divides each cell by a power of the mean of squares around it, within its plane.

    .. math:: y_i = x_i \\Big(1 + \\frac{\\alpha}{size^2} \\sum_{j \\in W_i} x_j^2\\Big)^{-\\beta}

    where :math:`W_i` is the window of size x size cells around i; cells outside of the plane count 0.

    Parameters
    ----------
    size : int
        Width and height of the window, odd.
    alpha, beta : float

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to the same. Built of modules, as in Torch7.
    Source: imagine-nn ``SpatialSameResponseNormalization``.

    Examples
    --------
    >>> x = np.float32([[[3, 0, 0]]])
    >>> layer = inn.SpatialSameResponseNormalization(3, alpha=9, beta=1)  # x / (1 + the squares in 3 x 3 cells)
    >>> layer.forward(x)
    array([[[0.3, 0. , 0. ]]], dtype=float32)
    """

    _file = Form(renamed={"size": "size"}, defaults={"size": 3, "alpha": 5e-05, "beta": 0.75})

    def __init__(self, size: int = 3, alpha: float = 5e-5, beta: float = 0.75) -> None:
        super().__init__()
        self.size, self.alpha, self.beta = size, alpha, beta  # type: ignore[method-assign, assignment]
        pad = (size - 1) // 2
        divisor = nn.Sequential().add(nn.Square()).add(nn.SpatialAveragePooling(size, size, 1, 1, pad, pad))
        divisor.add(nn.MulConstant(alpha, True)).add(nn.AddConstant(1, True)).add(nn.Power(beta))
        self.add(nn.ConcatTable().add(nn.Identity()).add(divisor)).add(nn.CDivTable())
