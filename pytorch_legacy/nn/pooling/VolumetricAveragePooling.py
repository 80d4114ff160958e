"""Means of windows of a volume."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import VolumeFields
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.pooling.SpatialAveragePooling import SpatialAveragePooling
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling, strides_and_pads


class VolumetricAveragePooling(SpatialAveragePooling, VolumeFields):
    """Mean of each window of a volume.

    .. math:: y_o = \\frac{1}{n_o} \\sum_{i \\in R_o} x_i

    where :math:`n_o` counts the cells of the window on the input and its padding, or on the input alone after
    ``setCountExcludePad()``.

    Parameters
    ----------
    kT, kW, kH : int
        Length in time, width and height of a window.
    dT, dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padT, padW, padH : int
        Cells of padding on either side, at most half a kernel; they count as 0.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x oT x oH x oW``.
    Torch7's layer has neither padding nor ``ceil()``, though its kernel had both.
    Source: Torch7 ``nn.VolumetricAveragePooling``; C: ``THNN/pooling/AveragePooling.c``.

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2)
    >>> nn.VolumetricAveragePooling(2, 2, 2).forward(x).tolist()
    [[[[3.5]], [[11.5]]]]
    >>> nn.VolumetricAveragePooling(2, 2, 2, 1, 1, 1).forward(x).tolist()  # one step in time further
    [[[[3.5]], [[7.5]], [[11.5]]]]
    """

    _layer = "VolumetricAveragePooling"
    _mayLackGradInput = False
    _axes = "TWH"
    count_include_pad = True

    _file = Form(
        implied=dict.fromkeys(("padT", "padW", "padH"), 0) | {"ceil_mode": False, "divide": True, "count_include_pad": True},
        defaults=strides_and_pads("T") | {"divide": True},
    )

    def __init__(
        self, kT: int, kW: int, kH: int, dT: int | None = None, dW: int | None = None, dH: int | None = None,
        padT: int = 0, padW: int = 0, padH: int = 0,
    ) -> None:  # fmt: skip
        WindowedPooling.__init__(self, (kT, kW, kH), (dT, dW, dH), (padT, padW, padH))

    updateOutput = Native.updateOutput  # Torch7's layer does not look at `divide`
    updateGradInput = Native.updateGradInput
