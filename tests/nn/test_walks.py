"""Modules that are shared many times over, and containers that lie very deep: what is done to all of them stays quick."""

import copy
import io
import pickle
import sys

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import dpnn, nn, nngraph
from pytorch_legacy.cli import main
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.nn import walks
from pytorch_legacy.objects import pickling
from tests.trees import assert_same

X = np.ones((1, 2), np.float32)


def shared(levels=60, inner=nn.Linear, arguments=(2, 2)):
    """Three by three: a few containers, 3 ** levels places."""
    module = inner(*arguments)
    for level in range(levels):
        module = (nn.Sequential, nn.ConcatTable)[level % 2]().add(module).add(module).add(module)
    return module


def deep(levels):
    module = nn.Linear(2, 2)
    for level in range(levels):
        module = (nn.Sequential, nn.ConcatTable)[level % 2]().add(module)
    return module


@pytest.mark.parametrize("make", [shared, lambda: deep(2000)], ids=["shared", "deep"])
def test_everything_ends(make, tmp_path):
    net = make()
    linear = net.findModules("nn.Linear")[0]
    assert len(linear) == 1
    layers = len(net.listModules())
    assert net.evaluate() is net and not linear[0].train and net.training().train and linear[0].train
    parameters, gradients = net.parameters()
    assert [len(parameters), len(gradients)] == [2, 2] and net.getParameters()[0].size == 6
    linear[0].gradWeight.fill(1)
    before = linear[0].weight.copy()
    net.updateParameters(0.5)
    assert_same(linear[0].weight, before - np.float32(0.5))
    assert not net.zeroGradParameters().findModules(nn.Linear)[0][0].gradWeight.any()
    visited = []
    net.apply(visited.append)
    assert len({*map(id, visited)}) == len(visited) == layers
    for other in (net.double(), net.clone(), net.clone("weight"), net.sharedClone(), net.stepClone(), copy.deepcopy(net)):
        assert len(other.listModules()) == layers and other.findModules("nn.Linear")[0][0].weight.dtype == np.float64
    assert net.forget() is net.remember() is net.reset() is net.clearState() is net.share(net, "weight") is net
    assert len(repr(net)) > 10
    assert net.replace(lambda module: nn.Tanh() if isinstance(module, nn.Linear) else module) is net
    assert len(net.findModules("nn.Tanh")[0]) == 1 and not net.findModules("nn.Linear")[0]
    pl.save(tmp_path / "net.t7", net)
    assert len(pl.load(tmp_path / "net.t7").listModules()) == layers


def test_what_cannot_be_done_says_so():
    net = deep(5000)
    chain = nn.Linear(2, 2)
    for _ in range(5000):
        chain = nn.Sequential().add(chain)
    for call in (lambda: net.forward(X), lambda: chain.backward(X, X), lambda: chain.updateGradInput(X, X)):
        with pytest.raises(UnsupportedError, match="nested too deep"):
            call()


def test_pickles_are_as_deep_as_may_be():
    """Also criterions, graphs and chains of attributes; in each an object stays one object, wherever it stands."""
    net = deep(1000)
    chained = criterion = nn.MSECriterion()
    for _ in range(1000):
        criterion = nn.MultiCriterion().add(criterion)
    graph = nn.Linear(2, 2)
    for _ in range(100):
        node = graph()
        graph = nn.gModule([node], [node])
    link = nn.Tanh()
    for _ in range(1000):
        outer = nn.Tanh()
        outer.next = [{"it": link}]
        link = outer
    inside = net.get(0).get(0)
    for protocol in (0, pickle.HIGHEST_PROTOCOL):
        things = [inside.get(0), net, inside, criterion, chained, graph, link, shared()]
        found = pickle.loads(pickle.dumps(things, protocol))
        assert found[2] is found[1].get(0).get(0) and found[2].get(0) is found[0]
        assert [len(thing.listModules()) for thing in (found[1], found[5], found[7])] == [1001, 101, 61]
        assert_same(found[1].parameters()[0], net.parameters()[0])
        last = found[3]
        while isinstance(last, nn.MultiCriterion):
            last = last.criterions[0]
        assert last is found[4]
        count, last = 0, found[6]
        while "next" in vars(last):
            count, last = count + 1, last.next[0]["it"]
        assert count == 1000
    assert not any("_inner" in vars(module) for module in found[1].listModules()) and not pickling._listed
    assert len(pickle.loads(pickle._dumps(net)).listModules()) == 1001, "and where pickle is written in Python"


def test_files_and_pickles_take_time_as_objects_do():
    """Twice the nodes, modules and tables: at most about twice the steps."""

    def graph(size):
        input = node = nn.Identity()()
        for _ in range(size):
            node = nn.Tanh()(node)
        return nn.gModule([input], [node])

    def serial(size, tensortype=None):
        module = nn.Linear(2, 2)
        for _ in range(size):
            module = nn.Serial(module, tensortype)
        return module

    def table(size):
        modules = [nn.Tanh() for _ in range(size)]
        for module in modules:
            module.all = modules
        return modules[0]

    def nodes(size):
        first = node = nngraph.Node({})
        for _ in range(size):
            node.add(nngraph.Node({}))
            node = node.children[0]
        return first

    def steps(work, value):
        count = 0

        def step(*_):
            nonlocal count
            count += 1

        sys.setprofile(step)
        try:
            work(value)
        finally:
            sys.setprofile(None)
        return count

    def save(value):
        pl.save(io.BytesIO(), value)

    for make, works in (
        (graph, (pickle.dumps, copy.deepcopy, save)),
        (nodes, (pickle.dumps, copy.deepcopy)),
        (serial, (pickle.dumps, copy.deepcopy, save)),
        (lambda size: serial(size, "torch.DoubleTensor"), (save,)),
        (table, (pickling.inner, copy.deepcopy, save)),
    ):
        for work in works:
            work(make(1))
            assert steps(work, make(160)) < 2.2 * steps(work, make(80)), (make, work)
    assert len(pickle.loads(pickle.dumps(graph(160))).listModules()) == 162
    assert len(pickle.loads(pickle.dumps(nodes(160))).graph().nodes) == 161


def test_places_count_as_in_torch7():
    """A module that stands in two places is listed, moved and drawn twice; what has no other effect is done once."""
    linear, calls = nn.Linear(2, 2), []

    class Counting(nn.Tanh):
        def evaluate(self):
            calls.append("evaluate")
            return super().evaluate()

        def reset(self, stdv=None):
            calls.append("reset")
            return self

    counting = Counting()
    net = nn.Sequential().add(linear).add(nn.Sequential().add(linear).add(counting)).add(counting)
    assert len(net.parameters()[0]) == 4 and len(net.listModules()) == 6 and len(net.findModules("nn.Linear")[0]) == 2
    assert net.findModules("nn.Linear")[1] == [net, net.get(1)]
    linear.gradWeight.fill(1)
    before = linear.weight.copy()
    net.updateParameters(0.5)
    np.testing.assert_allclose(linear.weight, before - 1, 1e-6)
    net.evaluate().reset()
    assert calls == ["evaluate", "reset", "reset"]
    assert walks.places(net) == 6 and walks.has_twice(net) and not walks.has_twice(net.get(1))


def test_a_container_in_itself():
    net = nn.Sequential().add(nn.Linear(2, 2))
    net.add(net)
    assert len(net.listModules()) == 2 and len(net.parameters()[0]) == 2 and not net.evaluate().get(0).train
    assert net.clone().double().get(1).get(0).weight.dtype == np.float64
    net.modules[0] = nn.Identity()
    with pytest.raises(UnsupportedError, match="contain themselves"):
        net.forward(X)


def test_errors_say_where():
    net = nn.Sequential().add(nn.Tanh()).add(nn.Sequential().add(nn.Linear(2, 2)))
    net.get(1).get(0).gradBias = None
    place = "in module 2 of nn.Sequential, in module 1 of nn.Sequential, nn.Linear: updateParameters: "
    with pytest.raises(pl.THNNError, match=f"^{place}"):
        net.updateParameters(1)


def test_command_line(tmp_path, capsys):
    """A network through which no pass ends is inspected, and refused where it should run."""
    pl.save(tmp_path / "net.t7", shared(inner=nn.Identity, arguments=()))
    np.save(tmp_path / "x.npy", X)
    assert main(["inspect", str(tmp_path / "net.t7")]) == 0
    assert "cannot run: its modules stand in 6.36e+28 places, and a pass goes through each" in capsys.readouterr().out
    for arguments in (["run", "net.t7", "x.npy"], ["inspect", "net.t7", "--input", "1x2"]):
        assert main([str(tmp_path / one) if "." in one else one for one in arguments])
        assert "its modules stand in 6.36e+28 places" in capsys.readouterr().err


def test_other_kinds_of_nesting():
    """Graphs, tables and criterions, too: what works, works in no time, and what does not says why."""
    x = np.ones(2, np.float32)
    graph, table, loss = nn.Linear(2, 2), nn.Linear(2, 2), nn.MSECriterion()
    for _ in range(1000):
        input = nn.Identity()()
        graph = nn.gModule([input], [graph(input)])
        table = nn.Sequential(nn.ConcatTable().add(nn.Identity()), nn.MapTable(table), nn.SelectTable(0))
        loss = nn.MultiCriterion().add(loss)
    assert len(graph.parameters()[0]) == len(table.parameters()[0]) == 2
    for run in (lambda: graph.forward(x), lambda: table.forward(x), lambda: loss.forward(x, x), lambda: loss.backward(x, x)):
        with pytest.raises(UnsupportedError, match="nested too deep"):
            run()
    with pytest.raises(UnsupportedError, match="nested too deep"):
        graph.replace(lambda module: module)


def test_Serial_is_saved_as_deep_as_may_be(tmp_path):
    net = dpnn.Serial(deep(1000)).mediumSerial()
    pl.save(tmp_path / "net.t7", net)
    assert len(pl.load(tmp_path / "net.t7").listModules()) == len(net.listModules())
