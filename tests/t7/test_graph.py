"""Graphs of objects: depth, cycles, sharing, and instances made by an object factory."""

import io
import time

import numpy as np
import pytest

from pytorch_legacy import t7

DEPTH = 100_000


def round_trip(value, format="binary", **options):
    file = io.BytesIO()
    t7.write(file, value, format)
    return t7.read(file.getvalue(), **options)


@pytest.mark.parametrize("format", ["binary", "ascii"])
def test_deep_nesting(format):
    value = deep = {}
    for _ in range(DEPTH):
        deep["next"] = deep = {}
    deep["end"] = [1, 2]
    found = round_trip(value, format)
    for _ in range(DEPTH):
        found = found["next"]
    assert found == {"end": [1, 2]}


def test_deep_nesting_of_objects():
    value = None
    for _ in range(20_000):
        value = t7.TorchObject("nn.Nested", 1, [value, t7.Function(b"", [value])])
    found = round_trip(value)
    depth = 0
    while found is not None:
        assert found.fields[1].upvalues[0] is found.fields[0]
        found, depth = found.fields[0], depth + 1
    assert depth == 20_000


def test_an_error_deep_down_is_told_in_short():
    value = {}
    for _ in range(1000):
        value = {"a": value}
    file = io.BytesIO()
    t7.write(file, value)
    with pytest.raises(t7.T7Error) as error:
        t7.read(file.getvalue()[:-2])
    assert len(str(error.value)) < 250 and "levels" in str(error.value)


def test_a_hundred_thousand_objects_take_a_moment():
    value = [{"weight": i, "bias": i + 0.5, "name": str(i)} for i in range(100_000)]
    file = io.BytesIO()
    t7.write(file, value)
    start = time.process_time()
    found = t7.read(file.getvalue())
    # About one second on a slow machine; the limit only catches a change of kind.
    assert time.process_time() - start < 10
    assert found == value


@pytest.mark.parametrize("format", ["binary", "ascii"])
def test_cycles_of_every_kind(format):
    table, array, function = {}, np.ones(2), t7.Function(b"\x1bLJ\x02")
    node = t7.TorchObject("nngraph.Node", 1, {})
    items = [table, array, function, node]
    table["self"] = table
    table[t7.IdentityKey(table)] = "key of itself"
    table[t7.IdentityKey(array)] = items
    table[node] = "objects are keys as they are"
    node.fields["children"] = {node: 1, t7.IdentityKey(items): 2}
    function.upvalues = [{"name": "f", "id": 1, "value": function}]
    items.append(items)

    found = round_trip(items, format)
    table, array, function, node, itself = found
    assert itself is found and table["self"] is table
    assert table[t7.IdentityKey(table)] == "key of itself"
    assert table[t7.IdentityKey(array)] is found
    assert table[node] == "objects are keys as they are"
    assert node.fields["children"] == {node: 1, t7.IdentityKey(found): 2}
    assert function.upvalues[0]["value"] is function


def test_forms_of_functions():
    functions = [t7.Function(b"abc", [1, "two"], form=form) for form in (6, 7)]
    functions.append(t7.Function(b"", [{"name": "x", "id": 3, "value": [1]}]))
    found = round_trip([*functions, functions[0]])
    assert [function.form for function in found] == [7, 7, 8, 7]
    assert [function.upvalues for function in found[:3]] == [function.upvalues for function in functions]
    assert found[0] is found[3]


class Module:
    def __init__(self, typename):
        self.typename = typename
        self.fields = None


class Factory:
    """Makes Modules of nn classes and keeps a record of the calls."""

    def __init__(self):
        self.calls = []

    def create(self, typename, version):
        self.calls.append(("create", typename))
        return Module(typename) if typename.startswith("nn.") else None

    def fill(self, instance, record, path):
        assert instance.fields is None and type(record) is t7.TorchObject
        self.calls.append(("fill", record.typename, record.version, str(path)))
        instance.fields, instance.header = record.fields, record.header
        # Children are complete when their parent's turn comes.
        assert all(child.fields is not None for child in record.fields.get("modules", []))


def test_factory():
    weight = np.ones((2, 2))
    inner = t7.TorchObject("nn.Linear", 2, {"weight": weight, "timer": t7.TorchObject("my.Clock", 1, {})})
    gpu = t7.TorchObject("nn.GPU", 1, {"modules": [inner]}, header={"device": 1})
    outer = t7.TorchObject("nn.Sequential", 1, {"modules": [gpu, inner], "with space": inner, 7: inner})
    factory = Factory()
    found = round_trip({"model": outer}, objectFactory=factory)["model"]
    assert type(found) is Module and type(found.fields["modules"]) is list
    linear = found.fields["modules"][1]
    assert linear is found.fields["with space"] is found.fields[7] is found.fields["modules"][0].fields["modules"][0]
    assert type(linear.fields["timer"]) is t7.TorchObject and linear.fields["timer"].fields == {}
    assert found.fields["modules"][0].header == {"device": 1} and linear.header is None
    kinds = [call[0] for call in factory.calls]
    assert kinds == ["create"] * 4 + ["fill"] * 3
    assert factory.calls[4:] == [
        ("fill", "nn.Linear", 2, "root.model.modules[1].modules[1]"),
        ("fill", "nn.GPU", 1, "root.model.modules[1]"),
        ("fill", "nn.Sequential", 1, "root.model"),
    ]


def test_factory_and_cycles():
    class Loose(Factory):
        def fill(self, instance, record, path):
            instance.fields = record.fields

    child = t7.TorchObject("nn.Child", 1, {})
    parent = t7.TorchObject("nn.Parent", 1, {"child": child, child: "known"})
    child.fields.update(parent=parent, me=child)
    found = round_trip(parent, objectFactory=Loose())
    child = found.fields["child"]
    assert child.fields == {"parent": found, "me": child} and found.fields[child] == "known"


def test_errors_of_a_factory():
    class Broken(Factory):
        def __init__(self, error):
            super().__init__()
            self.error = error

        def fill(self, instance, record, path):
            raise self.error("no weight")

    for error, words in (
        (KeyError, "'no weight"),
        (t7.T7Error, r"<bytes>: offset 48, at root\[2\]: no weight"),
    ):
        with pytest.raises(error, match=f"^{words}"):
            round_trip([1, t7.TorchObject("nn.X", 1, {})], objectFactory=Broken(error))


def test_describe_is_the_way_back():
    weight = np.arange(4.0)
    child = Module("nn.Child")
    child.fields = {"weight": weight}
    parent = Module("nn.Parent")
    parent.fields = {"modules": [child, child], "parent": parent, "flat": weight}

    def describe(value):
        # A fresh record every time: identity is the instance's, not the record's.
        return t7.TorchObject(value.typename, 3, dict(value.fields)) if isinstance(value, Module) else None

    file = io.BytesIO()
    t7.write(file, parent, describe=describe)
    found = t7.read(file.getvalue())
    first, second = found.fields["modules"]
    assert first is second and found.fields["parent"] is found and found.version == 3
    assert first.fields["weight"] is found.fields["flat"]
    with pytest.raises(t7.T7Error, match=r"root\.modules\[2\]: expected a value .* got complex"):
        t7.write(file, {"modules": [child, 1j]}, describe=describe)
