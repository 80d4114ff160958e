"""Pages that scripts make name all functions, classes and fields; docs/abi.md says what differs from the original THNN.h."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import classes as docs_classes
from docs import fields, functions
from pytorch_legacy.backend import header
from pytorch_legacy.files.classes import classes

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "THNN" / "THNN.h"
FUNCTIONS = header.read(HEADER)
ABI = (ROOT / "docs" / "abi.md").read_text(encoding="utf-8")


def test_functions_page_names_every_function() -> None:
    page = functions.page()
    assert not [function.name for function in FUNCTIONS if f"{function.name}(" not in page]
    assert "| `indices` |  | out | in | as output : h \\* W + w of the maximum within its plane; as gradOutput |" in page


def test_classes_page_names_every_class() -> None:
    page = docs_classes.page()
    assert not [cls.__name__ for cls in classes() if f"/{cls.__name__}.py)" not in page and f"[{cls.__name__}]" not in page]
    row = "| [SpatialMaxPooling](../pytorch_legacy/nn/pooling/SpatialMaxPooling.py) |  |  | Maximum of each window of a plane. |"
    assert row in page


def test_fields_page_names_every_class(capsys: pytest.CaptureFixture[str]) -> None:
    """And one class at a time is printed whole."""
    headings = set(re.findall(r"^### ([\w.]+)", fields.page(), re.M))
    assert {cls._typename for cls in classes()} <= headings and "nn.Sequential" in headings
    assert fields.main(["nn.SpatialConvolution"]) == 0
    printed = capsys.readouterr().out
    assert "| `padW` | a whole number | from other fields | |" in printed and "| `finput` | | | not needed |" in printed
    assert fields.main(["nn.NoSuchClass"]) == 2 and "no class is called nn.NoSuchClass" in capsys.readouterr().err


def test_differences_name_every_layer_of_the_original() -> None:
    """One row tells what a host of the original has to change, or that there is nothing to change. What is new needs none."""
    differences = ABI[ABI.index("## What differs from the original THNN.h") :]
    original = (ROOT / "tests" / "thnn_functions.txt").read_text(encoding="utf-8").split()
    layers = {function.name: function.layer or function.name for function in FUNCTIONS}
    assert not [name for name in original if not re.search(rf"`{layers[name]}(_\w+|_\*)?`", differences)]
    known = {*layers, *layers.values()}
    cells = re.findall(r"^\| (`.*?) \|", differences[differences.index("In single functions") :], re.M)
    assert {name for name in re.findall(r"`(\w+?)(?:_\*)?`", "\n".join(cells)) if name != "pointwise"} <= known


def test_codes() -> None:
    codes = header.enums(header.text(HEADER))["THNNStatus"]
    assert codes.pop("THNN_OK") == 0 and len(codes) == 8
    for name, number in codes.items():
        assert f"| {number} | `{name}` |" in ABI
