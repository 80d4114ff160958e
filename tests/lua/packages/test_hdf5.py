"""The package ``hdf5``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import pytorch_legacy as pl


def session(path: Path) -> pl.lua.Session:
    lua = pl.lua.Session(requires=["torch"])
    lua.globals["file"] = str(path)
    lua.execute("require 'hdf5'")
    return lua


def error(lua: pl.lua.Session, code: str) -> str:
    with pytest.raises(pl.lua.LuaError) as caught:
        lua.execute(code)
    return str(caught.value.value)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    lua = session(tmp_path / "x.h5")
    lua.execute("""
    local f = hdf5.open(file, 'w')
    f:write('/a', torch.range(1, 6):resize(2, 3))
    f:write('/g', {n = torch.LongTensor{7, 8}, deep = {b = torch.ByteTensor{9}}})
    f:close()
    """)
    with h5py.File(tmp_path / "x.h5") as archive:
        assert archive["a"][()].tolist() == [[1, 2, 3], [4, 5, 6]]
        assert archive["g/n"].dtype == np.int64
    everything = lua.execute("f = hdf5.open(file, 'r') return f:all()")
    assert everything["g"]["deep"]["b"].tolist() == [9]
    assert lua.execute("return f:read('/a'):all()").tolist() == [[1, 2, 3], [4, 5, 6]]
    assert lua.execute("return f:read('g'):read('n'):all()").tolist() == [7, 8]
    assert list(lua.execute("return f:read('/g/deep'):all()")) == ["b"]
    assert lua.execute("return f:read('/a'):partial({2, 2}, {1, 2})").tolist() == [[4, 5]]
    assert list(lua.execute("return f:read('/a'):dataspaceSize()").values()) == [2, 3]
    assert "range in 1 to 2" in error(lua, "f:read('/a'):partial({2, 3}, {1, 2})")
    assert "no such child 'b'" in error(lua, "f:read('b')")
    assert "closed" in error(lua, "f:close() f:all()")


@pytest.mark.parametrize("name, expected", [
    ("uint8", np.uint8), ("int16", np.int16), ("int32", np.int32), (">f4", np.float32), ("uint32", np.int64), ("bool", np.uint8),
])  # fmt: skip
def test_types(tmp_path: Path, name: str, expected: Any) -> None:
    with h5py.File(tmp_path / "x.h5", "w") as archive:
        archive["a"] = np.ones(2, name)
        archive["words"] = "abc"
    lua = session(tmp_path / "x.h5")
    found = lua.execute("f = hdf5.open(file, 'r') return f:read('/a'):all()")
    assert found.dtype == expected and found.tolist() == [1, 1]
    assert lua.execute("return f:all().words") == "abc"


def test_options_and_growing_sets(tmp_path: Path) -> None:
    lua = session(tmp_path / "x.h5")
    lua.execute("""
    local f = hdf5.open(file, 'w')
    f:write('c', torch.zeros(4, 4), hdf5.DataSetOptions():setChunked(2, 2):setDeflate(3))
    for i = 1, 2 do f:append('g', torch.Tensor{{i, i}}) end
    f:close()
    """)
    with h5py.File(tmp_path / "x.h5") as archive:
        assert (archive["c"].chunks, archive["c"].compression) == ((2, 2), "gzip")
        assert archive["g"][()].tolist() == [[1, 1], [2, 2]]


def test_names_are_utf8(tmp_path: Path) -> None:
    lua = session(tmp_path / "x.h5")
    lua.execute("f = hdf5.open(file, 'w') f:write('größe', torch.ones(2))")
    assert list(lua.execute("return f:read():all()")) == ["größe"]
    assert lua.execute("return f:read('größe'):all()").tolist() == [1, 1]
    lua.execute("f:getOrCreateChild('g'):write('a', torch.ones(3))")
    assert list(lua.execute("return f:read('g'):read():all()")) == ["a"]


def test_errors(tmp_path: Path) -> None:
    lua = session(tmp_path / "x.h5")
    assert "x.h5" in error(lua, "hdf5.open(file, 'r')")
    assert "mode" in error(lua, "hdf5.open(file, 'q')")
    assert "type number is not supported" in error(lua, "hdf5.open(file, 'w'):write('/a', 3)")


def test_without_h5py(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    assert 'pip install "pytorch-legacy[convert]"' in error(session(tmp_path / "x.h5"), "hdf5.open(file, 'w')")
