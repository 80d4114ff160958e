"""Arguments that no function of a package expects: an error is one sentence of Lua, without words of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua.packages import PACKAGES

from ..running import rows

PYTHON = re.compile(
    r"\b[A-Z]\w*(?:Error|Exception|Iteration)\b|_Missing|NoneType|numpy|ndarray|dtype|positional argument|<lambda>"
)
VALUES = ("", "nil", "0/0", "-1/0", "2^53", "'\\0'", "cyclic", "deep", "print", "torch.Tensor()", "torch.rand(3, 4):t()", "empty")
WAITING = {
    "execute",
    "fexecute",
    "sleep",
    "usleep",
    "quit",
    "clear",
    "clearall",
    "chdir",
    "print",
    "xprint",
    "dump",
    "printf",
    "error",
}
BEGIN = """
require 'torch'
package_ = require '%s'
cyclic = {} cyclic[1] = cyclic cyclic.a = cyclic
deep = {} local t = deep for i = 1, 3000 do t[1] = {} t = t[1] end
"""


def names_of(lua: pl.lua.Session) -> Iterator[str]:
    """Yields the functions of a package, as Lua names them."""
    for name, value in lua.execute("return type(package_) == 'table' and package_ or {}").items():
        if isinstance(name, str) and callable(value) and name not in WAITING:
            yield f"package_['{name}']"


@pytest.mark.parametrize("name", sorted({*PACKAGES} - {"trepl", "trepl.colorize", "qtcore", "qtgui", "qttorch", "qtuiloader"}))
def test_messages_have_no_words_of_python(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lua = pl.lua.Session()
    lua.execute(BEGIN % name)
    lua.globals["empty"] = np.zeros((3, 0, 4))
    wrong = []
    for function in list(names_of(lua)):
        for first in VALUES:
            arguments = first if first in ("", "deep") else f"{first}, {first}"
            code = (
                f"local ok, message = pcall({function}{', ' if arguments else ''}{arguments}) return not ok and tostring(message)"
            )
            try:
                message = lua.execute(code)
            except SystemExit:
                continue
            if isinstance(message, str) and PYTHON.search(message):
                wrong.append((code, message))
    assert wrong == []


@rows(
    ("return pcall(require('moses').range, 1, 1e12)",
     (False, "bad argument #2 to 'range' (at most 67108864 expected, got 1000000000000)")),
    ("return pcall(require('moses').first, {1}, 0/0)", (False, "bad argument #2 to 'first' (whole number expected, got nan)")),
    ("return pcall(require('moses').partition, {1}, 0)", (False, "bad argument #2 to 'partition' (1 or more expected, got 0)")),
    ("require 'pl' return pcall(stringx.ljust, 'a', 1e15)",
     (False, "bad argument #2 to 'ljust' (at most 67108864 expected, got 1000000000000000)")),
    ("require 'pl' return pcall(OrderedMap.len, {})", (False, "bad argument #1 to 'len' (OrderedMap expected, got table)")),
    ("require 'paths' return pcall(paths.filep, 'a\\0b')",
     (False, "expected a name without a zero byte, got 'a\\0...'")),
    ("local v = require('tds').Vec() return pcall(function() v[2^40] = 1 end)", (False, "t:1: out of memory")),
    ("local u, t = require 'luaunit', {} t[1] = t return (pcall(u.assertEquals, t, 1))", False),
    ("require 'xlua' return pcall(xlua.progress, 1, 0)",
     (False, "xlua.progress: expected a step and a goal above 0, got 1 and 0")),
)  # fmt: skip
def test_numbers_and_tables(code: str, expected: Any) -> None:
    assert pl.lua.Session(requires=["torch"]).execute(code, "=t") == expected


@pytest.mark.parametrize("code, words", [
    ("image.scale(x, 2, 2)", "expected a tensor with elements, got an empty one"),
    ("image.scale(torch.rand(2, 2), 1e9, 1e9)", "not enough memory"),
    ("image.scale(torch.rand(2, 2), 0/0, 2)", "whole number expected, got nan"),
    ("image.gaussian{size = 0/0}", "expected a number for size, got nan"),
    ("image.toDisplayTensor{torch.rand(2, 2), torch.rand(3, 3)}", "pictures of one size"),
    ("image.affinetransform(torch.rand(2, 2), torch.eye(2), 'simple', {'a', 1})", "translation of 2 numbers"),
    ("image.y2jet(torch.Tensor{{0/0}})", "values of 1 or more"),
])  # fmt: skip
def test_pictures(code: str, words: str) -> None:
    lua = pl.lua.Session(requires=["image"])
    lua.globals["x"] = np.zeros((3, 0, 4))
    with pytest.raises(pl.lua.LuaError) as caught:
        lua.execute(f"return {code}")
    assert words in str(caught.value.value)


def test_parts_of_other_tensors() -> None:
    """A transposed tensor, and one whose elements are one number, are pictures as any other."""
    lua = pl.lua.Session(requires=["image"])
    found = lua.execute("""
        local x = torch.rand(4, 5, 3)
        local view, copy = x:transpose(1, 3), x:transpose(1, 3):contiguous()
        local one = torch.rand(1, 1, 1):expand(3, 4, 5)
        local function same(f, ...) return f(view, ...):add(-1, f(copy, ...)):abs():max() end
        return same(image.scale, 3, 7), same(image.rotate, 0.3, 'bilinear'), same(image.rgb2hsv), same(image.hflip),
               same(image.convolve, torch.rand(3, 3)), image.scale(one, 2, 2):std()
    """)
    assert found == (0, 0, 0, 0, 0, pytest.approx(0, abs=1e-7))


@pytest.mark.parametrize("data", [b"", b"\x89PNG", b"\xff\xd8\xff\xe0", b"P6 3", b"P6 9999999 9999999 255\n", b"P5 2 2 255\n\1"])
def test_files_that_are_no_pictures(data: bytes, tmp_path: Path) -> None:
    lua = pl.lua.Session(requires=["image"])
    lua.globals["file"] = str(tmp_path / "grün.png")
    (tmp_path / "grün.png").write_bytes(data)
    for function in ("load", "loadPNG", "loadJPG", "loadPPM", "getSize"):
        ok, message = lua.execute(f"return pcall(image.{function}, file)") if function != "getSize" else (False, "image.load")
        assert ok is False and message.startswith("image.load") and "\n" not in message and not PYTHON.search(message)


def test_broken_archives(tmp_path: Path) -> None:
    lua = pl.lua.Session(requires=["torch"])
    lua.globals["file"] = str(tmp_path / "größe.h5")
    lua.execute("hdf5 = require 'hdf5' local f = hdf5.open(file, 'w') f:write('a', torch.rand(50, 50)) f:close()")
    data = (tmp_path / "größe.h5").read_bytes()
    for length in (0, 8, 700, len(data) // 2):
        (tmp_path / "größe.h5").write_bytes(data[:length])
        ok, message = lua.execute("return pcall(function() return hdf5.open(file, 'r'):read('a'):all() end)")
        assert ok is False and "größe.h5" in message and not PYTHON.search(message)
    for code in ("f:write('b', torch.rand(2), 3) f:append('b', torch.rand(2))", "f:write('a/b', torch.rand(2)) f:read('a/b/c')",
                 "f:write('c', torch.rand(2)) f:append('c', torch.rand(2, 2))"):  # fmt: skip
        ok, message = lua.execute(f"f = hdf5.open(file, 'w') local ok, m = pcall(function() {code} end) f:close() return ok, m")
        assert ok is False and not PYTHON.search(message), message
