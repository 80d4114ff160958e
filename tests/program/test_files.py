"""Programs as files: what is saved comes back, bit for bit; what is no program is refused."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn
from pytorch_legacy.errors import ArgumentError, IndexRangeError, ShapeError, UnsupportedError, ValueRangeError, VersionError
from pytorch_legacy.program.decoding import decoded
from pytorch_legacy.program.encoding import encoded
from tests.program import encoding
from tests.trees import assert_same

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits.t7"


def saved(program: Any, folder: Path) -> Any:
    """The program as a file, read again."""
    program.save(folder / "net.thnn")
    return pl.Program.load(folder / "net.thnn")


def draw(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype("f")


def two_branches() -> Any:
    net = nn.Sequential(nn.ParallelTable(nn.Linear(3, 4), nn.Linear(5, 4)))
    net.add(nn.ConcatTable(nn.CAddTable(), nn.Sequential(nn.JoinTable(1), nn.Tanh())))
    return net


def convolutional() -> Any:
    net = nn.Sequential(nn.SpatialConvolution(3, 4, 3, 3, 1, 1, 1, 1), nn.ReLU(True), nn.SpatialMaxPooling(2, 2))
    return net.add(nn.SpatialConvolution(4, 2, 3, 3)).add(nn.View(-1, 8)).add(nn.LogSoftMax())


NETWORKS: dict[str, tuple[Any, Any, list[Any]]] = {
    "linear": (lambda: nn.Linear(3, 2), (None, 3), [draw(n, 3) for n in (1, 2, 9)]),
    "convolutional": (convolutional, (None, 3, 8, 8), [draw(n, 3, 8, 8) for n in (1, 2, 5)]),
    "fixed": (convolutional, (4, 3, 8, 8), [draw(4, 3, 8, 8)]),
    "table": (two_branches, [(None, 3), (None, 5)], [[draw(n, 3), draw(n, 5)] for n in (1, 2, 6)]),
    "double": (lambda: nn.Sequential(nn.Linear(3, 2), nn.SoftMax()).double(), (None, 3), [np.float64(draw(4, 3))]),
    "indices": (lambda: nn.LookupTable(7, 3), np.int64([[1, 2], [3, 6]]), [np.int64([[0, 5], [6, 2]])]),
    "several lengths": (lambda: nn.TemporalConvolution(3, 2, 2), (None, None, 3),
                        [draw(n, size, 3) for n in (1, 3) for size in (4, 7)]),
    "transposed batch": (lambda: nn.Transpose((0, 1)), (3, None), [draw(3, n) for n in (1, 4)]),
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_a_program_comes_back(name: str, tmp_path: Path) -> None:
    make, example, inputs = NETWORKS[name]
    pl.manualSeed(3)
    program = pl.compile(make(), example)
    outputs = [program(x) for x in inputs]
    other = saved(program, tmp_path)
    assert repr(other) == repr(program)
    read = pl.Program.load(tmp_path / "net.thnn", mmap=False)
    for one in (other, other.clone(), read, pickle.loads(pickle.dumps(other)), saved(other, tmp_path)):
        for x, output in zip(inputs, outputs, strict=True):
            assert_same(one(x), output)


def test_a_recurrent_network(tmp_path: Path) -> None:
    """The file has no state; a program that is loaded keeps one, and `forget` deletes it."""
    pl.manualSeed(3)
    net = nn.Sequential(rnn.SeqLSTM(3, 4).remember("both"), rnn.SeqGRU(4, 2).remember("both")).evaluate()
    x = draw(5, 2, 3)
    inputs = [x, x, x]
    program = pl.compile(net, (5, None, 3))
    outputs = [program(x) for x in inputs]
    assert not np.array_equal(outputs[0], outputs[1])
    other = saved(program, tmp_path)
    for one in (other, other.clone(), other):
        one.forget()
        for x, output in zip(inputs, outputs, strict=True):
            assert_same(one(x), output)
    with pytest.raises(ShapeError, match=r"expected 5 x 2 x 3, as before, for the state of earlier calls, got 5 x 3 x 3"):
        other(draw(5, 3, 3))


def test_all_sizes_share_their_weights(tmp_path: Path) -> None:
    net = nn.Sequential(nn.SpatialConvolution(3, 64, 3, 3), nn.ReLU(), nn.SpatialConvolution(64, 64, 3, 3))
    program = pl.compile(net, (None, 3, None, None))
    inputs = [draw(n, 3, height, 9) for height in (8, 12) for n in (1, 3)]
    outputs = [program(x) for x in inputs]
    other = saved(program, tmp_path)
    for x, output in zip(inputs, outputs, strict=True):
        assert_same(other(x), output)
    assert (tmp_path / "net.thnn").stat().st_size < other.bytes()[0] + 20000
    with pytest.raises(
        ShapeError, match=r"expected floats n x 3 x \d+ x \d+, or floats n x 3 x 8 x 9, or floats n x 3 x 12 x 9, got"
    ):
        other(draw(1, 3, 9, 9))


def test_a_state_of_other_arrays_is_refused(tmp_path: Path) -> None:
    """The sequence of two steps keeps fewer arrays than that of three."""
    net = rnn.Sequencer(rnn.FastLSTM(3, 4)).remember("both").evaluate()
    program = pl.compile(net, (None, 1, 3))
    for steps in (2, 3):
        program(draw(steps, 1, 3))
        program.forget()
    with pytest.raises(ArgumentError, match=r"program.save: expected a state of the same arrays for all sizes"):
        program.save(tmp_path / "net.thnn")


class Named(nn.Module):
    """A layer with a table of outputs."""

    def __init__(self, keys: Any) -> None:
        super().__init__()
        self.keys = keys

    def updateOutput(self, input: Any) -> Any:
        self.output = {key: (input * 2, [input + 1]) for key in self.keys}
        return self.output


def test_tables_keep_their_types(tmp_path: Path) -> None:
    program = pl.compile(Named(("a", 1, 2.5)), (None, 3))
    x = draw(2, 3)
    found = saved(program, tmp_path)(x)
    for key, value in program(x).items():
        assert_same([*found[key]], [*value])
    assert [*found] == ["a", 1, 2.5] and type(found["a"]) is tuple
    with pytest.raises(ArgumentError, match=r"expected tables with keys that are texts or numbers, got \(1, 2\)"):
        pl.compile(Named([(1, 2)]), (None, 3)).save(tmp_path / "other.thnn")
    assert not (tmp_path / "other.thnn").exists()


@pytest.mark.parametrize(
    ("labels", "preparation", "text"),
    [
        ("abc", {}, "labels: expected a list of texts or None"),
        ([1], {}, "labels: expected a list of texts or None"),
        (None, {"python": 1}, "preparation: expected a dict of size, crop, gray"),
        (None, {"a\nb": 1}, "preparation: expected a dict of size, crop, gray"),
        (None, {"crop": [2, float("inf")]}, "preparation: crop: expected one number, or up to three"),
        (None, {"mean": "x"}, "preparation: mean: expected one number, or up to three"),
        (None, {"mean": [1, 2, 3, 4]}, "preparation: mean: expected one number, or up to three"),
    ],
)
def test_wrong_labels_and_preparations(labels: Any, preparation: Any, text: str, tmp_path: Path) -> None:
    program = pl.compile(nn.Linear(3, 2), (None, 3))
    program.labels, program.preparation = labels, preparation
    with pytest.raises(ArgumentError, match=f"program.save: {text}"):
        program.save(tmp_path / "net.thnn")
    assert not list(tmp_path.iterdir())


def test_labels_that_are_no_utf8(tmp_path: Path) -> None:
    """A .t7 file may have names of bytes; lines of the file show them, and the program keeps them."""
    program = pl.compile(nn.Linear(3, 2), (None, 3))
    program.labels, program.preparation = ["caf\udce9"], {"mean": np.float32([0.5, 0.25, 0.125])}
    other = saved(program, tmp_path)
    assert (other.labels, other.preparation) == (["caf\udce9"], {"mean": [0.5, 0.25, 0.125]})
    content = (tmp_path / "net.thnn").read_bytes()
    assert b"label caf\\xe9\n" in content and b"mean 0.5 0.25 0.125\n" in content
    other.clone().labels.append("x")
    assert other.labels == ["caf\udce9"]


def test_tables_of_other_structures_are_refused(tmp_path: Path) -> None:
    program = pl.compile(nn.SplitTable(0), (None, 3))
    program(draw(2, 3))
    program(draw(4, 3))
    with pytest.raises(ArgumentError, match=r"program.save: expected outputs of one structure for all sizes"):
        program.save(tmp_path / "net.thnn")
    assert not list(tmp_path.iterdir())


def test_errors_name_the_module(tmp_path: Path) -> None:
    net = nn.Sequential(nn.LookupTable(7, 3), nn.Tanh())
    other = saved(pl.compile(net, np.int64([1, 2])), tmp_path)
    with pytest.raises(
        IndexRangeError, match=r"in module 1 of nn.Sequential, nn.LookupTable: input: expected 0 to 6, got 7"
    ) as error:
        other(np.int64([1, 7]))
    with pytest.raises(IndexRangeError) as eager:
        net.forward(np.int64([1, 7]))
    assert str(error.value) == str(eager.value)


def test_labels_and_preparation(tmp_path: Path) -> None:
    program = pl.compile(nn.Sequential(nn.Linear(3, 2), nn.LogSoftMax()), (None, 3))
    program.labels = ["a cat", "dog\nand puppy"]
    program.preparation = {"mean": (0.25, 0.5, 1 / 3), "scale": 1 / 255, "bgr": True, "size": 256}
    other = saved(program, tmp_path)
    assert (other.labels, other.preparation["scale"], other.preparation["bgr"]) == (program.labels, 1 / 255, True)
    assert other.preparation == {**program.preparation, "mean": [0.25, 0.5, 1 / 3]}
    lines = (tmp_path / "net.thnn").read_bytes()[56:].split(b"\n")
    expected = [b"input float32 N x 3", b"output N x 2", b"scores logarithms", b"label a cat", b"label dog and puppy"]
    assert lines[:5] == expected
    assert b"mean 0.25 0.5 0.3333333333333333" in lines and b"bgr True" in lines


def test_the_file_may_be_replaced_while_it_is_used(tmp_path: Path) -> None:
    path = tmp_path / "net.thnn"
    one, two = (pl.compile(nn.Linear(3, 2), (None, 3)) for _ in range(2))
    one.save(path)
    program = pl.Program.load(path)
    two.save(path)
    x = draw(4, 3)
    assert_same(program(x), one(x))
    path.unlink()
    assert_same(program.clone()(x), one(x))


def test_what_is_no_program(tmp_path: Path) -> None:
    path = tmp_path / "net.thnn"
    pl.compile(nn.Linear(3, 2), (None, 3)).save(path)
    data = path.read_bytes()

    def refused(content: bytes, error: Any, text: str) -> None:
        path.write_bytes(content)
        with pytest.raises(error, match=text) as found:
            pl.Program.load(path)
        assert str(path) in str(found.value)

    refused(b"", ValueRangeError, "expected a program, which begins with THNNprog, got 0 other bytes")
    refused(DIGITS.read_bytes(), ValueRangeError, "expected a program, which begins with THNNprog")
    refused(data[:-1], ValueRangeError, r"expected \d+ bytes, as the program says, got \d+")
    refused(data[:-30] + b"\x80" + data[-29:], ValueRangeError, "the bytes were damaged")
    refused(data[:8] + b"\x07" + data[9:], VersionError, "expected version 1 of programs, got 7")
    with pytest.raises(FileNotFoundError):
        pl.Program.load(tmp_path / "other.thnn")
    os.mkfifo(tmp_path / "pipe")
    for other in ("pipe", "."):
        with pytest.raises(ValueRangeError, match="expected a regular file"):
            pl.Program.load(tmp_path / other)
    path.write_bytes(data)
    with pytest.raises(pl.T7Error, match=r"got a program: pl.Program.load reads it"):
        pl.load(path)


NOTES: list[Any] = [
    "", "python", "python {}", "python []", "python {", "python 1", "python " + "[" * 100000,
    {"table": 1}, {"table": [[]]}, {"table": {"shape": [None, 3], "dtype": "object"}},
    {"table": {"shape": [None, 3], "dtype": "float64"}}, {"table": {"shape": 3, "dtype": "float32"}},
    {"table": {"shape": [None, 3], "dtype": 7}}, {"output": 5}, {"output": {}}, {"output": [0, 0]}, {"output": {"pairs": 3}},
    {"truths": [9]}, {"truths": None}, {"lists": []}, {"lists": [[[0], [], 0, []]]}, {"lists": [[[99], [], 0, []]] * 2},
    {"lists": [[[0], [[0, "nothing"]], 0, []]] * 2}, {"lists": [[[0], [[0, "annotations"]], 0, []]] * 2},
    {"places": []}, {"places": [3]}, {"labels": 5}, {"preparation": None}, {"weights": "many"}, {"weights": float("inf")},
]  # fmt: skip


@pytest.mark.parametrize("changed", NOTES, ids=range(len(NOTES)))
def test_wrong_notes(changed: Any, tmp_path: Path) -> None:
    """Notes that do not fit the program are refused."""
    program = pl.compile(nn.Sequential(nn.Linear(3, 2)), (None, 3))
    program.save(tmp_path / "net.thnn")
    content = (tmp_path / "net.thnn").read_bytes()
    lists = decoded(content)
    text = content[56:].partition(b"python ")[2].partition(b"\n")[0]
    notes = changed if isinstance(changed, str) else f"python {json.dumps(json.loads(text) | changed)}\n"
    (tmp_path / "net.thnn").write_bytes(bytes(encoded(lists, notes=notes)))
    with pytest.raises(ValueRangeError, match=r"Program.load: .*net.thnn: .*(notes|damaged)"):
        pl.Program.load(tmp_path / "net.thnn")


def test_notes_that_are_no_text(tmp_path: Path) -> None:
    absolute = encoding.call("FloatAbs_updateOutput", encoding.tensor(0, 2, 2, 3), encoding.tensor(0, 3, 2, 3))
    ports = [encoding.port(0, 2, 3)]
    listed = encoding.calls(inputs=ports, outputs=ports, calls=[absolute])
    (tmp_path / "net.thnn").write_bytes(encoding.program(listed, notes=b"label \xff\n", isChecked=True))
    with pytest.raises(ValueRangeError, match=r"expected the notes of this package, got others \(UnicodeDecodeError"):
        pl.Program.load(tmp_path / "net.thnn")


def test_a_layer_of_the_user_that_is_not_loaded(tmp_path: Path) -> None:
    program = pl.compile(nn.Sequential(nn.Linear(3, 2)), (None, 3))
    program.save(tmp_path / "net.thnn")
    content = (tmp_path / "net.thnn").read_bytes()
    text = content[56:].partition(b"python ")[2].partition(b"\n")[0]
    notes = json.loads(text)
    for one in notes["lists"]:
        one[3] = ["FloatGolden_updateOutput_0123456789abcdef"]
    (tmp_path / "net.thnn").write_bytes(bytes(encoded(decoded(content), notes=f"python {json.dumps(notes)}\n")))
    with pytest.raises(UnsupportedError, match=r"Golden"):
        pl.Program.load(tmp_path / "net.thnn")


@pytest.mark.parametrize("name", NETWORKS)
def test_lists_are_decoded(name: str) -> None:
    """The lists of the bytes of a program, encoded again, are these bytes."""
    make, example, inputs = NETWORKS[name]
    program = pl.compile(make(), example)
    for x in inputs:
        program(x)
    for made in program._programs.values():
        again = encoded(decoded(made.opened.bytes))
        assert bytes(again) == bytes(made.opened.bytes)


def test_a_program_that_tests_encode_is_decoded() -> None:
    call = encoding.call("FloatAbs_updateOutput", encoding.tensor(0, 2, 2, 3), encoding.tensor(0, 3, 2, 3))
    ports = [encoding.port(0, 2, 3)]
    [one] = decoded(encoding.program(encoding.calls(inputs=ports, outputs=ports, calls=[call]), notes=b"x y\n"))
    assert [(each.name, each.reads, each.writes) for each in one.calls] == [("FloatAbs_updateOutput", (0,), (1,))]
    assert [ref.shape for ref in (*one.inputs, *one.outputs)] == [(2, 3), (2, 3)]
