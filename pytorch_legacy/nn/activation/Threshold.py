"""Replacement of all values that do not exceed a threshold."""

from typing import Self

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.activation.Inplace import Inplace


class Threshold(Inplace):
    """Replaces every element that does not exceed a threshold.

    .. math:: y = x \\text{ if } x > threshold \\text{ else } val

    The gradient passes where the element did. NaN stays NaN, and its gradient passes; in Torch7 it became `val`.

    Parameters
    ----------
    threshold : float
        Value that an element must exceed to stay; 1e-6 by default.
    val : float
        Value that takes the place of the others; 0 by default.
    inplace : bool
        Write the output into the input and gradInput into gradOutput. `val` must not exceed the threshold then:
        ``backward`` sees nothing but outputs.

    Raises
    ------
    ValueRangeError
        If `inplace` is set and `val` exceeds the threshold.

    Notes
    -----
    Shapes: any; the output has that of the input.
    Source: Torch7 ``nn.Threshold``; C: ``THNN/activation/Threshold.c``.

    Examples
    --------
    >>> layer, x = nn.Threshold(1, -7), np.float32([-2, 1, 3])
    >>> layer.forward(x)
    array([-7., -7.,  3.], dtype=float32)
    >>> layer.backward(x, np.float32([5, 5, 5]))
    array([0., 0., 5.], dtype=float32)
    """

    _layer = "Threshold"

    _file = Form(defaults={"threshold": 1e-06, "val": 0.0})

    def __init__(self, threshold: float = 1e-6, val: float = 0.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.val = val
        self.validateParameters()

    def validateParameters(self) -> Self:
        """Raises ValueRangeError if in-place work could not tell which elements were replaced."""
        if self.inplace and not self.val <= self.threshold:
            raise ValueRangeError(
                f"{self._typename}: val: expected at most the threshold {self.threshold}, since inplace is set; got {self.val}"
            )
        return self
