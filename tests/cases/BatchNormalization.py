"""Batches of vectors with mean 0 and variance 1."""

from collections.abc import Callable

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, NullError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    """The output of any of the classes: the channels are the second dimension of a batch."""
    alone = x.ndim < module.nDim
    x = x[None] if alone else x
    others = (0, *range(2, x.ndim))
    shape = (1, -1, *(1 for _ in x.shape[2:]))
    if module.train and (module.strict or len(x) > 1):
        mean, var = x.mean(others), x.var(others)
    else:
        mean, var = (np.asarray(a, np.float64) for a in (module.running_mean, module.running_var))
    y = (x - mean.reshape(shape)) / np.sqrt(var + module.eps).reshape(shape)
    if module.weight is not None:
        y = y * module.weight.reshape(shape) + module.bias.reshape(shape)
    return y[0] if alone else y


def evaluating(make: Callable[[], nn.BatchNormalization]) -> Callable[[], nn.BatchNormalization]:
    """The module after training on something else."""

    def made() -> nn.BatchNormalization:
        module = make()
        module.running_mean[...] = np.linspace(-1, 1, module.running_mean.size)
        module.running_var[...] = np.linspace(0.5, 2, module.running_var.size)
        module.evaluate()
        return module

    return made


def case(name: str, make: Callable[[], nn.BatchNormalization], *shape: int, larger: tuple[int, ...] = ()) -> Case:
    """A case of training: samples share their statistics, so a batch is no sum of its parts."""
    return Case(name, make, normal(*shape), reference, batched=False, larger=normal(*larger) if larger else None)


def offset(rng):
    """Means far larger than deviations."""
    return rng.standard_normal((40, 3)) + np.array([1e3, -200, 0])


CASES = [
    case("train", lambda: nn.BatchNormalization(3), 5, 3, larger=(70_000, 3)),
    case("train_two_samples", lambda: nn.BatchNormalization(4, 1e-2), 2, 4),
    case("train_many_channels", lambda: nn.BatchNormalization(600, 1e-3), 4, 600, larger=(200, 600)),
    case("train_wide", lambda: nn.BatchNormalization(9000, 1e-3), 2, 9000, larger=(20, 9000)),
    case("train_without_affine", lambda: nn.BatchNormalization(3, 1e-3, 0.3, False), 6, 3),
    Case("train_offset", lambda: nn.BatchNormalization(3), offset, reference, batched=False,
         skip=("float_near_double",)),  # input and mean, rounded to single precision, differ by less than their digits
    case("train_one_vector", lambda: nn.BatchNormalization(5), 1, 5),
    Case("evaluate", evaluating(lambda: nn.BatchNormalization(5)), normal(4, 5), reference),
    Case("evaluate_without_affine", evaluating(lambda: nn.BatchNormalization(70, affine=False)), normal(3, 70),
         reference),
    Case("evaluate_wide", evaluating(lambda: nn.BatchNormalization(9000)), normal(2, 9000), reference,
         larger=normal(20, 9000)),
    Case("evaluate_one_sample", evaluating(lambda: nn.BatchNormalization(5)), normal(5), reference, batched=False),
]  # fmt: skip

ERRORS = [
    ErrorRow("one_value", lambda: nn.BatchNormalization(3).setStrict(), lambda m: m.forward(np.zeros((1, 3), "f")), ShapeError,
             r"input: expected more than one value per channel to train with, got 1 x 3"),
    ErrorRow("rank", lambda: nn.BatchNormalization(3), lambda m: m.forward(np.zeros((2, 3, 4), "f")), ShapeError,
             r"input: expected a 2-D array when training, got 3-D of shape \(2, 3, 4\)"),
    ErrorRow("one_sample", lambda: nn.BatchNormalization(3), lambda m: m.forward(np.zeros(3, "f")), ShapeError,
             r"input: expected a 2-D array when training, got 1-D of shape \(3,\)"),
    ErrorRow("rank_evaluating", evaluating(lambda: nn.BatchNormalization(3)),
             lambda m: m.forward(np.zeros((2, 3, 4), "f")), ShapeError,
             r"input: expected a 2-D array, or 1-D for one sample, got 3-D of shape \(2, 3, 4\)"),
    ErrorRow("channels", lambda: nn.BatchNormalization(3), lambda m: m.forward(np.zeros((2, 4), "f")), ShapeError,
             r"nn.BatchNormalization: input: expected 3 features, got 4"),
    ErrorRow("channels_of_a_sample", evaluating(lambda: nn.BatchNormalization(3, affine=False)),
             lambda m: m.forward(np.zeros(4, "f")), ShapeError, r"input: expected 3 features, got 4"),
    ErrorRow("backward_first", lambda: nn.BatchNormalization(3),
             lambda m: m.backward(np.zeros((2, 3), "f"), np.zeros((2, 3), "f")), NullError,
             r"save_mean: expected what forward keeps when training, got None"),
    ErrorRow("dtype", lambda: nn.BatchNormalization(3).double(), lambda m: m.forward(np.zeros((2, 3), "f")), DtypeError,
             r"input: expected float64, got float32"),
    ErrorRow("channels", lambda: None, lambda _: nn.BatchNormalization(0), ValueRangeError,
             "nOutput: expected 1 or more, got 0"),
]  # fmt: skip
