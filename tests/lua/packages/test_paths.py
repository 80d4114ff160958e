"""The package ``paths``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl

from ..running import rows

HERE = os.getcwd()


@rows(
    ("return paths.concat('a', 'b.t7'), paths.concat('a', '../b'), paths.concat('/x', './y/'), paths.concat('x', '/y'), "
     "paths.concat()", (f"{HERE}/a/b.t7", f"{HERE}/b", "/x/y", "/y", HERE)),
    ("return paths.dirname('a/b.c'), paths.dirname('b'), paths.dirname('/b'), paths.dirname('/a/b/'), paths.dirname('/')",
     ("a", ".", "/", "/a", "/")),
    ("return paths.basename('a/b.c'), paths.basename('a/b.c', 'c'), paths.basename('a/b.c', '.c'), paths.basename('a/b/')",
     ("b.c", "b", "b", "b")),
    ("return paths.extname('a/b.tar.gz'), select('#', paths.extname('abc'))", ("gz", 0.0)),
    ("return paths.filep('/no/such'), paths.dirp('/'), paths.dir('/no/such'), paths.cwd()", (False, True, None, HERE)),
    ("return pcall(paths.dirname)", (False, "bad argument #1 to 'dirname' (string expected, got no value)")),
    ("return paths.rmall('/no/such'), paths.thisfile(), paths.uname()", (None, None, *os.uname()[:2], os.uname().machine)),
)  # fmt: skip
def test_names(code: str, expected: Any) -> None:
    assert pl.lua.Session(requires=["paths"]).execute(code) == expected


def test_folders(tmp_path: Path) -> None:
    session = pl.lua.Session(requires=["paths"])
    session.globals["root"] = str(tmp_path)
    found = session.execute("""
        local deep = paths.concat(root, 'a', 'b')
        assert(paths.mkdir(deep) and paths.dirp(deep))
        local again, message, number = paths.mkdir(deep)
        assert(again == nil and message == deep .. ': File exists' and number == 17)
        for _, name in ipairs{'x.t7', 'y.txt'} do io.open(paths.concat(root, name), 'w'):close() end
        local names = {}
        for name in paths.files(root, '%.t7$') do table.insert(names, name) end
        for name in paths.files(root, function(s) return s:find('txt') end) do table.insert(names, name) end
        for name in paths.iterdirs(root) do table.insert(names, name) end
        for name in paths.iterfiles(root) do table.insert(names, name) end
        for _, name in ipairs(paths.dir(root)) do table.insert(names, name) end
        assert(paths.rmall(paths.concat(root, 'a'), 'yes') and not paths.dirp(deep))
        return table.concat(names, ' ')
    """)
    assert found == "x.t7 y.txt a x.t7 y.txt . .. a x.t7 y.txt"


def test_dofile_is_relative_to_the_calling_file(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "other.lua").write_text("return paths.thisfile(), paths.thisfile('z.lua'), ...")
    (tmp_path / "lib" / "main.lua").write_text("require 'paths' return paths.dofile './other.lua'")
    (tmp_path / "start.lua").write_text("require 'paths' return paths.dofile('lib/main.lua')")
    lib = tmp_path / "lib"
    assert pl.lua.run(tmp_path / "start.lua") == (str(lib / "other.lua"), str(lib / "z.lua"))


def test_a_link_is_removed_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "link").symlink_to(tmp_path / "kept")
    (tmp_path / "kept" / "file").touch()
    session = pl.lua.Session(requires=["paths"])
    session.globals["folder"] = str(tmp_path / "gone")
    assert session.execute("return paths.rmall(folder, 'yes')") is True
    assert (tmp_path / "kept" / "file").exists()


def test_an_unknown_package_lists_what_is_known() -> None:
    with pytest.raises(pl.lua.LuaError, match=r"module 'nosuch' not found:(.|\n)*known packages: .*paths, .*xlua"):
        pl.lua.Session().execute("require 'nosuch'")


def test_include_and_the_folders_of_packages(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "layers").mkdir(parents=True)
    (folder / "init.lua").write_text(
        "require 'torch' mine = {} include('layers/one.lua') torch.include('mine', 'layers/two.lua') "
    )
    (folder / "layers" / "one.lua").write_text("include 'three.lua' mine.one = paths.basename(paths.thisfile())")
    (folder / "layers" / "two.lua").write_text("mine.two = torch.packageLuaPath('mine')")
    (folder / "layers" / "three.lua").write_text("mine.three = 3")
    session = pl.lua.Session(path=[tmp_path])
    session.execute("require 'mine'")
    found = session.execute("return mine.one, mine.two, mine.three, torch.packageLuaPath('other')")
    assert found == ("one.lua", str(folder), 3.0, None)
    with pytest.raises(pl.lua.LuaError, match="package 'other' has no folder in"):
        session.execute("torch.include('other', 'x.lua')")
