"""Affine maps of sparse vectors, in the three forms of input."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal
from tests.cases.sparse import Sparse, dense

COLUMNS = np.array([4, 0, 6, 0, 3])  # one comes twice


class Columns(Sparse):
    def __init__(self, module, asTable):
        super().__init__(module)
        self.asTable = asTable

    def form(self, values):
        entries = np.stack([np.broadcast_to(COLUMNS, values.shape).astype(values.dtype), values], -1)
        return list(entries) if self.asTable and values.ndim > 1 else entries

    def picked(self, gradient, values):
        picked = [each[COLUMNS, 1] for each in gradient]
        assert all((each[:, 0] == np.arange(7)).all() for each in gradient)
        return np.reshape(picked, values.shape)


def reference(module, x):
    layer = module.modules[0]
    return dense(x, COLUMNS, 7) @ layer.weight.T.astype(np.float64) + layer.bias


def layer(asTable=True, inputSize=7, outputSize=3):
    return lambda: Columns(nn.SparseLinear(inputSize, outputSize, True), asTable)


CASES = [
    Case("table", layer(), normal(4, 5), reference, larger=normal(6000, 5)),
    Case("array", layer(False), normal(4, 5), reference, larger=normal(6000, 5)),
    Case("one_output", layer(outputSize=1), normal(2, 5), reference, larger=normal(6000, 5)),
    Case("many_outputs", layer(outputSize=70), normal(2, 5), reference, larger=normal(300, 5)),
]


def sparse():
    return nn.SparseLinear(4, 2)


def entry(column, value=1.0):
    return np.array([[column, value]], "f")


NONE = -(2**63)  # a device's report of a column that is no whole number


def out_of_range(number: int, column: str) -> str:
    """The error text: only the host reports the entry and its value."""
    told = f"column of an entry: expected 0 to 3, got ({column}|{NONE})"
    return f"input: expected column 0 to 3 in entry {number}, got {column}|{told}"


ERRORS = [
    ErrorRow("range", sparse, lambda m: m.forward(entry(4)), IndexRangeError,
             out_of_range(0, "4")),
    ErrorRow("negative", sparse, lambda m: m.forward([entry(0), entry(-1)]), IndexRangeError,
             out_of_range(1, "-1")),
    ErrorRow("between", sparse, lambda m: m.forward(entry(1.5)), IndexRangeError, out_of_range(0, "1.5")),
    ErrorRow("nan", sparse, lambda m: m.forward(entry(np.nan)), IndexRangeError, out_of_range(0, "")),
    ErrorRow("huge", sparse, lambda m: m.forward(entry(1e30)), IndexRangeError, out_of_range(0, "1e")),
    ErrorRow("array", sparse, lambda m: m.forward(entry(7)[None]), IndexRangeError, out_of_range(0, "7")),
    ErrorRow("backward", sparse, lambda m: m.accGradParameters(entry(4), np.zeros(2, "f")), IndexRangeError,
             out_of_range(0, "4")),
    ErrorRow("columns", sparse, lambda m: m.forward(np.zeros((2, 3), "f")), ShapeError, "input: expected 2 x 2, got 2 x 3"),
    ErrorRow("rank", sparse, lambda m: m.forward(np.zeros(2, "f")), ShapeError, "input: expected a 2-D or 3-D array"),
    ErrorRow("sample", sparse, lambda m: m.forward([np.zeros((2, 3), "f")]), ShapeError,
             r"input\[0\]: expected nnz x 2, got 2 x 3"),
    ErrorRow("dtype", sparse, lambda m: m.forward(np.zeros((2, 2))), DtypeError, "input: expected float32, got float64"),
    ErrorRow("table", sparse, lambda m: m.forward(3), DtypeError, "input: expected an array or a table of arrays, got int 3"),
    ErrorRow("gradOutput", sparse, lambda m: m.backward(entry(1), np.zeros((1, 2), "f")), ShapeError,
             "gradOutput: expected 2, got 1 x 2"),
    ErrorRow("size", lambda: None, lambda m: nn.SparseLinear(0, 2), ValueRangeError, "inputSize: expected 1 or more, got 0"),
]  # fmt: skip
