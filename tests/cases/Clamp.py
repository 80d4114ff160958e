"""Elements limited to a range that must be named."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ValueRangeError
from tests.case import Case, ErrorRow, distinct


def reference(module, x):
    return np.clip(x, -0.25, 0.75)


CASES = [
    Case("batch", lambda: nn.Clamp(-0.25, 0.75), distinct(4, 3, 5), reference),
]

ERRORS = [
    ErrorRow("range", lambda: None, lambda m: nn.Clamp(2, 1), ValueRangeError,
             r"max_value: expected more than min_value 2, got 1"),
]  # fmt: skip
