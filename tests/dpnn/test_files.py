"""Objects of dpnn and nnx go back into a file as they came out of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import t7
from pytorch_legacy.nn.TorchObject import TorchObject

GOLDEN = Path(__file__).parents[1] / "golden"
FILES = sorted(path for family in ("dpnn", "nnx") for path in (GOLDEN / family).glob("*.t7"))
files = pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in FILES])

# The layers of Torch7 make these anew when they need them; other layers of nn keep them out of files.
SCRATCH = {
    "addBuffer", "coef", "finput", "fgradInput", "outputSize", "size", "inputSize", "_input", "_output", "_gradInput",
    "_gradOutput", "inConvo", "inMean", "inputZeroMean", "inputZeroMeanSq", "inConvoVar", "inVar", "inStdDev", "thstd",
}  # fmt: skip


def of(value: Any) -> tuple[str, Any]:
    """The typename and the fields of an object, ours or the file's."""
    if isinstance(value, TorchObject):
        return value._typename, value._toTorch7()
    return value.typename, value.fields


def assert_stored(actual: Any, expected: Any, where: str, seen: dict[int, Any]) -> None:
    if isinstance(expected, t7.TorchObject):
        if id(expected) in seen:
            assert seen[id(expected)] is actual, where  # one object stays one
            return
        seen[id(expected)] = actual
        name, fields = of(actual)
        assert name == expected.typename, where
        stored = {key: value for key, value in expected.fields.items() if key not in SCRATCH}
        missing = stored.keys() - fields.keys()
        added = {key for key in fields.keys() - stored.keys() - SCRATCH if key not in ("_type", "output", "gradInput")}
        assert not missing and not added, (where, missing, added)
        for key, value in stored.items():
            assert_stored(fields[key], value, f"{where}.{key}", seen)
    elif isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(actual, expected, err_msg=where)
        assert actual.dtype == expected.dtype or where.endswith("indices"), where  # which follow no conversion here
    elif isinstance(expected, (list, dict)) and not len(expected):
        assert isinstance(actual, (list, dict)) and not len(actual), where
    elif isinstance(expected, list):
        assert len(actual) == len(expected), where
        for i, (one, other) in enumerate(zip(actual, expected, strict=True)):
            assert_stored(one, other, f"{where}[{i}]", seen)
    else:
        assert actual == expected, where


@files
def test_the_way_back(path: Path) -> None:
    stored, module = t7.read(path)["module"], pl.load(path)["module"]
    assert_stored(module, stored, "module", {})


@files
def test_there_and_back(path: Path) -> None:
    """What the way back gives loads to an object that runs alike."""
    case = pl.load(path)
    module = case["module"]
    again = type(module).__new__(type(module))
    again._fromTorch7(module._toTorch7(), 1)
    assert repr(again) == repr(module)
    assert again._toTorch7().keys() == module._toTorch7().keys()
