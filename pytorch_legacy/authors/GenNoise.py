"""Planes of noise in place of the input."""

from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear


class GenNoise(Module):
    """Draws planes of noise as large as those of the input, in training and in evaluation.

    .. math:: y_{n,c,h,w} = mult \\cdot z_{n,c,h,w}, \\quad z \\sim \\mathcal{N}(0, 1)

    Parameters
    ----------
    num_planes : int
        Number of planes of the output.

    Attributes
    ----------
    mult : float
        The standard deviation, 1 at first.
    action : {None, "rand", "zero", "fix"}
        Of the first version only: draw new noise, give zeros, or give the noise of the first pass again.
    fix_value : array
        The noise that "fix" gives.

    Raises
    ------
    ShapeError
        If the input is not 4-D.

    Notes
    -----
    Shapes: ``N x C x H x W`` to ``N x num_planes x H x W``. The gradient of the input is zero.
    Files of the first version have no `num_planes`: its output has the shape of the input, which is any, and is uniform in
    [0, 1). The original then wrote the noise over the input, and returned gradOutput as the gradient of the input; here the
    input stays as it is, and its gradient is zero.
    Source: texture_nets ``GenNoise``.

    Examples
    --------
    >>> layer = authors.GenNoise(2)
    >>> layer.mult = 0
    >>> layer.forward(np.ones((1, 3, 1, 2), np.float32)).tolist()
    [[[[0.0, 0.0]], [[0.0, 0.0]]]]
    """

    _file = Form(
        dropped=("sz", "sz_"),
        defaults={"num_planes": None, "mult": 1.0, "action": None},
        kinds={"num_planes": "a whole number from 1 on", "mult": "a number", "action": "text", "fix_value": "a tensor"},
    )
    action: str | None = None
    fix_value: Tensor | None = None

    def __init__(self, num_planes: int) -> None:
        super().__init__()
        self.num_planes: int | None = check.count(self, "num_planes", num_planes)
        self.mult = 1.0

    def updateOutput(self, input: Tensor) -> Tensor:
        if self.num_planes is None:
            shape = check.tensor(self, "input", input).shape
            self.output = self._uniform(shape)
            return self.output
        N, _, H, W = check.tensor(self, "input", input, 4).shape
        noise = random.normal(0, 1, (N, self.num_planes, H, W), self._dtype, self._onDevice)
        return np.multiply(noise, self._dtype.type(self.mult), out=self._resize("output", noise.shape, mustNotOverlap=input))

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.tensor(self, "input", input, *([] if self.num_planes is None else [4]))
        shape = input.shape if self.num_planes is None else (len(input), self.num_planes, *input.shape[2:])
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput: Tensor = self._zeros("gradInput", input)
        return gradInput

    def clearState(self) -> Self:
        clear(self, "fix_value")
        return super().clearState()

    def _uniform(self, shape: tuple[int, ...]) -> Tensor:
        """Returns the output of the first version."""
        if self.action not in (None, "rand", "zero", "fix"):
            raise ValueRangeError(f'{self._typename}: action: expected "rand", "zero" or "fix", got {self.action!r}')
        if self.action == "zero":
            return np.zeros(shape, self._dtype, like=self.output)
        fixed = self.fix_value if self.action == "fix" else None
        if fixed is None or fixed.shape != shape:
            noise: Any = random.uniform(0, 1, shape, self._dtype, self._onDevice)
            if self.action != "fix":
                return noise  # type: ignore[no-any-return]
            self.fix_value = fixed = noise
        return fixed.copy()
