"""Means of windows whose cells weigh as a small network says."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases.SpatialInstanceNormalization import normalised
from tests.cases.SpatialSoftPool import weighed, windows


def reference(module, x):
    weight, scale, shift = (parameter.astype(np.float64) for parameter in module.parameters()[0])
    height, width = x.shape[-2:]
    padded = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(1, 1), (1, 1)])
    z = sum(
        np.einsum("oc,...chw->...ohw", weight[:, :, i, j], padded[..., i : i + height, j : j + width])
        for i in range(3)
        for j in range(3)
    )
    logit = 12 / (1 + np.exp(-normalised(z, scale, shift, 1e-5)))
    return weighed(x, logit, windows(module.modules[1], x))


def case(name: str, arguments: tuple[int, ...], *shape: int) -> Case:
    return Case(name, lambda: nn.SpatialSimplifiedLIP(*arguments), normal(*shape), reference)


CASES = [
    case("2x2", (2, 2, 2), 2, 2, 4, 6),
    case("3x3_stride2_pad1", (3, 3, 3, 2, 2, 1, 1), 2, 3, 7, 6),
]

ERRORS = [
    ErrorRow("planes", lambda: nn.SpatialSimplifiedLIP(3, 2, 2), lambda m: m.forward(np.zeros((1, 2, 4, 4), "f")), ShapeError,
             r"nn.SpatialConvolution: input: expected 3 planes"),
    ErrorRow("kernel_too_large", lambda: nn.SpatialSimplifiedLIP(2, 5, 5), lambda m: m.forward(np.zeros((1, 2, 4, 4), "f")),
             ShapeError, r"input width 4 with padding 0, kW 5"),
]  # fmt: skip
