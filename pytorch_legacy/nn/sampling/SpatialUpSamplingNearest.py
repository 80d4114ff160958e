"""Every cell of a plane becomes a square of equal cells."""

from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class SpatialUpSamplingNearest(Native):
    """Repeats every cell s times along each axis of its plane.

    .. math:: y_{h,w} = x_{\\lfloor h / s \\rfloor,\\, \\lfloor w / s \\rfloor}, \\quad s = scale\\_factor

    The gradient of a cell is the sum over its square.

    Parameters
    ----------
    scale : int
        s, at least 1.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input has another rank, or the scale is less than 1.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x H s x W s``.
    Source: Torch7 ``nn.SpatialUpSamplingNearest``; C: ``THNN/sampling/UpSamplingNearest.c``.

    Examples
    --------
    >>> nn.SpatialUpSamplingNearest(2).forward(np.float32([[[1, 2], [3, 4]]]))[0]
    array([[1., 1., 2., 2.],
           [1., 1., 2., 2.],
           [3., 3., 4., 4.],
           [3., 3., 4., 4.]], dtype=float32)
    """

    _layer = "SpatialUpSamplingNearest"
    _file = Form(scratch=dict.fromkeys(("inputSize", "outputSize"), lambda module: t7.longs([0] * 4)))

    def __init__(self, scale: int) -> None:
        super().__init__()
        self.scale_factor = check.count(self, "scale_factor", scale)
