"""Maxima of windows."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.pooling.Indexed import Indexed
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class SpatialMaxPooling(Indexed, WindowedPooling, PlaneFields):
    """Maximum of each window of a plane.

    .. math:: y_o = \\max_{i \\in R_o} x_i

    The gradient goes to the cell that the maximum came from. Of equal cells the first one in row-major order wins; the
    first NaN beats every number.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side, at most half a kernel. They never win.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum within its plane: row * width + column.
    iheight, iwidth : int
        Height and width of the last input, for ``SpatialMaxUnpooling``.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``.
    Torch7 skipped NaN, and with ``ceil()`` could add a window beyond an input without padding; here neither happens.
    Source: Torch7 ``nn.SpatialMaxPooling``; C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> pool, x = nn.SpatialMaxPooling(2, 2, 2, 2), np.float32([[[1, 2, 3, 4], [5, 1, 2, 0]]])
    >>> pool.forward(x)
    array([[[5., 4.]]], dtype=float32)
    >>> pool.indices  # places in the plane count from 0; from 1 in Lua
    array([[[4, 3]]])
    >>> pool.backward(x, np.float32([[[10, 20]]]))
    array([[[ 0.,  0.,  0., 20.],
            [10.,  0.,  0.,  0.]]], dtype=float32)
    """

    _layer = "SpatialMaxPooling"
    _extent = ("iheight", "iwidth")
    _file = Form(without=("indices",))  # written while they are empty, too

    def __init__(self, kW: int, kH: int, dW: int | None = None, dH: int | None = None, padW: int = 0, padH: int = 0) -> None:
        super().__init__((kW, kH), (dW, dH), (padW, padH))
