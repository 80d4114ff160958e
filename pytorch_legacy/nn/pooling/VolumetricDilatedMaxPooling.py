"""Maxima of windows whose cells lie apart."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import VolumeFields
from pytorch_legacy.nn.pooling.Indexed import Indexed
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling, strides_and_pads


class VolumetricDilatedMaxPooling(Indexed, WindowedPooling, VolumeFields):
    """Maximum of each window of a volume, whose cells lie apart.

    .. math:: y_o = \\max_{i \\in R_o} x_i

    The gradient goes to the cell that the maximum came from. Of equal cells the first one in row-major order wins; the
    first NaN beats every number.

    Parameters
    ----------
    kT, kW, kH : int
        Length in time, width and height of a window, in cells.
    dT, dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padT, padW, padH : int
        Cells of padding on either side, at most half a kernel. They never win.
    dilationT, dilationW, dilationH : int
        Distance of a window's cells; 1 for neighbours.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum within its volume: (t * H + row) * W + column. A dilated window that steps over a small
        input gives 0, and -1 here.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x oT x oH x oW``.
    Torch7 skipped NaN, and with ``ceil()`` could add a window beyond an input without padding; here neither happens.
    Torch7 packed the place within a window into the bytes of an index.
    Source: Torch7 ``nn.VolumetricDilatedMaxPooling``; C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> pool, x = nn.VolumetricDilatedMaxPooling(2, 1, 1, 1, 1, 1, dilationT=2), np.float32([9, 1, 2, 3])
    >>> pool.forward(x.reshape(1, 4, 1, 1)).ravel()  # of times 0 and 2, and of 1 and 3
    array([9., 3.], dtype=float32)
    """

    _layer = "VolumetricDilatedMaxPooling"
    _extent = ("itime", "iheight", "iwidth")
    _axes = "TWH"
    # written while they are empty, too
    _file = Form(defaults=strides_and_pads("T") | {"dilationT": 1, "dilationW": 1, "dilationH": 1}, without=("indices",))

    def __init__(
        self, kT: int, kW: int, kH: int, dT: int | None = None, dW: int | None = None, dH: int | None = None,
        padT: int = 0, padW: int = 0, padH: int = 0, dilationT: int = 1, dilationW: int = 1, dilationH: int = 1,
    ) -> None:  # fmt: skip
        super().__init__((kT, kW, kH), (dT, dW, dH), (padT, padW, padH))
        self.dilationT, self.dilationW, self.dilationH = dilationT, dilationW, dilationH

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {','.join(map(str, self._sizes('dilation')))})"
