"""pl.save: files for Torch7, and what was loaded comes back as it was.

Every golden file of every family takes part, whatever it holds.
"""

from __future__ import annotations

import importlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, t7
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.TorchObject import TorchObject, reachable
from pytorch_legacy.nn.Unknown import Unknown
from pytorch_legacy.storage import storage_of
from tests.t7.identical import Comparison, Difference
from tests.test_golden import GOLDEN, LISTED, cases, labels, load, trained

Entry = dict[str, Any]

# What pl.save changes in files of Torch7 that nobody touched: (family or "", typename, words of the difference), and why.
ALLOWED: list[tuple[str, str, str, str]] = [
    ("", "", "torch.Cuda", "of a GPU: tensors of the CPU, and the name of their type"),
    ("compat", "", "has _type", "younger than the file"),
    ("compat", "", "version 1 became nn.BatchNormalization of version 2", "running_std became running_var"),
    ("compat", "", "version 1 became nn.SpatialBatchNormalization of version 2", "running_std became running_var"),
    ("compat", "nn.BatchNormalization", "running_", "the deviation became the variance"),
    ("compat", "nn.SpatialBatchNormalization", "running_", "the deviation became the variance"),
    ("compat", "nn.VolumetricBatchNormalization", "running_", "the deviation became the variance"),
    ("compat", "nn.Spatial", "has pad", "younger than the file"),
    ("compat", "nn.Spatial", "has ceil_mode", "younger than the file"),
    ("compat", "nn.SpatialAveragePooling", "has divide", "says what the lack of it meant"),
    ("compat", "nn.SpatialConvolution", "lacks padding", "became padW and padH"),
    ("compat", "nn.SpatialConvolution", "float64 (3, 12) became", "a matrix became what it was the matrix of"),
]


def saved(value: Any, format: Any = "binary", **options: Any) -> bytes:
    file = io.BytesIO()
    pl.save(file, value, format, **options)
    return file.getvalue()


def allowed(family: str, found: Difference) -> bool:
    return any(
        where in ("", family) and found.owner.startswith(owner) and words in found.what for where, owner, words, _ in ALLOWED
    )


def entries() -> list[Any]:
    return [pytest.param(entry, id=entry["file"]) for entry in LISTED]


@pytest.mark.parametrize("entry", entries())
def test_untouched(entry: Entry) -> None:
    """A file of Torch7 has the same contents after it was loaded and saved."""
    path = GOLDEN / entry["file"]
    format = "ascii" if ".ascii." in path.name else "binary"
    again = t7.read(saved(pl.load(path), format))
    found = [entry for entry in Comparison().differences(t7.read(path), again)]
    assert [difference for difference in found if not allowed(entry["family"], difference)] == []


def test_everything_allowed_occurs() -> None:
    found = set()
    for entry in LISTED:
        if entry["family"] in ("compat", "alias"):
            path = GOLDEN / entry["file"]
            for difference in Comparison().differences(t7.read(path), t7.read(saved(pl.load(path)))):
                found |= {row for row in ALLOWED if allowed(entry["family"], difference) and row[2] in difference.what}
    assert found == set(ALLOWED)


# ---------------------------------------------------------------------------------------------- our own objects


def opened(value: Any) -> t7.TorchObject | None:
    """A module as a record of all that it shows; buffers that files leave out are private, or listed by the class."""
    if not isinstance(value, TorchObject):
        return None
    hidden = {*value._dropped, *value._scratch, "header"}
    fields = {key: entry for key, entry in vars(value).items() if key[0] != "_" and key not in hidden and entry is not None}
    # The file cannot tell an empty list from an empty dict, a tuple from a list.
    fields = {key: list(entry) if isinstance(entry, (tuple, dict)) and not entry else entry for key, entry in fields.items()}
    return t7.TorchObject(value._typename, 1, fields)


def assert_comes_back(value: Any, format: str = "binary") -> Any:
    """What is loaded from a file of `value` is saved as the same file, and shows what `value` shows."""
    content = saved(value, format)
    again = pl.load(content)
    assert list(Comparison().differences(t7.read(content), t7.read(saved(again, format)))) == []
    return again


@cases("module")
def test_module_comes_back(entry: Entry) -> None:
    """Fresh, after a pass, converted, cleared, flattened: in both formats."""
    case = load(entry)
    module = case["module"]
    assert_comes_back(module)
    if not {"results", "backward"} & set(entry.get("affects", "").split(", ")) and "_outside" not in entry["name"]:
        trained(case)
    for format in ("binary", "ascii"):
        assert_comes_back(module, format)
    assert_comes_back(module.double())
    assert_comes_back(module.float())
    module.clearState()
    again = assert_comes_back(module)
    assert str(again) == str(module)
    if isinstance(module, (nn.IndexLinear,)) or not module.parameters() or not module.parameters()[0]:
        return
    try:
        flat, _ = module.getParameters()
    except pl.THNNError:  # sparse gradients inside
        return
    parameters = assert_comes_back([module, flat])[0].parameters()[0]
    assert len({id(storage_of(array)) for array in parameters if array.size}) == 1


@cases("criterion")
def test_criterion_comes_back(entry: Entry) -> None:
    case = load(entry)
    criterion, target = case["module"], labels(entry, case)
    assert_comes_back(criterion)
    criterion.forward(case["input"], target)
    if "backward" not in entry.get("affects", ""):
        criterion.backward(case["input"], target)
    for format in ("binary", "ascii"):
        assert_comes_back(criterion, format)
    assert_comes_back(criterion.float())
