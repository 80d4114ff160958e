"""Sums over a batch that do not lose precision when the batch is long."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute

_BLOCK = 256


def summed(a: Tensor, b: Tensor) -> Tensor:
    """The matrix product of the transpose of `a` with `b`, rows being samples: blocks of them are added as doubles."""
    total = np.zeros((a.shape[1], b.shape[1]), np.float64, like=a)
    for start in range(0, len(a), _BLOCK):
        block = slice(start, start + _BLOCK)
        total += compute.matmul(a[block].T, b[block])
    return total
