"""docs/design.md names files that are there, and lengths as tests.reading counts them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests import reading

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
TREES = ("THNN", "THCUNN", "pytorch_legacy", "docs", "tests", "benchmarks", ".ci")


def test_files_are_there() -> None:
    named = set(re.findall(r"`([\w./]+\.(?:py|c|h|cu|cuh|sh|md))`", PAGE)) - {"X.c", "declared/X.h"}
    there = [path.relative_to(ROOT).as_posix() for tree in TREES for path in (ROOT / tree).rglob("*.*")]
    assert len(named) > 40
    assert not [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in there)]


def test_lines_that_a_reader_opens() -> None:
    """The last tenth is the margin of a table that is not written again at each change."""
    rows = re.findall(r"^\| (\w+) \| \d files, \d+ lines \| (\d) files, (\d+) lines \|$", PAGE, re.MULTILINE)
    assert [row[0] for row in rows] == [layer.partition("/")[2] for layer in reading.LAYERS]
    for layer, (_, number, lines) in zip(reading.LAYERS, rows, strict=True):
        found = reading.files(layer)
        assert len(found) == int(number), found
        assert sum(found.values()) == pytest.approx(int(lines), rel=0.1), found


def test_lines_before() -> None:
    if subprocess.run(["git", "cat-file", "-e", "6334b43"], cwd=ROOT, capture_output=True).returncode:
        pytest.skip("needs the history")
    for layer in reading.LAYERS:
        found = reading.files(layer, reading.at("6334b43"))
        assert f"| {layer.partition('/')[2]} | {len(found)} files, {sum(found.values())} lines |" in PAGE
