"""Indices of Torch7's max pooling layers, as the golden cases hold them, and positions within planes."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn, t7
from pytorch_legacy.errors import IndexRangeError, ShapeError
from pytorch_legacy.nn.pooling.indices import fromTorch7, toTorch7

GOLDEN = Path(__file__).parent.parent / "golden"
# NaN gives no usable index there, and a window outside of the plane none at all.
BROKEN = ("SpatialMaxPooling_special", "SpatialMaxPooling_outside", "TemporalMaxPooling_special")
FILES = [
    entry["file"]
    for entry in json.loads((GOLDEN / "manifest.json").read_text())
    if entry["family"] == "pooling" and len(entry["classes"]) == 1 and "MaxPooling" in entry["name"]
    if "DynamicK" not in entry["name"] and not entry["name"].startswith(BROKEN)
]


def gathered(layer: str, x: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Returns the elements at these positions."""
    dims = 3 if layer.startswith("Volumetric") else 2
    lead = x.shape[:-dims]
    return np.take_along_axis(x.reshape(*lead, -1), indices.reshape(*lead, -1), -1).reshape(indices.shape)


def test_there_are_files_of_all_kinds() -> None:
    kinds = {file.split("/")[1].split("_")[0] for file in FILES}
    assert kinds >= {"SpatialAdaptiveMaxPooling", "VolumetricMaxPooling", "VolumetricDilatedMaxPooling", "TemporalMaxPooling"}


@pytest.mark.parametrize("file", FILES)
def test_positions_hold_the_maxima(file: str) -> None:
    """Indices that Torch7 saved lead to its outputs, and there and back nothing is lost."""
    case: Any = t7.read(GOLDEN / file)
    typename, fields = case["module"].typename, case["module"].fields
    module = SimpleNamespace(_typename=typename, **fields)  # works for unknown classes, too
    x, saved = case["input"], case["train"]["buffers"]["indices"]
    for indices in (saved, saved.astype(np.float32)):
        positions = fromTorch7(module, indices, x.shape)
        assert positions.dtype == np.int64
        np.testing.assert_array_equal(gathered(typename[3:], x, positions), case["train"]["output"])
    np.testing.assert_array_equal(toTorch7(module, positions, x.shape), saved)


def test_unpooling_asks_its_pooling_layer() -> None:
    pool = nn.SpatialAdaptiveMaxPooling(2, 2)
    pool.forward(np.random.default_rng(0).random((3, 5, 7), np.float32))
    positions = pool.indices
    saved = toTorch7(nn.SpatialMaxUnpooling(pool), positions, (3, 5, 7))
    assert saved.shape == (2, 3, 2, 2) and saved.min() == 1
    np.testing.assert_array_equal(fromTorch7(nn.SpatialMaxUnpooling(pool), saved, (5, 7)), positions)


def test_no_cell() -> None:
    box = SimpleNamespace(_typename="nn.VolumetricMaxPooling", dT=1, dW=1, dH=1, padT=0, padW=0, padH=0)
    none = np.full((1, 1, 1, 1), -1)
    assert toTorch7(nn.SpatialMaxPooling(2, 2), none, (2, 2)).item() == 0
    assert toTorch7(nn.SpatialAdaptiveMaxPooling(1, 1), none, (2, 2)).ravel().tolist() == [1, 1]
    assert toTorch7(box, none, (1, 2, 2, 2)).item() == 0
    frames = SimpleNamespace(_typename="nn.TemporalMaxPooling", dW=2)
    assert toTorch7(frames, none[0, 0], (1, 2)).item() == fromTorch7(frames, none[0, 0], (1, 2)).item() == -1


def test_errors() -> None:
    box = SimpleNamespace(_typename="nn.VolumetricMaxPooling", dT=1, dW=1, dH=1, padT=0, padW=0, padH=0)
    with pytest.raises(IndexRangeError, match="window of more than 256 cells"):
        toTorch7(box, np.full((1, 1, 1, 1), 256), (1, 1, 300))
    with pytest.raises(IndexRangeError, match="outside of its window"):
        toTorch7(box, np.array([[[[0, 0]]]]), (1, 1, 300))
    with pytest.raises(IndexRangeError, match="indices: expected cells of a plane of 4 x 4, got 99"):
        toTorch7(nn.SpatialAdaptiveMaxPooling(2, 2), np.full((1, 2, 2), 99), (4, 4))
    with pytest.raises(ShapeError, match=r"indices: expected 2 x \(N x\) C x oH x oW, got a .* array of 1 x 2 x 2"):
        fromTorch7(nn.SpatialAdaptiveMaxPooling(2, 2), np.ones((1, 2, 2)), (4, 4))
