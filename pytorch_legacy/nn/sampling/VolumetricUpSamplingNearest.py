"""Every cell of a volume becomes a cube of equal cells."""

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class VolumetricUpSamplingNearest(Native):
    """Repeats every cell s times along each axis of its volume.

    .. math:: y_{t,h,w} = x_{\\lfloor t / s \\rfloor,\\, \\lfloor h / s \\rfloor,\\, \\lfloor w / s \\rfloor},
              \\quad s = scale\\_factor

    The gradient of a cell is the sum over its cube.

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
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x T s x H s x W s``.
    Source: the function of this name in Torch7's THNN, which nn.UpSampling calls; C:
    ``THNN/sampling/UpSamplingNearest.c``.

    Examples
    --------
    >>> x = np.float32([1, 2]).reshape(1, 1, 1, 2)
    >>> nn.VolumetricUpSamplingNearest(2).forward(x).tolist()
    [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]], [[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
    """

    _layer = "VolumetricUpSamplingNearest"
    _file = Form(dropped=("inputSize", "outputSize"))

    def __init__(self, scale: int) -> None:
        super().__init__()
        self.scale_factor = check.count(self, "scale_factor", scale)
