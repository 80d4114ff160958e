"""The package ``gnuplot``: plots by matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import pytorch_legacy as pl
from pytorch_legacy.lua.packages import gnuplot, showing


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The plots that are drawn, with their files."""
    found: list[Any] = []
    monkeypatch.setattr(gnuplot, "show_plot", lambda plot, file: found.append((plot, file)))
    return found


@pytest.mark.parametrize("code, lines", [
    ("torch.Tensor{3, 4}", [("", [1, 2], [3, 4], "-")]),
    ("torch.Tensor{5, 6}, torch.Tensor{3, 4}", [("", [5, 6], [3, 4], "-")]),
    ("'a', torch.Tensor{3, 4}, '+'", [("a", [1, 2], [3, 4], "+")]),
    ("torch.Tensor{{5, 3}, {6, 4}}, '.'", [("", [5, 6], [3, 4], ".")]),
    ("{'a', torch.Tensor{3}, '|'}, {'b', torch.Tensor{4}, 'lines ls 1'}", [("a", [1], [3], "|"), ("b", [1], [4], "-")]),
])  # fmt: skip
def test_lines(code: str, lines: list[Any], shown: list[Any]) -> None:
    pl.lua.Session(requires=["gnuplot"]).execute(f"gnuplot.plot({code})")
    found = [(label, x.tolist(), y.tolist(), style) for label, x, y, style in shown[-1][0].lines]
    assert found == lines


def test_files_and_the_folder(tmp_path: Path) -> None:
    lua = pl.lua.Session(requires=["gnuplot"], pictures=tmp_path / "shown")
    lua.globals["file"] = str(tmp_path / "loss.png")
    lua.execute("""
    gnuplot.pngfigure(file)
    gnuplot.plot({'loss', torch.rand(9), '-'})
    gnuplot.title('Größe') gnuplot.xlabel('t') gnuplot.ylabel('y') gnuplot.grid(true) gnuplot.axis{0, 9, 0, ''}
    gnuplot.plotflush()
    gnuplot.close()
    gnuplot.hist(torch.randn(50), 5)
    gnuplot.figure()
    gnuplot.imagesc(torch.rand(4, 5), 'color')
    """)
    assert Image.open(tmp_path / "loss.png").size == (640, 480)
    assert sorted(file.name for file in (tmp_path / "shown").iterdir()) == ["0001.png", "0002.png"]


def test_titles_belong_to_the_last_plot(shown: list[Any]) -> None:
    pl.lua.Session(requires=["gnuplot"]).execute("gnuplot.plot(torch.rand(2)) gnuplot.title('a')")
    assert [plot.title for plot, _ in shown] == ["a", "a"]
    assert shown[0][0] is shown[1][0]


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(pl.lua.LuaError, match=r"pytorch-legacy\[plot\]"):
        pl.lua.Session(requires=["gnuplot"], pictures=tmp_path).execute("gnuplot.plot(torch.rand(2))")
    showing.show_plot(showing.Plot(), None)


def test_errors() -> None:
    with pytest.raises(pl.lua.LuaError, match="expected tensors, got number"):
        pl.lua.Session(requires=["gnuplot"]).execute("gnuplot.plot('a', 3)")
