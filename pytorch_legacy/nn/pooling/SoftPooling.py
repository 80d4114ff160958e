"""What SoftPool layers of one to three dimensions share."""

from typing import ClassVar

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.pooling.WindowedPooling import WindowedPooling
from pytorch_legacy.storage import Tensor


class SoftPooling(WindowedPooling):
    """Base of the SoftPool layers, which are called as their C functions are.

    Parameters
    ----------
    kernel, stride, pad : tuple of int
        As in WindowedPooling.
    beta : float
        How much more a larger cell weighs.
    gradient : "exact" or "published"
        Which gradient ``backward`` computes.
    """

    _layer: ClassVar[str]
    """What the names of its C functions begin with."""

    beta = 1.0
    gradient = "exact"

    def __init__(
        self, kernel: tuple[int, ...], stride: tuple[int | None, ...], pad: tuple[int, ...], beta: float, gradient: str
    ) -> None:
        super().__init__(kernel, stride, pad)
        self.beta = beta
        self.gradient = gradient

    def updateOutput(self, input: Tensor) -> Tensor:
        window = self._window
        shape = output_size(self, f"{self._layer}_outputSize", check.tensor(self, "input", input), *window)
        output = self._resize("output", shape)
        call(self, f"{self._layer}_updateOutput", input, output, *window, self.beta)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        if self.gradient not in ("exact", "published"):
            raise ValueRangeError(f'{self._typename}: gradient: expected "exact" or "published", got {self.gradient!r}')
        exact = self.gradient == "exact"
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, f"{self._layer}_updateGradInput", input, gradOutput, gradInput, *self._window, self.beta, exact)
        return gradInput
