"""Indices made vectors."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ValueRangeError
from tests.case import Case, ErrorRow


def indices(dtype: str):
    return lambda rng: rng.integers(0, 5, (3, 4)).astype(dtype)


def reference(module, x):
    return np.eye(5)[x.astype(int)]


# Other numbers than indices are refused.
SKIP = ("nonfinite", "nan_arrives", "history")

CASES = [
    # Integers are not converted, so no dtype of theirs is wrong.
    Case("integers", lambda: nn.OneHot(5), indices("int64"), reference, jacobian=False, skip=(*SKIP, "wrong_dtype")),
    Case("bytes", lambda: nn.OneHot(5), indices("uint8"), reference, jacobian=False, skip=(*SKIP, "wrong_dtype")),
    Case("floats", lambda: nn.OneHot(5), indices("float64"), reference, jacobian=False, skip=(*SKIP, "wrong_dtype")),
]

ERRORS = [
    ErrorRow("range", lambda: nn.OneHot(3), lambda m: m.forward(np.array([0, 3])), IndexRangeError,
             "input: expected indices from 0 to 2, got 3"),
    ErrorRow("negative", lambda: nn.OneHot(3), lambda m: m.forward(-1), IndexRangeError,
             "input: expected indices from 0 to 2, got -1"),
    ErrorRow("between", lambda: nn.OneHot(3), lambda m: m.forward(0.5), DtypeError,
             "input: expected an index or an array of indices, got float 0.5"),
    ErrorRow("infinite", lambda: nn.OneHot(3), lambda m: m.forward(np.inf), DtypeError, "got float inf"),
    ErrorRow("table", lambda: nn.OneHot(3), lambda m: m.forward(["a", "b"]), DtypeError, "got a table of 2"),
    ErrorRow("size", lambda: None, lambda m: nn.OneHot(0), ValueRangeError, "outputSize: expected 1 or more, got 0"),
]  # fmt: skip
