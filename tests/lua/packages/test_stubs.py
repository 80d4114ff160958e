"""Packages that stand in for others, and those of windows."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pytorch_legacy as pl


def test_a_stub_answers_with_itself() -> None:
    lua = pl.lua.Session(stubs=["loadcaffe"])
    found = lua.execute("""
    local c = require 'loadcaffe'
    c.own = 3
    return c.load('a', 'b') == c, c.x.y.z == c, c:m{1} == loadcaffe, c.own, rawget(c, 'x')
    """)
    assert found == (True, True, True, 3, None)


def test_a_stub_stands_for_what_is_in_the_package() -> None:
    code = "return require 'optnet.graphgen.dot' == optnet, require 'optnet' == optnet, pcall(require, 'optnets')"
    assert pl.lua.Session(stubs=["optnet"]).execute(code)[:3] == (True, True, False)


@pytest.mark.parametrize("name", ["__class__", "__dict__", "_metatable", "items", "__init_subclass__"])
def test_a_stub_is_no_door_to_python(name: str) -> None:
    lua = pl.lua.Session(stubs=["x"])
    assert lua.execute(f"local x = require 'x' return x.{name} == x, x['{name}'] == x, x:{name}() == x") == (True,) * 3


def test_the_error_without_one_lists_what_is_known() -> None:
    with pytest.raises(pl.lua.LuaError) as caught:
        pl.lua.Session().execute("require 'loadcaffe'")
    message = str(caught.value.value)
    assert "module 'loadcaffe' not found:" in message
    assert "image" in message and "--stub NAME" in message


def test_the_command_takes_stubs() -> None:
    code = "print(require('fblualib').x == fblualib)"
    command = [sys.executable, "-m", "pytorch_legacy", "lua", "--stub", "fblualib", "-e", code]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "true\n"


def test_windows_are_not_shown() -> None:
    lua = pl.lua.Session()
    found = lua.execute("""
    require 'qt' require 'qtwidget' require 'qttorch'
    local win = qtwidget.newwindow(4, 4, 'a')
    win:rectangle(0, 0, 1, 1) win:fill()
    return win:valid(), qt.QImage.fromTensor(torch.rand(3, 3)) ~= nil
    """)
    assert found == (False, True)
