"""The rectified linear unit that lets a little through."""

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.activation.Inplace import Inplace


class LeakyReLU(Inplace):
    """Scales elements that are not positive.

    .. math:: y = x \\text{ if } x > 0 \\text{ else } negval \\cdot x

    Parameters
    ----------
    negval : float
        The slope. ``LeakyReLU(True)`` is ``LeakyReLU(inplace=True)``: Torch7 meant that, but it was not in place there.
    inplace : bool
        Write the output into the input and gradInput into gradOutput. `negval` must not be negative then: ``backward``
        sees nothing but outputs.

    Raises
    ------
    ValueRangeError
        If `inplace` is set and `negval` is negative.

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.LeakyReLU``; C: ``THNN/activation/LeakyReLU.c``.

    Examples
    --------
    >>> nn.LeakyReLU(0.25).forward(np.float32([-4, 0, 3]))
    array([-1.,  0.,  3.], dtype=float32)
    """

    _layer = "LeakyReLU"

    _file = Form(defaults={"negval": 0.01})

    def __init__(self, negval: float | bool = 1 / 100, inplace: bool = False) -> None:
        onlyInplace = isinstance(negval, bool)
        super().__init__(bool(negval) if onlyInplace else inplace)
        self.negval = 1 / 100 if onlyInplace else negval
        if self.inplace and not self.negval >= 0:
            raise ValueRangeError(f"{self._typename}: negval: expected 0 or more, since inplace is set; got {negval}")

    def __repr__(self) -> str:
        return f"{self._typename}({self.negval:g})"
