"""Programs: what they compute, what they own, which sizes they take."""

from __future__ import annotations

import gc
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, nngraph, rnn
from pytorch_legacy.errors import BusyError, CompileError, DtypeError, IndexRangeError, ShapeError, THNNError

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "digits.t7"


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def convolutional() -> Any:
    pl.manualSeed(1)
    return nn.Sequential(
        nn.SpatialConvolution(2, 4, 3, 3, 1, 1, 1, 1), nn.SpatialBatchNormalization(4), nn.ReLU(),
        nn.SpatialMaxPooling(2, 2, 2, 2), nn.View(-1, 4 * 3 * 3), nn.Linear(36, 5), nn.LogSoftMax(),
    )  # fmt: skip


def residual() -> Any:
    pl.manualSeed(2)
    branch = nn.Sequential(
        nn.SpatialConvolution(4, 4, 3, 3, 1, 1, 1, 1), nn.ReLU(), nn.SpatialConvolution(4, 4, 3, 3, 1, 1, 1, 1)
    )
    return nn.Sequential(nn.ConcatTable(branch, nn.Identity()), nn.CAddTable(), nn.ReLU(), nn.SpatialAdaptiveAveragePooling(1, 1))


def graph() -> Any:
    pl.manualSeed(3)
    x = nn.Identity()()
    a, b = nn.Linear(6, 6)(x), nn.Tanh()(x)
    return nngraph.gModule([x], [nn.CMulTable()([a, b]), nn.Linear(6, 2)(a)])


def recurrent() -> Any:
    pl.manualSeed(4)
    return nn.Sequential(nn.SplitTable(1, 3), rnn.Sequencer(rnn.LSTM(3, 4)), nn.SelectTable(-1), nn.Linear(4, 2))


NETS = {
    "digits": (lambda: pl.load(DIGITS)["model"], (1, 28, 28)),
    "convolutional": (convolutional, (2, 6, 6)),
    "residual": (residual, (4, 5, 5)),
    "graph": (graph, (6,)),
    "recurrent": (recurrent, (5, 3)),
    "ten ReLU": (lambda: nn.Sequential(*[nn.ReLU() for _ in range(10)]), (7,)),
    "LogSoftMax": (lambda: nn.LogSoftMax(), (9,)),
    "one layer in place": (lambda: nn.ReLU(True), (9,)),
}


def leaves(value: Any) -> list[Any]:
    return [leaf for one in value for leaf in leaves(one)] if isinstance(value, (list, tuple)) else [value]


def assert_gives(program: Any, net: Any, x: Any) -> None:
    expected = leaves(net.forward(pl.nn.utils.recursiveCopy(None, x) if not isinstance(x, np.ndarray) else x.copy()))
    found = leaves(program(x))
    assert len(expected) == len(found)
    for one, other in zip(expected, found, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5 * max(1e-30, float(np.abs(one).max())))


@pytest.mark.parametrize("name", NETS)
def test_a_program_gives_what_the_network_gives(name: str) -> None:
    make, shape = NETS[name]
    net = make().evaluate()
    program = pl.compile(net, (None, *shape))
    for n in (1, 2, 3, 5, 17, 40, 1):
        assert_gives(program, net, numbers(n, *shape, seed=n))


@pytest.mark.parametrize("name", NETS)
def test_in_double_precision(name: str) -> None:
    make, shape = NETS[name]
    net = make().double().evaluate()
    program = pl.compile(net, (None, *shape))
    for n in (1, 4):
        x = numbers(n, *shape).astype(np.float64)
        for one, other in zip(leaves(net.forward(x.copy())), leaves(program(x)), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["convolutional", "residual", "graph", "ten ReLU"])
def test_layer_functions_alone_give_the_bits_of_the_optimized_network(name: str) -> None:
    make, shape = NETS[name]
    net = make().evaluate()
    pl.setConvolution("fixed")
    optimized, program = pl.optimize(net), pl.compile(net, (None, *shape))
    for n in (1, 2, 9):
        x = numbers(n, *shape, seed=n)
        for one, other in zip(leaves(optimized.forward(x.copy())), leaves(program(x)), strict=True):
            assert np.array_equal(one, other)


def test_changes_of_the_network_change_nothing() -> None:
    net = convolutional()
    x = numbers(3, 2, 6, 6)
    program = pl.compile(net, (None, 2, 6, 6))
    before = program(x)
    for parameter in net.parameters()[0]:
        parameter.fill(np.nan)
    net.modules.clear()
    del net
    gc.collect()
    assert np.array_equal(program(x), before)


def test_inputs_are_read_in_any_layout_and_never_written() -> None:
    net = nn.Sequential(nn.ReLU(True), nn.Linear(6, 6), nn.ReLU(True))
    program = pl.compile(net, (None, 6))
    x = numbers(4, 6)
    expected = program(x)
    wide, turned = numbers(4, 12), np.asfortranarray(x)
    wide[:, ::2] = x
    fixed = x.copy()
    fixed.flags.writeable = False
    odd = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(4, 6)
    for other in (wide[:, ::2], turned, fixed, odd, x[::-1].copy()[::-1], np.ascontiguousarray(x[:, ::-1])[:, ::-1]):
        copy = np.array(other)
        assert np.array_equal(program(other), expected)
        assert np.array_equal(other, copy)


def test_its_own_last_output_may_be_the_next_input() -> None:
    net = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
    program = pl.compile(net, (None, 6))
    x = y = numbers(4, 6)
    for _ in range(5):
        x, y = program(x), net.forward(y).copy()
        np.testing.assert_allclose(x, y, rtol=1e-5)


def test_results_are_new_arrays() -> None:
    program = pl.compile(nn.Sequential(nn.Linear(2, 2)), (None, 2))
    first = program(numbers(2, 2))
    kept = first.copy()
    program(numbers(2, 2, seed=5))
    assert np.array_equal(first, kept)


def test_what_the_network_hands_on_is_a_copy() -> None:
    program = pl.compile(nn.ConcatTable(nn.Identity(), nn.Select(0, 0)), (3, 4))
    x = numbers(3, 4)
    copy = x.copy()
    one, row = program(x)
    one[...] = 0
    assert np.array_equal(x, copy) and np.array_equal(row, x[0])


def test_tables_in_and_out() -> None:
    net = nn.Sequential(nn.ParallelTable(nn.Linear(3, 4), nn.Identity()), nn.ConcatTable(nn.CAddTable(), nn.JoinTable(1)))
    program = pl.compile(net, [(None, 3), (None, 4)])
    for n in (1, 2, 6):
        assert_gives(program, net, [numbers(n, 3), numbers(n, 4, seed=1)])
    with pytest.raises(ShapeError, match="batch"):
        program([numbers(2, 3), numbers(3, 4)])
    with pytest.raises(DtypeError, match="expected a table of 2"):
        program(numbers(2, 3))


def test_indices() -> None:
    net = nn.Sequential(nn.LookupTable(10, 3), nn.Mean(1))
    program = pl.compile(net, np.int64([[1, 2, 3], [4, 5, 6]]))
    x = np.int64([[9, 0, 1], [2, 2, 2]])
    assert_gives(program, net, x)
    with pytest.raises(IndexRangeError, match=r"nn.LookupTable: input.*10") as raised:
        program(np.int64([[10, 0, 0], [0, 0, 0]]))
    with pytest.raises(IndexRangeError) as eager:
        net.forward(np.int64([[10, 0, 0], [0, 0, 0]]))
    assert "module 1 of nn.Sequential" in str(raised.value) and "module 1 of nn.Sequential" in str(eager.value)
    assert_gives(program, net, x)


def test_other_sizes_are_compiled_at_their_first_use() -> None:
    net = nn.Sequential(nn.SpatialConvolution(1, 2, 3, 3), nn.ReLU(), nn.SpatialMaxPooling(2, 2, 2, 2).ceil())
    program = pl.compile(net, (None, 1, None, None))
    for h, w in ((8, 8), (9, 7), (12, 5), (8, 8), *[(6 + k, 6) for k in range(12)]):
        for n in (1, 3):
            assert_gives(program, net, numbers(n, 1, h, w))
    assert len(program._programs) <= 9
    with pytest.raises(ShapeError):
        program(numbers(2, 1, 2, 2))
    assert_gives(program, net, numbers(2, 1, 8, 8))


def test_a_sequence_of_any_length() -> None:
    net = nn.Sequential(nn.SplitTable(0), rnn.Sequencer(rnn.GRU(3, 4)), nn.JoinTable(0))
    program = pl.compile(net, (None, 2, 3))
    for steps in (1, 2, 3, 7):
        assert_gives(program, net, numbers(steps, 2, 3))


def test_a_size_that_was_not_compiled_for_is_an_error() -> None:
    program = pl.compile(nn.Linear(3, 2), (4, 3))
    with pytest.raises(ShapeError, match="program: input: expected 4 x 3, as it was compiled for, got 5 x 3"):
        program(numbers(5, 3))
    with pytest.raises(DtypeError, match="expected float32, got float64"):
        program(np.zeros((4, 3)))
    with pytest.raises(DtypeError, match="expected a float32 array, got None"):
        program(None)
    program = pl.compile(nn.Linear(3, 2), (None, 3))
    with pytest.raises(ShapeError, match="expected any x 3"):
        program(numbers(5, 4))
    with pytest.raises(ShapeError, match="at least one sample"):
        program(numbers(0, 3))


@pytest.mark.parametrize(
    "example, words",
    [
        ((None, 4), "expected .*4"),
        ((), "shape of one or more"),
        ((None, -3), "sizes"),
        ("NCHW", "expected a shape, an array"),
        ([], "expected a shape, an array"),
        (np.zeros((2, 3), np.complex64), "complex64"),
    ],
)
def test_wrong_examples(example: Any, words: str) -> None:
    with pytest.raises(THNNError, match=words):
        pl.compile(nn.Linear(3, 2), example)


def test_what_is_no_network() -> None:
    with pytest.raises(DtypeError, match=r"pl\.compile: net: expected a module, got None"):
        pl.compile(None, (None, 3))


def test_clones_share_weights_and_run_at_once() -> None:
    net = convolutional()
    program = pl.compile(net, (None, 2, 6, 6))
    inputs = [numbers(3, 2, 6, 6, seed=k) for k in range(8)]
    expected = [program(x) for x in inputs]
    wrong: list[Any] = []

    def work(own: Any) -> None:
        for _ in range(20):
            for x, y in zip(inputs, expected, strict=True):
                if not np.array_equal(own(x), y):
                    wrong.append(x)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [program.clone() for _ in range(4)]))
    assert not wrong


def test_a_second_thread_gets_BusyError() -> None:
    net = nn.Sequential(*[nn.Linear(512, 512) for _ in range(4)])
    program = pl.compile(net, (None, 512))
    x = numbers(2000, 512)
    found: list[Any] = []

    def work(_: int) -> None:
        for _ in range(10):
            try:
                found.append(program(x).shape)
            except BusyError as error:
                found.append(str(error))

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))
    texts = {one for one in found if isinstance(one, str)}
    assert texts == {"program: another thread is within a call; program.clone() makes one for each thread"}
    assert (2000, 512) in found


@pytest.mark.parametrize("kind", [rnn.LSTM, rnn.GRU, rnn.FastLSTM])
def test_a_state_goes_on_from_call_to_call(kind: Any) -> None:
    net = nn.Sequential(kind(3, 4), nn.Linear(4, 2)).evaluate()
    program = pl.compile(net, (None, 3))
    for n in (2, 1, 5):
        net.forget()
        program.forget()
        for k in range(4):
            assert_gives(program, net, numbers(n, 3, seed=k))
    with pytest.raises(ShapeError, match="for the state of earlier calls, got 3 x 3; forget"):
        program(numbers(3, 3))
    assert_gives(program, net, numbers(5, 3))
    other = program.clone()
    net.forget()
    assert_gives(other, net, numbers(2, 3))


def test_a_sequencer_that_remembers() -> None:
    net = nn.Sequential(nn.SplitTable(1, 3), rnn.Sequencer(rnn.LSTM(3, 4)).remember("both"), nn.SelectTable(-1)).evaluate()
    program = pl.compile(net, (None, 5, 3))
    net.forget()
    for k in range(3):
        assert_gives(program, net, numbers(2, 5, 3, seed=k))


@pytest.mark.parametrize("name", NETS)
def test_pickles(name: str) -> None:
    make, shape = NETS[name]
    program = pl.compile(make(), (None, *shape))
    other = pickle.loads(pickle.dumps(program))
    for n in (1, 4):
        x = numbers(n, *shape)
        for one, two in zip(leaves(program(x)), leaves(other(x)), strict=True):
            assert np.array_equal(one, two)
    assert repr(other) == repr(program)


def test_pickles_of_what_may_get_other_sizes() -> None:
    net = nn.Sequential(nn.SpatialConvolution(1, 2, 3, 3), nn.ReLU())
    program = pl.compile(net, (None, 1, None, None))
    other = pickle.loads(pickle.dumps(program))
    assert_gives(other, net, numbers(2, 1, 9, 8))


def test_pl_save_refuses_a_program(tmp_path: Path) -> None:
    program = pl.compile(nn.Linear(3, 2), (None, 3))
    with pytest.raises(Exception, match=r"got Program; program.save\(path\) writes it"):
        pl.save(tmp_path / "net.t7", program)
    assert not list(tmp_path.iterdir())


def test_draws_and_criterions_are_refused_by_name() -> None:
    with pytest.raises(CompileError, match=r"nn\.SpatialFractionalMaxPooling: draws"):
        pl.compile(nn.SpatialFractionalMaxPooling(2, 2, 0.7, 0.7), (None, 2, 8, 8))
    with pytest.raises(CompileError, match=r"nn\.MaskedSelect"):
        pl.compile(nn.MaskedSelect(), [np.float32([1, 2, 3]), np.uint8([1, 0, 1])])


def test_a_layer_of_one_s_own_made_of_array_operations() -> None:
    class Softplus(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = np.float32([1, 2, 3])

        def updateOutput(self, input: Any) -> Any:
            scaled = input * self.weight
            shifted = np.where(scaled > 0, scaled, 0)
            total = np.log1p(np.exp(-np.abs(scaled))) + shifted
            self.output = np.concatenate([total[:, ::-1], total.mean(axis=1, keepdims=True)], axis=1)
            return self.output

    net = nn.Sequential(nn.Linear(4, 3), Softplus())
    program = pl.compile(net, (None, 4))
    for n in (1, 2, 5):
        assert_gives(program, net, numbers(n, 4, seed=n))


def test_truth_values_and_arrays_of_like_contents() -> None:
    class Above(nn.Module):
        changesDtype = True

        def updateOutput(self, input: Any) -> Any:
            one, other = np.array([0.0, 0, 0], np.float32, like=input), np.array([0.0, 0, 0], np.float32, like=input)
            one += 1
            self.output = (input + one + other) > 0
            return self.output

    program = pl.compile(nn.Sequential(nn.Linear(4, 3), Above()), (None, 4))
    found = program(numbers(5, 4))
    assert found.dtype == np.bool_ and found.any() and not found.all()


def test_arrays_of_other_libraries() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    net = nn.Linear(3, 2)
    x = numbers(4, 3)
    assert np.array_equal(pl.compile(net, (None, 3))(torch.from_numpy(x)), net.forward(x))


def test_a_part_of_a_network() -> None:
    class Largest(nn.Module):
        def updateOutput(self, input: Any) -> Any:
            self.output = input / float(np.abs(input).max())
            return self.output

    net = nn.Sequential(nn.Linear(4, 5), nn.ReLU(True), Largest(), nn.Linear(5, 3), nn.Sequential(nn.Tanh(), Largest()))
    with pytest.raises(CompileError):
        pl.compile(net, (None, 4))
    program = pl.compile(net, (None, 4), partial=True)
    assert repr(program).count("Program") == 2 and repr(program).count("Largest") == 2
    net.evaluate()
    outputs = []
    for n in (1, 2, 7):
        x = numbers(n, 4, seed=n)
        before = x.copy()
        assert_gives(program, net, x)
        assert_gives(program.clone(), net, x)
        outputs.append((program(x), x))
        assert np.array_equal(x, before)
    for y, x in outputs:
        assert np.array_equal(y, program(x), equal_nan=True), "results are new arrays"
    assert isinstance(pl.compile(nn.Linear(3, 2), (None, 3), partial=True), pl.Program)
    first = pl.compile(nn.Sequential(Largest(), nn.ReLU(True)), (None, 4), partial=True)
    x = numbers(3, 4)
    first(x)
    assert np.array_equal(x, numbers(3, 4))


def test_it_is_shown() -> None:
    assert re.fullmatch(r"Program: N x 3 -> N x 2, 1 calls?, 32 bytes of weights", repr(pl.compile(nn.Linear(3, 2), (None, 3))))


def test_evaluation_is_what_is_compiled() -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.BatchNormalization(4)).training()
    program = pl.compile(net, (None, 4))
    assert net.train and net.get(1).train
    x = numbers(5, 4)
    assert_gives(program, net.evaluate(), x)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e25, 0.0])
@pytest.mark.parametrize("name", ["convolutional", "residual", "graph", "recurrent", "LogSoftMax"])
def test_attacks(name: str, value: float) -> None:
    make, shape = NETS[name]
    net = make().evaluate()
    program, optimized = pl.compile(net, (None, *shape)), pl.optimize(net)
    x = numbers(3, *shape)
    x[1] = value
    with np.errstate(all="ignore"):
        expected = leaves(optimized.forward(x.copy()))
    for one, other in zip(expected, leaves(program(x)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_bytes() -> None:
    """The proof's memory is no longer there: the arena is that of the largest batch so far."""
    program = pl.compile(nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2)), (None, 3))
    weights, arena = program.bytes()
    assert weights == 4 * (3 * 8 + 8 + 8 * 2 + 2) and arena == 0
    x = np.ones((100, 3), np.float32)
    program(x[:1])
    _, small = program.bytes()
    program(x)
    _, large = program.bytes()
    assert 0 < small < large <= 100 * 2 * (32 + 64)
