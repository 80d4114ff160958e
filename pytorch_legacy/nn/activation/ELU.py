"""The exponential linear unit."""

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.activation.Inplace import Inplace


class ELU(Inplace):
    """Bends elements that are not positive towards -alpha.

    .. math:: y = x \\text{ if } x > 0 \\text{ else } \\alpha (e^x - 1)

    Parameters
    ----------
    alpha : float
        How far down it goes.
    inplace : bool
        Write the output into the input and gradInput into gradOutput. `alpha` must not be negative then: ``backward``
        sees nothing but outputs.

    Raises
    ------
    ValueRangeError
        If `inplace` is set and `alpha` is negative.

    Notes
    -----
    Shapes: any; the output has that of the input. With a negative alpha, Torch7's gradient was wrong; this one is not.
    Source: Torch7 ``nn.ELU``; Clevert et al., "Fast and Accurate Deep Network Learning by Exponential Linear Units"
    (2016); C: ``THNN/activation/ELU.c``.

    Examples
    --------
    >>> np.round(nn.ELU(alpha=2).forward(np.float32([-10, -1, 0, 3])), 4)
    array([-1.9999, -1.2642,  0.    ,  3.    ], dtype=float32)
    """

    _layer = "ELU"

    _file = Form(defaults={"alpha": 1})

    def __init__(self, alpha: float = 1, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha
        if inplace and not alpha >= 0:
            raise ValueRangeError(f"{self._typename}: alpha: expected 0 or more, since inplace is set; got {alpha}")

    def __repr__(self) -> str:
        return f"{self._typename} (alpha:{self.alpha:f})"
