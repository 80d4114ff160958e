"""Rows of equal mean and length."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ValueRangeError
from tests.case import Case, ErrorRow, normal


def rows_of(module, x, eps=1e-10):
    means = np.tile(x.mean(-1), x.shape[1]).reshape(x.shape)  # as Torch7 lays them out: right for a batch of one
    centred = x - means
    rows = centred / np.sqrt((centred**2).sum(-1, keepdims=True) + eps) * np.sqrt(x.shape[-1])
    return rows * module.modules[4].weight + module.modules[5].bias if len(module.modules) == 6 else rows


CASES = [
    Case("affine", lambda: nn.LayerNormalization(4), normal(5, 4), rows_of, batched=False),
    Case("one_row", lambda: nn.LayerNormalization(5), normal(1, 5), rows_of, batched=False),
    Case(
        "plain",
        lambda: nn.LayerNormalization(6, 0, 1e-2, False),
        normal(3, 6),
        lambda m, x: rows_of(m, x, 1e-2),
        batched=False,
    ),
]

ERRORS = [
    ErrorRow("size", lambda: None, lambda _: nn.LayerNormalization(0), ValueRangeError, "nOutput: expected 1 or more"),
]
