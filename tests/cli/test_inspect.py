"""inspect on strange files: sharing, cycles, several objects, functions, broken modules, limits, JSON."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import numpy as np

from pytorch_legacy import nn, t7
from pytorch_legacy.cli import main
from pytorch_legacy.nn import listing as network

SERIALIZATION = Path(__file__).resolve().parents[1] / "golden" / "serialization"


def inspect(capsys, path: object, *options: str) -> str:
    assert main(["inspect", str(path), *options]) == 0
    return capsys.readouterr().out


def written(path: Path, value: object) -> Path:
    t7.write(path, value)
    return path


def test_sharing_and_cycles(capsys, tmp_path) -> None:
    flat = np.arange(10.0)
    value: dict = {"flat": flat, "part": flat[2:4], "again": flat, "list": ["a", True, None], 3: -0.5}
    value["self"] = value
    out = inspect(capsys, written(tmp_path / "a.t7", value))
    assert "flat   tensor 10, float64\n" in out
    assert "part   tensor 2, float64: 2, 3, shares the memory of flat\n" in out
    assert "again  -> the same as flat\n" in out and "self   -> root, which it stands in\n" in out
    assert "3      -0.5" in out and "2  true\n" in out


def test_keys_and_functions(capsys) -> None:
    out = inspect(capsys, SERIALIZATION / "table_objectkeys.t7")
    assert "[<tensor>]" in out and "tensor 3, float64: 1, 2, 3" in out
    out = inspect(capsys, SERIALIZATION / "function_upvalues.t7")
    assert "function: root: Lua function, 83 bytes of LuaJIT 2.1 bytecode, 2 upvalues (n, t); never run" in out


def test_several_objects_and_what_follows(capsys, tmp_path) -> None:
    content = (SERIALIZATION / "number.t7").read_bytes() + (SERIALIZATION / "string.t7").read_bytes()
    (tmp_path / "two.t7").write_bytes(content)
    out = inspect(capsys, tmp_path / "two.t7")
    assert "note: 2 objects, one after the other" in out and "list of 2: 42, 'hello world'" in out
    (tmp_path / "cut.t7").write_bytes(content[:-3])
    out = inspect(capsys, tmp_path / "cut.t7")
    assert ": 42, " in out and "note: " in out and "bytes follow" in out


def test_a_module_that_cannot_be_made_is_shown_as_it_stands(capsys, tmp_path) -> None:
    path = written(tmp_path / "bad.t7", {"net": t7.TorchObject("nn.SpatialMaxPooling", 1, {"kW": "abc"})})
    out = inspect(capsys, path)
    assert "note: shown as it stands in the file: " in out and "field kW: expected a whole number" in out
    assert "net  nn.SpatialMaxPooling, an object of Torch\n    kW  'abc'" in out


def test_unknown_classes_and_what_they_need(capsys, tmp_path) -> None:
    layer = {"weight": np.ones((2, 3)), "gain": 2, "\x1b[31m": "evil"}
    layers = [t7.TorchObject("my.Layer", 1, dict(layer)) for _ in range(3)]
    out = inspect(capsys, written(tmp_path / "u.t7", layers))
    assert "not known: my.Layer, 3 times, first at 1; its fields:\n    weight    tensor 2x3, float64\n" in out
    assert '@pl.register("my.Layer")' in out and "\x1b" not in out
    for name in ("my-own.Layer-2", "nn." + "A" * 60, "nn.\x1b[31mX\n", 'nn."', "nn.\\", "nn.\u202e", ""):
        out = inspect(capsys, written(tmp_path / "u.t7", t7.TorchObject(name, 1, {})))
        literals = re.findall(r"@pl\.register\((.*)\)\n", out)
        assert [ast.literal_eval(text) for text in literals] == [name] and "\x1b" not in out


def test_shared_modules_weights_and_containers_in_themselves(capsys, tmp_path) -> None:
    linear = t7.TorchObject("nn.Linear", 1, {"weight": np.ones((2, 2)), "bias": np.ones(2)})
    tied = t7.TorchObject("nn.Linear", 1, {"weight": linear.fields["weight"], "bias": np.ones(2)})
    net = t7.TorchObject("nn.Sequential", 1, {"modules": [linear, linear, tied]})
    net.fields["modules"].append(net)
    out = inspect(capsys, written(tmp_path / "s.t7", net))
    assert "(2) -> the same module as (1)" in out and "(3) nn.Linear(2 -> 2), shares its weight with (1)" in out
    assert "(4) -> the same module as (the whole), which it stands in" in out and "8 parameters" in out


def test_limits(capsys, tmp_path) -> None:
    path = written(tmp_path / "many.t7", {f"key{i:03}": {"deep": {"deeper": {"deepest": i}}} for i in range(100)})
    out = inspect(capsys, path)
    assert "key029" in out and "key030" not in out and "... and 70 more (--all)" in out and "deepest" not in out
    out = inspect(capsys, path, "--all")
    assert "key099" in out and out.count("deepest") == 100
    assert "deeper" not in inspect(capsys, path, "--depth", "2") and "deep " not in inspect(capsys, path, "--depth", "1")


def test_json(capsys, tmp_path) -> None:
    net = t7.TorchObject("nn.Sequential", 1, {"modules": [t7.TorchObject("my.Layer", 1, {"f": t7.Function(b"\x1bLJ\x01")})]})
    value = {"net": net, "w": np.full(3, np.nan)}
    data = json.loads(inspect(capsys, written(tmp_path / "j.t7", value), "--json"))
    assert data["objects"] == 1 and data["networks"][0]["typename"] == "nn.Sequential"
    assert {"shape": [3], "dtype": "float64"}.items() <= next(e for e in data["entries"] if e["key"] == "w").items()
    assert data["unknown_classes"][0]["typename"] == "my.Layer"
    assert data["functions"] == [{"place": "net.1.f", "bytes": 4, "language": "LuaJIT 2.0 bytecode"}]


def test_wrong_files_are_named(capsys, tmp_path) -> None:
    (tmp_path / "a.t7").write_bytes(b"PK\x03\x04" + bytes(40))
    assert main(["inspect", str(tmp_path / "a.t7")]) == 1
    assert "zip archive" in capsys.readouterr().err
    assert main(["inspect", str(tmp_path)]) == 1 and "folder" in capsys.readouterr().err


def test_mended_fields(capsys) -> None:
    old = Path(__file__).resolve().parents[1] / "golden" / "compat" / "SpatialBatchNormalization_std_2x3x2x2.t7"
    assert "running_var" in inspect(capsys, old, "--verbose")


def test_operations_of_layers_of_tables() -> None:
    """A dot product multiplies each pair of elements, a product of matrices each pair of row and column."""
    one, two = np.ones((4, 7), np.float32), np.ones((7, 3), np.float32)
    for layer, inputs, count in (
        (nn.DotProduct(), [one, one], 28),
        (nn.CosineDistance(), [one, one], 28),
        (nn.PairwiseDistance(2), [one, one], 28),
        (nn.MM(), [one, two], 4 * 7 * 3),
        (nn.MM(), [np.stack([one] * 5), np.stack([two] * 5)], 5 * 4 * 7 * 3),
        (nn.MV(), [one, two[:, 0]], 28),
        (nn.Mean(1), one, 28),
        (nn.Linear(7, 3), one, 4 * 7 * 3),
        (nn.CAddTable(), [one, one], 28),
        (nn.Sequential(), one, 0),
        (nn.Replicate(5), one, 0),
        (nn.Select(0, 1), one, 0),
        (nn.Narrow(0, 1, 2), one, 0),
        (nn.JoinTable(0), [one, one], 0),
        (nn.Unsqueeze(0), one, 0),
    ):
        sizes = [array.size for array in (inputs if isinstance(inputs, list) else [inputs])]
        assert network.operations(layer, sizes, layer.forward(inputs)) == count, layer
