"""Vectors of length one."""

from math import isinf
from typing import Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.utils import clear


class Normalize(Native):
    """Divides a vector, or each row of a matrix, by its p-norm.

    .. math:: y = \\frac{x}{|x|_p}, \\quad |x|_p = \\Big(\\sum_j |x_j|^p + \\epsilon\\Big)^{1/p}, \\quad
              \\frac{\\partial L}{\\partial x_j} = \\frac{g_j}{|x|_p} - \\frac{|x_j|^{p-2} x_j}{|x|_p^{p+1}} \\sum_i g_i x_i

    With p = inf the norm is the largest absolute value plus eps, and only that element gets the second term.

    Parameters
    ----------
    p : float
        Greater than 0; ``math.inf`` for the maximum norm.
    eps : float
        Keeps the norm of a vector of zeros above 0.

    Raises
    ------
    ValueRangeError
        If p is not greater than 0.
    ShapeError
        If the input is not 1-D or 2-D, or p is inf and a row has no elements.

    Notes
    -----
    Shapes: ``(N x) D`` to the same. As in Torch7, eps is left out of account by the second term for p = inf, and for p < 2
    it is added to ``|x|`` in ``|x|^(p-2)``, which has a pole at 0. ``_indices``, N x 1, holds the places of the largest
    values when p is inf, for readers only.
    Source: Torch7 nn.Normalize; C: ``THNN/normalization/Normalize.c``.

    Examples
    --------
    >>> nn.Normalize(1).forward(np.float32([[1, 3], [-2, 2]]))
    array([[ 0.25,  0.75],
           [-0.5 ,  0.5 ]], dtype=float32)
    >>> np.round(nn.Normalize(2).forward(np.float32([3, 4])), 4)
    array([0.6, 0.8], dtype=float32)
    """

    _layer = "Normalize"
    _ranks = 1, 2
    eps = 1e-10
    _file = Form(
        dropped=("_output", "norm", "normp", "buffer", "buffer2", "cross", "_gradInput", "_indices"),
        defaults={"eps": 1e-10},
        kinds={"p": "a number"},
    )
    _lua = Lua(fields={"_indices": "indices"})
    _indices = np.empty(0, np.intp)

    def __init__(self, p: float, eps: float = 1e-10) -> None:
        super().__init__()
        if not p > 0:
            raise ValueRangeError(f"{self._typename}: p: expected a number greater than 0, got {p}")
        self.p = p
        self.eps = eps

    def updateOutput(self, input: Tensor) -> Tensor:
        output: Tensor = super().updateOutput(input)
        if isinf(self.p):
            self._indices = np.abs(np.atleast_2d(input)).argmax(1, keepdims=True)
        return output

    def clearState(self) -> Self:
        clear(self, "_indices")
        return super().clearState()

    def __repr__(self) -> str:
        number = f"{self.p:f}" if not isinf(self.p) and self.p % 1 else f"{self.p:g}"
        return f"{self._typename}({number})"
