"""Batches of volumes whose channels have mean 0 and variance 1."""

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError
from tests.case import Case, ErrorRow, normal
from tests.cases.BatchNormalization import case, evaluating, reference

CASES = [
    case("train", lambda: nn.VolumetricBatchNormalization(2), 2, 2, 3, 2, 4, larger=(2, 2, 20, 30, 40)),
    case("train_without_affine", lambda: nn.VolumetricBatchNormalization(2, affine=False), 1, 2, 2, 2, 2),
    Case("evaluate", evaluating(lambda: nn.VolumetricBatchNormalization(3)), normal(2, 3, 2, 3, 4), reference),
]

ERRORS = [
    ErrorRow("rank", lambda: nn.VolumetricBatchNormalization(3), lambda m: m.forward(np.zeros((2, 3, 4, 4), "f")),
             ShapeError, r"input: expected a 5-D array when training, got 4-D of shape \(2, 3, 4, 4\)"),
    ErrorRow("channels", lambda: nn.VolumetricBatchNormalization(3), lambda m: m.forward(np.zeros((2, 4, 2, 2, 2), "f")),
             ShapeError, r"input: expected 3 planes, got 4"),
]  # fmt: skip
