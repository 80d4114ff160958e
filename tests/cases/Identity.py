"""Nothing done."""

from pytorch_legacy import nn
from tests.case import Case, normal

# A gradOutput of any shape and type is passed on unchanged, and the next layer checks it.
PASSES = ("wrong_rank", "wrong_batch", "wrong_width", "wrong_dtype")

CASES = [
    Case("array", nn.Identity, normal(3, 4, 5), lambda module, x: x, skip=PASSES),
    Case(
        "table",
        nn.Identity,
        lambda rng: [rng.standard_normal((2, 3)), [rng.standard_normal((2, 4))]],
        lambda module, x: x,
        skip=PASSES,
    ),
]

ERRORS = []
