"""docs/bridges.md lists what has a rule. This needs no torch: rules are text."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_page() -> None:
    generator = runpy.run_path(str(DOCS / "bridges.py"))
    assert generator["PAGE"].read_text(encoding="utf-8") == generator["page"](), "run: python docs/bridges.py"
