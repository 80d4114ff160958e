"""Python that counts from one: `pytorch_legacy.lua.nn`, the conversions behind it, and passes that count so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import THNNError
from pytorch_legacy.files.counting import Lua, fromOne, toOne
from pytorch_legacy.lua import counting, cudnn, nn, nngraph, optim
from pytorch_legacy.lua.from_one import counted, python
from pytorch_legacy.objects.counting import countingFromOne, isCountingFromOne
from tests.test_golden import GOLDEN
from tests.trees import assert_same

WORDS = np.array([3, 1])


@pytest.mark.parametrize("kind, lua, python", [
    ("indices", 1, 0), ("indices", 0, -1), ("indices", [[1, 2], [3]], [[0, 1], [2]]), ("indices", 2.0, 1.0),
    ("labels", [1, -100, 3], [0, -100, 2]),
    ("positions", [1, -1, 4], [0, -1, 3]), ("positions", (1, 2), (0, 1)), ("positions", "key", "key"), ("positions", None, None),
    ("numbers", 2, 1),
    ((None, "indices"), [7, 7, 7], [7, 6, 7]), ((None, "indices"), [7], [7]), (("indices",), [[1, 2], 3], [[0, 1], 3]),
    ("keys", {1: 5, 2: 6, "n": 7}, {0: 5, 1: 6, "n": 7}),
    (None, 3, 3), ("stored", 3, 3), ("indices", True, True),
])  # fmt: skip
def test_kinds(kind: Any, lua: Any, python: Any) -> None:
    assert fromOne(lua, kind) == python
    assert toOne(python, kind) == lua


@pytest.mark.parametrize("kind, lua, python", [
    ("indices", np.array([1, 2]), np.array([0, 1])),
    ("indices", np.array([1, 2], np.uint8), np.array([0, 1])),
    ("indices", np.float32([1, 2]), np.float32([0, 1])),
    ("labels", np.array([[1, -100]]), np.array([[0, -100]])),
    ("positions", np.array([1, -2]), np.array([0, -2])),
    ("columns", np.float32([[1, 0.5], [3, 2]]), np.float32([[0, 0.5], [2, 2]])),
    ("numbers", np.array([1, 2]), np.array([1, 2])),
    ("vectors", np.array([1, 2]), np.array([0, 1])), ("vectors", np.eye(2), np.eye(2)), ("vectors", [1, 2], np.array([0, 1])),
    ("indices", np.empty(0, np.int64), np.empty(0, np.int64)), ("indices", np.array([True]), np.array([True])),
])  # fmt: skip
def test_kinds_of_arrays(kind: Any, lua: Any, python: Any) -> None:
    before = np.copy(lua)
    assert_same(fromOne(lua, kind), python)
    np.testing.assert_array_equal(toOne(python, kind), lua)
    np.testing.assert_array_equal(lua, before, "a copy is converted")


@pytest.mark.parametrize("make, words", [
    (lambda: nn.Narrow(0, 1, 1), "nn.Narrow: dimension: expected a position, .* from 1, .* got 0"),
    (lambda: nn.Transpose([0, 1]), "nn.Transpose: pairs: expected a position"),
    (lambda: nn.Sequential().get(0), "nn.Sequential: get: index: expected a position"),
    (lambda: nn.Sequential().add(nn.Tanh()).get(2), "nn.Sequential: index: 2 is out of range"),
    (lambda: nn.LookupTable(2, 1).forward(np.array([0])), "LookupTable"),
])  # fmt: skip
def test_errors(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(THNNError, match=words):
        make()
    assert not isCountingFromOne()


@pytest.mark.parametrize("wrong, words", [
    (lambda: Lua(inputs="index"), "Lua: expected one of indices, labels"),
    (lambda: Lua(methods={"get": {"index": 1}}), "Lua: expected one of"),  # type: ignore[dict-item]
    (lambda: type("Wrong", (pl.nn.Module,), {"_lua": "indices"}), "Wrong: _lua: expected a pytorch_legacy.Lua, got 'indices'"),
])  # fmt: skip
def test_wrong_declarations(wrong: Callable[[], Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        wrong()


def test_declarations_add_up() -> None:
    class Words(pl.nn.LookupTable):
        _lua = Lua(
            inputs=(), arguments={"first": "positions"}, fields={"first": "positions"}, order=("nOutput", "nIndex", "first")
        )

        def __init__(self, nIndex: int, nOutput: int, first: int = 0) -> None:
            super().__init__(nIndex, nOutput)
            self.first = first

    class Fewer(Words):
        pass

    class Others(Words):
        def __init__(self, nIndex: int) -> None:
            super().__init__(nIndex, 1)

    assert Words._counts.fields == {"paddingValue": "indices", "first": "positions"} and not Words._counts.countsInPasses
    assert counting.construct(Fewer, (2, 3, 4, 5)).weight.shape == (3, 2), "the order is the constructor's"
    assert counting.construct(Words, (2, 3, 4)).first == 3
    assert counting.construct(Others, (3, 2)).weight.shape == (3, 1)


def test_constructors() -> None:
    """Positions, in Torch7's order; surplus arguments and nil."""
    assert python(nn.Concat(2, nn.Tanh())).modules == [], "modules are added"
    assert python(nn.Concat(2, 5)).dimension == 1
    assert python(nn.JoinTable(-1)).dimension == -1
    assert python(nn.Transpose([1, 2], [2, -1])).permutations == [[0, 1], [1, -1]]
    assert python(nn.View(-1.0, 3.0)).size == (-1, 3)
    assert python(nn.LookupTable(3, 2, 0)).paddingValue == -1
    assert python(nn.LookupTable(3, 2, 2, None, 1)).paddingValue == 1
    assert python(nn.Sum(1, None, True)).sizeAverage
    assert python(nn.ClassNLLCriterion(None, False, 2)).ignoreIndex == 1
    assert python(nn.Dropout(0.5, False, False, True)).stochastic_inference
    assert python(nn.Dropout(0.5, False, False, True, True)).lazy
    assert python(nn.SpatialReSampling({"owidth": 3, "oheight": 2})).owidth == 3
    assert python(nn.Narrow(dimension=2, offset=1)).dimension == 1
    assert_same(python(nn.SpatialConvolutionMap(nn.tables.full(2, 1), 1, 1)).connTable, np.array([[0, 0], [1, 0]]))
    assert python(cudnn.SpatialConvolution(4, 6, 3, 3, 1, 1, 1, 1, 2)).groups == 2
    assert nn.utils.addSingletonDimension(np.zeros((2, 3)), 2).shape == (2, 1, 3)


def test_methods_and_fields() -> None:
    net = nn.Sequential().add(nn.Tanh()).add(nn.Sigmoid())
    net.insert(nn.Abs(), 1)
    assert [str(net.get(i)) for i in (1, 2, 3, -1)] == ["nn.Abs", "nn.Tanh", "nn.Sigmoid", "nn.Sigmoid"]
    net.remove(2)
    assert len(net) == net.size() == 2 and net.modules[1] == net.get(2) != net.get(1)
    assert len(net.extend(nn.Tanh(), nn.Abs())) == 4
    layer = nn.LookupTable(4, 2).setPadding(3)
    assert layer.paddingValue == 3 and python(layer).paddingValue == 2
    layer.paddingValue = 0
    assert python(layer).paddingValue == -1
    narrow = nn.Narrow(1, 2, 3)
    narrow.index = 4
    assert (narrow.index, narrow.dimension, python(narrow).index) == (4, 1, 3)
    assert getattr(nn.GradientReversal(3), "lambda") == 3
    found = [counting.attribute(pl.nn.GradientReversal(), name) for name in ("lambda", "train", "_version")]
    assert found == ["lambda_", "train", ""]
    push = nn.PushTable(2)
    assert (python(push)._index, python(push.pull(2))._index) == (1, 1)
    with pytest.raises(AttributeError, match=r"nn\.Tanh: has no field 'nothing'"):
        _ = nn.Tanh().nothing
    for name in ("_file", "__dict__x", "_fileFields"):
        with pytest.raises(AttributeError, match="has no"):
            getattr(layer, name)
        with pytest.raises(AttributeError, match="the package's own"):
            setattr(layer, name, 1)


def test_indices_of_pooling() -> None:
    """They are Torch7's: positions, and for adaptive pooling rows and columns within windows."""
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4)
    pool = nn.SpatialMaxPooling(2, 2)
    pool.forward(x)
    assert pool.indices.tolist() == [[[6, 8], [14, 16]]]
    adaptive = nn.SpatialAdaptiveMaxPooling(2, 2)
    adaptive.backward(x, adaptive.forward(x))  # a pass backward stores the size of the input
    assert adaptive.indices.tolist() == [[[[2, 2], [2, 2]]], [[[2, 2], [2, 2]]]]


def test_steps() -> None:
    """The steps of recurrent modules count from one, and 0 is the state before the first."""
    layer = nn.LSTM(2, 3)
    x = np.ones((1, 2), np.float32)
    assert layer.step == 1
    first = np.copy(layer.forward(x))
    layer.forward(x)
    assert layer.step == 3 and [*layer.outputs] == [1, 2]
    assert_same(layer.outputs[1], first)
    assert_same(layer.getHiddenState(1)[0], first)
    assert layer.getHiddenState(0, x)[0].any() == False  # noqa: E712
    assert layer.getStepModule(2) != layer.getStepModule(1)


class Shown(pl.nn.Module):
    """Passes its input on, and keeps it: as a layer that is written in Lua gets it."""

    def updateOutput(self, input: Any) -> Any:
        self.seen = np.copy(input)
        self.output = input
        return self.output


def test_indices_pass_as_they_are_and_each_layer_converts_them() -> None:
    table, shown = pl.nn.LookupTable(3, 2), Shown()
    net = counted(pl.nn.Sequential(shown, pl.nn.ConcatTable(table, pl.nn.OneHot(3), pl.nn.Identity())))
    rows, hot, same = net.forward(WORDS)
    assert_same(shown.seen, WORDS)
    assert_same(same, WORDS)
    assert_same(rows, table.weight[[2, 0]])
    assert_same(hot, np.float32([[0, 0, 1], [1, 0, 0]]))
    assert_same(python(net).forward(WORDS - 1)[0], rows)


def test_outputs_that_are_indices_are_inputs_of_the_next_layer() -> None:
    scores = np.float32([[1, 9, 3], [7, 5, 6]])
    best = counted(pl.dpnn.ArgMax(1))
    net = nn.Sequential().add(best).add(nn.OneHot(3))
    assert_same(net.forward(scores), np.float32([[0, 1, 0], [1, 0, 0]]))
    assert best.output.tolist() == [2, 1]
    target = counted(pl.nn.ModuleCriterion(pl.nn.MSECriterion(), None, pl.nn.OneHot(3)))
    assert target.forward(np.eye(3, dtype=np.float32), np.array([1, 2, 3])) == 0


def test_a_derived_class_converts_once() -> None:
    class Words(pl.nn.LookupTable):
        def updateOutput(self, input: Any) -> Any:
            self.seen = input
            return super().updateOutput(input)

    layer = Words(3, 2)
    assert_same(counted(layer).forward(WORDS), layer.weight[[2, 0]])
    assert_same(layer.seen, WORDS - 1)


def test_modules_inside_a_layer_that_converts_count_from_zero() -> None:
    class Pair(pl.nn.Container):
        _lua = Lua(inputs="indices", outputs="indices")

        def updateOutput(self, input: Any) -> Any:
            hot = self.modules[0].updateOutput(input)
            self.output = hot.argmax(-1)
            return self.output

    pair = counted(Pair(pl.nn.OneHot(3)))
    assert pair.forward(WORDS).tolist() == WORDS.tolist() == pair.output.tolist()


def test_methods_that_are_written_in_lua_count_from_one_whoever_calls_them() -> None:
    def updateOutput(self: Any, input: Any) -> Any:
        self.seen = np.copy(input)
        assert isCountingFromOne()
        return pl.nn.LookupTable.updateOutput(self, input)

    updateOutput.countsFromOne = True  # type: ignore[attr-defined]
    cls = type("Words", (pl.nn.LookupTable,), {"updateOutput": updateOutput})
    layer = cls(3, 2)
    for forward, words in ((layer.forward, WORDS - 1), (counted(layer).forward, WORDS)):
        assert_same(forward(words), layer.weight[[2, 0]])
        assert_same(layer.seen, WORDS)


def test_a_pass_that_is_written_in_lua_counts_as_its_caller_does() -> None:
    """Python hands words from 0 to a network with such a layer, and Lua words from 1."""

    def updateOutput(self: Any, input: Any) -> Any:
        self.output = counting.call(self.table, "forward", input)
        return self.output

    def sample(self: Any) -> Any:
        return counting.call(self.table, "forward", WORDS)

    updateOutput.countsFromOne = True  # type: ignore[attr-defined]
    layer = type("Words", (pl.nn.Module,), {"updateOutput": updateOutput, "sample": sample})()
    layer.table = pl.nn.LookupTable(3, 2)
    net = pl.nn.Sequential(layer, pl.nn.Identity())
    rows = layer.table.weight[[2, 0]]
    for forward, words in ((net.forward, WORDS - 1), (counted(net).forward, WORDS)):
        assert_same(forward(words), rows)
    assert_same(layer.sample(), rows)
    with pytest.raises(THNNError):
        net.forward(WORDS)  # 3 is one too many
    assert_same(counted(net).forward(WORDS), rows)


def test_other_threads_count_from_zero() -> None:
    seen: list[Any] = []
    layer = pl.nn.OneHot(3)
    with countingFromOne():
        thread = threading.Thread(target=lambda: seen.append(np.copy(layer.forward(np.array([0])))))
        thread.start()
        thread.join()
        assert_same(layer.forward(np.array([1])), seen[0])


def test_functions_that_are_handed_over_count_from_one() -> None:
    net = nn.Sequential().add(nn.Linear(2, 2)).add(nn.Narrow(1, 2, 3))
    seen = []
    net.apply(lambda module: seen.append(module))
    assert seen[0] == net and seen[2].index == 2
    net.replace(lambda module: nn.Narrow(1, 1, 2) if str(module) == "nn.Narrow" else module)
    assert python(net)[1].index == 0
    (found,), _ = net.findModules("nn.Narrow")
    assert found == net.get(2)


def test_graphs() -> None:
    x = nn.Identity()()
    parts = nn.SplitTable(2)(x)
    a, b = parts.split(2)
    net = nn.gModule([x], [nn.CSubTable()([a, b])])
    assert_same(net.forward(np.float32([[5, 3], [2, 1]])), np.float32([2, 1]))
    assert counting.values(python(parts), "split", [1, 2]) == (1, 2)
    assert str(nngraph.Node) == "<class nngraph.Node, which counts from one>"


def test_packages() -> None:
    assert nn.Narrow.updateOutput(nn.Narrow(1, 2, 1), np.float32([1, 2])).tolist() == [2]
    assert "LSTM" in dir(nn) and "NCEModule" in dir(nn) and repr(nn) == "<nn, which counts from one>"
    assert "index" in dir(nn.Narrow(1, 1, 1))
    for wrong in (lambda: nn.Nothing, lambda: nn.__path__, lambda: nn.Linear.nothing, lambda: nn.import_module, lambda: nn.np):
        with pytest.raises(AttributeError):
            wrong()
    nn.FastLSTM.bn = True
    try:
        assert pl.rnn.FastLSTM.bn
    finally:
        nn.FastLSTM.bn = False


def test_an_error_says_that_a_class_declares_nothing() -> None:
    class Pick(pl.nn.Module):
        def updateOutput(self, input: Any) -> Any:
            return [0, 1][input]

    class Declared(Pick):
        _lua = Lua(inputs="indices")

    assert counted(Declared()).forward(2) == 1
    with pytest.raises(
        IndexError, match=r"list index out of range; Pick declares nothing as _lua = pl\.Lua\(\.\.\.\), and counts"
    ):
        counted(Pick()).forward(2)
    with pytest.raises(IndexError, match=r"range$"):
        counted(Declared()).forward(3)


def test_a_constructor_of_a_base() -> None:
    """A class that a script derives calls it with Torch7's arguments."""
    layer = type("Part", (pl.nn.Narrow,), {"__init__": lambda self: None})()
    counting.initialize(pl.nn.Narrow, layer, (1, 2.0, 3, "surplus"))
    assert (layer.dimension, layer.index, layer.length) == (0, 1, 3)


def test_numbers_of_values() -> None:
    net = pl.nn.Sequential(pl.nn.Linear(1, 1))
    assert counting.values(net, "training", net) == ()
    assert counting.values(net, "parameters", (1, 2)) == (1, 2)
    assert counting.values(net, "get", 3) == 3


def test_confusion_matrix() -> None:
    """The golden case, with its own numbers."""
    case = pl.load(GOLDEN / "optim" / "ConfusionMatrix.t7")
    confusion = optim.ConfusionMatrix(["cat", "dog", "bird"])
    predictions, targets = case["predictions"], case["targets"]
    confusion.batchAdd(predictions[:6], targets[:6])
    confusion.batchAdd(predictions[6:], targets[6:])
    confusion.add(*case["extra"])
    assert_same(confusion.mat, case["matrix"])
    confusion.zero()
    confusion.add(np.float32([0, 1, 0]), 2)
    confusion.add(1, 0)
    assert confusion.mat.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 0]]
