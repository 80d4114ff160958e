"""Vectors of length one."""

from math import inf, isinf
from typing import Self

import numpy as np

from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, sizes
from pytorch_legacy.storage import Tensor


class Normalize(Module):
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
    values when p is inf.
    Source: Torch7 nn.Normalize.
    """

    eps = 1e-10
    _dropped = ("_output", "norm", "normp", "buffer", "buffer2", "cross", "_gradInput", "_indices")
    _indices = np.empty(0, np.intp)

    def __init__(self, p: float, eps: float = 1e-10) -> None:
        super().__init__()
        if not p > 0:
            raise ValueRangeError(f"{self._typename}: p: expected a number greater than 0, got {p}")
        self.p = p
        self.eps = eps

    def updateOutput(self, input: Tensor) -> Tensor:
        x = self._rows(input)
        output = self._resize("output", input.shape)
        if isinf(self.p):
            self._resize("_indices", (len(x), 1), np.intp)[...] = np.abs(x).argmax(1, keepdims=True)
        blocks.rows(lambda part, rows: np.divide(rows, self._norms(rows)[0], out=part), output.reshape(x.shape), x)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        x = self._rows(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), input.shape)
        g = self._dense("_gradOutput", gradOutput).reshape(x.shape)
        gradInput = self._resize("gradInput", input.shape)
        if isinf(self.p):
            check.shape(self, "_indices of the last forward", self._indices, (len(x), 1))
        blocks.rows(self._gradients, gradInput.reshape(x.shape), x, g, self._indices)
        return gradInput

    def _gradients(self, gx: Tensor, x: Tensor, g: Tensor, indices: Tensor) -> None:
        norm, power = self._norms(x)
        cross = (g * x).sum(1, keepdims=True)
        np.divide(g, norm, out=gx)
        if isinf(self.p):
            largest = np.take_along_axis(gx, indices, 1)
            largest -= np.take_along_axis(x, indices, 1) * cross / (norm * norm * norm)
            np.put_along_axis(gx, indices, largest, 1)
        else:
            gx -= self._slopes(x) * (cross / (power * norm))

    def clearState(self) -> Self:
        clear(self, "_indices", "_x", "_gradOutput")
        super().clearState()
        return self

    def _rows(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input, 1, 2)
        if self.p == inf and input.shape[-1] == 0:
            raise ShapeError(f"{self._typename}: input: expected rows with elements, got {sizes(input.shape)}")
        return self._dense("_x", input).reshape(-1 if input.ndim == 1 else len(input), input.shape[-1])

    def _norms(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The norm of each row, and its power p, as columns."""
        magnitude = np.abs(x)
        if isinf(self.p):
            norm = magnitude.max(1, keepdims=True) + self.eps
            return norm, norm
        power = self._power(magnitude, self.p).sum(1, keepdims=True) + self.eps
        return np.sqrt(power) if self.p == 2 else power ** (1 / self.p), power

    def _slopes(self, x: Tensor) -> Tensor:
        """|x|^(p - 2) x"""
        if self.p == 2:
            return x
        magnitude = np.abs(x)
        return self._power(magnitude + self.eps if self.p < 2 else magnitude, self.p - 2) * x

    @staticmethod
    def _power(magnitude: Tensor, exponent: float) -> Tensor:
        return magnitude * magnitude if exponent == 2 else magnitude**exponent

    def __repr__(self) -> str:
        number = f"{self.p:f}" if not isinf(self.p) and self.p % 1 else f"{self.p:g}"
        return f"{self._typename}({number})"
