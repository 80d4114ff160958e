"""Containers as Python's sequences: made of modules, indexed, cut, changed in place."""

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import IndexRangeError, ShapeError
from tests.nn.toys import fails

X = np.float32([[1, 2], [3, 4]])
LISTS = {
    "Sequential": lambda *modules: nn.Sequential(*modules),
    "ConcatTable": lambda *modules: nn.ConcatTable(*modules),
    "ParallelTable": lambda *modules: nn.ParallelTable(*modules),
    "Concat": lambda *modules: nn.Concat(1, *modules),
    "DepthConcat": lambda *modules: nn.DepthConcat(1, *modules),
    "Parallel": lambda *modules: nn.Parallel(0, 0, *modules),
}


def some():
    return nn.MulConstant(2.0), nn.Square(), nn.AddConstant(1.0)


@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
def test_like_a_list(make):
    first, second, third = some()
    net = make(first, second, third)
    added = make().add(first).add(second).add(third)
    assert repr(net) == repr(added) and vars(net).keys() == vars(added).keys()
    assert [net[0], net[-1], net[1]] == [first, third, second] and list(net) == net.modules and len(net) == 3
    assert list(reversed(net)) == [third, second, first] and second in net and nn.Square() not in net
    for index in (3, -4):
        with pytest.raises(IndexRangeError, match=f"index: {index} is out of range for 3 modules"):
            net[index]
        with pytest.raises(IndexRangeError):
            net[index] = nn.Tanh()
    with fails(TypeError, f"{net._typename}: index: expected an integer, got 'weight'"):
        net["weight"]
    assert bool(make()) and len(make()) == 0 and list(make()) == []
    with fails(TypeError, f"{net._typename}: modules: expected a module, got nn.MSECriterion"):
        make(first, nn.MSECriterion())


@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
def test_slices_are_such_containers_of_the_same_modules(make):
    net = make(*some()).double().evaluate()
    for cut in (slice(1), slice(1, None), slice(None, None, -1), slice(-2, None), slice(5, 9)):
        part = net[cut]
        assert type(part) is type(net) and list(part) == net.modules[cut] and part._dtype == np.float64
        assert not part.train and (part.output is not net.output or type(net) is nn.Sequential)
    part = net[:1].add(nn.Tanh())
    assert len(part) == 2 and len(net) == 3, "a slice has a list of its own"
    if make is not LISTS["Sequential"]:
        assert {key: value for key, value in vars(part).items() if key.endswith("imension")} == {
            key: value for key, value in vars(net).items() if key.endswith("imension")
        }


def test_a_part_of_a_network_runs():
    net = nn.Sequential(*some())
    np.testing.assert_array_equal(net.forward(X), (2 * X) ** 2 + 1)
    np.testing.assert_array_equal(net[:2].forward(X), (2 * X) ** 2)
    head, tail = net[:-1], net[-1:]
    np.testing.assert_array_equal(tail.forward(head.forward(X)), net.forward(X))
    assert type(nn.Maxout(2, 3, 2)[:1]) is nn.Sequential, "a part of a layer made of modules is a chain"
    assert type(nn.LSTM(2, 3)[:]) is list, "one that has a place for each module gives a list"


@pytest.mark.parametrize("make", LISTS.values(), ids=LISTS)
def test_modules_can_be_exchanged(make):
    net = make(*some())
    new = nn.Tanh()
    net[-2] = new
    assert net.modules[1] is new
    net[::2] = [nn.Abs(), nn.Exp()]
    assert [type(module).__name__ for module in net] == ["Abs", "Tanh", "Exp"]
    with fails(ShapeError, f"{net._typename}: modules: expected 2 for this slice, got 1"):
        net[:2] = [nn.Abs()]
    for wrong in ([3, 4], [nn.Tanh(), None]):
        with pytest.raises(TypeError, match="modules: expected a module, got "):
            net[:2] = wrong
    with pytest.raises(TypeError, match="module: expected a module, got "):
        net[0] = nn.Tanh
    assert [type(module).__name__ for module in net] == ["Abs", "Tanh", "Exp"], "an error changes nothing"


def test_an_exchanged_module_is_the_one_that_runs():
    half = nn.MulConstant(0.5)
    net = nn.Sequential(*some())
    net[0] = half
    np.testing.assert_array_equal(net.forward(X), X**2 / 4 + 1)
    node = nn.MulConstant(2.0)()
    graph = nn.gModule([node], [nn.Square()(node)])
    graph.forward(X)
    graph[0] = half
    np.testing.assert_array_equal(graph.forward(X), X**2 / 4)
    assert graph.modules[0] is half and graph.forwardnodes[1].module in (half, graph.modules[1])
    mapped = nn.MapTable(nn.Identity())
    mapped[0] = half
    np.testing.assert_array_equal(mapped.forward([X, X])[1], X / 2)
    decorated = nn.Decorator(nn.Identity())
    decorated[0] = half
    np.testing.assert_array_equal(decorated.forward(X), X / 2)
    steps = nn.Sequencer(nn.Identity())
    steps[0] = nn.Recursor(half)
    np.testing.assert_array_equal(steps.forward([X, X])[1], X / 2)


def test_modules_can_be_taken_out_of_a_chain():
    net = nn.Sequential(*some())
    del net[1]
    np.testing.assert_array_equal(net.forward(X), 2 * X + 1)
    del net[:]
    assert len(net) == 0 and net.forward(X) is X
    with pytest.raises(IndexRangeError):
        del net[0]


def test_what_is_chained_returns_the_module():
    net = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.5), nn.SpatialConvolution(1, 1, 1, 1), nn.BatchNormalization(3))
    for thing in (net, *net, nn.LSTM(2, 3), nn.Sequencer(nn.Linear(2, 2)), nn.LookupTable(3, 2), nn.WeightNorm(nn.Linear(2, 2))):
        assert thing.training() is thing and thing.evaluate() is thing and thing.reset() is thing
        assert thing.zeroGradParameters() is thing and thing.updateParameters(0.1) is thing and thing.clearState() is thing
        assert thing.float() is thing and thing.double() is thing and thing.type("torch.FloatTensor") is thing
        assert thing.apply(lambda module: None) is thing and thing.remember() is thing and thing.forget() is thing
    assert net.insert(nn.Tanh(), 1) is net and net.remove(1) is net and net.share(net.clone(), "weight") is net
    assert nn.Dropout().setp(0.1).p == 0.1 and nn.GradientReversal().setLambda(2)._typename == "nn.GradientReversal"
    assert nn.SpatialConvolution(1, 1, 1, 1).noBias().bias is None


def test_saved_as_it_was_in_lua(tmp_path):
    pl.save(tmp_path / "made.t7", nn.Sequential(*some()))
    pl.save(tmp_path / "added.t7", nn.Sequential().add(nn.MulConstant(2.0)).add(nn.Square()).add(nn.AddConstant(1.0)))
    assert (tmp_path / "made.t7").read_bytes() == (tmp_path / "added.t7").read_bytes()
