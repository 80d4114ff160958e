"""Vectors picked from a table by their indices."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow


def indices(*shape: int, dtype: str = "int64"):
    return lambda rng: rng.integers(0, 5, shape).astype(dtype)


def reference(module, x):
    """The product with vectors of which one element is 1."""
    return np.eye(5)[x.astype(int)] @ module.weight.astype(np.float64)


def shortened(p: float):
    """The rows that were picked have a norm of 0.5 at most."""

    def reference_(module, x):
        rows = np.eye(5)[x] @ module.weight.astype(np.float64)
        assert (np.linalg.norm(rows, p, axis=-1) <= 0.5 + 1e-6).all()
        return rows

    return reference_


# Indices are no numbers that could be infinite, negative, or of the wrong dtype.
SKIP = ("nonfinite", "nan_arrives", "history", "wrong_dtype")
# The pass changes the weight.
MOVES = (*SKIP, "accumulate", "halves")

CASES = [
    Case("matrix", lambda: nn.LookupTable(5, 3), indices(4, 6), reference, jacobian=False, skip=SKIP),
    Case("vector", lambda: nn.LookupTable(5, 3), indices(7), reference, jacobian=False, singleSample=False, skip=SKIP),
    Case(
        "cube", lambda: nn.LookupTable(5, 2), indices(2, 3, 4), reference, jacobian=False, skip=SKIP,
        larger=indices(30, 20, 60),
    ),
    Case("bytes", lambda: nn.LookupTable(5, 3), indices(4, 2, dtype="uint8"), reference, jacobian=False, skip=SKIP),
    Case("floats", lambda: nn.LookupTable(5, 3), indices(4, 2, dtype="float64"), reference, jacobian=False, skip=SKIP),
    Case("padding", lambda: nn.LookupTable(5, 3, 2), indices(4, 6), reference, jacobian=False, skip=SKIP),
    Case(  # the frequency of an index depends on the whole batch
        "frequency", lambda: nn.LookupTable(5, 3).scaleGradByFreq(), indices(4, 6), reference, jacobian=False,
        skip=(*SKIP, "batch", "large"),
    ),
    Case("norm2", lambda: nn.LookupTable(5, 3, -1, 0.5), indices(4, 6), shortened(2), jacobian=False, skip=MOVES),
    Case("norm1", lambda: nn.LookupTable(5, 3, -1, 0.5, 1), indices(4, 6), shortened(1), jacobian=False, skip=MOVES),
    Case("norm3", lambda: nn.LookupTable(5, 3, -1, 0.5, 3), indices(4, 6), shortened(3), jacobian=False, skip=MOVES),
    Case("norm_max", lambda: nn.LookupTable(5, 3, -1, 0.5, np.inf), indices(4, 6), shortened(np.inf), jacobian=False, skip=MOVES),
]  # fmt: skip


def table() -> nn.LookupTable:
    return nn.LookupTable(5, 3)


ERRORS = [
    ErrorRow("range", table, lambda m: m.forward(np.array([0, 5])), IndexRangeError, "input: expected 0 to 4, got 5"),
    ErrorRow("negative", table, lambda m: m.forward(np.array([-1])), IndexRangeError, "input: expected 0 to 4, got -1"),
    ErrorRow("backward", table, lambda m: m.accGradParameters(np.array([7]), np.zeros((1, 3), "f")), IndexRangeError,
             "input: expected 0 to 4, got 7"),
    ErrorRow("renorm", lambda: nn.LookupTable(5, 3, -1, 1), lambda m: m.forward(np.array([7])), IndexRangeError,
             "input: expected 0 to 4, got 7"),
    ErrorRow("between", table, lambda m: m.forward(np.array([0.5])), DtypeError, "input: expected indices, got numbers between"),
    ErrorRow("table", table, lambda m: m.forward(["a"]), DtypeError, "input: expected an array of indices, got a table of 1"),
    ErrorRow("gradOutput", table, lambda m: m.backward(np.array([1]), np.zeros((1, 2), "f")), ShapeError,
             "gradOutput: expected 1 x 3, got 1 x 2"),
    ErrorRow("maxNorm", lambda: nn.LookupTable(5, 3, -1, -1), lambda m: m.forward(np.array([1])), ValueRangeError,
             "maxNorm: expected 0 or more, got -1"),
    ErrorRow("normType", lambda: nn.LookupTable(5, 3, -1, 1, 0), lambda m: m.forward(np.array([1])), ValueRangeError,
             "normType: expected more than 0, got 0"),
    ErrorRow("size", lambda: None, lambda m: nn.LookupTable(0, 2), ValueRangeError, "nIndex: expected 1 or more, got 0"),
]  # fmt: skip
