"""Learned factors, one for each element."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    return x * module.weight


def flat(module, x):
    return x * module.weight.reshape(x.shape[-2:])


CASES = [
    Case("batch", lambda: nn.CMul(3, 4), normal(5, 3, 4), reference),
    Case("planes", lambda: nn.CMul(1, 3, 1, 1), normal(2, 3, 2, 4), reference, singleSample=False),
    Case("columns", lambda: nn.CMul(1, 4), normal(5, 4), reference),
    Case("flattened", lambda: nn.CMul(12), normal(5, 3, 4), flat),
    Case("other_sizes", lambda: nn.CMul(4, 3), normal(3, 4), flat, batched=False),
    Case("one", lambda: nn.CMul((1,)), normal(3, 4), reference),
    Case("sample", lambda: nn.CMul([2, 3]), normal(2, 3), reference, batched=False),
]

ERRORS = [
    ErrorRow("columns", lambda: nn.CMul(5), lambda m: m.forward(np.zeros((2, 4), "f")), ShapeError,
             "input: expected 5 or a batch of that, got 2 x 4"),
    ErrorRow("planes", lambda: nn.CMul(1, 3), lambda m: m.forward(np.zeros((2, 4), "f")), ShapeError,
             "input: expected 1 x 3 or a batch of that, got 2 x 4"),
    ErrorRow("size", lambda: None, lambda m: nn.CMul(2, 0), ValueRangeError, "sizes: expected 1 or more, got 0"),
]  # fmt: skip
