"""A random cell of each window."""

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form


class SpatialStochasticPooling(nn.SpatialStochasticPooling):
    """``nn.SpatialStochasticPooling`` after ``ceil()``.

    In training a cell comes through with a probability in proportion to its value; otherwise the mean of the cells, weighted
    by their values.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``. The input is not negative.
    Source: imagine-nn ``SpatialStochasticPooling``, which ran on GPUs only; Zeiler & Fergus 2013.

    Examples
    --------
    >>> layer, x = inn.SpatialStochasticPooling(2, 2), np.float32([[[0, 1], [0, 3]]])
    >>> _ = pl.manualSeed(1)
    >>> [layer.forward(x).item() for _ in range(5)]  # 3 comes three times as often as 1
    [3.0, 3.0, 3.0, 3.0, 1.0]
    >>> layer.evaluate().forward(x)  # (1 * 1 + 3 * 3) / (1 + 3)
    array([[[2.5]]], dtype=float32)
    """

    # The kernel rounded up whatever ceil_mode says.
    _file = Form(private=("noise", "fixedNoise"), properties=("ceil_mode",))
    ceil_mode = True

    def __init__(self, kW: int, kH: int, dW: int | None = None, dH: int | None = None) -> None:
        super().__init__(kW, kH, dW, dH)
        self.ceil()
        self.train = True
