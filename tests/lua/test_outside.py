"""A session in a sandbox reaches no file, no process and no variable of the environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pytorch_legacy as pl

MIN_FUNCTIONS = 2000  # A walk has to find that many.


def sandboxed(folder: Path) -> pl.lua.Session:
    return pl.lua.Session(path=[folder], requires=["torch"], sandbox=True)


def test_no_function_that_a_script_reaches_touches_the_system() -> None:
    command = [sys.executable, "-m", "tests.lua.walking"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [line.split()[1] for line in found["control"]] == ["open", "os.environ", "os.stat"]
    assert found["events"] == []
    assert found["functions"] > MIN_FUNCTIONS
    assert {"io.open", "io.popen", "os.execute", "torch.load", "torch.DiskFile", "optim.Logger", "graph.dot"} <= {
        *found["refused"]
    }


@pytest.mark.parametrize("code, name", [
    ("io.open('x')", "io.open"),
    ("io.output('x')", "io.output"),
    ("os.execute('true')", "os.execute"),
    ("local f = io.popen f('true')", "io.popen"),
    ("torch.DiskFile('x', 'w')", "torch.DiskFile"),
    ("require('optim') torch.getmetatable('optim.Logger').__init({}, 'x')", "optim.Logger"),
    ("require('pl.pretty').dump({}, 'x')", "pl.utils.writefile"),
    ("torch.CmdLine():log('x', {})", "io.open"),
    ("local t = require('threads').Threads(1) t:addjob(function() os.getenv('HOME') end) t:synchronize()", "os.getenv"),
])  # fmt: skip
def test_the_error_names_the_function(tmp_path: Path, code: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pl.lua.LuaError, match=f"a sandbox has no {name}"):
        sandboxed(tmp_path).execute(code)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("code", ["os.exit(3)", "torch.CmdLine():parse{'-help'}", "require('pl.utils').quit('bye')"])
def test_a_script_does_not_end_the_process(tmp_path: Path, code: str) -> None:
    with pytest.raises(pl.lua.LuaError, match="a sandbox does not end the process"):
        sandboxed(tmp_path).execute(code)


def test_lua_files_of_the_folders_run(tmp_path: Path) -> None:
    inner = tmp_path / "lib"
    inner.mkdir()
    (tmp_path / "a.lua").write_text("return require('lib.b'), dofile(...), paths.dofile('lib/b.lua'), loadfile(...)()")
    (inner / "b.lua").write_text("return 'b'")
    path = str(inner / "b.lua")
    found = pl.lua.run(tmp_path / "a.lua", path, path=[tmp_path], requires=["paths"], sandbox=True)
    assert found == ("b",) * 4


def test_other_files_do_not_run(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "own2"
    for folder in (own, other):
        folder.mkdir()
    (other / "b.lua").write_text("return 'b'")
    (own / "data").write_text("return 'data'")
    os.symlink(other / "b.lua", own / "link.lua")
    session = sandboxed(own)
    for path in (other / "b.lua", own / "data", own / "link.lua", own / ".." / "own2" / "b.lua"):
        with pytest.raises(pl.lua.LuaError, match="own folders only"):
            session.execute(f"dofile '{path}'")
        assert "own folders only" in session.execute(f"return select(2, loadfile '{path}')")
    with pytest.raises(pl.lua.LuaError, match="module 'b' not found"):
        session.execute(f"package.path = '{other}/?.lua' require 'b'")
    assert session.execute(f"return require('xlua').installed('{other}/b')") == (False, f"{other}/?.lua")


@pytest.mark.parametrize("code", ["loadfile(...)", "loadstring('\\27Lua')", "load('\\27LJ')", "loadstring('\\27')"])
def test_bytecode_does_not_load(tmp_path: Path, code: str) -> None:
    path = tmp_path / "c.lua"
    path.write_bytes(b"\x1bLJ\x02\x08\x00")
    session = sandboxed(tmp_path)
    function, message = session.execute(f"return (function(...) return {code} end)('{path}')")
    assert function is None and "bytecode" in message


def test_a_sandbox_writes_no_pictures(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a sandbox writes no files"):
        pl.lua.Session(pictures=tmp_path, sandbox=True)
