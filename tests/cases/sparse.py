"""Layers of sparse vectors, as functions of the values alone: columns are given, and the same in every sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.nn import check

Array = np.ndarray


class Sparse(nn.Container):
    """Runs a layer on the table that `form` makes of the input's values, ``nnz`` or ``N x nnz``.

    `picked` gets what the layer says of the gradient of the table and makes it that of the values.
    """

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.add(module)
        self._typename = module._typename

    def form(self, values: Array) -> Any:
        raise NotImplementedError

    def picked(self, gradient: Any, values: Array) -> Array:
        raise NotImplementedError

    def _table(self, input: Array) -> Any:
        return self.form(check.tensor(self, "input", input))

    def updateOutput(self, input: Array) -> Array:
        self.output = self.modules[0].updateOutput(self._table(input))
        return self.output

    def updateGradInput(self, input: Array, gradOutput: Array) -> Array:
        gradient = self.picked(self.modules[0].updateGradInput(self._table(input), gradOutput), input)
        self._resize("gradInput", input.shape)[...] = gradient
        return self.gradInput

    def accGradParameters(self, input: Array, gradOutput: Array, scale: float = 1.0) -> None:
        self.modules[0].accGradParameters(self._table(input), gradOutput, scale)

    def accUpdateGradParameters(self, input: Array, gradOutput: Array, lr: float) -> None:
        self.modules[0].accUpdateGradParameters(self._table(input), gradOutput, lr)


def dense(values: Array, columns: Array, size: int) -> Array:
    """The vectors whose elements other than 0 are given."""
    result = np.zeros((*values.shape[:-1], size))
    for i, column in enumerate(columns):
        result[..., column] += values[..., i]
    return result
