"""A pass that is made again from a tape gives what an ordinary one gives; whatever changes a network ends the tape."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend.tape import Tape
from pytorch_legacy.errors import BusyError, IndexRangeError, ShapeError
from pytorch_legacy.nn import blocks
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.optimizing.Taped import Taped


def network() -> Module:
    branches = nn.ConcatTable(nn.Sequential(nn.SpatialConvolution(4, 4, 1, 1), nn.Tanh()), nn.Identity())
    return nn.Sequential(
        *(nn.SpatialConvolution(3, 4, 3, 3), nn.SpatialBatchNormalization(4), nn.ReLU(), nn.SpatialMaxPooling(2, 2)),
        *(branches, nn.CAddTable(), nn.View(-1).setNumInputDims(3), nn.Linear(36, 5), nn.LogSoftMax()),
    )


def graph() -> Module:
    x = nn.Identity()()
    one = nn.ReLU()(nn.SpatialConvolution(3, 4, 3, 3)(x))
    other = nn.Tanh()(nn.SpatialConvolution(4, 4, 1, 1)(one))
    return nn.gModule([x], [nn.JoinTable(1)([nn.CAddTable()([one, other]), one])])


def picture(seed: int = 0, *shape: int) -> Tensor:
    return np.random.default_rng(seed).standard_normal(shape or (2, 3, 8, 8)).astype(np.float32)


def tapes(net: Module) -> list[Tape]:
    chains: list[Any] = [module for module in net.listModules() if isinstance(module, Taped)]
    passes = [one for chain in chains for one in chain.__dict__.get("_bindings", {}).get("passes", [])]
    return [one.tape for one in passes if one.tape is not None]


def recorded(make: Callable[[], Module] = network) -> tuple[Module, Any]:
    """A network, and one that has a tape of it."""
    net = make().evaluate()
    optimized = pl.optimize(net)
    for _ in range(2):
        optimized.forward(picture())
    assert len(tapes(optimized)) == 1
    return net, optimized


def assert_same(optimized: Any, x: Any) -> None:
    """The same as a copy gives, which has no tape."""
    np.testing.assert_array_equal(optimized.forward(x), optimized.clone().forward(x))


@pytest.mark.parametrize("make", [network, graph])
def test_calls_are_made_again(make: Callable[[], Module], monkeypatch: pytest.MonkeyPatch) -> None:
    net, optimized = recorded(make)
    run, repeated = Tape.run, []
    monkeypatch.setattr(Tape, "run", lambda tape, input: repeated.append(run(tape, input)) or repeated[-1])
    outputs = [optimized.forward(x).copy() for x in (picture(1), picture(2), picture(1))]
    assert repeated == [True] * 3
    for x, output in zip((picture(1), picture(2), picture(1)), outputs, strict=True):
        np.testing.assert_allclose(output, net.forward(x), rtol=0, atol=1e-5)
        np.testing.assert_array_equal(output, optimized.clone().forward(x))
    assert optimized.output is optimized.forward(picture())
    assert optimized.__class__.__name__.startswith("Taped")
    assert str(optimized).startswith(str(net)[:9])


INPUTS: dict[str, Callable[[Any], Any]] = {
    "a view": lambda optimized: picture(1, 2, 3, 8, 16)[..., ::2],
    "transposed": lambda optimized: picture(1, 2, 3, 8, 8).swapaxes(2, 3),
    "backwards": lambda optimized: picture(1)[::-1],
    "not aligned": lambda optimized: np.frombuffer(b"x" + picture(1).tobytes(), np.uint8)[1:].view("f4").reshape(2, 3, 8, 8),
    "read-only": lambda optimized: np.frombuffer(picture(1).tobytes(), "f4").reshape(2, 3, 8, 8),
    "more samples": lambda optimized: picture(1, 3, 3, 8, 8),
    "one sample": lambda optimized: picture(1, 1, 3, 8, 8),
}


@pytest.mark.parametrize("name", INPUTS)
def test_inputs(name: str) -> None:
    _, optimized = recorded()
    for _ in range(3):
        assert_same(optimized, INPUTS[name](optimized))
    assert_same(optimized, picture(3))


def test_one_address_two_ways() -> None:
    """A square and its transpose begin at one address and have one shape."""
    optimized: Any = pl.optimize(nn.Sequential(nn.Tanh(), nn.Linear(4, 4), nn.ReLU()).evaluate())
    x = picture(0, 4, 4)
    for given in (x, x, x, x.T, x, x.T):
        assert_same(optimized, given)


def test_wrong_inputs() -> None:
    _, optimized = recorded()
    for _ in range(2):
        with pytest.raises(ShapeError, match="expected"):
            optimized.forward(picture(0, 2, 4, 8, 8))
        assert_same(optimized, picture())


def test_work_that_reads_past_the_input() -> None:
    """Such a tape is of use for the memory that it was recorded with, and for no other."""
    whole = picture(0, 12)
    tape, target = Tape(whole[:8], [whole]), np.zeros(6, np.float32)
    with tape:
        blocks.copy(target, whole[4:10])
    assert tape.ends(target)
    assert not tape.run(picture(1, 8))
    whole[...] = picture(2, 12)
    assert tape.run(whole[:8])
    np.testing.assert_array_equal(target, whole[4:10])


def test_own_output_as_input() -> None:
    """It is read while outputs are written."""
    net = nn.Sequential(nn.Tanh(), nn.ConcatTable(nn.Square(), nn.Identity()), nn.CAddTable(), nn.Linear(4, 4)).evaluate()
    optimized: Any = pl.optimize(net)
    x = y = picture(0, 3, 4)
    for _ in range(6):
        x, y = optimized.forward(x), net.forward(y).copy()
        np.testing.assert_allclose(x, y, rtol=0, atol=1e-5)


def test_in_place() -> None:
    """A network that writes over its input does so whatever array comes, unless it is read-only."""
    optimized: Any = pl.optimize(nn.Sequential(nn.ReLU(True), nn.Linear(4, 4), nn.Tanh()).evaluate())
    x = picture(0, 3, 4)
    for given in (x, x, x, x, x.copy(), x):
        given[...] = picture(1, 3, 4)
        assert_same(optimized, given)
        np.testing.assert_array_equal(given, np.maximum(picture(1, 3, 4), 0))
    x[...] = picture(1, 3, 4)
    x.flags.writeable = False
    for _ in range(3):
        assert_same(optimized, x)
        np.testing.assert_array_equal(x, picture(1, 3, 4))


CHANGES: dict[str, Callable[[Any], Any]] = {
    "weight": lambda net: setattr(net[-2], "weight", net[-2].weight * 2),
    "contents of a weight": lambda net: net[-2].weight.__imul__(2),
    "bias": lambda net: setattr(net[-2], "bias", None),
    "frozen weight": lambda net: setattr(net[0][0], "weight", net[0][0].weight * 2),
    "contents of a bias": lambda net: net[0][0].bias.fill(1),
    "parameters": lambda net: net.getParameters()[0].fill(0.5),
    "number": lambda net: setattr(net[1], "kW", 1),
    "number of an activation": lambda net: setattr(net[0][1], "threshold", 0.5),
    "module": lambda net: net.modules.__setitem__(-1, nn.Tanh()),
    "module taken out": lambda net: net.remove(len(net.modules) - 1),
    "module added": lambda net: net.add(nn.Abs()),
    "module inside": lambda net: net[0].modules.__setitem__(1, nn.Tanh()),
    "method": lambda net: setattr(net[-1], "updateOutput", lambda input: input),
    "type": lambda net: net.double().float(),
    "buffers": lambda net: net.clearState(),
    "training": lambda net: net.training(),
    "outputs": lambda net: [setattr(module, "output", None) for module in net.listModules()],
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes(name: str) -> None:
    _, optimized = recorded()
    before = optimized.forward(picture()).copy()
    CHANGES[name](optimized)
    for _ in range(4):
        assert_same(optimized, picture())
    assert name in ("type", "buffers", "training", "outputs") or not np.array_equal(optimized.forward(picture()), before)


def test_methods_that_classes_get(monkeypatch: pytest.MonkeyPatch) -> None:
    _, optimized = recorded()
    monkeypatch.setattr(nn.LogSoftMax, "updateOutput", lambda module, input: -input)
    x = picture()
    assert not np.array_equal(optimized.forward(x), optimized.modules[-1].output)
    np.testing.assert_array_equal(optimized.forward(x), -optimized.modules[-2].output)


def test_networks_within_networks() -> None:
    """One that is a part of another one is noted by that."""
    inner = recorded()[1]
    outer = pl.optimize(nn.Sequential(nn.Tanh(), nn.MulConstant(2.0)).evaluate())
    outer.add(inner)
    outer.add(nn.Abs())
    for seed in (0, 0, 0, 1):
        assert_same(outer, picture(seed))
    assert outer._bindings["passes"][0].tape is not None
    for seed in (0, 0, 0, 1, 1, 2):
        assert_same(outer, picture(seed))
        assert_same(inner, picture(seed))


def test_changed_graphs() -> None:
    _, optimized = recorded(graph)
    for node in optimized.forwardnodes:
        if isinstance(node.module, nn.JoinTable):
            node.data["module"] = nn.JoinTable(0)
    assert optimized.forward(picture()).shape == (4, 4, 6, 6)
    assert_same(optimized, picture())


def test_arrays_that_are_held_are_not_resized() -> None:
    """Their memory is written to."""
    _, optimized = recorded()
    for array in (optimized.output, optimized[1].output):
        if array.base is None:
            with pytest.raises(ValueError, match="resize"):
                array.resize(1000, refcheck=False)
    assert_same(optimized, picture())


def test_threads() -> None:
    """Each has a network of its own."""
    nets = [recorded()[1] for _ in range(3)]
    wrong: list[int] = []

    def work(net: Any) -> None:
        expected = net.forward(picture()).copy()
        for i in range(300):
            if not np.array_equal(net.forward(picture()), expected):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(net,)) for net in nets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_second_thread_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    _, optimized = recorded()
    run, told = Tape.run, []

    def slow(tape: Tape, input: Any) -> bool:
        def other() -> None:
            for method in (optimized.forward, optimized.updateOutput):
                with pytest.raises(BusyError, match=r"nn.Sequential: another thread"):
                    method(picture())
                told.append(method)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        return run(tape, input)

    monkeypatch.setattr(Tape, "run", slow)
    optimized.forward(picture())
    assert len(told) == 2


def test_recurrent_networks() -> None:
    """Those that begin each sequence anew."""
    layers = [nn.LookupTable(7, 6), rnn.SeqLSTM(6, 5), rnn.SeqGRU(5, 4), rnn.Sequencer(nn.Linear(4, 3)), nn.Tanh()]
    net = nn.Sequential(*layers).evaluate()
    optimized: Any = pl.optimize(net)
    random = np.random.default_rng(0)
    words = [random.integers(0, 7, (8, 2)) for _ in range(4)]
    for given in (words[0], words[0], *words):
        np.testing.assert_allclose(optimized.forward(given), net.forward(given), rtol=0, atol=1e-5)
    assert len(tapes(optimized)) == 1
    lstm, mine = net[1], optimized.findModules("nn.SeqLSTM")[0][0]
    for remember in ("both", "neither"):
        for layer in (lstm, mine):
            layer.remember(remember)
        for given in words * 2:
            np.testing.assert_allclose(optimized.forward(given), net.forward(given), rtol=0, atol=1e-5)
    for layer in (lstm, mine):
        layer.userPrevOutput = np.ones((2, 5), np.float32)
    for given in words:
        np.testing.assert_allclose(optimized.forward(given), net.forward(given), rtol=0, atol=1e-5)
    for layer in (lstm, mine):
        layer.maskzero = True
    for given in words * 2:
        np.testing.assert_allclose(optimized.forward(given), net.forward(given), rtol=0, atol=1e-5)


def test_lookup_tables() -> None:
    """Indices are read anew in each call; those that are no 64-bit integers, or name no row, come to the layer itself."""
    net = nn.Sequential(nn.LookupTable(7, 6), nn.Tanh()).evaluate()
    optimized: Any = pl.optimize(net)
    random = np.random.default_rng(0)
    words = [random.integers(0, 7, (8, 2)) for _ in range(4)]
    others = words[1].astype(np.float32), words[2].astype(np.int32)
    for given in (words[0], *words, *others, *[words[3][:5]] * 3):
        np.testing.assert_array_equal(optimized.forward(given), net.forward(given))
    assert len(tapes(optimized)) == 1
    with pytest.raises(IndexRangeError, match=r"nn\.LookupTable: input: expected 0 to 6"):
        optimized.forward(words[0][:5] + 7)
    optimized[0].setMaxNorm(0.5)
    net[0].setMaxNorm(0.5)
    for given in words:
        np.testing.assert_array_equal(optimized.forward(given), net.forward(given))
    assert not tapes(optimized)
    floats = [given.astype(np.float64) for given in words]
    optimized = pl.optimize(nn.Sequential(nn.LookupTable(7, 6), nn.Tanh()))
    for given in floats:
        np.testing.assert_array_equal(optimized.forward(given), optimized.clone().forward(given))


def test_modules_with_a_state() -> None:
    """Each call goes on where the last one ended."""
    for make in (lambda: rnn.FastLSTM(4, 4), lambda: rnn.Recurrence(nn.CAddTable(), 4, 1), lambda: rnn.GRU(4, 4)):
        net = nn.Sequential(nn.Tanh(), make(), nn.Linear(4, 3)).evaluate()
        optimized = pl.optimize(net)
        for seed in (0, 0, 0, 0, 1, 2):
            x = picture(seed, 2, 4)
            np.testing.assert_allclose(optimized.forward(x), net.forward(x), rtol=0, atol=1e-5)
        assert not tapes(optimized)


def test_what_is_not_recorded() -> None:
    """Work that a tape would miss, and modules that nobody knows."""

    class Own(nn.Module):
        def updateOutput(self, input: Any) -> Any:
            self.output = input + 1
            return self.output

    for layer in (Own(), nn.SpatialAveragePooling(3, 3), nn.Sum(1), nn.Narrow(1, 0, 2)):
        if isinstance(layer, nn.SpatialAveragePooling):
            layer.divide = False
        optimized = pl.optimize(nn.Sequential(nn.Tanh(), layer, nn.Tanh()).evaluate())
        for seed in (0, 0, 1, 2):
            assert_same(optimized, picture(seed))
        assert not tapes(optimized)


def test_copies_and_files(tmp_path: Any) -> None:
    _, optimized = recorded()
    expected = optimized.forward(picture()).copy()
    pl.save(tmp_path / "net.t7", optimized)
    again = pl.load(tmp_path / "net.t7")
    assert type(again) is nn.Sequential
    for other in (again.evaluate(), pickle.loads(pickle.dumps(optimized)), optimized.clone(), pl.optimize(optimized)):
        for _ in range(4):
            np.testing.assert_array_equal(other.forward(picture()), expected)


def test_shapes_in_turn() -> None:
    net = nn.Sequential(nn.SpatialConvolution(3, 4, 3, 3), nn.ReLU(), nn.SpatialConvolution(4, 2, 3, 3), nn.Tanh()).evaluate()
    optimized = pl.optimize(net)
    for seed in range(20):
        size = 6 + (seed // 4) % 3
        x = picture(seed, 1 + seed % 2, 3, size, 9)
        np.testing.assert_allclose(optimized.forward(x), net.forward(x), rtol=0, atol=1e-5)


def test_inputs_that_take_turns() -> None:
    """Each lies elsewhere, and comes back, the one that was recorded, too."""
    net, one, other = network().evaluate(), picture(1), picture(2)
    optimized = pl.optimize(net)
    for x in (one, one, other, one, other):
        np.testing.assert_allclose(optimized.forward(x), net.forward(x), rtol=1e-4, atol=1e-5)
    assert tapes(optimized)


def test_a_call_that_finds_something_wrong() -> None:
    """An ordinary pass takes its place, and is recorded again."""
    net, optimized = recorded()
    (tape,) = tapes(optimized)
    tape._calls[-1] = lambda *arguments: 1, tape._calls[-1][1]
    x = picture(3)
    for _ in range(4):
        optimized.output[...] = np.nan
        np.testing.assert_allclose(optimized.forward(x), net.forward(x), rtol=1e-4, atol=1e-5)
    assert tapes(optimized) != [tape]
