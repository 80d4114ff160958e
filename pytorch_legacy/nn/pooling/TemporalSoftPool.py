"""Soft maxima of windows of sequences."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.axes import WidthFields
from pytorch_legacy.nn.pooling.Sequences import Sequences
from pytorch_legacy.nn.pooling.SoftPooling import SoftPooling


class TemporalSoftPool(Sequences, SoftPooling, WidthFields):
    """Mean of each feature over windows of frames, in which a frame weighs the more the larger the feature is there.

    .. math::
        y_o = \\sum_{i \\in R_o} w_{oi} x_i, \\qquad w_{oi} = \\frac{e^{\\beta x_i}}{\\sum_{j \\in R_o} e^{\\beta x_j}}, \\qquad
        \\frac{\\partial y_o}{\\partial x_i} = w_{oi} (1 + \\beta (x_i - y_o))

    Between mean and maximum; every cell gets some gradient. Inputs may be as large as they like.

    Parameters
    ----------
    kW : int
        Frames of a window.
    dW : int, optional
        Distance of windows; that of the kernel if not given.
    padW : int
        Frames of padding on either side, at most half a kernel. They have no weight.
    beta : float
        Inverse temperature, 0 or more: 0 is average pooling without the padding, large values come near max pooling.
    gradient : "exact" or "published"
        Gradient that ``backward`` computes: the derivative, by default, or what was published with SoftPool,
        :math:`\\sum_o g_o w_{oi}` alone.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, the kernel does not fit, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nFrame x frameSize`` to ``(N x) oFrame x frameSize``, as TemporalMaxPooling. Version 1 had
    ``(N x) frameSize x nFrame``; layers of files of that version still have.
    A cell of +inf takes the whole window, and its gradient; where all cells are -inf the output is -inf and the gradient 0;
    NaN gives NaN.
    Torch7 has no such layer. Source: A. Stergiou, R. Poppe, G. Kalliatakis, "Refining activation downsampling with
    SoftPool", 2021; C: ``THNN/pooling/SoftPool.c``.

    Examples
    --------
    >>> x = np.float32([[0], [np.log(3)], [1], [1]])  # frames of one feature
    >>> nn.TemporalSoftPool(2).forward(x).T.round(4)  # (1 * 0 + 3 * log(3)) / 4; 1
    array([[0.824, 1.   ]], dtype=float32)
    >>> nn.TemporalSoftPool(2, beta=0).forward(x).T.round(4)  # means
    array([[0.5493, 1.    ]], dtype=float32)
    """

    _axes = "W"
    _layer = "TemporalSoftPool"

    _file = Form(defaults={"beta": 1.0, "gradient": "exact"}, without=("dH", "padH"))

    def __init__(
        self,
        kW: int,
        dW: int | None = None,
        padW: int = 0,
        beta: float = 1.0,
        gradient: str = "exact",
    ) -> None:
        super().__init__((kW,), (dW,), (padW,), beta, gradient)
