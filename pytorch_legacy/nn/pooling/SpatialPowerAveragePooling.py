"""p-norms of windows."""

from typing import ClassVar

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class SpatialPowerAveragePooling(WindowedPooling, PlaneFields):
    """p-norm of each window of a plane.

    .. math:: y_o = \\Big(\\sum_{i \\in R_o} |x_i|^p\\Big)^{1/p}

    p = 1 is the sum of magnitudes, p = 2 their Euclidean norm, p = infinity their maximum. Powers that would overflow
    or vanish are scaled: inputs of 1e30 are fine in single precision. The gradient

    .. math:: \\frac{\\partial y_o}{\\partial x_i} = \\mathrm{sign}(x_i) \\Big(\\frac{|x_i|}{y_o}\\Big)^{p-1}

    is 0 where x_i or y_o is 0. For p = infinity cells of equal size share it. A NaN makes its windows NaN, and unless p = 1 the
    gradients of their cells but those that are 0. From p = 10000 on a gradient in single precision has few digits: it is made
    from the output.

    Parameters
    ----------
    p : float
        The power, above 0; ``math.inf`` is allowed.
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side, at most half a kernel; they count as 0.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``.
    Not in Torch7, whose ``nn.SpatialLPPooling`` raises the cells themselves to the power.
    C: ``THNN/pooling/PowerAveragePooling.c``.

    Examples
    --------
    >>> x = np.float32([[[-3, 4]]])
    >>> [nn.SpatialPowerAveragePooling(p, 2, 1).forward(x).item() for p in (1, 2, np.inf)]
    [7.0, 5.0, 4.0]
    """

    _layer = "SpatialPowerAveragePooling"
    _names = {"power": "p", "use_abs": "_use_abs"}
    _mayLackGradInput = True
    _use_abs: ClassVar[bool] = True

    _file = Form(kinds={"p": "a number"})

    def __init__(
        self, p: float, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0
    ) -> None:
        super().__init__((kW, kH), (dW, dH), (padW, padH))
        self.p = p

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, p={self.p:g})"
