"""The package ``lfs``."""

from __future__ import annotations

from pathlib import Path

import pytorch_legacy as pl


def test_folders(tmp_path: Path) -> None:
    session = pl.lua.Session(requires=["lfs"])
    session.globals["root"] = str(tmp_path)
    found = session.execute("""
        local a = root .. '/a'
        assert(lfs.mkdir(a))
        local again, message, number = lfs.mkdir(a)
        assert(again == nil and message == 'File exists' and number == 17)
        local file = io.open(a .. '/x', 'w')
        file:write('12345')
        file:close()
        assert(lfs.touch(a .. '/x', 1000, 2000) and lfs.link(a .. '/x', a .. '/y', true))
        local names = {}
        for name in lfs.dir(a) do table.insert(names, name) end
        local t = lfs.attributes(a .. '/x')
        assert(t.size == 5 and t.mode == 'file' and t.access == 1000 and t.modification == 2000 and t.permissions:match('^rw'))
        assert(lfs.attributes(a, 'mode') == 'directory' and lfs.symlinkattributes(a .. '/y', 'mode') == 'link')
        assert(not pcall(lfs.attributes, a, 'nosuch') and not pcall(lfs.dir, root .. '/b') and lfs.rmdir(a) == nil)
        return table.concat(names, ' '), lfs.attributes(root .. '/b')
    """)
    assert found[0] == ". .. x y" and found[1] is None
    assert found[2:] == (f"cannot obtain information from file '{tmp_path}/b': No such file or directory", 2.0)
