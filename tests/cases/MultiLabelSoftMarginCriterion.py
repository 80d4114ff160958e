"""Binary cross entropies of scores."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow, normal

WEIGHTS = (0.5, 1.0, 2.0, 0.125)


def reference(module, x, target):
    weights = 1.0 if module.weights is None else module.weights
    p = 1 / (1 + np.exp(-x))
    losses = -weights * (target * np.log(p) + (1 - target) * np.log(1 - p))
    return losses.mean() if module.sizeAverage else losses.sum()


def labels(*shape: int):
    return lambda rng: rng.choice([0.0, 1.0], shape)


def far(rng):
    """Scores whose probabilities no element type tells from 0 and 1."""
    return np.array([1000.0, -1000.0, 100.0, -100.0])


CASES = [
    Case("sample", nn.MultiLabelSoftMarginCriterion, normal(4), reference, target=labels(4)),
    Case("batch", nn.MultiLabelSoftMarginCriterion, normal(3, 4), reference, target=labels(3, 4)),
    Case("weights", lambda: nn.MultiLabelSoftMarginCriterion(WEIGHTS), normal(3, 4), reference, target=labels(3, 4)),
    Case("sum", lambda: nn.MultiLabelSoftMarginCriterion(None, False), normal(3, 4), reference, target=labels(3, 4)),
    Case("far", nn.MultiLabelSoftMarginCriterion, far, lambda module, x, target: 275.0,
         target=lambda rng: np.array([0.0, 0.0, 1.0, 1.0]), batched=False),
]  # fmt: skip

ERRORS = [
    ErrorRow("target_shape", nn.MultiLabelSoftMarginCriterion,
             lambda m: m.forward(np.zeros((2, 3), "f"), np.ones(3, "f")), ShapeError,
             r"target: expected 2 x 3, or 6 elements in another shape, got 3"),
    ErrorRow("target_dtype", nn.MultiLabelSoftMarginCriterion,
             lambda m: m.backward(np.zeros(3, "f"), np.ones(3)), DtypeError,
             r"target: expected float32, got float64"),
    ErrorRow("weights", lambda: nn.MultiLabelSoftMarginCriterion([1.0]),
             lambda m: m.forward(np.zeros(3, "f"), np.zeros(3, "f")), ShapeError,
             r"weights: expected the last sizes of 3, got 1"),
]  # fmt: skip
