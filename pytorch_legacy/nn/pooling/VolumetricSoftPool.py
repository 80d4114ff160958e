"""Soft maxima of windows of volumes."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import VolumeFields
from pytorch_legacy.nn.pooling.SoftPooling import SoftPooling
from pytorch_legacy.nn.pooling.WindowedPooling import strides_and_pads


class VolumetricSoftPool(SoftPooling, VolumeFields):
    """Mean of each window of a volume, in which a cell weighs the more the larger it is.

    .. math::
        y_o = \\sum_{i \\in R_o} w_{oi} x_i, \\qquad w_{oi} = \\frac{e^{\\beta x_i}}{\\sum_{j \\in R_o} e^{\\beta x_j}}, \\qquad
        \\frac{\\partial y_o}{\\partial x_i} = w_{oi} (1 + \\beta (x_i - y_o))

    Between mean and maximum; every cell gets some gradient. Inputs may be as large as they like.

    Parameters
    ----------
    kT, kW, kH : int
        Duration, width and height of a window.
    dT, dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padT, padW, padH : int
        Cells of padding on either side, at most half a kernel. They have no weight.
    beta : float
        Inverse temperature, 0 or more: 0 is average pooling without the padding, large values come near max pooling.
    gradient : "exact" or "published"
        Gradient that ``backward`` computes: the derivative, by default, or what was published with SoftPool,
        :math:`\\sum_o g_o w_{oi}` alone.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x oT x oH x oW``.
    A cell of +inf takes the whole window, and its gradient; where all cells are -inf the output is -inf and the gradient 0;
    NaN gives NaN.
    Torch7 has no such layer. Source: A. Stergiou, R. Poppe, G. Kalliatakis, "Refining activation downsampling with
    SoftPool", 2021; C: ``THNN/pooling/SoftPool.c``.

    Examples
    --------
    >>> x = np.float32([[[[0]], [[np.log(3)]], [[1]], [[1]]]])  # four times of one cell
    >>> nn.VolumetricSoftPool(2, 1, 1).forward(x).ravel().round(4)  # (1 * 0 + 3 * log(3)) / 4; 1
    array([0.824, 1.   ], dtype=float32)
    >>> nn.VolumetricSoftPool(2, 1, 1, beta=0).forward(x).ravel().round(4)  # means
    array([0.5493, 1.    ], dtype=float32)
    """

    _axes = "TWH"
    _layer = "VolumetricSoftPool"

    _file = Form(defaults=strides_and_pads("T") | {"beta": 1.0, "gradient": "exact"})

    def __init__(
        self,
        kT: int,
        kW: int,
        kH: int,
        dT: int | None = None,
        dW: int | None = None,
        dH: int | None = None,
        padT: int = 0,
        padW: int = 0,
        padH: int = 0,
        beta: float = 1.0,
        gradient: str = "exact",
    ) -> None:
        super().__init__((kT, kW, kH), (dT, dW, dH), (padT, padW, padH), beta, gradient)
