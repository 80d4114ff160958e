"""docs/functions.md and docs/abi.md say what THNN.h says, docs/classes.md what the package says."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from pytorch_legacy.backend import header

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
