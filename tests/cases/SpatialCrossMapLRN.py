"""Local response normalization across planes."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, normal


def reference(module, x):
    planes = np.moveaxis(x, -3, 0)
    scale = np.empty_like(planes)
    for c in range(len(planes)):
        window = planes[max(c - (module.size - 1) // 2, 0) : c + module.size // 2 + 1]
        scale[c] = module.k + module.alpha / module.size * (window**2).sum(0)
    return np.moveaxis(planes * scale**-module.beta, 0, -3)


def case(name: str, arguments: tuple[float, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialCrossMapLRN(*arguments), normal(*shape), reference)


CASES = [
    case("default", (5,), 2, 7, 2, 3),
    case("strong", (3, 2.0, 0.75, 1), 2, 5, 2, 3),
    case("k", (5, 0.5, 0.5, 2), 2, 6, 3, 1),
    case("even", (4, 1.0, 1.25), 2, 9, 1, 2),
    case("two", (2, 1.0), 2, 5, 1, 2),
    case("one", (1, 1.0), 2, 4, 2, 2),
    case("wide", (9, 3.0), 2, 3, 2, 2),
    case("one_plane", (5, 3.0), 2, 1, 2, 2),
    case("many_cells", (3, 1.0), 1, 4, 30, 41),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.SpatialCrossMapLRN(3), lambda m: m.forward(np.zeros((3, 3), "f")), ShapeError,
             "input: expected a 3-D or 4-D array, got 2-D"),
    ErrorRow("size", lambda: None, lambda _: nn.SpatialCrossMapLRN(0), ValueRangeError, "size: expected 1 or more, got 0"),
    ErrorRow("backward_first", lambda: nn.SpatialCrossMapLRN(3), lambda m: m.backward(*[np.ones((3, 2, 2), "f")] * 2),
             ShapeError, "scale: expected 3 x 2 x 2, got 0"),
]  # fmt: skip
