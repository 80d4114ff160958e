"""Made-up graphs of objects: written, read, and compared object by object, identity included."""

import io
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pytorch_legacy as pl
from pytorch_legacy import nn, t7
from pytorch_legacy.objects import Object

from .identical import Comparison

FORMATS = st.sampled_from(["binary", "ascii"])


def graph(seed: int, size: int, names: int) -> list:
    """A graph whose objects refer to each other at random: shared, and in cycles."""
    choice = random.Random(seed)
    words = [f"{choice.choice(['option', 'läbel', 'w ', 'x' * 45])}{i}" for i in range(names)]
    flat = np.arange(200, dtype=choice.choice([np.float32, np.float64, np.int64, np.uint8]))
    made: list = [flat[3:15].reshape(3, 4), flat[3:15].reshape(3, 4).T, flat[10:], flat.view(t7.Storage), np.full((2, 1), 7.0)]
    for _ in range(size):
        kinds = [
            lambda: [None] * choice.randrange(1, 70),
            dict,
            dict,
            lambda: t7.TorchObject(f"my.Class{choice.randrange(300)}", choice.randrange(12), {}),
            lambda: t7.TorchObject("nn.GPU", 1, {}, header=[0]),
            lambda: t7.Function(b"\x1bLJ" + bytes([choice.randrange(256)]), [0], 7),
            lambda: np.full(choice.randrange(1, 4), choice.random(), np.float32),
        ]
        made.append(choice.choice(kinds)())

    def value():
        return choice.choice(
            [
                lambda: choice.choice(made),
                lambda: choice.choice(made),
                lambda: choice.choice(words),
                lambda: choice.choice([None, True, False, -0.0, 0, 1, 2.5, -3, 1e300, float("inf"), 1 << 40]),
                lambda: choice.randrange(100),
            ]
        )()

    def key():
        if choice.random() < 0.8:
            return choice.choice(words)
        found = choice.choice([*made, True, False, 2, -1, 0.5])  # 0 and 1 beside booleans: test_keys
        return t7.IdentityKey(found) if type(found).__hash__ is None else found

    for thing in made:
        if isinstance(thing, list):
            isPlain = choice.random() < 0.5
            thing[:] = [choice.choice([i, i + 0.5]) if isPlain else value() for i in range(len(thing))]
        elif isinstance(thing, dict):
            thing.update((key(), value()) for _ in range(choice.randrange(1, 12)))
        elif isinstance(thing, t7.TorchObject):
            thing.fields = {key(): value() for _ in range(choice.randrange(1, 12))} if choice.random() < 0.9 else value()
        elif isinstance(thing, t7.Function):
            thing.upvalues = [value(), value()]
    # Tables that a Lua table with these keys is read as: one with the keys 1..n is a list.
    for thing in made:
        for table in (thing, getattr(thing, "fields", None)):
            if isinstance(table, dict):
                table["not a list"] = words[-1]
    return [made, {word: i for i, word in enumerate(words)}, dict(enumerate(words))]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([3, 30, 300]), st.sampled_from([2, 300, 3000]), FORMATS)
def test_everything_comes_back(seed, size, names, format):
    value = graph(seed, size, names)
    file = io.BytesIO()
    t7.write(file, value, format)
    found = t7.read(file.getvalue())
    assert list(Comparison().differences(value, found)) == []


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), FORMATS)
def test_checkpoints_of_modules_come_back(seed, format):
    choice = random.Random(seed)
    layers = [nn.Linear(2, 3), nn.Tanh(), nn.Dropout(0.5), nn.SpatialConvolution(1, 2, 3, 3), nn.Identity()]
    tied = nn.Linear(2, 3)
    tied.weight, tied.gradWeight = layers[0].weight, layers[0].gradWeight
    layers.append(tied)
    nets = []
    for _ in range(choice.randrange(1, 6)):
        net = nn.Sequential()
        for _ in range(choice.randrange(1, 5)):
            net.add(choice.choice(layers + nets))
        nets.append(net)
    checkpoint = {f"k{i}": i for i in range(choice.choice([3, 240, 2000]))}
    checkpoint |= {"models": nets, "tensors": [layer.weight for layer in layers if hasattr(layer, "weight")]}
    checkpoint |= {f"option{i}": choice.choice([i, f"value{i}", i / 3]) for i in range(40)}
    checkpoint["best"] = choice.choice(nets)
    checkpoint["self"] = checkpoint
    file = io.BytesIO()
    pl.save(file, checkpoint, format)
    found = pl.load(file.getvalue())

    def opened(value):
        return value._toRecord() if isinstance(value, Object) else None

    one, two = io.BytesIO(), io.BytesIO()
    pl.save(one, found)
    pl.save(two, checkpoint)
    assert one.getvalue() == two.getvalue()
    assert found["self"] is found and [net is found["best"] for net in found["models"]] == [
        net is checkpoint["best"] for net in nets
    ]


@pytest.mark.parametrize("format", ["binary", "ascii"])
def test_runs_of_numbers(format):
    """Numbers are read many at a time: whatever follows them, wherever it follows."""
    for count in (1, 15, 16, 17, 40, 5000, 20_000):
        for last in ("text", None, True, [1, 2], 0.5, -0.0, float("inf")):
            for value in ([*range(count), last], {**{i * 3: i / 2 for i in range(count)}, -5: last}):
                file = io.BytesIO()
                t7.write(file, [value, value, 7], format)
                found = t7.read(file.getvalue())
                assert found[0] == value and found[0] is found[1] and found[2] == 7
                assert [type(x) for x in found[0]] == [type(x) for x in value]


@pytest.mark.parametrize("typename", ["nn.SpatialConvolutionMap", "nn.SpatialFullConvolutionMap"])
def test_a_table_of_connections_stays_shared(typename):
    """Modules count from 0, the file from 1; what was one tensor in the file is one when it is saved again."""
    table = np.array([[1.0, 1], [2, 1]])
    fields = {"weight": np.ones((2, 3, 3)), "bias": np.ones(1), "kW": 3, "kH": 3, "dW": 1, "dH": 1}
    fields |= {"nInputPlane": 2, "nOutputPlane": 1, "_type": "torch.DoubleTensor", "connTable": table}
    file, again = io.BytesIO(), io.BytesIO()
    t7.write(file, [t7.TorchObject(typename, 1, dict(fields)), t7.TorchObject(typename, 1, dict(fields)), table])
    found = pl.load(file.getvalue())
    assert not any("fileTable" in name for name in pl.interop.tensors(found, everything=True))
    pl.save(again, found)
    one, two, outside = t7.read(again.getvalue())
    assert one.fields["connTable"] is two.fields["connTable"] is outside
    found[0].connTable[0, 0] = 1
    again = io.BytesIO()
    pl.save(again, found[:1])
    assert t7.read(again.getvalue())[0].fields["connTable"].tolist() == [[2, 1], [2, 1]]


@pytest.mark.parametrize("format", ["binary", "ascii"])
@pytest.mark.parametrize("typename, name, dtype", [
    ("nn.SpatialConvolutionMap", "connTable", np.float64), ("nn.NCEModule", "sampleidx", np.int64),
    ("nn.SpatialUniformCrop", "coord", np.int32),
])  # fmt: skip
def test_tensors_that_count_from_one_share_what_they_shared(typename, name, dtype, format):
    """One tensor of two modules, and a view of it in a third one: after loading, in files, and in files after a change."""
    table = np.array([[1, 1], [2, 1], [2, 2]], dtype)
    fields = {"_type": "torch.DoubleTensor", "unigrams": np.ones(3)}
    records = [t7.TorchObject(typename, 1, {**fields, name: x}) for x in (table, table, table[1:])]
    file = io.BytesIO()
    t7.write(file, records, format)
    for change in (0, 1):
        found = pl.load(file.getvalue())
        one, two, view = (getattr(module, name) for module in found)
        assert one is two and one.dtype.kind == "i" and np.array_equal(view, one[1:]) and np.shares_memory(view, one)
        one[1, 1] += change
        file = io.BytesIO()
        pl.save(file, found, format)
        one, two, view = (record.fields[name] for record in t7.read(file.getvalue()))
        assert one is two and one.dtype == dtype and np.shares_memory(view, one)
        assert one.tolist() == [[1, 1], [2, 1 + change], [2, 2]] and np.array_equal(view, one[1:])
