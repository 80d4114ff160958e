"""Training steps as programs: ten steps have the bits of ten steps of the eager network."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, nngraph, rnn
from pytorch_legacy.errors import (
    ArgumentError,
    BusyError,
    CompileError,
    DtypeError,
    IndexRangeError,
    ShapeError,
    THNNError,
    UnsupportedError,
    ValueRangeError,
)
from pytorch_legacy.program.inputs import Sizes, specs
from pytorch_legacy.program.step_proof import StepProof
from pytorch_legacy.program.training import NewStateError, StepCompiler
from pytorch_legacy.program.training_pass import TrainingPass
from tests.program.test_faults import differs, faults

BATCHES = (2, 1, 3, 17, 2, 5, 1, 4, 2, 8)


def numbers(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def labels(n: int, classes: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(0, classes, n)


class Eager:
    """An eager network beside a step."""

    def __init__(self, net: Any, criterion: Any) -> None:
        self.net, self.criterion = net.clone().training(), copy.deepcopy(criterion)
        self.parameters, self.gradParameters = self.net.getParameters()

    def __call__(self, x: Any, target: Any) -> float:
        x = copy.deepcopy(x)
        self.net.zeroGradParameters()
        output = self.net.forward(x)
        loss = self.criterion.forward(output, target)
        self.net.backward(x, self.criterion.backward(output, target))
        return float(loss)


def assert_same_steps(eager: Any, step: Any, batches: Any, optimizer: Any = pl.optim.sgd, **config: Any) -> None:
    """Steps on these inputs and targets give the same bits."""
    configs = {"learningRate": 0.05, **config}, {"learningRate": 0.05, **config}
    for seed, (x, target) in enumerate(batches):
        pl.manualSeed(seed)
        expected = eager(x, target)
        after = pl.random.random()
        pl.manualSeed(seed)
        assert step(x, target) == expected
        assert pl.random.random() == after
        assert np.array_equal(step.gradParameters, eager.gradParameters)
        for one, own in zip((eager, step), configs, strict=True):
            optimizer(lambda w, one=one: (0.0, one.gradParameters), one.parameters, own)
        assert np.array_equal(step.parameters, eager.parameters)


def assert_same_updates(eager: Any, step: Any, batches: Any, config: Any) -> None:
    """Steps that move the parameters give the bits of eager passes with `pl.optim.sgd`."""
    for seed, (x, target) in enumerate(batches):
        pl.manualSeed(seed)
        expected = eager(x, target)
        pl.manualSeed(seed)
        assert step(x, target) == expected
        pl.optim.sgd(lambda w: (0.0, eager.gradParameters), eager.parameters, config)
        assert np.array_equal(step.parameters, eager.parameters)
        assert np.array_equal(step.gradParameters, eager.gradParameters)


def assert_same(net: Any, criterion: Any, example: Any, batches: Any, **options: Any) -> Any:
    step = pl.compile(net, example, criterion=criterion)
    eager = Eager(net, criterion)
    assert_same_steps(eager, step, batches, **options)
    other = net.clone()
    step.writeTo(other)
    assert all(map(np.array_equal, other.parameters()[0], eager.net.parameters()[0]))
    return step, eager, other


def digits() -> Any:
    return nn.Sequential(
        nn.SpatialConvolution(1, 4, 5, 5), nn.ReLU(True), nn.SpatialMaxPooling(2, 2, 2, 2), nn.SpatialConvolution(4, 6, 3, 3),
        nn.ReLU(), nn.SpatialAveragePooling(2, 2, 2, 2), nn.View(-1).setNumInputDims(3), nn.Linear(6 * 25, 10), nn.LogSoftMax(),
    )  # fmt: skip


def pictures(*shape: int, classes: int = 10) -> Any:
    return [(numbers(n, *shape, seed=seed), labels(n, classes, seed)) for seed, n in enumerate(BATCHES)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_digits(dtype: str) -> None:
    pl.manualSeed(2)
    net, criterion = digits().type(dtype), nn.ClassNLLCriterion().type(dtype)
    batches = [(x.astype(dtype), t) for x, t in pictures(1, 28, 28)]
    assert_same(net, criterion, ((None, 1, 28, 28), labels(2, 10)), batches)


def residual(planes: int, out: int, stride: int) -> Any:
    """A block of fb.resnet.torch."""
    normed = nn.SpatialBatchNormalization
    block = nn.Sequential(
        nn.SpatialConvolution(planes, out, 3, 3, stride, stride, 1, 1), normed(out), nn.ReLU(True),
        nn.SpatialConvolution(out, out, 3, 3, 1, 1, 1, 1), normed(out),
    )  # fmt: skip
    same = planes == out and stride == 1
    shortcut = nn.Identity() if same else nn.Sequential(nn.SpatialConvolution(planes, out, 1, 1, stride, stride), normed(out))
    return nn.Sequential(nn.ConcatTable(block, shortcut), nn.CAddTable(True), nn.ReLU(True))


def test_residual_network() -> None:
    pl.manualSeed(3)
    net = nn.Sequential(nn.SpatialConvolution(3, 8, 3, 3, 1, 1, 1, 1), nn.SpatialBatchNormalization(8), nn.ReLU(True))
    for planes, out, stride in ((8, 8, 1), (8, 16, 2), (16, 16, 1), (16, 24, 2)):
        net.add(residual(planes, out, stride))
    net.add(nn.SpatialAveragePooling(3, 3, 1, 1)).add(nn.View(24).setNumInputDims(3)).add(nn.Linear(24, 5))
    batches = [(numbers(n, 3, 12, 12, seed=n), labels(n, 5, n)) for n in (2, 3, 4, 2, 6, 1, 2, 3, 2, 5)]
    _, eager, other = assert_same(
        net, nn.CrossEntropyCriterion(), ((None, 3, 12, 12), labels(2, 5)), batches, momentum=0.9, weightDecay=1e-4
    )
    for own, expected in zip(*(one.findModules(nn.SpatialBatchNormalization)[0] for one in (other, eager.net)), strict=True):
        assert np.array_equal(own.running_mean, expected.running_mean) and own.running_mean.any()
        assert np.array_equal(own.running_var, expected.running_var)


DRAWING = {
    "Dropout": lambda: nn.Dropout(0.4),
    "in place": lambda: nn.Dropout(0.4, inplace=True),
    "v1": lambda: nn.Dropout(0.4, True),
    "SpatialDropout": lambda: nn.Sequential(nn.View(4, 2, 1).setNumInputDims(1), nn.SpatialDropout(0.3), nn.View(8)),
    "RReLU": lambda: nn.RReLU(),
    "WhiteNoise": lambda: nn.WhiteNoise(0, 0.2),
    "two": lambda: nn.Sequential(nn.Dropout(0.2), nn.Dropout(0.6)),
}


@pytest.mark.parametrize("name", DRAWING)
def test_draws(name: str) -> None:
    pl.manualSeed(4)
    net = nn.Sequential(nn.Linear(3, 8), DRAWING[name](), nn.Linear(8, 2))
    batches = [(numbers(n, 3, seed=n), numbers(n, 2, seed=n + 1)) for n in BATCHES]
    assert_same(net, nn.MSECriterion(), ((None, 3), (None, 2)), batches)


def test_draws_go_on_between_steps() -> None:
    net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    step, eager, x, t = pl.compile(net, ((2, 3), (2, 1)), criterion=nn.MSECriterion()), None, numbers(2, 3), numbers(2, 1)
    eager = Eager(net, nn.MSECriterion())
    pl.manualSeed(5)
    expected = [eager(x, t) for _ in range(5)]
    pl.manualSeed(5)
    assert [step(x, t) for _ in range(5)] == expected
    assert len({*expected}) == 5


def test_compiling_leaves_the_generator_alone() -> None:
    net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5))
    before = pl.random.getRNGState()
    pl.compile(net, ((None, 3), (None, 8)), criterion=nn.MSECriterion())
    assert np.array_equal(pl.random.getRNGState(), before)


def char_rnn(vocabulary: int, size: int, steps: int) -> Any:
    """char-rnn's LSTM of one layer, unrolled by clones that share their parameters."""
    x, c, h = (nn.Identity()() for _ in range(3))
    sums = nn.CAddTable()([nn.Linear(vocabulary, 4 * size)(x), nn.Linear(size, 4 * size)(h)])
    gates = [nn.Narrow(1, size * i, size)(sums) for i in range(4)]
    forget, enter, out = (nn.Sigmoid()(gate) for gate in gates[:3])
    cell = nn.CAddTable()([nn.CMulTable()([forget, c]), nn.CMulTable()([enter, nn.Tanh()(gates[3])])])
    hidden = nn.CMulTable()([out, nn.Tanh()(cell)])
    logs = nn.LogSoftMax()(nn.Linear(size, vocabulary)(hidden))
    cellNet = nngraph.gModule([x, c, h], [cell, hidden, logs])
    shared = "weight", "bias", "gradWeight", "gradBias"
    inputs = [nn.Identity()() for _ in range(steps + 2)]
    c, h = inputs[steps:]
    outputs = []
    for t in range(steps):
        node = (cellNet if t == 0 else cellNet.clone(*shared))([inputs[t], c, h])
        c, h, log = node.split(3)
        outputs.append(log)
    return nngraph.gModule(inputs, [*outputs, c, h])


def test_char_rnn_with_clipping_and_adam() -> None:
    pl.manualSeed(6)
    vocabulary, size, steps = 7, 5, 4
    net = char_rnn(vocabulary, size, steps)
    criterion = nn.ParallelCriterion()
    for _ in range(steps):
        criterion.add(nn.ClassNLLCriterion(), 1 / steps)
    for _ in range(2):
        criterion.add(nn.MSECriterion(), 0)  # the last state has no gradient
    example = [(None, vocabulary)] * steps + [(None, size)] * 2, [labels(2, vocabulary)] * steps + [(None, size)] * 2

    def batch(n: int) -> Any:
        texts = [labels(n, vocabulary, n + t) for t in range(steps + 1)]
        states = [numbers(n, size, seed=n + i) for i in range(2)]
        return [*(np.eye(vocabulary, dtype=np.float32)[text] for text in texts[:-1]), *states], [*texts[1:], *states]

    def clipped_adam(opfunc: Any, x: Any, config: Any) -> Any:
        loss, gradient = opfunc(x)
        np.clip(gradient, -0.05, 0.05, out=gradient)
        return pl.optim.adam(lambda _: (loss, gradient), x, config)

    step, _, _ = assert_same(net, criterion, example, [batch(n) for n in BATCHES], optimizer=clipped_adam)
    assert (np.abs(step.gradParameters) == np.float32(0.05)).any()


def test_sequences() -> None:
    pl.manualSeed(7)
    net = nn.Sequential(rnn.SeqLSTM(3, 4), rnn.Sequencer(nn.Linear(4, 2)))
    batches = [(numbers(5, n, 3, seed=n), numbers(5, n, 2, seed=n)) for n in BATCHES]
    assert_same(net, nn.MSECriterion(), ((5, None, 3), (5, None, 2)), batches)


def remembering() -> Any:
    return nn.Sequential(rnn.SeqLSTM(3, 4).remember("both"), rnn.Sequencer(nn.Linear(4, 2)))


def remembering_gru() -> Any:
    return nn.Sequential(rnn.SeqGRU(3, 4).remember("both"), nn.Dropout(0.3), rnn.SeqLSTM(4, 2).remember("train"))


@pytest.mark.parametrize("make", [remembering, remembering_gru])
def test_a_state_goes_on_until_it_is_forgotten(make: Any) -> None:
    pl.manualSeed(10)
    net, criterion = make(), nn.MSECriterion()
    step, eager = pl.compile(net, ((5, None, 3), (5, None, 2)), criterion=criterion), Eager(net, criterion)
    for n in (3, 1, 2):
        assert_same_steps(eager, step, [(numbers(5, n, 3, seed=seed), numbers(5, n, 2, seed=seed)) for seed in range(4)])
        if n == 3:
            with pytest.raises(ShapeError, match="forget"):
                step(numbers(5, 2, 3), numbers(5, 2, 2))
        step.forget()
        eager.net.forget()


def test_other_sizes_are_compiled_at_their_first_use() -> None:
    net = nn.Sequential(nn.SpatialConvolution(1, 2, 3, 3), nn.SpatialBatchNormalization(2), nn.Mean(2), nn.Mean(2))
    step, eager = pl.compile(net, ((None, 1, None, None), (None, 2)), criterion=nn.MSECriterion()), Eager(net, nn.MSECriterion())
    sizes = [(2, 5, 5), (3, 6, 5), (2, 5, 5), (1, 6, 5), (4, 7, 7)]
    assert_same_steps(eager, step, [(numbers(n, 1, h, w), numbers(n, 2)) for n, h, w in sizes])


def test_targets_that_are_numbers() -> None:
    net, x = nn.Sequential(nn.Linear(3, 4), nn.LogSoftMax()), numbers(3)
    step, eager = pl.compile(net, (x, 2), criterion=nn.ClassNLLCriterion()), Eager(net, nn.ClassNLLCriterion())
    assert_same_steps(eager, step, [(numbers(3, seed=label), label) for label in (0, 3, 1)])
    for wrong in (1 << 70, np.uint64(1 << 63), 1.0, np.complex64(1), True, None, "1"):
        with pytest.raises(DtypeError, match="step: target: expected"):
            step(x, wrong)
    step = pl.compile(nn.Linear(3, 1), (x, 2.0), criterion=nn.MSECriterion())
    with pytest.raises(DtypeError, match="step: target: expected"):
        step(x, np.complex64(1j))


def test_a_criterion_without_a_target() -> None:
    net = nn.Linear(3, 4)
    step, eager = pl.compile(net, ((None, 3), None), criterion=nn.L1Cost()), Eager(net, nn.L1Cost())
    assert step(numbers(2, 3)) == eager(numbers(2, 3), None)
    with pytest.raises(DtypeError, match="step: target: expected none"):
        step(numbers(2, 3), numbers(2, 3))


def test_a_step_reads_its_parameters_where_they_are() -> None:
    net = nn.Linear(3, 1, False)
    step, x, t = pl.compile(net, ((None, 3), (None, 1)), criterion=nn.MSECriterion()), numbers(2, 3), np.zeros((2, 1), np.float32)
    step.parameters[...] = 0
    assert step(x, t) == 0 and not step.gradParameters.any()
    step.parameters[...] = 1
    assert step(x, t) > 0 and step.gradParameters.any()


def test_the_network_does_not_change() -> None:
    net, criterion = nn.Sequential(nn.Linear(3, 4), nn.BatchNormalization(4)).evaluate(), nn.MSECriterion()
    before = pickle.dumps(net)
    step = pl.compile(net, ((None, 3), (None, 4)), criterion=criterion)
    step(numbers(2, 3), numbers(2, 4))
    step.parameters[...] = 0
    assert pickle.dumps(net) == before
    net.modules[0].weight[...] = 5
    assert not step.parameters.any()


def pair(change: Any) -> Any:
    """A network of two nn.Linear, which `change` changes."""
    one, other = nn.Linear(3, 3), nn.Linear(3, 3)
    change(one, other)
    return nn.Sequential(one, nn.Tanh(), other)


def transposed(one: Any, other: Any) -> None:
    other.weight, other.gradWeight = one.weight.T, one.gradWeight.T


def overlapping(one: Any, other: Any) -> None:
    weights, gradients = numbers(4, 3), np.zeros((4, 3), np.float32)
    one.weight, other.weight = weights[:3], weights[1:]
    one.gradWeight, other.gradWeight = gradients[:3], gradients[1:]


def rowed(one: Any, other: Any) -> None:
    other.bias, other.gradBias = one.weight[0], one.gradWeight[0]


def frozen(one: Any, other: Any) -> None:
    other.accGradParameters = lambda input, gradOutput, scale=1: None


def hidden(one: Any, other: Any) -> None:
    one.parameters = lambda: None  # its gradients are never set to 0


def twice() -> Any:
    layer, tanh, x = nn.Linear(3, 3), nn.Tanh(), nn.Identity()()
    return nngraph.gModule([x], [nn.CAddTable()([layer(tanh(layer(x))), tanh(layer(x))])])


NETWORKS: dict[str, Any] = {
    "shared": lambda: pair(lambda one, other: other.share(one, "weight", "gradWeight")),
    "one module twice": lambda: nn.Sequential(*[nn.Linear(3, 3), nn.Dropout(0.3)] * 2),
    "twice in a graph": twice,
    **{change.__name__: lambda change=change: pair(change) for change in (transposed, overlapping, rowed, frozen, hidden)},
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", NETWORKS)
def test_parameters_in_common(name: str, dtype: str) -> None:
    pl.manualSeed(15)
    net, criterion = NETWORKS[name]().type(dtype), nn.MSECriterion().type(dtype)
    batches = [tuple(numbers(n, 3, seed=seed, dtype=dtype) for seed in (n, n + 1)) for n in BATCHES]
    assert_same(net, criterion, ((None, 3), (None, 3)), batches, momentum=0.9)
    config = {"learningRate": 0.05, "momentum": 0.9}
    step = pl.compile(net, ((None, 3), (None, 3)), criterion=criterion, optimizer="sgd", config={**config})
    assert_same_updates(Eager(net, criterion), step, batches, config)


def test_the_gradient_of_the_input_is_not_computed() -> None:
    net = digits()
    step = pl.compile(net, ((None, 1, 28, 28), labels(2, 10)), criterion=nn.ClassNLLCriterion())
    modules = step._first.notes.lists[-1].modules
    convolution = next(number for number, (_, name) in enumerate(step._places) if name == "nn.SpatialConvolution")
    assert modules.count(convolution) == 4  # gradients set to 0, output, gradients of the parameters


def test_a_state_of_single_steps() -> None:
    pl.manualSeed(11)
    steps = rnn.Sequencer(nn.Sequential(rnn.LSTM(3, 4), nn.Dropout(0.3))).remember("both")
    net, criterion = nn.Sequential(nn.SplitTable(0, 3), steps, nn.JoinTable(0)), nn.MSECriterion()
    step, eager = pl.compile(net, ((2, 2, 3), (4, 4)), criterion=criterion), Eager(net, criterion)
    for _ in range(2):
        assert_same_steps(eager, step, [(numbers(2, 2, 3, seed=seed), numbers(4, 4, seed=seed)) for seed in range(5)])
        step.forget()
        eager.net.forget()


def test_running_statistics_of_a_sequencer() -> None:
    pl.manualSeed(14)
    steps = rnn.Sequencer(nn.Sequential(nn.Linear(3, 4), nn.BatchNormalization(4), nn.Dropout(0.3)))
    net = nn.Sequential(nn.SplitTable(0, 3), steps, nn.JoinTable(0))
    batches = [(numbers(2, 5, 3, seed=seed), numbers(10, 4, seed=seed)) for seed in range(4)]
    _, eager, other = assert_same(net, nn.MSECriterion(), ((2, 5, 3), (10, 4)), batches)
    [own], [expected] = (one.findModules(nn.BatchNormalization)[0] for one in (other, eager.net.clearState()))
    assert np.array_equal(own.running_mean, expected.running_mean) and own.running_mean.any()


REFUSED: dict[str, tuple[Any, Any, str]] = {
    "a criterion that branches": (nn.Linear(3, 3), nn.L1HingeEmbeddingCriterion, "nn.L1HingeEmbeddingCriterion: reads numbers"),
    "a layer that branches": (nn.Sequential(nn.Linear(3, 3), nn.NaN(nn.Identity())), nn.MSECriterion, "nn.NaN: reads numbers"),
    "passes that differ": (
        nn.Balance(10),
        nn.MSECriterion,
        "got one that makes other calls, first in nn.Balance; run the network itself",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    net, criterion, text = REFUSED[name]
    isPair = name == "a criterion that branches"
    net = nn.ParallelTable(net, net.clone()) if isPair else net
    example = ([(3,), (3,)], 1) if isPair else ((None, 3), (None, 3))
    with pytest.raises(CompileError, match=text):
        pl.compile(net, example, criterion=criterion())


class Counting(nn.Module):
    """Computes something else in its third pass."""

    count = 0

    def updateOutput(self, input: Any) -> Any:
        self.count += 1
        self.output = input * (2.0 if self.count == 3 else 1.0)
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        self.gradInput = gradOutput.copy()
        return self.gradInput


class Hidden(nn.Module):
    """Adds numbers from memory that the recorder does not see."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = {"": [0.0]}

    def updateOutput(self, input: Any) -> Any:
        self.numbers[""][0] += 1
        self.output = input + self.numbers[""][0]
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        self.gradInput = gradOutput.copy()
        return self.gradInput


@pytest.mark.parametrize("layer", [Counting, Hidden])
def test_a_step_that_differs_is_an_error(layer: Any) -> None:
    with pytest.raises(CompileError, match="as a number that counts passes"):
        pl.compile(nn.Sequential(nn.Linear(3, 3), layer()), ((None, 3), (None, 3)), criterion=nn.MSECriterion())


class Moving(nn.Module):
    """Keeps a running mean of its input, as NumPy's operators move it."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.mean = np.zeros(size, np.float32)

    def updateOutput(self, input: Any) -> Any:
        self.mean *= 0.5
        self.mean += 0.5 * input[0]
        self.output = input - self.mean
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        self.gradInput = gradOutput.copy()
        return self.gradInput


def test_arrays_that_a_layer_of_your_own_changes() -> None:
    net = nn.Sequential(nn.Linear(3, 4), Moving(4))
    batches = [(numbers(n, 3, seed=n), numbers(n, 4, seed=n)) for n in BATCHES]
    _, eager, other = assert_same(net, nn.MSECriterion(), ((None, 3), (None, 4)), batches)
    assert np.array_equal(other.modules[1].mean, eager.net.modules[1].mean)


class Wide(Moving):
    """Moves the mean only if the input is wide."""

    def updateOutput(self, input: Any) -> Any:
        if input.shape[1] > 5:
            self.mean += input[0, :1]
        self.output = input + self.mean
        return self.output


def test_arrays_that_only_some_sizes_change() -> None:
    net, criterion = nn.Sequential(nn.Mul(), Wide(1), nn.Mul()), nn.MSECriterion()
    step, eager = pl.compile(net, ((None, None), (None, None)), criterion=criterion), Eager(net, criterion)
    sizes = (2, 4), (2, 7), (3, 4), (1, 6), (1, 5), (2, 4), (2, 7)
    assert_same_steps(eager, step, [(numbers(*size, seed=size[0]), numbers(*size, seed=size[1])) for size in sizes])
    step.writeTo(net)
    assert np.array_equal(net.modules[1].mean, eager.net.modules[1].mean) and net.modules[1].mean.any()


class Previous(nn.Module):
    """Adds the first sample of the pass before, which it reads and then overwrites as a whole."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.last = np.ones(size, np.float32)

    def updateOutput(self, input: Any) -> Any:
        self.output = input + self.last
        self.last[...] = input[0]
        return self.output

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        self.gradInput = gradOutput.copy()
        return self.gradInput


def test_an_array_that_is_read_and_then_overwritten() -> None:
    net = nn.Sequential(nn.Linear(3, 4), Previous(4))
    batches = [(numbers(n, 3, seed=n), numbers(n, 4, seed=n)) for n in BATCHES]
    _, eager, other = assert_same(net, nn.MSECriterion(), ((None, 3), (None, 4)), batches)
    assert np.array_equal(other.modules[1].last, eager.net.modules[1].last)
    program = pl.compile(net, (None, 3))
    for seed in range(3):
        x = numbers(2, 3, seed=seed)
        assert np.array_equal(program(x), net.forward(x))


def test_running_statistics_that_share_memory() -> None:
    net = nn.Sequential(nn.BatchNormalization(3), nn.Linear(3, 4), nn.BatchNormalization(4))
    means = np.zeros(7, np.float32)
    net.modules[0].running_mean, net.modules[2].running_mean = means[:3], means[3:]
    batches = [(numbers(n, 3, seed=n), numbers(n, 4, seed=n)) for n in (2, 3, 5)]
    _, eager, other = assert_same(net, nn.MSECriterion(), ((None, 3), (None, 4)), batches)
    for place in (0, 2):
        assert np.array_equal(other.modules[place].running_mean, eager.net.modules[place].running_mean)


def test_errors_name_the_argument() -> None:
    net = nn.Sequential(nn.Linear(3, 2), nn.LogSoftMax())
    step = pl.compile(net, ((None, 3), labels(2, 2)), criterion=nn.ClassNLLCriterion())
    x, t = numbers(2, 3), labels(2, 2)
    for given, error, text in (
        ((x.astype(np.float64), t), DtypeError, "step: input: expected"),
        ((x, t.astype(np.int32)), DtypeError, "step: target: expected"),
        ((numbers(2, 4), t), ShapeError, "step: input: expected any x 3"),
        ((x, labels(3, 2)), ShapeError, "arrays of one batch, got batches of 2, 3"),
        ((x, None), DtypeError, "step: target: expected"),
        ((x, t + 2), IndexRangeError, "nn.ClassNLLCriterion"),
    ):
        with pytest.raises(error, match=text):
            step(*given)
    assert step(x, t) == Eager(net, nn.ClassNLLCriterion())(x, t)


def test_arguments_of_compile() -> None:
    net = nn.Linear(3, 2)
    with pytest.raises(ArgumentError, match="expected a pair of an input and a target"):
        pl.compile(net, (None, 3), criterion=nn.MSECriterion())
    with pytest.raises(DtypeError, match="criterion: expected a criterion"):
        pl.compile(net, ((None, 3), (None, 2)), criterion=nn.Tanh())
    with pytest.raises(THNNError, match="sparse gradients"):
        pl.compile(nn.IndexLinear(3, 2), ((None, 3), (None, 2)), criterion=nn.MSECriterion())


def test_writing_to_another_network() -> None:
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNormalization(4))
    step = pl.compile(net, ((None, 3), (None, 4)), criterion=nn.MSECriterion())
    without, fixed = net.clone(), net.clone()
    without.modules[1].running_mean = None
    fixed.modules[1].bias.flags.writeable = False
    for other, error, text in (
        (nn.Linear(3, 4), ShapeError, "2 arrays of parameters in the place of 4"),
        (nn.Sequential(nn.Linear(3, 5), nn.BatchNormalization(5)), ShapeError, "in the place of one of 4 x 3"),
        (nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.BatchNormalization(4))), ShapeError, "without modules.1.running_mean"),
        (without, ShapeError, "without modules.1.running_mean"),
        (fixed, ValueRangeError, "read-only"),
    ):
        before = pickle.dumps(other)
        with pytest.raises(error, match=text):
            step.writeTo(other)
        assert pickle.dumps(other) == before
    with pytest.raises(DtypeError, match="got a table of 0"):
        step.writeTo([])


def test_writing_to_a_network_that_shares_its_parameters() -> None:
    layer, example = nn.Linear(3, 3), ((None, 3), (None, 3))
    shared, apart = nn.Sequential(layer, layer), nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    with pytest.raises(ShapeError, match="shares an array of 3 x 3 in the place of two arrays"):
        pl.compile(apart, example, criterion=nn.MSECriterion()).writeTo(shared)
    pl.compile(shared, example, criterion=nn.MSECriterion()).writeTo(apart)
    assert all(np.array_equal(one.weight, layer.weight) for one in apart.modules)


def test_steps_go_on_after_writing() -> None:
    net, criterion = nn.Sequential(nn.Linear(3, 4), nn.BatchNormalization(4)), nn.MSECriterion()
    step, eager = pl.compile(net, ((None, 3), (None, 4)), criterion=criterion), Eager(net, criterion)
    for seed in range(3):
        assert_same_steps(eager, step, [(numbers(2, 3, seed=seed), numbers(2, 4, seed=seed))])
        step.writeTo(net)
        arrays = [[*one.parameters()[0], one.modules[1].running_mean, one.modules[1].running_var] for one in (net, eager.net)]
        for own, expected in zip(*arrays, strict=True):
            assert np.array_equal(own, expected)
            own[...] = 9  # the step has arrays of its own


@pytest.mark.parametrize("name", [None, "plain", "momentum"])
def test_a_step_that_fails(name: str | None) -> None:
    """The parameters and the table stay; the running statistics and the generator are those of an eager pass that fails."""
    pl.manualSeed(12)
    net, criterion = small(), nn.ClassNLLCriterion()
    config, own = {**CONFIGS[name or "plain"]}, {**CONFIGS[name or "plain"]}
    options: Any = {"optimizer": "sgd", "config": config} if name else {}
    step, eager = pl.compile(net, ((None, 3), labels(2, 2)), criterion=criterion, **options), Eager(net, criterion)
    for seed, (n, wrong) in enumerate(((4, 5), (4, 0), (3, -2), (1, 5), (4, 0), (2, 0))):
        x, t = numbers(n, 3, seed=seed), labels(n, 2, seed) + wrong
        before = step.parameters.copy(), copy.deepcopy(config)
        found = []
        for one in (eager, step):
            pl.manualSeed(seed)
            try:
                found.append(one(x, t))
            except IndexRangeError as error:
                found.append(str(error))
            found.append(pl.random.random())
        assert found[:2] == found[2:] and isinstance(found[0], str) == (wrong != 0)
        if wrong:
            assert np.array_equal(step.parameters, before[0]) and pickle.dumps(config) == pickle.dumps(before[1])
        elif name:
            pl.optim.sgd(lambda w: (0.0, eager.gradParameters), eager.parameters, own)
        assert np.array_equal(step.parameters, eager.parameters)
        assert np.array_equal(step.gradParameters, eager.gradParameters)
        step.writeTo(net)
        for array in ("running_mean", "running_var"):
            assert np.array_equal(getattr(net.modules[1], array), getattr(eager.net.modules[1], array))


def test_a_step_that_fails_keeps_the_state() -> None:
    pl.manualSeed(13)
    net, criterion = nn.Sequential(remembering(), nn.View(-1, 2), nn.LogSoftMax()), nn.ClassNLLCriterion()
    step, eager = pl.compile(net, ((5, 2, 3), labels(10, 2)), criterion=criterion), Eager(net, criterion)
    for seed, wrong in enumerate((1, 0, 0, 1, 1, 0)):
        x, t = numbers(5, 2, 3, seed=seed), labels(10, 2, seed)
        if wrong:
            with pytest.raises(IndexRangeError):
                step(x, t + 2)
        else:
            assert step(x, t) == eager(x, t)


def test_copies_and_pickles() -> None:
    step = pl.compile(nn.Linear(3, 1), ((None, 3), (None, 1)), criterion=nn.MSECriterion())
    refused = [
        step.clone,
        lambda: pickle.dumps(step),
        lambda: copy.deepcopy(step),
        lambda: step.save("x"),
        lambda: step.load("x"),
    ]
    for make in refused:
        with pytest.raises(UnsupportedError, match="training step"):
            make()


def test_a_second_thread_is_refused() -> None:
    step, found = pl.compile(nn.Linear(3, 1), ((None, 3), (None, 1)), criterion=nn.MSECriterion()), []

    def call() -> None:
        try:
            step(numbers(2, 3), numbers(2, 1))
        except THNNError as error:
            found.append(error)

    with step._lock:
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    assert [type(error) for error in found] == [BusyError]
    assert str(found[0]) == "step: another thread is within a call; compile the network once for each thread"


# ---- the proof


def test_faults_are_found() -> None:
    """A call less, or an array that is read elsewhere, is an error. Checks of labels, and unused arguments, have no effect."""
    pl.manualSeed(9)
    net = TrainingPass(small(), nn.ClassNLLCriterion())
    table = specs(net.net, [(2, 3), labels(2, 2)])
    compiler = StepCompiler(net, table, Sizes(((2, 3), (2,)), (None, None)), net.held(), 1)
    with pytest.raises(NewStateError) as found:
        compiler.compile()
    compiler.held = found.value.held
    lists, _ = compiler.compile()
    [[good]] = lists
    proof = StepProof(lists, compiler.sizes, compiler.source, net, compiler.held)
    proof.prove([1])
    missed = []
    for what, faulty in faults(good):
        proof.lists = [(faulty,)]
        try:
            proof.prove([1])
        except (CompileError, THNNError):
            continue
        if differs(good, faulty):
            missed.append(what)
    total = sum(1 for _ in faults(good))
    assert total > 80 and len(missed) < 0.1 * total, missed
    checks = {f"without call {place}" for place, call in enumerate(good.calls) if call.name == "arrayWithin"}
    assert {what for what in missed if what.startswith("without")} == checks, missed


class Tabulated(nn.Criterion):
    """Gives its loss as an array."""

    def updateOutput(self, input: Any, target: Any) -> Any:
        self.output = np.abs(input - target)
        return self.output

    def updateGradInput(self, input: Any, target: Any) -> Any:
        self.gradInput = np.sign(input - target)
        return self.gradInput


def test_a_loss_that_is_no_number() -> None:
    with pytest.raises(CompileError, match="criterion: expected one whose loss is a number"):
        pl.compile(nn.Linear(3, 2), ((None, 3), (None, 2)), criterion=Tabulated())


# ---- sgd as part of the step


CONFIGS: dict[str, dict[str, Any]] = {
    "plain": {"learningRate": 0.1},
    "decay": {"learningRate": 0.1, "weightDecay": 0.01, "learningRateDecay": 0.3},
    "momentum": {"learningRate": 0.1, "momentum": 0.9},
    "dampened": {"learningRate": 0.1, "momentum": 0.9, "dampening": 0.5, "weightDecay": 0.02},
    "nesterov": {"learningRate": 0.1, "momentum": 0.9, "dampening": 0, "nesterov": True, "weightDecay": 0.02},
    "defaults": {},
}


def small() -> Any:
    return nn.Sequential(
        nn.Linear(3, 6), nn.BatchNormalization(6), nn.ReLU(True), nn.Dropout(0.3), nn.Linear(6, 2), nn.LogSoftMax()
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CONFIGS)
def test_sgd(name: str, dtype: str) -> None:
    pl.manualSeed(8)
    net, criterion = small().type(dtype), nn.ClassNLLCriterion().type(dtype)
    config, own = {**CONFIGS[name]}, {**CONFIGS[name]}
    step = pl.compile(net, ((None, 3), labels(2, 2)), criterion=criterion, optimizer="sgd", config=config)
    eager = Eager(net, criterion)
    batches = [(numbers(n, 3, seed=seed, dtype=dtype), labels(n, 2, seed)) for seed, n in enumerate(BATCHES)]
    assert_same_updates(eager, step, batches[:6], own)
    config["learningRate"] = own["learningRate"] = 0.02
    assert_same_updates(eager, step, batches[6:], own)
    assert config.keys() == own.keys() and config["evalCounter"] == own["evalCounter"] == len(BATCHES)
    assert all(np.array_equal(config[key], own[key]) for key in own)


def test_sgd_of_many_parameters() -> None:
    net, criterion = nn.Linear(200, 200), nn.MSECriterion()  # optim.sgd calls libTHNN for as many
    config, own = {**CONFIGS["nesterov"]}, {**CONFIGS["nesterov"]}
    step = pl.compile(net, ((None, 200), (None, 200)), criterion=criterion, optimizer=pl.optim.sgd, config=config)
    batches = [(numbers(3, 200, seed=seed), numbers(3, 200, seed=seed + 9)) for seed in range(4)]
    assert_same_updates(Eager(net, criterion), step, batches, own)


def test_sgd_goes_on_from_a_table() -> None:
    net, criterion, x, t = nn.Linear(3, 2), nn.MSECriterion(), numbers(2, 3), numbers(2, 2)
    config = {"learningRate": 0.1, "momentum": 0.9}
    eager, own = Eager(net, criterion), {**config, "evalCounter": 3, "dfdx": numbers(8)}
    step = pl.compile(
        net, ((None, 3), (None, 2)), criterion=criterion, optimizer="sgd", config={**own, "dfdx": own["dfdx"].copy()}
    )
    assert_same_updates(eager, step, [(x, t)] * 3, own)


def test_momentum_of_a_network_with_a_state() -> None:
    net, criterion = remembering(), nn.MSECriterion()
    config, own = {**CONFIGS["momentum"]}, {**CONFIGS["momentum"]}
    example = (5, None, 3), (5, None, 2)
    step = pl.compile(net, example, criterion=criterion, optimizer="sgd", config=config)
    batches = [(numbers(5, 3, 3, seed=seed), numbers(5, 3, 2, seed=seed + 9)) for seed in range(5)]
    assert_same_updates(Eager(net, criterion), step, batches, own)


def test_momentum_that_begins_anew() -> None:
    net, criterion, config = nn.Linear(3, 2), nn.MSECriterion(), {"learningRate": 0.1, "momentum": 0.9}
    step = pl.compile(net, ((None, 3), (None, 2)), criterion=criterion, optimizer="sgd", config=config)
    x, t = numbers(2, 3), numbers(2, 2)
    before = step.parameters.copy()
    first = step(x, t), step.parameters.copy()
    step(np.full((2, 3), np.inf, np.float32), t)
    assert np.isnan(config.pop("dfdx")).any()
    step.parameters[...] = before
    assert (step(x, t), step.parameters.tobytes()) == (first[0], first[1].tobytes())


@pytest.mark.parametrize(
    "optimizer, config, error, text",
    [
        ("adam", None, CompileError, "expected 'sgd', got 'adam'; call another optimizer of pl.optim after the step"),
        (pl.optim.lbfgs, None, CompileError, "got 'lbfgs'"),
        (None, {}, CompileError, "got None"),
        (3, None, CompileError, "got int 3"),
        ("sgd", {"weightDecays": numbers(3)}, ArgumentError, "got 'weightDecays'; call optim.sgd after the step"),
        ("sgd", {"momentum": "x"}, DtypeError, "optim.sgd: config: momentum"),
        ("sgd", {"nesterov": True}, ValueRangeError, "optim.sgd: nesterov"),
        ("sgd", [], ArgumentError, "config: expected a dict"),
    ],
)
def test_optimizers_that_are_refused(optimizer: Any, config: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        pl.compile(nn.Linear(3, 2), ((None, 3), (None, 2)), criterion=nn.MSECriterion(), optimizer=optimizer, config=config)


def test_options_that_are_fixed() -> None:
    config = {"learningRate": 0.1, "momentum": 0.9}
    step = pl.compile(nn.Linear(3, 2), ((None, 3), (None, 2)), criterion=nn.MSECriterion(), optimizer="sgd", config=config)
    x, t = numbers(2, 3), numbers(2, 2)
    step(x, t)
    before = step.parameters.copy()
    for name, value, error, text in (
        ("momentum", 0.5, ValueRangeError, "step: config: momentum: expected 0.9, as it was compiled for, got 0.5"),
        ("weightDecay", 0.1, ValueRangeError, "step: config: weightDecay: expected 0.0"),
        ("nesterov", True, ValueRangeError, "optim.sgd: nesterov"),
        ("learningRates", numbers(8), ArgumentError, "step: config: expected .*, got 'learningRates'"),
    ):
        old = dict(config)
        config[name] = value
        with pytest.raises(error, match=text):
            step(x, t)
        config.clear()
        config.update(old)
    assert np.array_equal(step.parameters, before) and config["evalCounter"] == 1
    config["weightDecay"] = 0
    step(x, t)
    assert config["evalCounter"] == 2


def test_an_optimizer_needs_a_criterion() -> None:
    with pytest.raises(ArgumentError, match="without a criterion"):
        pl.compile(nn.Linear(3, 2), (None, 3), optimizer="sgd")


def test_text() -> None:
    step = pl.compile(nn.Linear(3, 2), ((None, 3), (None, 2)), criterion=nn.MSECriterion(), optimizer="sgd")
    assert repr(step) == "TrainingStep: N x 3, N x 2 -> loss, 9 calls, 8 parameters"
    step(numbers(2, 3), numbers(2, 2))
    assert step.forget() is step and step.bytes()[0] == 32 and step.bytes()[1] > 0
    with pytest.raises(AttributeError):
        step.parameters = numbers(8)
