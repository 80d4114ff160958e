"""Batches of images whose channels have mean 0 and variance 1."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases.BatchNormalization import case, evaluating, reference

CASES = [
    case("train", lambda: nn.SpatialBatchNormalization(3), 2, 3, 4, 5, larger=(9, 3, 90, 100)),
    case("train_one_image", lambda: nn.SpatialBatchNormalization(2), 1, 2, 3, 4),
    case("train_one_image_strictly", lambda: nn.SpatialBatchNormalization(2).setStrict(), 1, 2, 3, 4, larger=(1, 2, 250, 200)),
    case("train_large_planes", lambda: nn.SpatialBatchNormalization(12), 2, 12, 9, 15, larger=(3, 12, 60, 70)),
    case("train_planes_of_one", lambda: nn.SpatialBatchNormalization(4), 5, 4, 1, 1),
    case("train_without_affine", lambda: nn.SpatialBatchNormalization(2, 1e-3, 0.5, False), 2, 2, 3, 3),
    Case("evaluate", evaluating(lambda: nn.SpatialBatchNormalization(3)), normal(2, 3, 4, 5), reference),
    Case("evaluate_without_affine", evaluating(lambda: nn.SpatialBatchNormalization(2, affine=False)),
         normal(3, 2, 9, 9), reference),
]  # fmt: skip

ERRORS = [
    ErrorRow("one_value", lambda: nn.SpatialBatchNormalization(3).setStrict(),
             lambda m: m.forward(np.zeros((1, 3, 1, 1), "f")), ShapeError,
             r"input: expected more than one value per channel to train with, got 1 x 3 x 1 x 1"),
    ErrorRow("rank", lambda: nn.SpatialBatchNormalization(3), lambda m: m.forward(np.zeros((3, 4, 4), "f")), ShapeError,
             r"input: expected a 4-D array when training, got 3-D of shape \(3, 4, 4\)"),
    ErrorRow("channels", lambda: nn.SpatialBatchNormalization(3, affine=False),
             lambda m: m.forward(np.zeros((2, 4, 5, 5), "f")), ShapeError, r"input: expected 3 planes, got 4"),
]  # fmt: skip
