"""Rectified linear units whose leak is learned."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, ShapeError, ValueRangeError
from tests.case import Case, ErrorRow, distinct


def reference(module, x):
    slopes = module.weight.astype(float)
    if module.nOutputPlane:
        slopes = slopes.reshape(slopes.shape + (1,) * ((module.numInputDims or x.ndim - 1) - 1))
    return np.where(x > 0, x, slopes * x)


def case(name: str, planes: int, *shape: int, batched: bool = True, larger: tuple[int, ...] = ()) -> Case:
    return Case(name, lambda: nn.PReLU(planes), distinct(*shape), reference, batched=batched,
                singleSample=batched and (planes == 0 or len(shape) == 2),
                larger=distinct(*larger) if larger else None)  # fmt: skip


CASES = [
    case("shared", 0, 4, 3, 5),
    case("shared_vector", 0, 8, batched=False, larger=(150_002,)),
    case("channels", 5, 4, 5),
    case("single_sample", 6, 6, batched=False),
    case("lines", 3, 4, 3, 5),
    case("images", 3, 2, 3, 4, 5),
    case("volumes", 3, 2, 3, 2, 3, 2),
    case("one_channel", 1, 4, 1, 3, 5),
    case("planes_of_one", 3, 4, 3, 1, 1),
    case("large_planes", 2, 2, 2, 9, 8, larger=(1, 2, 211, 307)),
    Case("image_of_three", lambda: nn.PReLU(3).setNumInputDims(3), distinct(3, 3, 4), reference, batched=False),
    Case("images_of_three", lambda: nn.PReLU(3).setNumInputDims(3), distinct(2, 3, 3, 4), reference),
    case("wide_planes", 2, 1, 2, 3, 3001, batched=False),
    case("many_channels", 40, 3, 40, larger=(7, 40, 31, 29)),
    case("many_rows", 7, 6, 7, larger=(30_000, 7)),
]

ERRORS = [
    ErrorRow("planes", lambda: None, lambda m: nn.PReLU(-1), ValueRangeError,
             r"nOutputPlane: expected 0 or more, got -1"),
    ErrorRow("planes_type", lambda: None, lambda m: nn.PReLU(1.5), ArgumentError,
             r"nOutputPlane: expected an integer, got 1\.5"),
    ErrorRow("channels", lambda: nn.PReLU(3), lambda m: m.forward(np.zeros((2, 4), "f")), ShapeError,
             r"input: expected 3 channels, got 2 x 4"),
    ErrorRow("image", lambda: nn.PReLU(3), lambda m: m.forward(np.zeros((3, 4, 4), "f")), ShapeError,
             r"input: expected N x 3 x ..., got 3 x 4 x 4; if this is one sample without its batch, setNumInputDims\(3\)"),
    ErrorRow("rank", lambda: nn.PReLU(3).setNumInputDims(3), lambda m: m.forward(np.zeros((3, 4), "f")), ShapeError,
             r"input: expected 3-D, or 4-D for a batch, got 3 x 4"),
    ErrorRow("weight", lambda: nn.PReLU(3), lambda m: (setattr(m, "nOutputPlane", 2), m.forward(np.zeros((2, 2), "f"))),
             ShapeError, r"weight: expected 2, got 3"),
    ErrorRow("gradOutput", nn.PReLU, lambda m: m.updateGradInput(np.zeros((3, 4), "f"), np.zeros(11, "f")),
             ShapeError, r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
    ErrorRow("gradOutput_of_weight", lambda: nn.PReLU(4),
             lambda m: m.accGradParameters(np.zeros((3, 4), "f"), np.zeros(11, "f")), ShapeError,
             r"gradOutput: expected 3 x 4, or 12 elements in another shape, got 11"),
]  # fmt: skip
