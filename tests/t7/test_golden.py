"""Files that Torch7 wrote are read as Torch7 describes them, and written again byte for byte."""

import io
import json
import math

import numpy as np
import pytest

from pytorch_legacy import t7
from tests.rows import all_of

from .golden import EXPECTED, FILES, FOLDER, Comparison

ASCII = [name for name in FILES if name.endswith(".ascii.t7")]

# Files that our writer does not reproduce byte for byte, with the reason: the new file
CHANGED = {
    "bigendian": "is little endian",
    "cuda_": "has the types of the CPU",
    "function_tag6": "has functions in the next form, with an index",
    "long4": "has longs of eight bytes",
}


def written(value: object, format: str) -> bytes:
    file = io.BytesIO()
    t7.write(file, value, format)
    return file.getvalue()


def test_the_folder_is_complete():
    listed = {row["file"].removeprefix("serialization/") for row in json.loads((FOLDER / "manifest.json").read_text())}
    assert listed == set(FILES) == {path.name for path in FOLDER.glob("*.t7")}
    assert len(FILES) > 190


@all_of("name", FILES)
def test_read(name):
    Comparison().check(EXPECTED[name], t7.read(FOLDER / name))


@all_of("name", FILES)
def test_read_with_arguments(name):
    text = name in ASCII
    long_size = 4 if name.startswith("long4") else 8
    value = t7.read(FOLDER / name, format="ascii" if text else "binary", longSize=long_size)
    Comparison().check(EXPECTED[name], value)


@all_of("format", ["binary", "ascii"])
@all_of("name", FILES)
def test_written_and_read_again(name, format):
    value = t7.read(FOLDER / name)
    Comparison().check(EXPECTED[name], t7.read(written(value, format)))


@all_of("name", FILES)
def test_written_byte_for_byte(name):
    content = (FOLDER / name).read_bytes()
    again = written(t7.read(FOLDER / name), "ascii" if name in ASCII else "binary")
    changed = any(name.startswith(stem) for stem in CHANGED)
    assert (again == content) is not changed


def test_special_values():
    numbers = t7.read(FOLDER / "number_list.t7")
    assert numbers[0] == 1 and type(numbers[0]) is int
    assert numbers[2] == 0 and type(numbers[2]) is float and math.copysign(1, numbers[2]) == -1
    assert numbers[3] == math.inf and math.isnan(numbers[4])
    numbers = t7.read(FOLDER / "numbers.t7")
    assert type(numbers["exact"]) is float and numbers["exact"] == 2**53
    assert type(numbers["int32"]) is int and numbers["int32"] == 2**31
    long = t7.read(FOLDER / "tensor_Long_exact.t7")
    assert long.dtype == np.int64


def test_keys():
    table = t7.read(FOLDER / "table_keys.t7")
    # The number 1 and the boolean true are both keys, and one key in Python.
    assert table[1] == "one" and table[0] == "zero" and table[1.5] == "fraction" and table["1"] == "text one"
    assert table[t7.IdentityKey(True)] == "true" and table[t7.IdentityKey(False)] == "false"
    objects = t7.read(FOLDER / "table_objectkeys.t7")
    kinds = {value: type(key.value) for key, value in objects.items()}
    assert kinds == {"table key": list, "tensor key": np.ndarray, "storage key": t7.Storage}


def test_lists_and_dicts():
    assert t7.read(FOLDER / "table_empty.t7") == {}
    assert t7.read(FOLDER / "table_holes.t7") == {1: 1, 3: 3, 6: 6}
    assert t7.read(FOLDER / "table_list_like.t7") == {1: 10, 2: 20, 3: 30, "n": 3}
    shared = t7.read(FOLDER / "table_shared.t7")
    assert shared[1] is shared[2] is shared[3][0] is shared["again"]
    cyclic = t7.read(FOLDER / "table_cyclic.t7")
    assert cyclic["self"] is cyclic and cyclic["child"]["parent"] is cyclic


def test_functions_never_run():
    function = t7.read(FOLDER / "function_upvalues.t7")
    assert [upvalue["name"] for upvalue in function.upvalues] == ["n", "t"]
    with pytest.raises(t7.T7Error, match="cannot run in Python"):
        function(1, 2)


def test_sources(tmp_path):
    path = FOLDER / "shared_storage.t7"
    content = path.read_bytes()
    with open(path, "rb") as file:
        values = [
            t7.read(path),
            t7.read(str(path)),
            t7.read(content),
            t7.read(memoryview(content)),
            t7.read(file),
        ]
    for value in values:
        Comparison().check(EXPECTED["shared_storage.t7"], value)
    with open(FOLDER / "nil.ascii.t7") as text, pytest.raises(t7.T7Error, match="binary mode"):
        t7.read(text)
    with pytest.raises(FileNotFoundError):
        t7.read(tmp_path / "absent.t7")
    with pytest.raises(ValueError, match="longSize"):
        t7.read(path, longSize=2)
    with pytest.raises(ValueError, match="format"):
        t7.read(path, format="text")
