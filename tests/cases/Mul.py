"""One learned factor."""

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("matrix", nn.Mul, normal(4, 5), lambda module, x: x * module.weight[0]),
    Case("cube", nn.Mul, normal(2, 3, 4), lambda module, x: x * module.weight[0]),
]

ERRORS = [
    ErrorRow("dtype", nn.Mul, lambda m: m.forward([]), DtypeError, "input: expected a float32 array, got a table of 0"),
]  # fmt: skip
