"""A push towards using all categories."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.activation.Log import Log
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.math.AddConstant import AddConstant
from pytorch_legacy.nn.math.MulConstant import MulConstant
from pytorch_legacy.nn.math.Sum import Sum
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.shape.Identity import Identity
from pytorch_legacy.nn.table.CMulTable import CMulTable
from pytorch_legacy.nn.table.ConcatTable import ConcatTable


class CategoricalEntropy(Module):
    """Passes probabilities on, and on the way back makes the entropy of the categories in a batch larger.

    .. math:: p_c = \\frac{\\sum_n x_{n,c}}{\\sum_{n,j} x_{n,j}}, \\quad H = -\\sum_c p_c \\log(p_c + 10^{-6}), \\quad
              dx = dy - \\frac{scale}{N} \\frac{\\partial H}{\\partial x}

    where the denominator of p counts as a constant.

    Parameters
    ----------
    scale : float
        How strong the push is.
    minEntropy : float, optional
        There is no push while H is at least this large.

    Attributes
    ----------
    sizeAverage : bool
        Whether to divide by N: True, until set.
    entropy : float
        H of the last ``updateGradInput``.

    Raises
    ------
    ShapeError
        If the input is not ``N x C``.

    Notes
    -----
    ``output`` is the input itself, no copy. Source: Element-Research dpnn ``CategoricalEntropy``.

    Examples
    --------
    >>> layer, x = dpnn.CategoricalEntropy(), np.float32([[0.5, 0.5], [1, 0]])  # the second category is the rarer
    >>> layer.forward(x) is x
    True
    >>> layer.backward(x, np.zeros((2, 2), np.float32)).round(3)  # a step against it lifts the second
    array([[ 0.178, -0.097],
           [ 0.178, -0.097]], dtype=float32)
    """

    _file = Form(
        properties=("module", "_mul"),
        defaults={"modules": lambda fields: [fields["module"]], "scale": 1, "minEntropy": None},
        kinds={"module": "a module"},
    )
    modules: list[Module]
    minusOne: Tensor
    minEntropy: float | None = None
    entropy: float
    sizeAverage = True

    def __init__(self, scale: float = 1, minEntropy: float | None = None) -> None:
        super().__init__()
        self.scale = scale
        self.minEntropy = minEntropy
        self.sizeAverage = True
        self.minusOne = np.array([-scale], self._dtype)
        logarithm = Sequential().add(AddConstant(1e-6)).add(Log())
        entropy = Sequential().add(Sum(0)).add(MulConstant(1))
        entropy.add(ConcatTable().add(Identity()).add(logarithm)).add(CMulTable()).add(Sum()).add(MulConstant(-1))
        self.modules = [entropy]

    @property
    def module(self) -> Any:
        return self.modules[0]

    @property
    def _mul(self) -> Any:
        return self.module.get(1)

    def updateOutput(self, input: Tensor) -> Tensor:
        self.output = check.tensor(self, "input", input, 2)
        return input

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input, 2))
        gradInput = self._resize("gradInput", input.shape)
        gradInput[...] = gradOutput
        if not input.size:
            return gradInput
        self._mul.constant_scalar = 1 / float(compute.sum(input))
        self.entropy = float(self.module.updateOutput(input)[0])
        if self.minEntropy is None or self.entropy < self.minEntropy:
            push = self.module.updateGradInput(input, self.minusOne)
            gradInput += push / (len(input) if self.sizeAverage else 1)
        return gradInput

    def clearState(self) -> Self:
        self.module.clearState()
        return super().clearState()
