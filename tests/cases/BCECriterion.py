"""Binary cross entropies."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, ShapeError
from tests.case import Case, ErrorRow

WEIGHTS = (0.5, 1.0, 2.0, 0.125)


def reference(module, x, target):
    weights = 1.0 if module.weights is None else module.weights
    losses = -weights * (target * np.log(x + 1e-12) + (1 - target) * np.log(1 - x + 1e-12))
    return losses.mean() if module.sizeAverage else losses.sum()


def probabilities(*shape: int):
    return lambda rng: rng.uniform(0.1, 0.9, shape)


PROBABILITIES = ("nonfinite_loss", "history")  # they feed numbers that are none, which are refused


def certain(rng):
    return np.array([0.0, 1.0, 0.0, 1.0])


def right_and_wrong(rng):
    return np.array([0.0, 1.0, 1.0, 0.0])


def case(name: str, *shape: int, batched: bool = True, **arguments) -> Case:
    return Case(name, lambda: nn.BCECriterion(**arguments), probabilities(*shape), reference,
                target=probabilities(*shape), batched=batched, skip=PROBABILITIES)  # fmt: skip


CASES = [
    case("vector", 9),
    case("batch", 4, 5),
    case("images", 2, 3, 4, 5),
    case("sum", 3, 4, sizeAverage=False),
    case("weights", 3, 4, weights=WEIGHTS),
    case("weights_of_a_vector", 4, weights=WEIGHTS, sizeAverage=False, batched=False),
    case("weights_of_elements", 2, 4, weights=[WEIGHTS, WEIGHTS[::-1]], batched=False),
    # At the ends the loss is steeper than differences can follow.
    Case("certain", nn.BCECriterion, certain, reference, target=right_and_wrong, jacobian=False, skip=PROBABILITIES),
]

ERRORS = [
    ErrorRow("target_shape", nn.BCECriterion, lambda m: m.forward(np.zeros((2, 3), "f"), np.ones(2, "f")), ShapeError,
             r"target: expected 2 x 3, or 6 elements in another shape, got 2"),
    ErrorRow("weights", lambda: nn.BCECriterion([1.0, 2.0]),
             lambda m: m.forward(np.zeros((2, 3), "f"), np.zeros((2, 3), "f")), ShapeError,
             r"weights: expected the last sizes of 2 x 3, got 2"),
    ErrorRow("weights_rank", lambda: nn.BCECriterion([[1.0, 2.0]]),
             lambda m: m.backward(np.zeros(1, "f"), np.zeros(1, "f")), ShapeError,
             r"weights: expected the last sizes of 1, got 1 x 2"),
    ErrorRow("dtype", lambda: nn.BCECriterion([1.0]), lambda m: m.forward(np.zeros(1), np.zeros(1, "f")), DtypeError,
             r"input: expected float32, got float64"),
]  # fmt: skip
