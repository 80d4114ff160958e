"""Nothing done."""

from pytorch_legacy import nn
from tests.case import Case, normal

# What comes as gradOutput goes on as it is: whatever shape and type it has is the business of the next layer.
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
