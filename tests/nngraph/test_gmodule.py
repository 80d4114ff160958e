"""Networks of nodes: built here, run, converted, cloned, saved; Torch7's own results are in tests/golden/graph."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, nngraph, t7
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from pytorch_legacy.files.t7.objects import IdentityKey
from pytorch_legacy.nngraph.Node import list_inputs
from pytorch_legacy.objects import Object
from tests.trees import assert_close, assert_same, mapped

GOLDEN = Path(__file__).parents[1] / "golden" / "graph"


def normal(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def lstm(D: int = 3, H: int = 2) -> Any:
    """One input, cut into x, c and h."""
    source = nn.Identity()()
    x, c, h = nn.Narrow(1, 0, D)(source), nn.Narrow(1, D, H)(source), nn.Narrow(1, D + H, H)(source)
    sums = nn.CAddTable()([nn.Linear(D, 4 * H)(x), nn.Linear(H, 4 * H)(h)])
    i, f, o, g = nn.SplitTable(1)(nn.Reshape(4, H)(sums)).split(4)
    nextC = nn.CAddTable()([nn.CMulTable()([nn.Sigmoid()(f), c]), nn.CMulTable()([nn.Sigmoid()(i), nn.Tanh()(g)])])
    nextH = nn.CMulTable()([nn.Sigmoid()(o), nn.Tanh()(nextC)])
    return nn.gModule([source], [nn.JoinTable(1)([nextC, nextH])]).double()


def residual() -> tuple[Any, Any]:
    """A graph, and the same network without one."""
    x = nn.Identity()()
    h = nn.Linear(4, 4)(x)
    graph = nn.gModule([x], [nn.Tanh()(nn.CAddTable()([h, x]))]).double()
    linear = graph.findModules(nn.Linear)[0][0].clone()
    chain = nn.Sequential().add(nn.ConcatTable().add(linear).add(nn.Identity())).add(nn.CAddTable()).add(nn.Tanh()).double()
    return graph, chain


def test_a_graph_is_the_network_it_describes() -> None:
    graph, chain = residual()
    x, gradient = normal(5, 4), normal(5, 4, seed=1)
    for net in (graph, chain):
        net.zeroGradParameters()
    assert_same(graph.forward(x), chain.forward(x))
    assert_same(graph.backward(x, gradient, 0.5), chain.backward(x, gradient, 0.5))
    assert_same(graph.parameters()[1], chain.parameters()[1])
    for net in (graph, chain):
        net.accUpdateGradParameters(x, gradient, 0.1)
    assert_same(graph.parameters()[0], chain.parameters()[0])


def test_jacobian() -> None:
    net = lstm()
    x = normal(2, 7)
    assert nn.Jacobian.testJacobian(net, x) < 1e-6
    for weight, gradient in zip(*net.parameters(), strict=True):
        assert nn.Jacobian.testJacobianParameters(net, x, weight, gradient) < 1e-6


def test_the_running_order_and_numbers_are_those_of_torch7() -> None:
    a, b = nn.Identity()(), nn.Identity()()
    s = nn.CAddTable()([nn.Linear(3, 4)(a), nn.Linear(2, 4)(b)])
    t = nn.Tanh()(s)
    net = nn.gModule([a, b], [t, nn.CMulTable()([t, s]), nn.Linear(4, 1)(t)])
    saved = pl.load(GOLDEN / "multi_t2x3.t7")["module"]

    def described(nodes: Any) -> Any:
        return [(n.id, repr(n.module), [c.id for c in n.children], n.data.get("selectindex")) for n in nodes]

    assert described(net.forwardnodes) == described(saved.forwardnodes)
    assert described(net.backwardnodes) == described(saved.backwardnodes)
    assert list(map(repr, net.modules)) == list(map(repr, saved.modules))
    assert [n.id for n in net.fg.nodes] == [n.id for n in saved.fg.nodes]
    assert [(e.source.id, e.to.id) for e in net.bg.edges] == [(e.source.id, e.to.id) for e in saved.bg.edges]


def test_split_and_nest() -> None:
    x = nn.Identity()()
    a, b = x.split(2)
    (only,) = nngraph.nest([b]).split(1)
    assert isinstance(only.module, nngraph.JustElement)
    nested = nngraph.nest([a, [only], nngraph.nest([a])])
    assert nngraph.nest(a) is a
    net = nn.gModule([x], [nested, nn.FlattenTable()(nngraph.nest([a, b]))])
    one, two = normal(2), normal(3)
    net.double()
    output = net.forward([one, two])
    assert_same(output, [[one, [two], [one]], [one, two]])
    gradInput = net.backward([one, two], mapped(np.ones_like, output))
    assert_same(gradInput, [np.full(2, 3.0), np.full(3, 2.0)])
    with pytest.raises(ShapeError, match=r"^in Node\d+ of nn.gModule, .*: split: expected a table of 2, got a table of 3"):
        net.forward([one, two, one])


def test_a_loss_in_a_graph() -> None:
    x, target = nn.Identity()(), nn.Identity()()
    net = nn.gModule([x, target], [nn.MSECriterion()([nn.MulConstant(2)(x), target])]).double()
    assert_close(net.forward([np.ones(4), np.zeros(4)]), np.array([4.0]), 1e-12)
    assert_close(net.backward([np.ones(4), np.zeros(4)], np.array([3.0])), [np.full(4, 6.0), np.zeros(4)], 1e-12)
    labels = nn.ModuleFromCriterion(nn.ClassNLLCriterion()).double()
    scores = np.log(np.full((2, 2), 0.5))
    assert_close(labels.forward([scores, np.array([0, 1])]), np.array([np.log(2)]), 1e-12)
    assert_same(labels.backward([scores, np.array([0, 1])], np.ones(1))[1], np.zeros(2, np.int64))
    expected = labels.backward([scores, np.array([0, 1])], np.full(1, 3.0))[0].copy()
    for dtype in (np.float32, np.int64):  # as in Torch7, where the factor is a number
        assert_same(labels.backward([scores, np.array([0, 1])], np.full(1, 3, dtype))[0], expected)


def test_inputs_without_gradient() -> None:
    """A module without gradInput gives nothing to sum."""
    words, x = nn.Identity()(), nn.Identity()()
    table = nn.LookupTable(5, 3)
    net = nn.gModule([words, x], [nn.CAddTable()([table(words), x])]).double()
    table.gradInput = None
    table.updateGradInput = lambda input, gradOutput: None
    input = [np.array([1, 4]), normal(2, 3)]
    net.zeroGradParameters()
    net.forward(input)
    gradInput = net.backward(input, np.ones((2, 3)))
    assert gradInput[0] is None
    assert_same(gradInput[1], np.ones((2, 3)))
    assert table.gradWeight.sum() == 6


def test_getParameters_and_sharing() -> None:
    net = lstm()
    x = normal(2, 7)
    expected = net.forward(x).copy()
    flat, gradient = net.getParameters()
    assert flat.size == gradient.size == sum(p.size for p in net.parameters()[0])
    assert_same(net.forward(x), expected)
    flat *= 2
    assert not np.allclose(net.forward(x), expected)
    twin = net.clone("weight", "bias", "gradWeight", "gradBias")
    flat[...] = 0.1
    assert_same(twin.forward(x), net.forward(x))
    other = lstm()
    pairs = []
    net.map(other, lambda ours, theirs: pairs.append((ours, theirs)))
    assert [one for one, _ in pairs] == net.modules and [one for _, one in pairs] == other.modules
    with pytest.raises(ShapeError, match="map: expected a graph of the same structure"):
        net.map(residual()[0], print)


@pytest.mark.parametrize("way", [lambda net: net.clone(), lambda net: pickle.loads(pickle.dumps(net)), lambda net: net.double()])
def test_copies_and_conversions_keep_the_structure(way: Any) -> None:
    net, x = lstm(), normal(2, 7)
    expected = net.forward(x).copy()
    net.backward(x, expected)
    twin = way(net)
    assert len(twin.forwardnodes) == len(twin.backwardnodes)
    data = {id(node.data) for node in twin.backwardnodes}
    assert {id(node.data) for node in twin.forwardnodes} == data
    assert twin is net or not data & {id(node.data) for node in net.forwardnodes}
    for node in twin.forwardnodes:
        assert all(child in twin.fg.nodes for child in node.children)
        assert all(IdentityKey(parent) in node.data["mapindex"] for parent in list_inputs(node.data))
        assert all(id(user.data) in data for user in node.data["reverseMap"])
    assert [id(m) for m in twin.modules] == [id(n.module) for n in twin.forwardnodes if n.module is not None]
    assert_same(twin.forward(x), expected)
    twin.findModules(nn.Linear)[0][0].weight.fill(0)
    assert twin is net or (net.findModules(nn.Linear)[0][0].weight != 0).all()


def test_types() -> None:
    net, x = lstm(), normal(2, 7)
    net.forward(x)
    net.backward(x, net.output)
    single = net.clone().float()
    assert single.type() == "torch.FloatTensor"
    arrays = [array for node in single.forwardnodes for array in node.data["input"] if not isinstance(array, list)]
    assert arrays and all(array.dtype == np.float32 for array in arrays)
    assert_close(single.forward(x.astype(np.float32)), net.output, 1e-6)


def test_state_is_let_go_of() -> None:
    net, x = lstm(), normal(2, 7)
    expected = net.forward(x).copy()
    net.backward(x, expected)
    net.clearState()
    assert not any(key in node.data for node in net.forwardnodes for key in ("input", "gradOutput", "gradOutputBuffer"))
    assert net.output.size == 0
    assert_same(net.forward(x), expected)


def test_modes_and_replacement() -> None:
    x = nn.Identity()()
    shared = nn.Linear(2, 2)
    net = nn.gModule([x], [shared(nn.Dropout(0.5)(shared(x)))])
    net.evaluate()
    assert not any(module.train for module in net.listModules())
    net.training()
    assert all(module.train for module in net.listModules())
    found, containers = net.findModules(nn.Linear)
    assert found == [shared, shared] and containers == [net, net]
    assert net.replace(lambda module: nn.Identity() if isinstance(module, nn.Dropout) else module) is net
    assert not net.findModules("nn.Dropout")[0]
    net.replace(lambda module: nn.Tanh() if module is shared else module)
    tanh = net.findModules(nn.Tanh)[0]
    assert len(tanh) == 2 and tanh[0] is tanh[1] and [n.module for n in net.forwardnodes].count(tanh[0]) == 2
    before = shared.weight.copy()
    net.reset(0.1)
    assert_same(shared.weight, before)


def test_one_module_in_several_nodes() -> None:
    """Its second gradient must not take the place of its first, which waits until it is needed."""
    linear, x, gradOutput = nn.Linear(4, 4).double(), normal(5, 4), [normal(5, 4, seed=1), normal(5, 4, seed=2)]

    def network(one: Any, two: Any) -> Any:
        source = nn.Identity()()
        return nn.gModule([source], [nn.Tanh()(one(source)), nn.Sequential().add(two)(source)]).double()

    apart, shared = network(linear.clone(), linear.clone()), network(linear, linear)
    for net in (shared, apart):
        net.zeroGradParameters()
        net.forward(x)
    assert_same(shared.backward(x, gradOutput), apart.backward(x, gradOutput))
    gradients = apart.parameters()[1]
    assert_close(shared.parameters()[1][:2], [gradients[0] + gradients[2], gradients[1] + gradients[3]], 1e-15)


def test_graphs_in_graphs() -> None:
    inner, chain = residual()
    x = nn.Identity()()
    net = nn.gModule([x], [inner(nn.MulConstant(2)(x))]).double()
    v = normal(3, 4)
    assert_same(net.forward(v), chain.forward(2 * v))
    assert_close(net.backward(v, v), 2 * chain.backward(2 * v, v), 1e-12)


def test_another_function_of_the_modules() -> None:
    graph, chain = residual()
    seen: list[str] = []

    def run(module: Any, input: Any) -> Any:
        seen.append(module._typename)
        return module.updateOutput(input)

    v = normal(3, 4)
    assert_same(graph.runForwardFunction(run, v), chain.forward(v))
    assert seen == [module._typename for module in graph.modules]


# ------------------------------------------------------------------------------------------------- errors


def test_calling_modules() -> None:
    v = np.ones((2, 3), np.float32)
    assert_same(nn.Tanh()(v), np.tanh(v))
    output, gradInput = nn.MulConstant(2)(v, v)
    assert_same([output, gradInput], [2 * v, 2 * v])
    assert isinstance(nn.Tanh()(), nngraph.Node)
    with pytest.raises(DtypeError, match="expected an input or nodes, got None"):
        nn.Tanh()(None)
    with pytest.raises(DtypeError, match=r"nn.CAddTable: inputs\[1\]: expected a node, got a float32 array"):
        nn.CAddTable()([nn.Tanh()(), v])
    x = nn.Tanh()()
    with pytest.raises(ValueRangeError, match=r"is an input of the node made at .* already"):
        nn.CAddTable()([x, x])


def test_what_is_no_network() -> None:
    def fails(error: type[Exception], message: str, inputs: Any, outputs: Any) -> None:
        with pytest.raises(error, match=message):
            nn.gModule(inputs, outputs)

    x, y = nn.Identity()(), nn.Identity()()
    h = nn.Tanh()(x)
    fails(ShapeError, "nn.gModule: inputs: expected a list with at least one node, got a table of 0", [], [h])
    fails(DtypeError, r"nn.gModule: outputs\[0\] is an nn.Module, specifically a nn.Tanh", [x], [nn.Tanh()])
    fails(ValueRangeError, r"inputs\[1\]: expected a node that leads to an output", [x, y], [h])
    fails(ValueRangeError, r"inputs\[0\]: expected a node without input", [h], [nn.Tanh()(h)])
    fails(ValueRangeError, "expected those without input among the inputs, but the node", [x], [nn.CAddTable()([h, y])])
    fails(ValueRangeError, "expected all to lead to an output", [x], [h])  # the nodes tried above hang on h
    a, b = nn.Identity()().split(2)
    fails(ValueRangeError, "test_what_is_no_network-2 does not", [a.children[0].children[0]], [a])
    z = nn.Identity()()
    net = nn.gModule([z], [nn.Tanh()(z)])
    assert net.nInputs == 1
    fails(ValueRangeError, "takes another node, or has its network", [z], [nn.Tanh()(z)])
    named = nn.Tanh()(b).annotate(name="a name")
    fails(ValueRangeError, r"but a name \(0\) \(nn.Tanh\) takes another node", [named], [nn.Tanh()(named)])


def test_errors_name_the_node() -> None:
    x = nn.Identity()()
    net = nn.gModule([x], [nn.Linear(3, 2)(nn.Tanh()(x)).annotate(name="last")])
    with pytest.raises(ShapeError, match=r"^in last \(1\) \(nn.Linear\) of nn.gModule, nn.Linear: input: expected 3"):
        net.forward(np.ones((2, 4), np.float32))
    net.forward(np.ones((2, 3), np.float32))
    with pytest.raises(ShapeError, match=r"^in last \(1\) \(nn.Linear\) of nn.gModule"):
        net.backward(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32))
    a, b = nn.Identity()(), nn.Identity()()
    two = nn.gModule([a, b], [nn.CAddTable()([a, b]), a])
    with pytest.raises(DtypeError, match=r"nn.gModule: input: expected a table of 2"):
        two.forward(np.ones(2, np.float32))
    two.forward([np.ones(2, np.float32)] * 2)
    with pytest.raises(ShapeError, match=r"nn.gModule: gradOutput: expected a table of 2, got a table of 1"):
        two.backward([np.ones(2, np.float32)] * 2, [np.ones(2, np.float32)])


# ------------------------------------------------------------------------------------------------- files


def written(thing: Any) -> bytes:
    records: dict[int, Any] = {}

    def describe(value: Any) -> Any:
        if isinstance(value, Object) and id(value) not in records:
            records[id(value)] = t7.TorchObject(value._typename, 1, value._toTorch7())
        return records.get(id(value))

    file = io.BytesIO()
    t7.write(file, thing, describe=describe)
    return file.getvalue()


def assert_alike(ours: Any, theirs: Any) -> None:
    """Two files hold the same graph: the same tables, keys and objects in the same places."""
    twins: dict[int, Any] = {}
    waiting = [(ours, theirs)]
    while waiting:
        one, other = waiting.pop()
        if isinstance(other, IdentityKey):
            one, other = one.value, other.value
        assert type(one) is type(other)
        if not isinstance(other, (list, dict, t7.TorchObject)):
            if not isinstance(other, np.ndarray):
                assert one == other
            continue
        if id(other) in twins:
            assert twins[id(other)] is one
            continue
        twins[id(other)] = one
        if isinstance(other, t7.TorchObject):
            assert one.typename == other.typename
            one, other = one.fields, other.fields
            if not any("children" in fields or "from" in fields or "edges" in fields for fields in (one, other)):
                one, other = ({k: v for k, v in fields.items() if k in ("forwardnodes", "fg", "bg")} for fields in (one, other))
        assert len(one) == len(other)
        if isinstance(other, list):
            waiting += zip(one, other, strict=True)
        else:
            plain = [key for key in other if isinstance(key, (str, int, float))]
            waiting += [(one[key], other[key]) for key in plain]
            # Tables with objects for keys either number them or just have them.
            numbers = {value: key for key, value in one.items() if key not in plain and not isinstance(value, bool)}
            waiting += [(numbers[value], key) for key, value in other.items() if key not in plain and not isinstance(value, bool)]


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.t7")), ids=lambda path: path.name)
def test_files_come_out_as_they_went_in(path: Path) -> None:
    assert_alike(t7.read(written(pl.load(path)["module"])), t7.read(path)["module"])


def test_graphs_made_here_can_be_saved() -> None:
    net, x = lstm(), normal(2, 7)
    expected = net.forward(x).copy()
    again = pl.load(written(net))
    assert_same(again.forward(x), expected)
    again.backward(x, expected)
    third = pl.load(written(again))
    third.zeroGradParameters()
    assert_same(third.forward(x), expected)
    assert nn.Jacobian.testJacobian(third, x) < 1e-6


def test_long_chains() -> None:
    x = node = nn.Identity()()
    for _ in range(3_000):
        node = nn.AddConstant(1)(node)
    net = nn.gModule([x], [node])
    v = np.zeros(2, np.float32)
    for twin in (net, net.clone(), pl.load(written(net))):
        assert twin.forward(v)[0] == 3_000
        assert twin.backward(v, v + 1)[0] == 1
    net.double()
    net.getParameters()
    assert net.forward(v.astype(np.float64))[0] == 3_000
