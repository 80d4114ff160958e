"""Copies."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError
from tests.case import Case, ErrorRow, normal

CASES = [
    Case("copied", lambda: nn.Copy(forceCopy=True), normal(3, 4), lambda module, x: x),
    Case("passed_on", nn.Copy, normal(3, 4), lambda module, x: x),
]

ERRORS = [
    ErrorRow("intype", lambda: nn.Copy("torch.DoubleTensor"), lambda m: m.forward(np.zeros(2, "f")), DtypeError,
             "input: expected a float64 array, got a float32 array of 2"),
    ErrorRow("outtype", lambda: nn.Copy(outtype="float64"), lambda m: m.backward(np.zeros(2, "f"), np.zeros(2, "f")),
             DtypeError, "gradOutput: expected a float64 array, got a float32 array of 2"),
    ErrorRow("type", lambda: None, lambda _: nn.Copy("foo"), DtypeError,
             "intype: expected a tensor type or a dtype, got 'foo'"),
]  # fmt: skip
