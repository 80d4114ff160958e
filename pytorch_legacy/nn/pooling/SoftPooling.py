"""The base class of SoftPool layers of one to three dimensions."""

from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling


class SoftPooling(WindowedPooling):
    """Base of the SoftPool layers, which are called as their C functions are.

    Parameters
    ----------
    kernel, stride, pad : tuple of int
        As in WindowedPooling.
    beta : float
        Inverse temperature: the higher it is, the more a larger cell weighs.
    gradient : "exact" or "published"
        Gradient that ``backward`` computes.
    """

    _names = {"exact": "_isExact"}

    beta = 1.0
    gradient = "exact"

    def __init__(
        self, kernel: tuple[int, ...], stride: tuple[int | None, ...], pad: tuple[int, ...], beta: float, gradient: str
    ) -> None:
        super().__init__(kernel, stride, pad)
        self.beta = beta
        self.gradient = gradient

    @property
    def _isExact(self) -> bool:
        if self.gradient not in ("exact", "published"):
            raise ValueRangeError(f'{self._typename}: gradient: expected "exact" or "published", got {self.gradient!r}')
        return self.gradient == "exact"
