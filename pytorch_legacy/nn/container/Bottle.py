"""Many leading dimensions for a module that takes one batch dimension."""

from math import prod
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class Bottle(Decorator):
    """Makes all leading dimensions of the input one, runs its module, and makes them many again::

        output = module(input.reshape(-1, *input.shape[k:])).reshape(*input.shape[:k], ...)

    where ``k = input.ndim - nInputDim + 1``.

    Parameters
    ----------
    module : Module
    nInputDim : int
        The number of dimensions that the module takes, batch included.
    nOutputDim : int, optional
        The number of dimensions that it returns, `nInputDim` if not given.

    Raises
    ------
    ShapeError
        If the module returns another number of dimensions.

    Notes
    -----
    An input of at most `nInputDim` dimensions goes to the module as it is. Source: Torch7 nn.Bottle.

    Examples
    --------
    >>> layer = nn.Bottle(nn.Linear(3, 2))
    >>> layer.forward(np.zeros((4, 5, 3), np.float32)).shape  # 20 rows for the Linear layer
    (4, 5, 2)
    """

    _file = Form(
        scratch={
            "dimDelta": lambda module: module.nInputDim - module.nOutputDim,
            "inShape": lambda module: np.zeros(module.nInputDim, module._dtype),
            "outShape": lambda module: np.zeros(module.nOutputDim, module._dtype),
        },
        defaults={"nInputDim": 2, "nOutputDim": None},
    )

    def __init__(self, module: Module, nInputDim: int = 2, nOutputDim: int | None = None) -> None:
        super().__init__(module)
        self.nInputDim = check.count(self, "nInputDim", nInputDim)
        self.nOutputDim = nInputDim if nOutputDim is None else check.count(self, "nOutputDim", nOutputDim)

    def updateOutput(self, input: Tensor) -> Tensor:
        output = super().updateOutput(self._folded(input))
        if input.ndim > self.nInputDim:
            if output.ndim != self.nOutputDim:
                raise ShapeError(f"{self._typename}: output: expected {self.nOutputDim} dimensions, got {sizes(output.shape)}")
            # The last of the dimensions that were made one may be of another size now.
            outer = input.shape[: input.ndim - self.nInputDim]
            last = output.shape[0] // prod(outer) if prod(outer) else input.shape[len(outer)]
            self.output = output.reshape(*outer, last, *output.shape[1:])
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Any = None) -> Tensor | None:
        gradInput = super().updateGradInput(self._folded(input), self._likeOutput(gradOutput))
        self.gradInput = None if gradInput is None else gradInput.reshape(input.shape)
        return self.gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Any = None, scale: float = 1.0) -> None:
        super().accGradParameters(self._folded(input), self._likeOutput(gradOutput), scale)

    def accUpdateGradParameters(self, input: Tensor, gradOutput: Tensor, lr: float) -> None:
        super().accUpdateGradParameters(self._folded(input), self._likeOutput(gradOutput), lr)

    def _folded(self, input: Tensor) -> Tensor:
        check.array(self, "input", input)
        batch = input.ndim - self.nInputDim + 1
        return input.reshape(prod(input.shape[:batch]), *input.shape[batch:]) if batch > 1 else input

    def _likeOutput(self, gradOutput: Tensor) -> Tensor:
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self.output.shape)
        return gradOutput.reshape(self.modules[0].output.shape)
