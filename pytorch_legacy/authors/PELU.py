"""The exponential linear unit with learned parameters."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.ConstrainedFactor import constrain
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import ArrayField


class PELU(Module):
    """An exponential linear unit with two learned numbers.

    .. math:: y = \\frac{a}{b} x \\text{ if } x \\ge 0, \\text{ else } a (e^{x/b} - 1)

    Attributes
    ----------
    weight, gradWeight : array of 2
        a and b, 1 at first. Each forward pass replaces numbers of 0.1 or less by 0.11, and an a of 2 or more by 1.99.

    Notes
    -----
    Shapes: any. The original computed no sum of gradients over several passes, and took NaN for 0; neither is done here.
    The network of the paper consists of ConstrainedDiv, nn.ELU and ConstrainedMul instead of this class.
    Source: a published ``PELU``; Trottier et al. 2016.

    Examples
    --------
    >>> layer = authors.PELU()
    >>> layer.weight[:] = 1, 2
    >>> layer.forward(np.float32([-2, 0, 2])).round(3)
    array([-0.632,  0.   ,  1.   ], dtype=float32)
    """

    _file = Form(dimensions={"weight": 1})
    _arrayFields = (ArrayField("weight", lambda layer: (2,)),)
    weight: Tensor
    gradWeight: Tensor

    def __init__(self) -> None:
        super().__init__()
        self._newParameters(weight=2)
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Sets a and b to 1; `stdv` is not used."""
        self.weight.fill(1)
        return self

    def constrain(self) -> None:
        """Keeps a and b in their ranges, as each forward pass does."""
        constrain(self.weight[:1], (0.1, 0.11), (2, 1.99))
        constrain(self.weight[1:], (0.1, 0.11))

    def updateOutput(self, input: Tensor) -> Tensor:
        self.constrain()
        a, _b, isNegative, scaled = self._parts(input)
        output = self._resize("output", input.shape, mustNotOverlap=input)
        output[...] = a * np.where(isNegative, compute.expm1(compute.minimum(scaled, 0)), scaled)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        a, b, isNegative, scaled = self._parts(input)
        check.like(self, "gradOutput", gradOutput, input)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        gradInput[...] = a / b * np.where(isNegative, compute.exp(compute.minimum(scaled, 0)), 1) * gradOutput
        return gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        a, b, isNegative, scaled = self._parts(input)
        check.like(self, "gradOutput", gradOutput, input)
        exponential = np.where(isNegative, compute.exp(compute.minimum(scaled, 0)), 1)
        byA = np.where(isNegative, compute.expm1(compute.minimum(scaled, 0)), scaled)
        with np.errstate(invalid="ignore"):  # -inf * 0, which counts as 0
            byB = -a / b * np.where(exponential == 0, 0, scaled * exponential)
        sums = [compute.sum((slopes * gradOutput).ravel(), dtype=np.float64) for slopes in (byA, byB)]
        self.gradWeight += self._dtype.type(scale) * np.stack(sums).astype(self._dtype)

    def _parts(self, input: Tensor) -> tuple[Any, Any, Tensor, Tensor]:
        """Returns a, b, where the input is negative, and the input divided by b."""
        a, b = self.weight
        return a, b, check.tensor(self, "input", input) < 0, input / b
