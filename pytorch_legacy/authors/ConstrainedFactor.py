"""The base of ConstrainedMul and ConstrainedDiv."""

from typing import Any, ClassVar, Self

import numpy as np

from pytorch_legacy.arrays import Tensor, is_writable
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import ArrayField


class ConstrainedFactor(Module):
    """Multiplies or divides by one learned number, which each forward pass keeps in a range.

    A number that left the range is set to a number inside it, near the limit.
    """

    inplace = False

    _file = Form(defaults={"inplace": False}, dimensions={"weight": 1})
    _arrayFields = (ArrayField("weight", lambda layer: (1,)),)
    _limits: ClassVar[tuple[tuple[float, float], ...]]  # the arguments of `constrain`
    weight: Tensor
    gradWeight: Tensor

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self._newParameters(weight=1)
        self.inplace = inplace
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Sets the weight to 1; `stdv` is not used."""
        self.weight.fill(1)
        return self

    def constrain(self) -> None:
        """Keeps the weight in its range, as each forward pass does."""
        constrain(self.weight, *self._limits)

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input)
        self.constrain()
        return blocks.apply(np.multiply, input, self._factor(), out=self._bufferFor("output", input))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        if self.inplace and is_writable(input):
            blocks.apply(np.divide, input, self._factor(), out=input)
        # It is not written into gradOutput, which accGradParameters still reads.
        target = self._resize("gradInput", input.shape, mustNotOverlap=[input, gradOutput])
        return blocks.apply(np.multiply, gradOutput, self._factor(), out=target)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        total = np.zeros((1,) * input.ndim, self._dtype, like=gradOutput)
        self.gradWeight += scale * self._slope() * blocks.addUp(total, input, gradOutput).reshape(1)

    def _factor(self) -> Any:
        """Returns what the input is multiplied by."""
        raise NotImplementedError

    def _slope(self) -> float:
        """Returns the derivative of the factor by the weight."""
        raise NotImplementedError


def constrain(weight: Tensor, *limits: tuple[float, float]) -> None:
    """Replaces numbers that are not above a first limit, or not below a second one."""
    for isBelow, (limit, substitute) in zip((True, False), limits, strict=False):
        weight[weight <= limit if isBelow else weight >= limit] = substitute
