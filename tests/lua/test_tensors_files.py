"""Files of Lua programs: ``torch.save``, ``torch.serialize``, and streams of numbers, strings and objects."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import t7

from . import running

result = partial(running.result, requires=["torch"])
error = partial(running.error, requires=["torch"])

VALUES = """
local x = torch.range(1, 6):view(2, 3)
local value = {x, x:select(1, 2), name = 'caf\\195\\169', [2.5] = true, inner = {1, 2, {}}, [true] = 'yes', n = -0.25,
               sizes = x:size(), bytes = torch.ByteTensor{1, 255}}
value.self = value
"""
CHECK = """
local y, row = v[1], v[2]
row[1] = 40
return y[2][1] == 40, v.name == 'caf\\195\\169', v[2.5], #v.inner, v[true], v.n, v.sizes[2], v.bytes[2], v.self == v,
  torch.type(v.sizes), y:storage() == row:storage()
"""
EXPECTED = (True, True, True, 3.0, "yes", -0.25, 3.0, 255.0, True, "torch.LongStorage", True)


@pytest.mark.parametrize("form", ["binary", "ascii"])
def test_values_come_back(form: str, tmp_path: Path) -> None:
    assert result(f"{VALUES} local v = torch.deserialize(torch.serialize(value, '{form}'), '{form}') {CHECK}") == EXPECTED
    name = str(tmp_path / "v.t7")
    assert (
        result(f"{VALUES} torch.save(file, value, '{form}') local v = torch.load(file, '{form}') {CHECK}", file=name) == EXPECTED
    )
    assert result(f"{VALUES} torch.save(file, value, '{form}') local v = torch.load(file) {CHECK}", file=name) == EXPECTED


def test_files_are_those_of_the_package(tmp_path: Path) -> None:
    name = str(tmp_path / "v.t7")
    result("torch.save(file, {x = torch.FloatTensor{1, 2}, list = {1, 'a', false}})", file=name)
    found = t7.read(name)
    assert found["list"] == [1, "a", False]
    assert np.array_equal(found["x"], np.array([1, 2], np.float32))
    t7.write(name, {"k": np.arange(3), "s": "ü"})
    assert result("local v = torch.load(file) return v.k:sum(), torch.type(v.k), #v.s", file=name) == (
        3.0,
        "torch.LongTensor",
        2.0,
    )


def test_objects_of_classes() -> None:
    code = """
    local A = torch.class('A')
    function A:__init(n) self.n = n end
    function A:get() return self.n end
    local a = _G.A(torch.ones(2))
    local one, two = unpack(torch.deserialize(torch.serialize{a, a}))
    local s = torch.serializeToStorage(a)
    return one:get():sum(), one == two, torch.type(one), torch.type(s), torch.deserializeFromStorage(s).n[1]
    """
    assert result(code) == (2.0, True, "A", "torch.CharStorage", 1.0)
    text = result("torch.class('A') return torch.serialize(_G.A())")
    assert "unknown Torch class <A>" in error(f"torch.deserialize({''.join(f'.. string.char({b})' for b in text.encode())[2:]})")
    assert "unable to serialize object of type function" in error("torch.serialize{print}")
    assert "expected the mode 'binary' or 'ascii', got 'json'" in error("torch.serialize({}, 'json')")


def test_generators_are_stored() -> None:
    code = "local g = torch.Generator() local h = torch.deserialize(torch.serialize(g)) return torch.random(g) == torch.random(h)"
    assert result(code)


@pytest.mark.parametrize("form", ["binary", "ascii"])
def test_numbers_of_streams(form: str) -> None:
    code = f"""
    local f = torch.MemoryFile():{form}()
    f:writeInt(-5) f:writeDouble(0.1) f:writeLong(torch.LongStorage{{1, 2, 3}}) f:writeFloat(0.5) f:writeByte(200)
    f:writeBool(true) f:writeString('line\\nrest')
    f:seek(1)
    local a, b, c, d, e, g = f:readInt(), f:readDouble(), f:readLong(3), f:readFloat(), f:readByte(), f:readBool()
    return a, b, c[1] + c[3], d, e, g, f:isBinary()
    """
    assert result(code) == (-5.0, 0.1, 4.0, 0.5, 200.0, True, form == "binary")


def test_text_and_places(tmp_path: Path) -> None:
    code = """
    local f = torch.DiskFile(file, 'w')
    f:writeString('one\\ntwo\\nthree')
    f:close()
    f = torch.DiskFile(file, 'r')
    local a = f:readString('*l')
    local p = f:position()
    local b = f:readString('*a')
    f:seek(2)
    local c = f:readByte()
    f:seekEnd()
    return a, p, b, c, f:position(), f:isOpened(), f:close(), torch.DiskFile(file .. 'x', 'r', true)
    """  # close returns nothing
    assert result(code, file=str(tmp_path / "text")) == ("one", 5.0, "two\nthree", float(ord("n")), 14.0, True, None, None)


def test_objects_of_streams_refer_to_earlier_ones() -> None:
    code = """
    local f = torch.MemoryFile():binary()
    local t = {torch.ones(2)}
    f:writeObject(t) f:writeObject({t, 'x'}) f:writeObject(3)
    local n = f:position()
    f:seek(1)
    local a, b, c = f:readObject(), f:readObject(), f:readObject()
    return a == b[1], b[2], c, f:position() == n, a[1]:sum(), f:storage():size() == n
    """
    assert result(code) == (True, "x", 3.0, True, 2.0, True)


def test_numbers_that_no_stream_holds() -> None:
    code = """
    local f = torch.MemoryFile()
    f:writeString('99999999999 1_0 7')
    f:seek(1)
    f:quiet()
    return f:readInt(), f:hasError(), f:readInt(), f:readInt()
    """
    assert result(code) == (0.0, True, 0.0, 7.0)
    for size in ("1e15", "9e18"):
        assert "not enough memory" in error(f"torch.MemoryFile():binary():readInt({size})")


def test_places_that_no_stream_has(tmp_path: Path) -> None:
    assert "unable to seek at position 8" in error("local f = torch.MemoryFile() f:writeString('abc') f:seek(8)")
    assert "unable to seek" in error(f"torch.DiskFile('{tmp_path}/file', 'w'):seek(9e18)")
    assert result("local f = torch.MemoryFile() f:writeString('abc') f:seek(4) f:writeString('d') return f:position()") == 5.0


@pytest.mark.parametrize("made", ["{i}", "torch.Tensor(1):fill(i)", "torch.LongStorage{i}"])
def test_objects_that_a_script_drops_stay_different(made: str) -> None:
    code = f"""
    local f = torch.MemoryFile()
    for i = 1, 50 do f:writeObject({made}) end
    f:seek(1)
    for i = 1, 50 do
      local found = f:readObject()[1]
      if found ~= i then return i, found end
    end
    """
    assert result(code) is None


def test_streams_of_the_package(tmp_path: Path) -> None:
    name = str(tmp_path / "several.t7")
    result("local f = torch.DiskFile(file, 'w'):binary() f:writeObject({1, 2}) f:writeObject('x') f:close()", file=name)
    assert t7.read_all(name) == [[1, 2], "x"]
    code = "local f = torch.DiskFile(file, 'r'):binary() local a = f:readObject() return a[2], f:readObject()"
    assert result(code, file=name) == (2.0, "x")


def test_broken_streams() -> None:
    assert "read error" in error("torch.MemoryFile():binary():readInt()")
    assert result("local f = torch.MemoryFile():quiet() return f:readInt(), f:hasError(), f:clearError():hasError()") == (
        0.0,
        True,
        False,
    )
    assert "read error: <stream>: offset 0" in error("torch.MemoryFile():binary():readObject()")
    assert "cannot open <no/such> in mode r" in error("torch.DiskFile('no/such')")
    assert "attempt to write in a read-only file" in error("torch.MemoryFile('r'):writeInt(1)")
    assert "attempt to use a closed file" in error("local f = torch.MemoryFile() f:close() f:readInt()")
    assert "file mode should be" in error("torch.DiskFile('x', 'q')")


@pytest.mark.parametrize("form", ["binary", "ascii"])
def test_what_is_refused_halfway_is_not_written(form: str, tmp_path: Path) -> None:
    code = f"""
    local f = torch.MemoryFile():{form}()
    local inner = {{7}}
    local outer = {{inner, {{2, print}}}}
    assert(not pcall(f.writeObject, f, outer))
    local start = f:position()
    outer[2][2] = 5
    f:writeObject(outer) f:writeObject(inner)
    f:seek(1)
    local a, b = f:readObject(), f:readObject()
    torch.save('{tmp_path}/x.t7', {{1}})
    assert(not pcall(torch.save, '{tmp_path}/x.t7', {{print}}))
    assert(not pcall(torch.save, '{tmp_path}/y.t7', {{print}}))
    return start, a[1] == b, b[1], a[2][2], torch.load('{tmp_path}/x.t7')[1]
    """
    assert result(code) == (1, True, 7, 5, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["x.t7"]


def test_errors_of_the_system_have_its_words() -> None:
    assert error("torch.load('/no/file')").endswith("cannot open </no/file> in mode r: No such file or directory")
    assert error("torch.save('/no/file', 1)").endswith("cannot write </no/file> in mode w: No such file or directory")


def test_storages_of_files(tmp_path: Path) -> None:
    name = str(tmp_path / "x.bin")
    np.arange(5, dtype=np.float32).tofile(name)
    code = """
    local x, part = torch.FloatTensor(torch.FloatStorage(file)), torch.FloatStorage(file, false, 2)
    x[1] = 7
    local shared = torch.FloatStorage(file, true, 6)
    shared[6] = 9
    return x:sum(), part:size(), torch.FloatStorage(file):size(), torch.FloatStorage(file)[1], torch.IntStorage('3'):size()
    """
    assert result(code, file=name) == (17.0, 2.0, 6.0, 0.0, 3.0)
    assert np.fromfile(name, np.float32).tolist() == [0, 1, 2, 3, 4, 9]
    assert "is smaller than" in error(f"torch.FloatStorage('{name}', false, 7)")
    assert "unable to open file <missing> in read-only mode" in error("torch.FloatStorage('missing')")
    with pytest.raises(pl.lua.LuaError, match="a sandbox has no torch"):
        pl.lua.Session(requires=["torch"], sandbox=True).execute(f"torch.FloatStorage('{name}')")


def test_binary_numbers_in_another_byte_order(tmp_path: Path) -> None:
    """The files of MNIST are big-endian."""
    name = tmp_path / "x"
    name.write_bytes(bytes([0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 1, 7, 9]))
    code = """
        local f = torch.DiskFile(name):bigEndianEncoding():binary()
        local dims = torch.LongStorage(f:readInt() - 0x800)
        for i = 1, #dims do dims[i] = f:readInt() end
        local t = torch.ByteTensor(dims)
        return f:readByte(t:storage()), t, f:isLittleEndianCPU() ~= f:isBigEndianCPU()
    """
    count, tensor, isEither = result(code, name=str(name))
    assert count == 2 and tensor.tolist() == [[7], [9]] and isEither


def test_what_is_written_in_a_byte_order_is_read_in_it(tmp_path: Path) -> None:
    code = """
        local f = torch.DiskFile(name, 'w'):binary():bigEndianEncoding()
        f:writeInt(258) f:writeLong(3) f:longSize(4):writeLong(-7) f:writeDouble(torch.DoubleStorage{1, 2}) f:close()
        f = torch.DiskFile(name):binary():bigEndianEncoding()
        local found = {f:readInt(), f:readLong(), f:longSize(4):readLong(), f:readDouble(2)[2], select(2, pcall(f.readObject, f))}
        return unpack(found)
    """
    found = result(code, name=str(tmp_path / "x"))
    assert found[:4] == (258, 3, -7, 2) and found[4].endswith("objects have longs of 8 bytes and the byte order of this machine")
    assert (tmp_path / "x").read_bytes()[:16] == bytes([0, 0, 1, 2, *[0] * 7, 3, 255, 255, 255, 249])


def test_pipes(tmp_path: Path) -> None:
    code = """
        local p = torch.PipeFile('cat > ' .. name, 'w') p:writeString('4 5\\n') p:close()
        p = torch.PipeFile('cat ' .. name)
        return torch.type(p), p:readInt(), p:readInt(), p:quiet():readInt(), p:hasError()
    """
    assert result(code, name=str(tmp_path / "x")) == ("torch.PipeFile", 4, 5, 0, True)
