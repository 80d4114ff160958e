"""Torch7's random numbers: the same seed gives what the original drew, bit for bit.

golden/random/parity.t7 holds the original's draws for four seeds, initial parameters of layers under seed 7, and the
mask of a Dropout under seed 11, and a training under seed 5.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend, errors, manualSeed, nn, random, t7
from tests.trees import assert_close, assert_same

PARITY = t7.read(Path(__file__).with_name("golden") / "random" / "parity.t7")
SEEDS = PARITY["seeds"]

seeds = pytest.mark.parametrize("seed", SEEDS)


def raw() -> int:
    value = backend.ffi.new("uint32_t *")
    assert backend.lib.THNN_random(backend.ffi.NULL, value) == 0
    return int(value[0])


@seeds
def test_raw_draws(seed: int) -> None:
    backend.manual_seed(seed)
    assert [raw() for _ in range(20)] == PARITY[str(seed)]["random"]
    manualSeed(seed)
    assert [random.random() for _ in range(20)] == PARITY[str(seed)]["random"]


DRAWS: dict[str, Callable[[], Any]] = {
    "rand": lambda: random.uniform(0, 1, (4, 5), np.float64),
    "uniform": lambda: random.uniform(0, 1, 20, np.float64),
    "uniform_ab": lambda: random.uniform(-3, 5, 20, np.float64),
    "uniform_f": lambda: random.uniform(-1, 1, 20, np.float32),
    "randn": lambda: random.normal(0, 1, (4, 5), np.float64),
    "normal": lambda: random.normal(0, 1, 21, np.float64),
    "normal_ms": lambda: random.normal(2, 0.5, 21, np.float64),
    "normal_big": lambda: random.normal(0, 1, 100, np.float64),
    "bernoulli": lambda: random.bernoulli(0.3, 50, np.float64),
}


@seeds
@pytest.mark.parametrize("name", DRAWS)
def test_tensors(seed: int, name: str) -> None:
    manualSeed(seed)
    assert_same(DRAWS[name](), PARITY[str(seed)][name])


@seeds
def test_one_sequence(seed: int) -> None:
    """All draws come from one sequence; the second normal of a pair waits for the next normal, whatever comes first."""
    manualSeed(seed)
    drawn = [
        random.normal(0, 1, 3, np.float64),
        random.uniform(0, 1, 2, np.float64),
        random.normal(0, 1, 2, np.float64),
        random.bernoulli(0.5, 4, np.float64),
        permutation(5),
        random.normal(0, 1, 1, np.float64),
    ]
    assert_same(drawn, PARITY[str(seed)]["mixed"])


def permutation(n: int) -> np.ndarray:
    """torch.randperm, from raw draws."""
    order = np.arange(1.0, n + 1)
    for i in range(n - 1):
        j = i + random.random() % (n - i)
        order[[i, j]] = order[[j, i]]
    return order


def test_seed_forgets_the_waiting_normal() -> None:
    manualSeed(3)
    first = random.normal(0, 1, 3)
    manualSeed(3)
    assert_same(random.normal(0, 1, 3), first)


def test_strided_tensors_are_filled_in_row_major_order() -> None:
    """As a view whose elements lie elsewhere, and without touching what lies between them."""
    function = backend.lib.THNN_Doubleuniform
    around = np.zeros((4, 6))
    view = around[::2, ::-2]
    tensor = backend.ffi.new("THDoubleTensor *")
    tensor.data = backend.ffi.cast("double *", view.ctypes.data)
    tensor.nDimension = 2
    for d in range(2):
        tensor.size[d], tensor.stride[d] = view.shape[d], view.strides[d] // 8
    manualSeed(1)
    assert function(backend.ffi.NULL, tensor, 0.0, 1.0) == 0
    manualSeed(1)
    assert_same(view, random.uniform(0, 1, (2, 3), np.float64))
    assert np.count_nonzero(around) == 6


def test_states_have_sequences_of_their_own() -> None:
    ffi, lib = backend.ffi, backend.lib
    state = ffi.new("THNNState **")
    assert lib.THNN_newState(state) == 0
    value = ffi.new("uint32_t *")
    assert lib.THNN_manualSeed(state[0], SEEDS[0]) == 0
    manualSeed(SEEDS[1])
    for expected in PARITY[str(SEEDS[0])]["random"]:
        assert lib.THNN_random(state[0], value) == 0
        assert value[0] == expected
    assert [raw() for _ in range(20)] == PARITY[str(SEEDS[1])]["random"]
    assert lib.THNN_freeState(state[0]) == 0


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_probability_out_of_range(p: float) -> None:
    with pytest.raises(errors.ValueRangeError, match="p: expected"):
        random.bernoulli(p, 3)


# ---------------------------------------------------------------------------------------------- layers

CHAIN = "nn.Sequential():add(nn.SpatialConvolution(1, 4, 3, 3)):add(nn.ReLU()):add(nn.View(-1)):add(nn.Linear(16, 3))"


def chain() -> nn.Sequential:
    first, last = nn.SpatialConvolution(1, 4, 3, 3), nn.Linear(16, 3)
    return nn.Sequential().add(first).add(nn.ReLU()).add(nn.View(-1)).add(last)


INITIAL: dict[str, Callable[[], nn.Module]] = {
    "nn.Linear(5, 4)": lambda: nn.Linear(5, 4),
    "nn.Linear(5, 4, false)": lambda: nn.Linear(5, 4, False),
    "nn.SpatialConvolution(3, 4, 3, 2)": lambda: nn.SpatialConvolution(3, 4, 3, 2),
    "nn.SpatialConvolutionMM(3, 4, 3, 2)": lambda: nn.SpatialConvolutionMM(3, 4, 3, 2),
    "nn.BatchNormalization(5)": lambda: nn.BatchNormalization(5),
    "nn.SpatialBatchNormalization(5)": lambda: nn.SpatialBatchNormalization(5),
    CHAIN: chain,
    "nn.Bilinear(3, 4, 5)": lambda: nn.Bilinear(3, 4, 5),
    "nn.Euclidean(4, 3)": lambda: nn.Euclidean(4, 3),
    "nn.WeightedEuclidean(4, 3)": lambda: nn.WeightedEuclidean(4, 3),
    "nn.Cosine(4, 3)": lambda: nn.Cosine(4, 3),
    "nn.CMul(4)": lambda: nn.CMul(4),
    "nn.CAdd(4)": lambda: nn.CAdd(4),
    "nn.Add(4)": lambda: nn.Add(4),
    "nn.Mul()": nn.Mul,
    "nn.LinearWeightNorm(5, 4)": lambda: nn.LinearWeightNorm(5, 4),
}


@pytest.mark.parametrize("lua", INITIAL)
def test_initial_parameters(lua: str) -> None:
    """Same seed, same weights; theirs are double, ours single precision, from the same draws."""
    manualSeed(7)
    assert_close(INITIAL[lua]().parameters()[0], PARITY["init"][lua], 1e-7)


@pytest.mark.parametrize("lua", INITIAL)
def test_reset(lua: str) -> None:
    """`reset` draws once more what the constructor drew, in the precision that the module has by then."""
    module = INITIAL[lua]().double()
    manualSeed(7)
    module.reset()
    assert_close(module.parameters()[0], PARITY["init"][lua], 1e-15)


def test_dropout() -> None:
    module = nn.Dropout(0.3).double()
    manualSeed(11)
    assert_same(module.forward(np.ones(40)), PARITY["dropout"])
    assert_same(module.noise, PARITY["dropout_noise"])


def test_spatial_dropout() -> None:
    module = nn.SpatialDropout().double()
    manualSeed(11)
    assert_same(module.forward(np.ones((2, 6, 2, 2))), PARITY["spatial_dropout"])


def test_white_noise() -> None:
    module = nn.WhiteNoise().double()
    manualSeed(11)
    assert_same(module.forward(np.zeros(10)), PARITY["whitenoise"])


def test_training() -> None:
    """Five steps from the seed on: initial parameters, data, labels, masks and gradients, all as Torch7 had them."""
    expected = PARITY["training"]
    net = nn.Sequential().add(nn.Linear(4, 6)).add(nn.Tanh()).add(nn.Dropout(0.2))
    net.add(nn.Linear(6, 3)).add(nn.LogSoftMax()).double()
    criterion = nn.ClassNLLCriterion().double()
    manualSeed(5)
    net.reset()
    x = random.normal(0, 1, (10, 4), np.float64)
    y = np.array([random.random() % 3 for _ in range(10)])
    assert_same(x, expected["x"])
    assert_same(y + 1.0, expected["y"])

    losses = []
    for _ in range(5):
        net.zeroGradParameters()
        losses.append(criterion.forward(net.forward(x), y))
        net.backward(x, criterion.backward(net.output, y))
        net.updateParameters(0.1)
    assert_close(np.array(losses), np.array(expected["losses"]), 1e-12)
    assert_close(net.getParameters()[0], expected["w"], 1e-12)
