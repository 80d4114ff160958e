"""docs/porting.md: its Python runs from top to bottom, its rows of Python lines are Python."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pytorch_legacy import nn

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
