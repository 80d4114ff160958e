"""Positions in tensors of files, names that files cannot set, and containers of tds: what comes back, and what is an error."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import dpnn, nn, t7


def content(value: Any) -> bytes:
    file = io.BytesIO()
    pl.save(file, value)
    return file.getvalue()


def changed(module: Any, **fields: Any) -> Any:
    """The module as it comes from a file that has these fields in the place of its own."""
    record = t7.read(content(module))
    record.fields |= fields
    return pl.load(content(record))


WRONG = [np.nan, np.inf, -np.inf, 1e30, 2.0**63, 1.5, 0, -3]


@pytest.mark.parametrize("value", WRONG)
@pytest.mark.parametrize("cls", [nn.SpatialConvolutionMap, nn.SpatialFullConvolutionMap])
def test_a_table_of_connections_is_of_whole_numbers(cls: Any, value: float) -> None:
    table = np.array([[1, 1], [2, value]])
    with pytest.raises(pl.T7Error, match="field connTable: expected positions, whole numbers from 1 to 9223372036854775807, got"):
        changed(cls(nn.tables.full(2, 2), 3, 3), connTable=table)


def test_a_table_of_connections_counts_from_0_here() -> None:
    layer = changed(nn.SpatialConvolutionMap(nn.tables.full(2, 2), 3, 3), connTable=np.array([[1.0, 2], [2, 2], [2, 1], [1, 1]]))
    assert layer.connTable.dtype == np.int64 and layer.connTable.tolist() == [[0, 1], [1, 1], [1, 0], [0, 0]]
    layer.reset().forward(np.ones((2, 4, 4), layer.dtype))


@pytest.mark.parametrize("value", WRONG)
def test_positions_of_a_pass_that_is_over_are_dropped(value: float) -> None:
    with pl.migration.collect() as found:
        noise = changed(dpnn.NCEModule(3, 4, 2, np.ones(4)), sampleidx=np.array([1, value]))
        crop = changed(dpnn.SpatialUniformCrop(2, 2), coord=np.array([[1, value]]))
    assert noise.sampleidx.size == crop.coord.size == 0
    assert {change.field for change in found} >= {"sampleidx", "coord"}
    assert len(noise.forward([np.ones((1, 3), noise.dtype), np.array([0])])) == 4


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30, 0.5])
def test_whole_numbers_of_other_layers(value: float) -> None:
    layer = nn.PartialLinear(3, 4)
    with pytest.raises(pl.T7Error, match="partition: expected a tensor of whole numbers"):
        changed(layer, partition=np.array([1, value]))
    pool = nn.SpatialMaxPooling(2, 2)
    pool.forward(np.ones((1, 2, 2), np.float32))
    assert not pool.clone().indices.size or changed(pool, indices=np.full((1, 1, 1), value)).indices.size == 0


PRIVATE = ["_bindings", "_fileTensors", "_inPass", "_dtype", "_array", "_anything", "__dict__", "__class__"]


@pytest.mark.parametrize("name", PRIVATE)
def test_a_file_sets_no_private_attribute(name: str) -> None:
    """Such a field of a file is kept for saving."""
    value = {"connTable": np.array([[9.0, 9.0]])}
    net = nn.Sequential().add(nn.SpatialConvolutionMap(nn.tables.full(2, 2), 3, 3))
    inner = t7.read(content(net.get(0)))
    inner.fields[name] = value
    record = t7.read(content(net))
    record.fields |= {"modules": [inner], name: value}
    loaded = pl.load(content(record))
    assert loaded.get(0).connTable.max() == 1
    assert vars(loaded.get(0)).get(name) is not value and vars(loaded).get(name) is not value
    loaded.get(0).reset()
    loaded.forward(np.ones((2, 4, 4), loaded.dtype))
    again = t7.read(content(loaded)).fields
    assert again[name]["connTable"].tolist() == again["modules"][0].fields[name]["connTable"].tolist() == [[9, 9]]
    assert again["modules"][0].fields["connTable"].max() == 2
    for typename in ("graph.Node", "nngraph.Node", "graph.Edge", "graph.Graph", "nn.DataParallelTable.Basic"):
        with contextlib.suppress(pl.T7Error):  # another field may be missing
            assert vars(pl.load(content(t7.TorchObject(typename, 1, {name: value})))).get(name) is None or name == "_dtype"
    stranger = pl.load(content(t7.TorchObject("my.Stranger", 1, {name: value, "weight": np.ones(2)})))
    stranger.double()
    assert t7.read(content(stranger)).fields[name]["connTable"].tolist() == [[9, 9]]


def test_containers_of_tds_stay_what_they_are() -> None:
    vec = t7.Vec(["a", t7.Vec([1, 2])])
    table = t7.Hash({"words": vec, "again": vec, 3: np.ones(2), "none": t7.Hash()})
    table["self"] = table
    saved = content([table, {"plain": [1]}])
    loaded, plain = pl.load(saved)
    assert type(loaded) is t7.Hash and type(loaded["words"]) is type(loaded["words"][1]) is t7.Vec
    assert loaded["words"] is loaded["again"] and loaded["self"] is loaded and loaded["words"] == ["a", [1, 2]]
    assert type(loaded["none"]) is t7.Hash and type(plain) is dict and type(plain["plain"]) is list
    assert content([loaded, plain]) == saved
    assert repr(loaded["words"]) == "tds.Vec(['a', tds.Vec([1, 2])])"
    note = nn.Identity()
    note.words = t7.Hash({"a": np.ones(2)})
    copy: Any = pl.load(content(note)).double().clone()
    assert type(copy.words) is t7.Hash and copy.words["a"].dtype == np.float64


def test_a_criterion_that_contains_itself_is_one_error() -> None:
    loss = nn.MultiCriterion().add(nn.MSECriterion())
    record = t7.read(content(loss))
    record.fields["criterions"] = [record]
    loaded = pl.load(content(record))
    with pytest.raises(pl.THNNError, match=r"nn\.MultiCriterion: its modules are nested too deep"):
        loaded.forward(np.ones(2), np.ones(2))


def test_fields_that_do_not_fit_each_other_are_one_error() -> None:
    net = changed(nn.Sequential().add(nn.Linear(2, 3)))
    net.get(0).weight = None
    with pytest.raises(
        pl.errors.FieldError, match=r"nn\.Linear: expected fields that fit each other, and the input; the file has"
    ):
        net.reset()
    made = nn.Linear(2, 3)
    made.weight = None  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        made.reset()


TANH, SQUARES = t7.TorchObject("nn.Tanh", 1, {}), t7.TorchObject("nn.MSECriterion", 1, {})


@pytest.mark.parametrize(
    ("module", "field", "value", "expected"),
    [
        (nn.Dropout(0.5), "p", np.nan, "a number, got float nan"),
        (nn.ReLU(), "inplace", 2, "true or false, got int 2"),
        (nn.SpatialConvolution(1, 1, 2, 2), "dW", 1e30, "a whole number, got float 1e[+]30"),
        (nn.MultiCriterion().add(nn.MSECriterion()), "criterions", [TANH], "a list of criterions, got"),
        (nn.Sequential().add(nn.Tanh()), "modules", [SQUARES], "a list of modules, got"),
    ],
)
def test_kinds(module: Any, field: str, value: Any, expected: str) -> None:
    with pytest.raises(pl.T7Error, match=f"field {field}: expected {expected}"):
        changed(module, **{field: value})
