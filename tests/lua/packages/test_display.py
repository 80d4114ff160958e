"""The package ``display``: pictures and plots go to a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import pytorch_legacy as pl


def test_pictures_and_plots(tmp_path: Path) -> None:
    lua = pl.lua.Session(requires=["torch"], pictures=tmp_path)
    found = lua.execute("""
    local display = require 'display'
    display.configure{port = 8000}
    local win = display.image(torch.range(1, 4):resize(2, 2), {title = 'a'})
    assert(display.image({torch.rand(3, 4, 4), torch.rand(3, 4, 4)}, {win = win}) == win)
    assert(display.plot({{1, 2, 3}, {2, 3, 4}}, {labels = {'t', 'a', 'b'}, title = 'loss'}) ~= win)
    display.plot(torch.rand(5))
    return _G.display
    """)
    assert found is None  # it is what require returns, and no global
    assert [file.name for file in sorted(tmp_path.iterdir())] == [f"{i:04}.png" for i in range(1, 5)]
    assert np.asarray(Image.open(tmp_path / "0001.png")).tolist() == [[0, 85], [170, 255]]
    assert Image.open(tmp_path / "0002.png").size == (8, 4)


def test_nothing_is_written_without_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lua = pl.lua.Session(requires=["torch"])
    assert lua.execute("return require('display').plot{{1, 2}, {2, 3}}") == "window_1"
    assert "pictures and plots are not shown" in capsys.readouterr().err


def test_errors() -> None:
    with pytest.raises(pl.lua.LuaError, match="expected a tensor or a table of them, got string"):
        pl.lua.Session(requires=["torch"]).execute("require('display').image('x.png')")
