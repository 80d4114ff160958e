"""The quick way through C and the unpickler gives what the parser gives, or nothing."""

import gc
import io
import random

import numpy as np
import pytest

from pytorch_legacy import t7
from pytorch_legacy.t7 import reader, translate

from ..test_golden import GOLDEN
from .identical import Comparison
from .test_graph import Factory

FILES = sorted(path.relative_to(GOLDEN).as_posix() for path in GOLDEN.glob("*/*.t7") if ".ascii." not in path.name)

# What the parser reads alone: other byte orders and longs, functions, rare classes, booleans as keys.
SLOWLY = (
    "function",
    "Copy_function",
    "Profile",
    "bigendian",
    "long4",
    "generator",
    "tds_counter",
    "table_keys",
    "DataParallelTable",
)


def parsed(content, **options):
    """As the parser alone reads it."""
    quick, reader.quick = reader.quick, lambda *arguments: []
    try:
        return t7.read(bytes(content), **options)
    finally:
        reader.quick = quick


def written(value):
    file = io.BytesIO()
    t7.write(file, value)
    return bytearray(file.getvalue())


def test_the_library_is_there():
    assert translate._library() is not None


@pytest.mark.parametrize("name", FILES)
def test_as_the_parser(name):
    content = (GOLDEN / name).read_bytes()
    found = translate.quick(bytearray(content), None)
    if found:
        assert list(Comparison().differences(parsed(content), found[0])) == []
    else:
        assert any(word in name for word in SLOWLY)


def test_nearly_all_are_taken():
    taken = [bool(translate.quick(bytearray((GOLDEN / name).read_bytes()), None)) for name in FILES[::10]]
    assert sum(taken) > 0.9 * len(taken)


def test_broken_files():
    """Whatever happens to a file: the parser gives the same, or the quick way takes its hands off."""
    rng = random.Random(1)
    contents = [content for name in FILES[::7] if len(content := (GOLDEN / name).read_bytes()) < 4000]
    taken = 0
    for _ in range(3000):
        content = bytearray(rng.choice(contents))
        for _ in range(rng.choice((1, 1, 3))):
            at = rng.randrange(len(content))
            kind = rng.randrange(5)
            if kind == 0:
                content[at] = rng.randrange(256)
            elif kind == 1:
                content[at : at + 4] = rng.choice((0, 1, 2, 3, 4, 5, 255, 2**31 - 1)).to_bytes(4, "little")
            elif kind == 2:
                content[at : at + 8] = rng.choice((-1, 0, 2**62, 2**63 - 1, -(2**63))).to_bytes(8, "little", signed=True)
            elif kind == 3:
                content[at : at + 12] = content[:12]
            else:
                del content[max(at, 4) :]
        found = translate.quick(bytearray(content), None)
        if found:
            taken += 1
            values = parsed(content)  # which may not fail
            assert list(Comparison().differences(values, found[0])) == []
    assert taken > 100


def test_objects_of_every_kind():
    table, array, node = {}, np.arange(6.0), t7.TorchObject("nngraph.Node", 3, {})
    storage = array.view(t7.Storage)
    items = [table, array, node, storage, array[2:4], np.empty(0), -0.0, 1 << 40, 0.5, True, None, "ü", "x" * 300]
    items += [storage, np.ones((2, 3), np.float32).T, np.broadcast_to(array[:1], (4, 1))]
    table.update({"self": table, t7.IdentityKey(table): 1, t7.IdentityKey(array): items, node: 2, 1.5: 3, -7: 4})
    table[t7.IdentityKey(storage)] = storage
    node.fields.update(children=[node, items], name=node)
    items += [items, t7.TorchObject("nn.GPU", 1, [node], header={"device": 1}), t7.TorchObject("my.Text", 1, "text")]
    content = written(items)
    (found,) = translate.quick(content, None)
    assert list(Comparison().differences(parsed(content), found)) == []
    assert found[0]["self"] is found[0] and found[3] is found[13] and np.shares_memory(found[3], found[1])


def test_a_factory_sees_what_it_sees_from_the_parser():
    inner = t7.TorchObject("nn.Linear", 2, {"timer": t7.TorchObject("my.Clock", 1, {})})
    gpu = t7.TorchObject("nn.GPU", 1, {"modules": [inner]}, header={"device": 1})
    content = written({"model": t7.TorchObject("nn.Sequential", 1, {"modules": [gpu, inner], "with space": inner})})
    quick, slow = Factory(), Factory()
    (found,) = translate.quick(bytearray(content), quick)
    parsed(content, objectFactory=slow)
    assert sorted(quick.calls[:4]) == sorted(slow.calls[:4]) and {call[0] for call in quick.calls[:4]} == {"create"}
    assert quick.calls[4:] == slow.calls[4:]
    assert found["model"].fields["modules"][0].header == {"device": 1}
    assert type(found["model"].fields["with space"].fields["timer"]) is t7.TorchObject


def test_errors_are_those_of_the_parser():
    class Broken(Factory):
        def fill(self, instance, record, path):
            raise t7.T7Error(f"{path}: no weight")

    content = written([1, t7.TorchObject("nn.X", 1, {})])
    with pytest.raises(t7.T7Error) as expected:
        parsed(content, objectFactory=Broken())
    with pytest.raises(t7.T7Error) as found:
        t7.read(content, objectFactory=Broken())
    assert str(found.value) == str(expected.value)


@pytest.mark.parametrize("isCollecting", [True, False])
def test_garbage_collection_is_left_as_it_was(isCollecting):
    was = gc.isenabled()
    try:
        gc.enable() if isCollecting else gc.disable()
        assert translate.quick(written([1, {}]), None) == [[1, {}]]
        assert gc.isenabled() is isCollecting
    finally:
        gc.enable() if was else gc.disable()


def test_without_the_library(monkeypatch):
    monkeypatch.setattr(translate, "_library", lambda: None)
    assert translate.quick(written([1]), None) == [] and t7.read(bytes(written([1]))) == [1]
