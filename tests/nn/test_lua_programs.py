"""Idioms of Lua programs in Python's spelling: tuples for tables, minus signs for graphs, containers without arguments."""

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, nngraph
from pytorch_legacy.errors import DtypeError, ValueRangeError
from tests.nn.toys import fails
from tests.trees import assert_same

A, B = np.float32([1, 2, 3]), np.float32([4, 5, 6])


def test_tuples_are_tables():
    """In inputs, gradients and targets, at any depth; lists stay the objects that they are."""
    net = nn.ParallelTable().add(nn.Identity()).add(nn.CAddTable())
    assert_same(net.forward((A, (A, B))), [A, A + B])
    assert_same(net.backward((A, (A, B)), (A, B)), [A, [B, B]])
    assert_same(net.forward([A, (A, B)]), [A, A + B])
    assert_same([*net((A, [A, B]), (A, B))], [[A, A + B], [A, [B, B]]])
    assert_same(nn.SelectTable("x").forward({"x": (A, B)}), [A, B])
    given = [A, [A, B]]
    assert nn.Identity().forward(given) is given
    for layer in (nn.CMulTable(), nn.JoinTable(0), nn.CMaxTable(), nn.DotProduct(), nn.PairwiseDistance(2)):
        assert_same(layer.updateOutput((A, B)), layer.clone().updateOutput([A, B]))

    criterion = nn.ParallelCriterion().add(nn.MSECriterion()).add(nn.AbsCriterion())
    assert criterion.forward((A, B), (B, A)) == criterion.forward([A, B], [B, A])
    assert_same(criterion.backward((A, B), (B, A)), criterion.backward([A, B], [B, A]))
    assert nn.CosineEmbeddingCriterion().forward((A, B), 1) == nn.CosineEmbeddingCriterion().forward([A, B], 1)


def test_minus_signs():
    x, y = -nn.Identity(), -nn.Identity()
    tanh = x - nn.Linear(3, 2) - nn.Tanh()
    for nodes in ([tanh, y], (tanh, y)):
        joined = nodes - nn.JoinTable(0)
        assert joined.children == [tanh, y] and joined.module.dimension == 0
        tanh.data["reverseMap"].pop(joined), y.data["reverseMap"].pop(joined)
    net = nn.gModule([x, y], [[tanh, y] - nn.JoinTable(0)])
    linear = net.findModules("nn.Linear")[0][0]
    expected = np.tanh(linear.weight @ A + linear.bias)
    np.testing.assert_allclose(net.forward((A, B)), [*expected, *B], 1e-6)


@pytest.mark.parametrize(
    "left, got",
    [
        (nn.Sigmoid(), "got nn.Sigmoid; a network begins with -module"),
        (A, "got a float32 array of 3"),
        (3, "got int 3"),
        ([], "got a table of 0"),
        ([nn.Sigmoid()], "got a table of 1"),
    ],
)
def test_minus_something_else(left, got):
    with fails(DtypeError, f"nn.Tanh: expected a node or a list of nodes before the minus, {got}"):
        left - nn.Tanh()
    if isinstance(left, int):
        with pytest.raises(TypeError):
            nn.Tanh() - left
        with pytest.raises(TypeError):
            -nn.Tanh() - left


def test_two_nodes_belong_into_a_list():
    x, y = nn.Identity()(), nn.Identity()()
    for call in (
        lambda: nn.CAddTable()(x, y),
        lambda: nn.CAddTable()([x], y),
        lambda: nn.CAddTable()(x, A),
        lambda: nn.CAddTable()(A, y),
        lambda: nn.MSECriterion()(x, y),
        lambda: nn.MSECriterion()(A, y),
    ):
        with pytest.raises(DtypeError, match=r"expected one node, or several in a list: .*; got two arguments"):
            call()
    assert not x.data["reverseMap"] and not y.data["reverseMap"]


def test_containers_without_arguments():
    table = nn.MapTable()
    assert repr(table) == "nn.MapTable {\n  \n}" and table.parameters() == ([], []) and table.clearState() is table
    with fails(ValueRangeError, "nn.MapTable: expected a module first: add(module)"):
        table.forward([A])
    linear = nn.Linear(3, 2)
    expected = [linear.forward(A).copy(), linear.forward(B).copy()]
    assert_same(table.add(linear).forward([A, B]), expected)
    with fails(ValueRangeError, "nn.MapTable: add: expected no module besides nn.Linear(3 -> 2)"):
        table.add(nn.Tanh())

    parallel = nn.Parallel().add(nn.Identity()).add(nn.Identity())
    with fails(ValueRangeError, "nn.Parallel: inputDimension: expected a dimension before the first pass, got None"):
        parallel.forward(np.stack([A, B]))
    parallel.inputDimension = parallel.outputDimension = 0
    assert_same(parallel.forward(np.stack([A, B])), np.concatenate([A, B]))
    assert nn.Mean().dimension == nn.Sum().dimension == nn.Max().dimension == 0


def test_types():
    layer = nn.Linear(2, 3)
    assert pl.type(layer) == pl.typename(layer) == "nn.Linear"
    for value, name in (
        (A, "torch.FloatTensor"), (np.zeros(2, int), "torch.LongTensor"), ([], "table"), ((1, 2), "table"), ({}, "table"),
        (2, "number"), (2.5, "number"), (np.float32(1), "number"), (True, "boolean"), (np.bool_(True), "boolean"),
        ("a", "string"), (None, "nil"), (print, "function"),
    ):  # fmt: skip
        assert pl.type(value) == name
        assert pl.typename(value) == (name if name.startswith("torch") else None)
    assert pl.type(pl.optim.ConfusionMatrix(2)) == "optim.ConfusionMatrix"


def test_new():
    layer = nn.Linear(2, 3).new(4, 5, False)
    assert type(layer) is nn.Linear and layer.weight.shape == (5, 4) and layer.bias is None
    assert type(nn.Linear.new(1, 1)) is nn.Linear and type(nn.MSECriterion().new()) is nn.MSECriterion


@pytest.fixture
def debugging(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nngraph.setDebug(True)
    yield tmp_path
    nngraph.setDebug(False)


def failing():
    x = nn.Identity()()
    return nn.gModule([x], [nn.Tanh()(nn.Linear(2, 3)(x).annotate(name="mine"))])


@pytest.mark.parametrize("name, stem", [(None, "nngraph"), ("my net/2", "my net_2")])
def test_setDebug(debugging, name, stem):
    """The picture shows the node that failed; afterwards the node is as it was."""
    net = failing()
    if name:
        net.name = name
    outer = nn.gModule([x := nn.Identity()()], [net(x)])
    with pytest.raises(pl.THNNError, match="mine") as caught:
        outer.forward(A)
    (path,) = debugging.iterdir()
    assert path.stem == stem and caught.value.__notes__ == [f"picture: {path.name}"]
    assert "mine" in path.read_text() and ("red" in path.read_text() or "#ff0000" in path.read_text())
    assert not any("graphAttributes" in node.data["annotations"] for node in net.forwardnodes)


def test_setDebug_cannot_write(debugging, monkeypatch):
    """The error of the network is the one that is raised."""
    monkeypatch.chdir("/proc")
    with pytest.raises(pl.THNNError, match="mine") as caught:
        failing().forward(A)
    assert not getattr(caught.value, "__notes__", [])


def test_setDebug_is_off(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pl.THNNError, match="mine"):
        failing().forward(A)
    assert not [*tmp_path.iterdir()]


def test_annotateNodes():
    first = nn.Identity()()
    second = nn.Tanh()(first).annotate(name="mine")
    nngraph.annotateNodes()
    assert [node.data["annotations"]["name"] for node in (first, second)] == ["first", "mine"]
