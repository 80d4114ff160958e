"""The gamma distribution."""

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor


def draw(shape: Tensor) -> Tensor:
    """Draws with scale 1, one for each shape."""
    # A draw for k below 1 is one for k + 1 times a power of a uniform draw.
    small = shape < 1
    d = np.where(small, shape + 1, shape) - 1 / 3
    c = 1 / np.sqrt(9 * d)
    result, open_ = np.empty_like(shape), np.ones(shape.shape, bool)
    while open_.any():
        count = int(open_.sum())
        x, u = random.normal(0, 1, count, np.float64), 1 - random.uniform(0, 1, count, np.float64)
        v = (1 + c[open_] * x) ** 3
        with np.errstate(invalid="ignore", divide="ignore"):
            good = (v > 0) & (np.log(u) < x**2 / 2 + d[open_] * (1 - v + np.log(v)))
        places = np.nonzero(open_)
        taken = tuple(place[good] for place in places)
        result[taken] = d[taken] * v[good]
        open_[taken] = False
    u = 1 - random.uniform(0, 1, int(small.sum()), np.float64)
    result[small] *= u ** (1 / shape[small])
    return result


def digamma(x: Tensor) -> Tensor:
    """The derivative of log gamma, for x above 0."""
    result = np.zeros_like(x)
    while (x < 8).any():  # psi(x) = psi(x + 1) - 1 / x
        below = x < 8
        result -= np.where(below, 1 / x, 0)
        x = np.where(below, x + 1, x)
    square = 1 / x**2
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return result + np.log(x) - 0.5 / x - series
