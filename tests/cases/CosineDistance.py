"""Cosines."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normals


def reference(module, x):
    norms = [np.linalg.norm(rows, axis=-1) for rows in x]
    return np.atleast_1d((x[0] * x[1]).sum(-1) / norms[0] / norms[1])


CASES = [
    Case("batch", nn.CosineDistance, normals((4, 5), (4, 5)), reference, singleSample=False),
    Case("vectors", nn.CosineDistance, normals((5,), (5,)), reference, batched=False),
]

ERRORS = [
    ErrorRow("shapes", nn.CosineDistance, lambda m: m.forward([np.zeros((2, 3), "f"), np.zeros((2, 4), "f")]), ShapeError,
             r"input\[1\]: expected 2 x 3, got 2 x 4"),
    ErrorRow("rank", nn.CosineDistance, lambda m: m.forward([np.zeros((2, 3, 1), "f")] * 2), ShapeError,
             r"input\[0\]: expected a 1-D or 2-D array, got 3-D"),
]  # fmt: skip
