"""One half of the elements gates the other."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class GatedLinearUnit(Native):
    """Splits a dimension, counted from 0 (Lua's 2 is 1), and multiplies one half by the logistic function of the other.

    .. math:: y = \\frac{a}{1 + e^{-b}}, \\qquad x = [a, b]

    Parameters
    ----------
    dim : int, optional
        The dimension, of even size; negative ones count from the end. Without it, the last.

    Raises
    ------
    ShapeError
        If the size along the dimension is odd.
    IndexRangeError
        If the input has no such dimension.

    Notes
    -----
    Shapes: any; the output is half as long along the dimension.
    Source: Torch7 ``nn.GatedLinearUnit``; Dauphin et al., "Language Modeling with Gated Convolutional Networks" (2017);
    C: ``THNN/activation/GatedLinear.c``.

    Examples
    --------
    >>> x = np.float32([[8, 6, 0, 100], [4, 2, -100, 0]])
    >>> np.round(nn.GatedLinearUnit(1).forward(x), 4)  # nn.GatedLinearUnit(2) in Lua
    array([[4., 6.],
           [0., 1.]], dtype=float32)
    """

    _layer = "GatedLinear"
    _file = Form(oneBased=("dim",), defaults={"dim": None}, kinds={"dim": "a whole number"})
    dim: int | None = None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def _given(self, input: Tensor, fields: tuple[Any, ...]) -> tuple[Any, ...]:
        """The dimension comes last, counted from the front."""
        return *fields[:-1], check.axis(self, -1 if self.dim is None else self.dim, input.ndim, "dim")
