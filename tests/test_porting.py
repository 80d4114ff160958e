"""docs/porting.md: its Python runs from top to bottom, its rows of Python lines are Python."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

from pytorch_legacy import authors, nn

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "docs" / "porting.md").read_text(encoding="utf-8")


def test_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/porting.md", "exec"), scope)
    printed = capsys.readouterr().out
    assert "nn.Sequential {" in printed
    assert (tmp_path / "digits_again.t7").exists() and len(blocks) == 5
    assert "\n400125\n2125\n" in printed
    scale = scope["Scale"]
    assert isinstance(scale, type) and issubclass(scale, nn.Module)


def test_python_lines_of_the_table() -> None:
    rows = re.findall(r"^\| `[^|]+ \| (.*) \|$", TEXT.partition("## Lua line")[2], re.MULTILINE)
    lines = [line for row in rows for line in re.findall(r"`([^`]*)`", row)]
    assert len(rows) >= 30
    for line in lines:
        ast.parse(line.replace("...", "None"))


def test_links() -> None:
    for name in re.findall(r"\]\(([\w./]+)\)", TEXT):
        assert (ROOT / "docs" / name).exists(), name


def test_table_of_published_models() -> None:
    """Each class of `authors` is in one row, with the name that it has in files where that is not the own name behind ``nn.``."""
    table = TEXT.partition("## Classes of published models")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| [^|]+ \| (.*) \|$", table, re.MULTILINE)
    for name in authors.__all__:
        found = [row for row in rows if f"`{name}`" in row]
        assert len(found) == 1, name
        space, _, inFiles = getattr(authors, name)._typename.partition(".")
        assert f"`{space}.{inFiles}`" in found[0] or space in found[0] or (space, inFiles) == ("nn", name), name
    named = {name for row in rows for name in re.findall(r"`([A-Z]\w+)`", row)} - {"OnmtX"}
    assert named == {*authors.__all__}


def test_a_row_for_each_require() -> None:
    rows = TEXT.partition("## What scripts require")[2].partition("\n## ")[0]
    required = re.findall(r"`require '([\w.]+)'`", rows)
    packages = (
        "torch nn nngraph optim cutorch cunn cudnn rnn dpnn nnx inn stn image loadcaffe tds hdf5 threads paths xlua fbnn nninit"
    )
    assert {*packages.split()} <= {*required} and len(required) == len({*required})
    for name in re.findall(r"`(?:authors|nn|nnx|inn|cudnn|rnn|dpnn)\.[A-Z]\w+`", rows):
        package, _, cls = name.strip("`").partition(".")
        assert hasattr(import_module(f"pytorch_legacy.{package}"), cls), name
