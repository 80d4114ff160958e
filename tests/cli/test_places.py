"""One notion of a place: what is printed anywhere is found again, and counts from 1."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import interop, nn, t7
from pytorch_legacy.cli import main
from pytorch_legacy.interop import places


def network() -> nn.Sequential:
    """Two levels, with names as loadcaffe gives them."""
    net = nn.Sequential(nn.Sequential(nn.SpatialConvolution(1, 2, 3, 3), nn.ReLU()), nn.View(-1), nn.Linear(2, 3))
    net[0][0].name, net[2].name = "conv1_1", "fc8"
    return net


def output(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([*map(str, arguments)]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def error(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main([*map(str, arguments)]) == 1
    return capsys.readouterr().err


VALUES = {
    "a table": {"model": network(), "mean": np.zeros(3)},
    "lists": [np.zeros(2), [nn.Tanh(), {"net": network(), 7: network(), 2.5: np.ones(2), "3": [np.ones(1)]}]],
    "strange keys": {
        "a.b": network(),
        "a": {"b": nn.Tanh()},
        "a key": [network()],
        "": np.ones(1),
        "it's": np.ones(2),
        "é": network(),
    },
    "numbers": {1: nn.Tanh(), "1": network(), -4: np.ones(3)},
    "a network": network(),
    "not known": {"net": nn.Sequential(), "own": [t7.TorchObject("my.Net", 1, {"trunk": t7.TorchObject("my.Layer", 1, {})})]},
}


@pytest.mark.parametrize("name", VALUES)
def test_each_place_leads_back(name: str, tmp_path: Path) -> None:
    pl.save(tmp_path / "x.t7", VALUES[name])
    for value in (pl.load(tmp_path / "x.t7"), t7.read(tmp_path / "x.t7")):
        count = 0
        for visit in interop.walk(value):
            text = places.text(visit)
            if "<" in text or visit.depth == 0:
                continue
            for spelled in (text, f"root.{text}", f"({text})"):
                found = places.find(value, spelled)
                assert len(found) == 1 and found[0].value is visit.value, (text, spelled, found)
            count += 1
        assert count > 5


def test_spellings_of_a_place() -> None:
    value = VALUES["lists"]
    net = value[1][1]["net"]  # type: ignore[index]
    for text in ("2.2.net.1.1", "[2][2].net.modules[1].modules[1]", "root[2][2].net[1][1]", "2.2.net.conv1_1", "(2.2.net.1.1)"):
        assert places.find(value, text)[0].value is net[0][0], text
    assert places.from_lua("root[2][2].net.modules[1].modules[1].weight") == "2.2.net.1.1.weight"
    assert [*map(places.from_lua, ("root", "root.model", "root.modules[12]", ""))] == ["root", "model", "12", ""]
    assert places.find(value, "2.2.'3'.1")[0].value is value[1][1]["3"][0]  # type: ignore[index]
    assert places.find(value, "2.2.net.1.1.weight")[0].value is net[0][0].weight
    for text in ("0", "1.1.net", "2.2.net.0", "2.2.net.4", "3", "2..2", "2.2.net.weight", "[2", "2.2.nett", "-1", "9" * 40, "'"):
        assert not places.find(value, text), text
    assert len(places.find(value, "conv1_1")) == 2  # one of each network
    itself: dict = {}
    itself["self"] = itself
    assert places.find(itself, ".".join(["self"] * 3000))[0].value is itself
    assert not places.find(itself, ".".join(["self"] * 3000 + ["x"]))


@pytest.mark.parametrize("name", VALUES)
def test_whatever_inspect_prints_is_a_model(name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "x.t7"
    pl.save(file, VALUES[name])
    out = output(capsys, "inspect", file)
    headings = [line.split(": ")[0] for line in out.splitlines() if re.search(r": (nn|my)\.\w+, [\d,]+ parameters, ", line)]
    rows = re.findall(r"^ +\(([^)]*)\) (?!->)", out, re.MULTILINE)
    assert headings and (rows or name == "not known")
    for place in [*headings, *rows]:
        shown = output(capsys, "inspect", file, "--model", place)
        assert f"\n{place}: " in shown
    data = json.loads(output(capsys, "inspect", file, "--json"))
    assert [network["place"] or "root" for network in data["networks"]] == headings


def test_both_tables_of_a_file_count_alike(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "x.t7"
    pl.save(file, VALUES["lists"])
    out = output(capsys, "inspect", file)
    assert "\n    2  table of 4\n      net    nn.Sequential\n      7      nn.Sequential\n" in out
    assert "\n2.2.net: nn.Sequential, " in out and "(2.2.net.1.1) nn.SpatialConvolution(1 -> 2, 3x3)" in out
    assert "\n2.2.net: nn.Sequential" in output(capsys, "inspect", file, "--model", "2.2.net")
    refused = error(capsys, "inspect", file, "--model", "1.1.net")
    assert refused.endswith("--model 1.1.net: there is no such place; networks of the file: 2.1, 2.2.net, 2.2.7\n")
    assert "expected a network, got a float64 array of 2" in error(capsys, "inspect", file, "--model", "1")
    text = error(capsys, "inspect", file, "--model", "fc8")
    assert "several modules have this name; choose one by its place: 2.2.net.3, 2.2.7.3" in text
    np.save(tmp_path / "in.npy", np.zeros((1, 1, 3, 3), np.float32))
    assert "3 out" in output(capsys, "run", file, tmp_path / "in.npy", "--model", "2.2.net")
    assert "6 tensors" not in output(capsys, "convert", file, tmp_path / "w.npz", "--model", "2.2.net.conv1_1")
    assert np.load(tmp_path / "w.npz").files == ["weight", "bias"]


def test_names_of_modules(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "x.t7"
    pl.save(file, {"model": network()})
    out = output(capsys, "inspect", file)
    assert re.search(r"module +name +parameters\n", out)
    assert re.search(r"\(model\.1\.1\) nn\.SpatialConvolution\(1 -> 2, 3x3\) +conv1_1 +20\n", out)
    assert not re.search(r"^  module +name", output(capsys, "inspect", file, "--model", "model.2"), re.MULTILINE)
    assert ("    (1.1) nn.SpatialConvolution(1 -> 2, 3x3)", "conv1_1", "20") in [
        ("    " + row[0].strip(), *row[1:]) for row in network().summary().rows
    ]
    with pytest.raises(pl.errors.ShapeError, match=r"^in module 3 \(fc8\) of nn\.Sequential, nn\.Linear"):
        network().forward(np.zeros((1, 1, 9, 9), np.float32))
    for ending in (".h5", ".safetensors"):
        output(capsys, "convert", file, tmp_path / f"w{ending}")
    h5py, safetensors = pytest.importorskip("h5py"), pytest.importorskip("safetensors")
    with h5py.File(tmp_path / "w.h5") as archive:
        weight = archive["model.0.0.weight"]
        assert dict(weight.attrs) == {"place": "model.1.1.weight", "name": "conv1_1"}
    with safetensors.safe_open(tmp_path / "w.safetensors", "numpy") as archive:
        said = archive.metadata()
    assert said["model.2.bias.place"] == "model.3.bias" and said["model.2.bias.name"] == "fc8"
    assert interop.load(tmp_path / "w.h5").keys() == interop.load(tmp_path / "w.safetensors").keys()


def test_a_tensor_is_named_by_its_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model, data = tmp_path / "net.t7", tmp_path / "data.t7"
    pl.save(model, nn.Sequential(nn.Linear(3, 2)))
    pl.save(
        data, [{"a": {"x": np.zeros((4, 3), np.float32)}, "net": nn.Sequential(nn.Linear(3, 5))}, np.ones((1, 3), np.float32)]
    )
    assert "4x3 in, 4x2 out" in output(capsys, "run", model, data, "--key", "1.a.x")
    assert "1x3 in" in output(capsys, "run", model, data, "--key", "2")
    assert "5x3 in" in output(capsys, "run", model, data, "--key", "1.net.1.weight")
    text = error(capsys, "run", model, data, "--key", "1.b")
    assert "--key 1.b: there is no such place; tensors of the file: 1.a.x, 1.net.1.weight, 1.net.1.bias, 2\n" in text
    assert "--key 1.a: expected a tensor or a list of tensors, got a table of 1" in error(
        capsys, "run", model, data, "--key", "1.a"
    )


def test_weights_of_classes_that_are_not_known_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    weight = np.ones((2, 3), np.float32)
    layer = t7.TorchObject(
        "my.Layer", 1,
        {
            "weight": weight, "bias": np.ones(3, np.float32), "gradWeight": weight + 1, "output": np.ones(9, np.float32),
            "running_mean": np.ones(7, np.float32), "indices": np.ones(4, np.int64), "more": [np.ones(10, np.float32), weight],
        },
    )  # fmt: skip
    trunk = t7.TorchObject(
        "nn.Sequential", 1, {"modules": [t7.TorchObject("nn.Linear", 1, {"weight": np.ones((2, 2), np.float32)})]}
    )
    tied = t7.TorchObject("my.Tied", 1, {"weight": weight})
    net = t7.TorchObject(
        "my.Net",
        1,
        {"trunk": trunk, "scale": np.ones(1, np.float32), "gradScale": np.ones(1, np.float32), "modules": [layer, tied]},
    )
    t7.write(tmp_path / "x.t7", {"model": net, "list": t7.TorchObject("my.List", 1, [np.ones(5, np.float32)])})
    out = output(capsys, "inspect", tmp_path / "x.t7")
    assert "model: my.Net, 24 parameters" in out  # 1 + 4 in the trunk, 6 + 3 + 10 in the layer; what is tied counts once
    assert re.search(r"\(model\.1\) my\.Layer +19\n", out) and re.search(r"\(model\.2\) my\.Tied.*shares its weight.* 6\n", out)
    assert pl.load(tmp_path / "x.t7")["model"].summary().title.startswith("my.Net, 24 parameters")


def test_an_error_of_run_counts_modules_as_the_file_does(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The network that runs has no Identity, and no chain in a chain."""
    pl.save(tmp_path / "net.t7", nn.Sequential(nn.Identity(), nn.Sequential(nn.Dropout(), nn.Linear(3, 2))))
    np.save(tmp_path / "x.npy", np.zeros((4, 4), np.float32))
    place = "in module 2 of nn.Sequential, in module 2 of nn.Sequential, nn.Linear: input: expected 3 columns"
    for given in (
        (tmp_path / "x.npy",),
        ("--input", "4x4"),
        ("--input", "4x4", "--no-optimize"),
        ("--input", "4x4", "--optimize"),
    ):
        assert place in error(capsys, "run", tmp_path / "net.t7", *given)


def test_places_behind_the_name_of_a_module(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Names may have quotes, dots in them, and a field behind them; also in a file that is only read."""
    net = nn.Sequential(nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 2)), nn.Linear(2, 3), nn.Linear(3, 3))
    for module, name in ((net[0], "conv1/3x3.a"), (net[1][0], "3"), (net[2], "twice"), (net[3], "twice")):
        module.name = name
    pl.save(tmp_path / "x.t7", {"model": net})
    for value in (pl.load(tmp_path / "x.t7"), t7.read(tmp_path / "x.t7")):
        for text, place in (
            ("conv1/3x3.a", "model.1"), ("'conv1/3x3.a'", "model.1"), ("model.conv1/3x3.a.weight", "model.1.weight"),
            ("model.'conv1/3x3.a'.bias", "model.1.bias"), ("model.'3'.weight", "model.2.1.weight"),
            ("root.model.'3'", "model.2.1"), ("model.3", "model.3"), ("model.2.'3'.weight", "model.2.1.weight"),
        ):  # fmt: skip
            found = places.find(value, text)
            assert [places.text(visit) for visit in found] == [place], text
        assert [places.text(visit) for visit in places.find(value, "twice.weight")] == ["model.3.weight", "model.4.weight"]
        for text in ("conv1/3x3.a.weigh", "conv1/3x3.aa", "conv1/3x3", "model.'3", "'conv1/3x3.a'x"):
            assert not places.find(value, text), text
    assert "a tensor of 2x3" in output(capsys, "convert", tmp_path / "x.t7", tmp_path / "w.npy", "--key", "conv1/3x3.a.weight")
    assert "a tensor of 2x3" in output(capsys, "convert", tmp_path / "x.t7", tmp_path / "w.t7", "--key", "conv1/3x3.a.weight")
    for target in ("w.npy", "w.t7"):
        said = error(capsys, "convert", tmp_path / "x.t7", tmp_path / target, "--key", "twice.bias")
        assert "--key twice.bias: several modules have this name; choose one by its place: model.3.bias, model.4.bias" in said
