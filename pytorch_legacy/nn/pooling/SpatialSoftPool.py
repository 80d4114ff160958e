"""Soft maxima of windows."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import PlaneFields
from pytorch_legacy.nn.pooling.SoftPooling import SoftPooling


class SpatialSoftPool(SoftPooling, PlaneFields):
    """Mean of each window of a plane, in which a cell weighs the more the larger it is.

    .. math::
        y_o = \\sum_{i \\in R_o} w_{oi} x_i, \\qquad w_{oi} = \\frac{e^{\\beta x_i}}{\\sum_{j \\in R_o} e^{\\beta x_j}}, \\qquad
        \\frac{\\partial y_o}{\\partial x_i} = w_{oi} (1 + \\beta (x_i - y_o))

    Between mean and maximum; every cell gets some gradient. Inputs may be as large as they like.

    Parameters
    ----------
    kW, kH : int
        Width and height of a window.
    dW, dH : int, optional
        Distance of windows; that of the kernel if not given.
    padW, padH : int
        Cells of padding on either side, at most half a kernel. They have no weight.
    beta : float
        Inverse temperature, 0 or more: 0 is average pooling without the padding, large values come near max pooling.
    gradient : "exact" or "published"
        Gradient that ``backward`` computes: the derivative, by default, or what was published with SoftPool,
        :math:`\\sum_o g_o w_{oi}` alone.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x oH x oW``.
    A cell of +inf takes the whole window, and its gradient; where all cells are -inf the output is -inf and the gradient 0;
    NaN gives NaN.
    Torch7 has no such layer. Source: A. Stergiou, R. Poppe, G. Kalliatakis, "Refining activation downsampling with
    SoftPool", 2021; C: ``THNN/pooling/SoftPool.c``.

    Examples
    --------
    >>> x = np.float32([[[0, np.log(3), 1, 1]]])
    >>> nn.SpatialSoftPool(2, 1).forward(x).round(4)  # (1 * 0 + 3 * log(3)) / 4; 1
    array([[[0.824, 1.   ]]], dtype=float32)
    >>> nn.SpatialSoftPool(2, 1, beta=0).forward(x).round(4)  # means
    array([[[0.5493, 1.    ]]], dtype=float32)
    """

    _axes = "WH"
    _layer = "SpatialSoftPool"

    _file = Form(defaults={"beta": 1.0, "gradient": "exact"})

    def __init__(
        self,
        kW: int,
        kH: int,
        dW: int | None = None,
        dH: int | None = None,
        padW: int = 0,
        padH: int = 0,
        beta: float = 1.0,
        gradient: str = "exact",
    ) -> None:
        super().__init__((kW, kH), (dW, dH), (padW, padH), beta, gradient)
