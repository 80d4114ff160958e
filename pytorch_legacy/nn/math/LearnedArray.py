"""The base class of CAdd and CMul: a learned array of the size of a sample, or repeated to that size."""

from math import sqrt
from typing import Any, ClassVar, Self

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.math.broadcasting import aligned, gathered
from pytorch_legacy.nn.Module import Module


class LearnedArray(Module):
    """Base of layers with one parameter of the sizes that are given, one by one or as a tuple; `_parameter` is its name."""

    _parameter: ClassVar[str]

    _file = Form(properties=("size",), kinds={"size": "sizes"})

    def __init__(self, *sizes: Any) -> None:
        super().__init__()
        shape = check.integers(self, "sizes", sizes[0] if len(sizes) == 1 else sizes)
        self._newParameters(**{self._parameter: tuple(check.count(self, "sizes", size) for size in shape)})
        self.reset()

    @property
    def size(self) -> tuple[int, ...] | None:
        """The sizes of the parameter."""
        array = getattr(self, self._parameter)
        return None if array is None else tuple(array.shape)

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new parameter, uniform with standard deviation `stdv` if it is given."""
        array = getattr(self, self._parameter)
        limit = 1 / sqrt(array.size) if stdv is None else stdv * sqrt(3)
        array[...] = random.uniform(-limit, limit, array.shape, self._dtype, self._onDevice)
        return self

    def _alignedWith(self, input: Tensor) -> Tensor:
        """The parameter with the dimensions of the input."""
        return aligned(self, getattr(self, self._parameter), check.tensor(self, "input", input).shape)

    def _gradient(self, input: Tensor, scale: float, *factors: Tensor) -> Tensor:
        """`scale` times the product of `factors`, summed over where the parameter was repeated."""
        gradient: Tensor = scale * gathered(self._alignedWith(input), *factors)
        return gradient.reshape(getattr(self, self._parameter).shape)
