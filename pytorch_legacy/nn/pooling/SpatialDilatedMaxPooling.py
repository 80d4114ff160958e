"""Maxima of windows whose cells lie apart."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.pooling.Indexed import Indexed
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class SpatialDilatedMaxPooling(Indexed, WindowedPooling, PlaneFields):
    """Maximum of each window of a plane, whose cells lie apart.

    .. math:: y_o = \\max_{i \\in R_o} x_i

    The gradient goes to the cell that the maximum came from. Of equal cells the first one in row-major order wins; the
    first NaN beats every number.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window, in cells.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side, at most half a kernel. They never win.
    dilationW, dilationH : int
        Distance of a window's cells; 1 for neighbours.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum within its plane: row * width + column. A dilated window that steps over a small input
        gives 0, and -1 here.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``.
    Torch7 skipped NaN, and with ``ceil()`` could add a window beyond an input without padding; here neither happens.
    Source: Torch7 ``nn.SpatialDilatedMaxPooling``; C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> x = np.float32([[[9, 1, 2, 3], [4, 5, 8, 7]]])
    >>> nn.SpatialDilatedMaxPooling(2, 1, 1, 1, 0, 0, 2, 1).forward(x)  # of columns 0 and 2, and of 1 and 3
    array([[[9., 3.],
            [8., 7.]]], dtype=float32)
    """

    _layer = "SpatialDilatedMaxPooling"
    _extent = ("iheight", "iwidth")
    _file = Form(defaults={"dilationW": 1, "dilationH": 1}, without=("indices",))  # written while they are empty, too

    def __init__(
        self, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0,
        dilationW: int = 1, dilationH: int = 1,
    ) -> None:  # fmt: skip
        super().__init__((kW, kH), (dW, dH), (padW, padH))
        self.dilationW, self.dilationH = dilationW, dilationH

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {','.join(map(str, self._sizes('dilation')))})"
