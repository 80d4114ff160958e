"""The Huber loss of differences: squared near zero, linear elsewhere."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute


def huber(difference: Tensor, gamma: float) -> float:
    """Returns the sum of ``d^2 / 2`` where ``|d| < gamma``, and ``gamma (|d| - gamma / 2)`` elsewhere."""
    size = np.abs(difference)
    linear = gamma * (size - gamma / 2)
    return compute.number(compute.sum(np.where(size < gamma, difference * difference / 2, linear).ravel(), dtype=np.float64))


def huberSlope(difference: Tensor, gamma: float) -> Tensor:
    """Returns the derivatives: d, limited to the range from -gamma to gamma."""
    return compute.clip(difference, -gamma, gamma)
