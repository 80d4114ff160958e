"""Maxima of windows."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import VolumeFields
from pytorch_legacy.nn.pooling.Indexed import Indexed
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling, strides_and_pads


class VolumetricMaxPooling(Indexed, WindowedPooling, VolumeFields):
    """Maximum of each window of a volume.

    .. math:: y_o = \\max_{i \\in R_o} x_i

    The gradient goes to the cell that the maximum came from. Of equal cells the first one in row-major order wins; the
    first NaN beats every number.

    Parameters
    ----------
    kT, kW, kH : int
        Length in time, width and height of a window.
    dT, dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padT, padW, padH : int
        Cells of padding on either side, at most half a kernel. They never win.

    Attributes
    ----------
    indices : int64 array, as output
        Position of each maximum within its volume: (t * H + row) * W + column.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x oT x oH x oW``.
    Torch7 skipped NaN, and with ``ceil()`` could add a window beyond an input without padding; here neither happens.
    Torch7 packed the place within a window into the bytes of an index.
    Source: Torch7 ``nn.VolumetricMaxPooling``; C: ``THNN/pooling/MaxPooling.c``.

    Examples
    --------
    >>> pool, x = nn.VolumetricMaxPooling(2, 2, 1), np.float32([[[[1, 5], [3, 2]], [[4, 0], [6, 8]]]])
    >>> pool.forward(x).tolist()  # of each row, over both times
    [[[[5.0], [8.0]]]]
    >>> pool.indices.ravel()
    array([1, 7])
    """

    _layer = "VolumetricMaxPooling"
    _extent = ("itime", "iheight", "iwidth")
    _axes = "TWH"

    _file = Form(version=2, defaults=strides_and_pads("T"), without=("indices",))

    def __init__(
        self, kT: int, kW: int, kH: int, dT: int | None = None, dW: int | None = None, dH: int | None = None,
        padT: int = 0, padW: int = 0, padH: int = 0,
    ) -> None:  # fmt: skip
        super().__init__((kT, kW, kH), (dT, dW, dH), (padT, padW, padH))
