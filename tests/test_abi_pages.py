"""docs/functions.md and docs/abi.md say what THNN.h says, docs/classes.md and docs/fields.md what the package says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from pytorch_legacy.backend import header
from pytorch_legacy.files.loading import classes

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "THNN" / "THNN.h"
FUNCTIONS = header.read(HEADER)
ABI = (ROOT / "docs" / "abi.md").read_text(encoding="utf-8")


def test_functions_page_is_up_to_date() -> None:
    generator = runpy.run_path(str(ROOT / "docs" / "functions.py"))
    page = generator["PAGE"].read_text(encoding="utf-8")
    assert page == generator["page"](FUNCTIONS), "run: python docs/functions.py"


def test_classes_page_is_up_to_date() -> None:
    generator = runpy.run_path(str(ROOT / "docs" / "classes.py"))
    assert generator["PAGE"].read_text(encoding="utf-8") == generator["page"](), "run: python docs/classes.py"


def test_fields_page_is_up_to_date() -> None:
    generator = runpy.run_path(str(ROOT / "docs" / "fields.py"))
    assert generator["PAGE"].read_text(encoding="utf-8") == generator["page"](), "run: python docs/fields.py"


def test_fields_page_names_every_class(capsys: pytest.CaptureFixture[str]) -> None:
    """And one class at a time is printed whole."""
    page = (ROOT / "docs" / "fields.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^### ([\w.]+)", page, re.M))
    assert {cls._typename for cls in classes()} <= headings and "### nn.Sequential\n" in page
    main = runpy.run_path(str(ROOT / "docs" / "fields.py"))["main"]
    assert main(["nn.SpatialConvolution"]) == 0
    printed = capsys.readouterr().out
    assert "| `padW` | a whole number | from other fields | |" in printed and "| `finput` | | | not needed |" in printed
    assert main(["nn.NoSuchClass"]) == 2 and "no class is called nn.NoSuchClass" in capsys.readouterr().err


def test_differences_name_every_layer() -> None:
    """One row tells what a host of the original has to change, or that there is nothing to change."""
    differences = ABI[ABI.index("## What differs from the original THNN.h") :]
    for function in FUNCTIONS:
        if function.generic:
            name = function.layer or function.name
            assert re.search(rf"`{name}(_\w+|_\*)?`", differences), name


def test_codes() -> None:
    text = header.text(HEADER)
    codes = re.findall(r"(THNN_ERR_\w+) = (\d+)", text)
    assert len(codes) == 8
    for name, number in codes:
        assert f"| {number} | `{name}` |" in ABI
