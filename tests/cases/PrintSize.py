"""Sizes on the screen."""

from pytorch_legacy import nn
from tests.case import Case, normal, normals

# A gradOutput of any shape and type is passed on unchanged, and the next layer checks it.
PASSES = ("wrong_rank", "wrong_batch", "wrong_width", "wrong_dtype")

CASES = [
    Case("matrix", nn.PrintSize, normal(3, 4), lambda module, x: x, skip=PASSES),
    Case("table", lambda: nn.PrintSize("here"), normals((3, 4), (3, 2)), lambda module, x: x, skip=PASSES),
]

ERRORS = []
