"""Positive parts up to 6."""

import numpy as np

from pytorch_legacy import nn
from tests.case import Case, distinct


def reference(module, x):
    return np.clip(x, 0, 6)


def wide(rng):
    return 12 * distinct(4, 3, 5)(rng)


CASES = [
    Case("batch", nn.ReLU6, wide, reference),
    Case("inplace", lambda: nn.ReLU6(True), wide, reference, inplace=True),
]

ERRORS = []
