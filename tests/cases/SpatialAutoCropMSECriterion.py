"""Mean squared errors against the middle of a target."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal


def reference(module, x, target):
    (height, width), (tall, wide) = x.shape[-2:], target.shape[-2:]
    top, left = (tall - height) // 2, (wide - width) // 2
    squares = (x - target[..., top : top + height, left : left + width]) ** 2
    return squares.mean() if module.sizeAverage else squares.sum()


def case(name: str, shape: tuple[int, ...], target: tuple[int, ...], sizeAverage: bool = True) -> Case:
    return Case(name, lambda: nn.SpatialAutoCropMSECriterion(sizeAverage), normal(*shape), reference,
                target=normal(*target), batched=len(shape) == 4)  # fmt: skip


CASES = [
    case("equal", (2, 3, 4, 5), (2, 3, 4, 5)),
    case("even", (2, 3, 4, 5), (2, 3, 6, 9)),
    case("odd", (2, 3, 4, 5), (2, 3, 7, 6), sizeAverage=False),
    case("sample", (3, 4, 5), (3, 5, 5)),
]

ERRORS = [
    ErrorRow("small_target", nn.SpatialAutoCropMSECriterion,
             lambda m: m.forward(np.zeros((1, 4, 4), "f"), np.zeros((1, 5, 3), "f")), ShapeError,
             r"target: expected 1 x 4 x 4 or larger planes, got 1 x 5 x 3"),
    ErrorRow("channels", nn.SpatialAutoCropMSECriterion,
             lambda m: m.backward(np.zeros((1, 4, 4), "f"), np.zeros((2, 4, 4), "f")), ShapeError,
             r"target: expected 1 x 4 x 4 or larger planes, got 2 x 4 x 4"),
    ErrorRow("rank", nn.SpatialAutoCropMSECriterion,
             lambda m: m.forward(np.zeros((4, 4), "f"), np.zeros((4, 4), "f")), ShapeError,
             r"input: expected a 3-D or 4-D array, got 2-D"),
    ErrorRow("target_rank", nn.SpatialAutoCropMSECriterion,
             lambda m: m.forward(np.zeros((1, 4, 4), "f"), np.zeros((1, 1, 4, 4), "f")), ShapeError,
             r"target: expected a 3-D array, got 4-D"),
]  # fmt: skip
