"""--input: what it takes in `convert`, `inspect` and `run`, and what is told and assumed without it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn, t7
from pytorch_legacy.cli import main
from pytorch_legacy.inference import expected, inputs
from pytorch_legacy.inference.problem import Problem

from .test_cli import DIGITS, fail, run


@pytest.fixture(autouse=True)
def _time(monkeypatch) -> None:
    monkeypatch.setattr(expected, "SECONDS", 60)


def saved(path: Path, value: object) -> str:
    pl.save(path, value)
    return str(path)


def chain(*layers: nn.Module) -> nn.Module:
    net = nn.Sequential()
    for layer in layers:
        net.add(layer)
    return net


# ---------------------------------------------------------------------------------------------- the text


def test_what_a_text_stands_for() -> None:
    array = inputs.Array
    assert inputs.parse("1x3x32X32") == array((1, 3, 32, 32))
    assert inputs.parse(" 1x3 , Nx10:int ") == [array((1, 3)), array(("N", 10), "int")]
    assert inputs.parse("7,(1x2,{3})") == [array((7,)), [array((1, 2)), [array((3,))]]]
    for text in ("4:0..89", "4:0-89", "4:int:0..89", "4:0..89:int"):
        assert inputs.parse(text) == array((4,), "int", (0, 89))
    assert inputs.parse("4:-1.5..2") == array((4,), "float", (-1.5, 2.0))
    assert inputs.parse("4:float:0..1") == array((4,), "float", (0, 1))
    assert len(set(inputs.parse("NonexNonexh").sizes)) == 3
    for text in ("1x3", "Nx3xHxH:byte:0..9", "7,(1x2,(3)),4:long", "(3)"):
        assert inputs.parse(inputs.format_spec(inputs.parse(text))) == inputs.parse(text)


@pytest.mark.parametrize(
    "text",
    ["", "x", "1x", "1x0", "-1", "1,,2", "1,", "(1", "1)", "(1}", "()", "(1)(2)", "1 2", "1:real", "1:int:int", "1:0..1:2..3",
     "1:9..0", "1:byte:0..256", "1:int:0..1.5", "99999x99999", "1" * 5000, "(" * 5000, "1:" + "9" * 30 + "..0", "\x1b[31m",
     "1.5", "XxX", "9x" * 9999 + "9"],
)  # fmt: skip
def test_texts_that_are_none(text: str) -> None:
    with pytest.raises(Problem, match=r"--input .*: expected"):
        inputs.parse(text)


def test_numbers_are_in_their_range() -> None:
    net = nn.ParallelTable().add(nn.LookupTable(9, 3)).add(nn.Identity())
    rng = np.random.default_rng(0)
    made = inputs.drawn(inputs.parse("400:int,400:2..5,(400:byte,400:0..1.0)"), net, {}, rng)
    assert set(made[0]) == set(range(9)) and set(made[1]) == {2, 3, 4, 5} and made[0].dtype == np.int64
    assert made[2][0].dtype == np.uint8 and made[2][1].dtype == np.float32 and 0 <= made[2][1].min() < made[2][1].max() <= 1
    assert inputs.drawn(inputs.parse("3:2..5"), net, {}, None).tolist() == [2, 2, 2]


# ---------------------------------------------------------------------------------------------- what is expected


def graph() -> nn.Module:
    """A graph of an LSTM's kind: the layers after the sum decide the size of the cell."""
    x, c = nn.Identity()(), nn.Identity()()
    total = nn.CAddTable()([nn.Linear(5, 4)(x), nn.Tanh()(c)])
    return nn.gModule([x, c], [nn.Linear(4, 2)(total), total])


def test_words() -> None:
    picture, table = nn.SpatialConvolution(3, 4, 3, 3), nn.ParallelTable
    needs_batch = nn.Concat(1).add(nn.Linear(7, 3)).add(nn.Linear(7, 2))
    cases: list[tuple[nn.Module, str | None, str | None]] = [
        (nn.Linear(7, 2), "7", "Nx7"),
        (needs_batch, "batch x 7", "Nx7"),
        (chain(nn.View(7), nn.Linear(7, 2)), "7", "Nx7"),
        (chain(nn.Transpose((0, 1)), nn.Linear(7, 2)), None, None),
        (picture, "3 x H x W", "Nx3xHxW"),
        (chain(picture, nn.View(4 * 4), nn.Linear(16, 2)), "3 x 4 x 4", "Nx3x4x4"),
        (table().add(nn.Linear(10, 2)).add(picture), "a table of two: 10; 3 x H x W", "Nx10,Nx3xHxW"),
        (table().add(nn.Linear(10, 2)).add(needs_batch), "a table of two: batch x 10; batch x 7", "Nx10,Nx7"),
        (table().add(table().add(nn.Linear(2, 2)).add(nn.Linear(3, 3))).add(nn.Linear(4, 2)),
         "a table of two: a table of two: 2; 3; 4", "(Nx2,Nx3),Nx4"),
        (chain(nn.ConcatTable().add(chain(nn.SelectTable(1), nn.Linear(3, 2))).add(chain(nn.SelectTable(0), nn.Linear(4, 2)))),
         "a table of two: 4; 3", "Nx4,Nx3"),
        (chain(nn.CAddTable(), nn.Linear(7, 2)), "a table, each 7", "Nx7,Nx7"),
        (chain(nn.JoinTable(1), nn.Linear(7, 2)), "a table", None),
        (nn.MapTable(nn.Linear(3, 2)), "a table, each 3", "Nx3,Nx3"),
        (nn.Bilinear(3, 4, 2), "a table of two: batch x 3; batch x 4", "Nx3,Nx4"),
        (rnn.Sequencer(needs_batch), "a table of steps, each batch x 7", "TxNx7"),
        (rnn.Sequencer(rnn.FastLSTM(7, 3)), "a table of steps, each batch x 7", "TxNx7"),
        (rnn.LSTM(7, 3), "7", "Nx7"),
        (chain(rnn.SeqLSTM(7, 3)), "steps x batch x 7", "16xNx7"),
        (graph(), "a table of two: 5; 4", "Nx5,Nx4"),
        (nn.LookupTable(9, 2), "indices from 0 to 8", "Nx8:int:0..8"),
        (chain(nn.LookupTable(9, 3), nn.View(12), nn.Linear(12, 2)), "4 indices from 0 to 8", "Nx4:int:0..8"),
        (nn.TemporalConvolution(5, 3, 2), "frames x 5", "Nx16x5"),
        (nn.VolumetricConvolution(2, 3, 2, 2, 2), "2 x T x H x W", "Nx2xTxHxW"),
        (nn.Tanh(), None, None),
        (chain(nn.Linear(7, 2), nn.Unknown("my.Layer")), "7", "Nx7"),
    ]  # fmt: skip
    for net, words, text in cases:
        takes = expected.expected(net)
        assert (None if takes is None else str(takes)) == words, net
        spec = None if takes is None else takes.spec()
        assert (None if spec is None else inputs.format_spec(spec)) == text, net


def test_asking_changes_nothing() -> None:
    net = chain(nn.SpatialConvolution(1, 2, 3, 3), nn.SpatialBatchNormalization(2))
    net.training()
    before = net.forward(np.ones((2, 1, 4, 4), np.float32))
    copy, mean = before.copy(), net[1].running_mean.copy()
    assert str(expected.expected(net)) == "1 x H x W"
    assert net.train and net.output is before and (before == copy).all() and (net[1].running_mean == mean).all()


def test_a_batch_that_a_view_has_multiplied_is_seen() -> None:
    """The first size that runs is not the one that it was made for: the rest goes to the batch."""
    layers = chain(nn.SpatialConvolution(1, 2, 3, 3), nn.View(2 * 9 * 9), nn.Linear(2 * 9 * 9, 2))
    assert str(expected.expected(layers)) == "1 x 11 x 11"  # 29 runs, too
    folds = chain(nn.Linear(6, 6), nn.View(3), nn.Linear(3, 2))
    takes = expected.expected(folds)
    assert takes is not None and takes.changes
    joins = chain(nn.Linear(6, 6), nn.Reshape(12, False), nn.Linear(12, 2))
    assert (takes := expected.expected(joins)) is None or takes.changes


# ---------------------------------------------------------------------------------------------- inspect, run, convert


def test_inspect_with_tables_and_types(capsys, tmp_path) -> None:
    net = nn.ParallelTable().add(nn.SpatialConvolution(3, 4, 3, 3)).add(nn.LookupTable(9, 2))
    model = saved(tmp_path / "m.t7", net)
    out = run(capsys, "inspect", model, "--input", "1x3x8x8,1x5:int")
    assert "for an input of {1x3x8x8, 1x5}" in out and "1x4x6x6" in out and "1x5x2" in out
    assert "for an input of {1x3x4x4, 1x5}" in run(capsys, "inspect", model, "--input", "Nx3xHxH,Nx5:0..8")
    assert "expects a table of two: 3 x H x W; indices from 0 to 8" in run(capsys, "inspect", model)
    text = fail(capsys, "inspect", model, "--input", "1x3x8x8")
    assert "expected a table of 2" in text and "the network expects a table of two" in text
    assert "1 x 4 x 4" in fail(capsys, "inspect", saved(tmp_path / "d.t7", nn.Linear(7, 2)), "--input", "1x4x4")


def test_several_networks(capsys, tmp_path) -> None:
    """The one that fails is named, the others are shown; as text and as JSON."""
    model = saved(tmp_path / "m.t7", {"a": nn.Linear(7, 2), "b": nn.Linear(5, 3)})
    for options in ([], ["--json"]):
        assert main(["inspect", model, "--input", "1x7", *options]) == 1
        captured = capsys.readouterr()
        assert "b of 2 networks: --input 1x7: " in captured.err and "--model b shows one alone" in captured.err
        assert captured.err.count("\n") == 1 and "1x2" in captured.out and "1x3" not in captured.out
        if options:
            told = {network["place"]: network.get("problem") for network in json.loads(captured.out)["networks"]}
            assert told["a"] is None and "expects an input of 5" in told["b"]
    assert "1x3" in run(capsys, "inspect", model, "--input", "1x5", "--model", "b")


def test_run_on_random_numbers_and_words(capsys, tmp_path) -> None:
    out = run(capsys, "run", DIGITS, "--input", "1x1x8x8")
    assert "--input: 1x1x8x8 in, 1x10 out" in out and "note: the input was random numbers" in out
    two = nn.ParallelTable().add(nn.LookupTable(900, 1)).add(nn.LookupTable(2, 1))  # each place has its own range
    run(capsys, "run", saved(tmp_path / "two.t7", two), "--input", "500,500:int")
    model = saved(tmp_path / "m.t7", nn.ParallelTable().add(nn.Linear(4, 2)).add(nn.LookupTable(9, 3)))
    run(capsys, "run", model, "--input", "2x4,2:int", "-o", str(tmp_path / "out.t7"))
    assert [array.shape for array in pl.load(tmp_path / "out.t7")] == [(2, 2), (2, 3)]
    np.save(tmp_path / "in.npy", np.zeros((2, 4), np.float32))
    assert "the network expects a table of two: 4; " in fail(capsys, "run", model, str(tmp_path / "in.npy"))
    assert "expected a file, or --input" in fail(capsys, "run", model)
    assert "expected a file, or --input" in fail(capsys, "run", model, "in.npy", "--input", "1x2")
    assert "there is no such file" in fail(capsys, "run", model, "--top", "3", "in.npy")
    np.savez(tmp_path / "in.npz", a=np.zeros((2, 4), np.float32), b=np.array([3, 8]), c=np.zeros(1))
    assert "no array 'd'; there is: 'a', 'b', 'c'" in fail(capsys, "run", model, str(tmp_path / "in.npz"), "--key", "d")
    np.savez(tmp_path / "in.npz", a=np.zeros((2, 4), np.float32), b=np.array([3, 8]))
    assert "{2x4, 2} in, {2x2, 2x3} out" in run(capsys, "run", model, str(tmp_path / "in.npz"))
    for content in (b"PK\x03\x04" + bytes(40), (tmp_path / "in.npz").read_bytes()[:-40]):
        (tmp_path / "bad.npz").write_bytes(content)
        assert "zip archive" in fail(capsys, "run", model, str(tmp_path / "bad.npz"))


def test_networks_in_objects_that_are_not_known(capsys, tmp_path) -> None:
    """They have a place; criterions and data are no networks; each stub, executed, makes the object known."""
    trunk = t7.TorchObject("nn.Sequential", 1, {"modules": [t7.TorchObject("nn.Tanh", 1, {})]})
    value = {
        "model": t7.TorchObject("my.Net", 1, {"trunk": trunk}),
        "loss": t7.TorchObject("my.FocalCriterion", 1, {"gradInput": np.zeros(2), "output": 1.5}),
        "other": t7.TorchObject("my.Loss", 1, {"sizeAverage": True}),
        "options": t7.TorchObject("my.Options", 1, {"rate": 0.1, "names": ["a"]}),
        "layer": t7.TorchObject("my.Layer", 1, {"weight": np.zeros(2)}),
    }
    t7.write(tmp_path / "x.t7", value)
    model = str(tmp_path / "x.t7")
    data = json.loads(run(capsys, "inspect", model, "--json"))
    assert [network["place"] for network in data["networks"]] == ["model", "model.trunk", "layer"]
    roles = {entry["typename"]: (entry["role"], entry["stub"]) for entry in data["unknown_classes"]}
    assert {name: role for name, (role, _) in roles.items()} == {
        "my.Net": "module", "my.FocalCriterion": "criterion", "my.Loss": "criterion", "my.Options": "data", "my.Layer": "module",
    }  # fmt: skip
    assert "{1x3}" not in run(capsys, "inspect", model, "--model", "model.trunk", "--input", "1x3")
    np.save(tmp_path / "in.npy", np.zeros((1, 3), np.float32))
    assert "--model: model.trunk" in fail(capsys, "run", model, str(tmp_path / "in.npy"))
    assert "1x3 out" in run(capsys, "run", model, str(tmp_path / "in.npy"), "--model", "model.trunk")
    assert "1x3 out" in run(capsys, "run", model, str(tmp_path / "in.npy"), "--model", "model.trunk.1")
    before = dict(pl.files.classes._registered)
    try:
        for _, stub in roles.values():
            exec(stub, {"pl": pl})
        known = pl.load(model)
    finally:
        pl.files.classes._registered.clear()
        pl.files.classes._registered.update(before)
    assert known["options"].rate == 0.1 and isinstance(known["loss"], nn.Criterion) and known["model"].trunk.forward is not None
