"""Torch7's random numbers: the same seed gives what the original drew, bit for bit.

golden/random/parity.t7 holds the original's draws for four seeds, and what layers drew (test_random_layers.py).
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
    "exponential": lambda: random.exponential(1.5, 20, np.float64),
    "cauchy": lambda: random.cauchy(0, 1, 20, np.float64),
    "geometric": lambda: random.geometric(0.4, 20, np.float64),
    "randperm": lambda: random.randperm(31) + 1.0,
}


@seeds
def test_every_sequence_is_checked(seed: int) -> None:
    assert set(PARITY[str(seed)]) == {*DRAWS, "random", "random_1_6", "mixed"}
    manualSeed(seed)
    assert [random.random(1, 6) for _ in range(20)] == PARITY[str(seed)]["random_1_6"]


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
        random.randperm(5) + 1.0,
        random.normal(0, 1, 1, np.float64),
    ]
    assert_same(drawn, PARITY[str(seed)]["mixed"])


@seeds
def test_logNormal(seed: int) -> None:
    manualSeed(seed)
    normal = random.normal(0.5, 2, 20, np.float64)
    manualSeed(seed)
    assert_close(random.logNormal(0.5, 2, 20, np.float64), np.exp(normal), 1e-15)


@pytest.mark.parametrize(
    "name, bounds",
    [("uniform", (-0.1, 0.7)), ("exponential", (0.7,)), *((name, (0.1, 0.7)) for name in ("normal", "cauchy", "logNormal"))],
)
def test_float_tensors_took_float_bounds(name: str, bounds: tuple[float, ...]) -> None:
    """They computed with them in double, and rounded the result."""
    draw = getattr(random, name)
    manualSeed(3)
    rounded = draw(*map(float, np.float32(bounds)), 50, np.float64).astype(np.float32)
    manualSeed(3)
    exact = draw(*bounds, 50, np.float64).astype(np.float32)
    manualSeed(3)
    drawn = draw(*bounds, 50, np.float32)
    assert_same(drawn, rounded)
    assert (drawn != exact).any()


def test_a_probability_is_a_double() -> None:
    """A draw that is equal to p counts as 1, and it would not with p as a float."""
    seed, p = next((s, p) for s in range(99) for p in [_uniform_after(s)] if float(np.float32(p)) < p)
    for dtype in (np.float32, np.float64):
        manualSeed(seed)
        assert random.bernoulli(p, 1, dtype) == 1


def _uniform_after(seed: int) -> float:
    manualSeed(seed)
    return float(random.uniform())


def test_a_layer_of_floats() -> None:
    """The value is Torch7's, with torch.setdefaulttensortype("torch.FloatTensor")."""
    manualSeed(123)
    assert f"{nn.SpatialConvolutionMM(3, 6, 5, 5).weight.flat[0]:.10f}" == "0.0453726128"


@seeds
def test_one_number(seed: int) -> None:
    """Without a shape the functions draw what torch.uniform() and its kin drew: one number, in double."""
    parity = PARITY[str(seed)]
    for name, draw in {
        "uniform": random.uniform,
        "uniform_ab": lambda: random.uniform(-3, 5),
        "normal": random.normal,
        "normal_ms": lambda: random.normal(2, 0.5),
        "bernoulli": lambda: random.bernoulli(0.3),
        "exponential": lambda: random.exponential(1.5),
        "cauchy": random.cauchy,
        "geometric": lambda: random.geometric(0.4),
    }.items():
        manualSeed(seed)
        drawn = [draw() for _ in range(10)]
        assert drawn == parity[name][:10].tolist()
        assert {type(number) for number in drawn} == {int if name in ("bernoulli", "geometric") else float}
    manualSeed(seed)
    expected = random.normal(1, 2, 1, np.float64)
    manualSeed(seed)
    assert random.logNormal() == pytest.approx(np.exp(expected[0]), 1e-15)


def test_arrays_without_dimensions() -> None:
    manualSeed(3)
    (expected,) = random.normal(0, 1, 1)
    manualSeed(3)
    drawn = random.normal(0, 1, ())
    assert drawn.shape == () and drawn == expected


# ---------------------------------------------------------------------------------------------- outcomes


def outcomes(weights: list[float], draws: list[float], replacement: bool) -> list[int]:
    """Returns the chosen categories: each is the first one whose running sum reaches the draw. Then it may be taken out."""
    left, chosen = list(weights), []
    for draw in draws:
        total, at = sum(left), 0.0
        k = -1
        while draw > at or not left[k]:
            k += 1
            at += left[k] / total
        chosen.append(k)
        if not replacement:
            left[k] = 0
    return chosen


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_multinomial(replacement: bool, dtype: Any) -> None:
    rows = np.array([[1, 0, 3, 2, 0, 5], [0, 0.5, 0.25, 0.1, 0.15, 0], [1, 1, 1, 1, 1, 1]], dtype)
    manualSeed(7)
    drawn = random.multinomial(rows, 4, replacement)
    after = random.random()
    manualSeed(7)
    expected = [outcomes(row.tolist(), random.uniform(0, 1, 4, np.float64).tolist(), replacement) for row in rows]
    assert drawn.dtype == np.int64 and drawn.tolist() == expected
    assert after == random.random()
    manualSeed(7)
    assert random.multinomial(rows[0].tolist(), 4, replacement).tolist() == expected[0]


def test_multinomial_frequencies() -> None:
    manualSeed(1)
    drawn = random.multinomial([1, 0, 3, 4], 80_000, True)
    assert_close(np.bincount(drawn) / 80_000, np.array([1, 0, 3, 4]) / 8, 0.01)
    order = random.multinomial(np.ones(50), 50)
    assert sorted(order) == [*range(50)]
    assert sorted(random.multinomial([1, 1e-30, 1e-300], 3)) == [0, 1, 2]  # rounding takes this number from the sums, too


def test_random_ranges() -> None:
    manualSeed(1)
    assert {random.random(3) for _ in range(100)} == {1, 2, 3}
    assert {random.random(-1, 1) for _ in range(100)} == {-1, 0, 1}
    assert random.random(4, 4) == 4


@pytest.mark.parametrize("n", [0, 1, 2])
def test_short_permutations(n: int) -> None:
    assert sorted(random.randperm(n)) == list(range(n))


def test_initialSeed() -> None:
    manualSeed(2**40 + 7)
    random.random()
    assert random.initialSeed() == 2**40 + 7
    assert random.initialSeed() != random.seed() == random.initialSeed()


@pytest.mark.parametrize("before", [0, 1, 623, 624, 625])
def test_saved_state(before: int) -> None:
    """The generator goes on where the state was taken, with the second normal of a pair if that was still to come."""
    manualSeed(5)
    for _ in range(before):
        random.random()
    random.normal(0, 1, 1)
    state = random.getRNGState()
    expected = random.normal(0, 1, 5), random.random()
    manualSeed(6)
    random.setRNGState(state)
    assert random.initialSeed() == 5
    assert_same(random.getRNGState(), state)
    assert_same(random.normal(0, 1, 5), expected[0])
    assert random.random() == expected[1]


def test_state_as_torch7_saves_it() -> None:
    """The fields of its generator: seed, left, seeded, next, 624 words, x, y and radius of a normal, is there one."""
    manualSeed(123)
    random.normal(0, 1, 1)
    fields = np.dtype("u8, i4, i4, u8, 624u8, f8, f8, f8, i4, i4")
    (saved,) = random.getRNGState().view(fields)
    assert [saved[f"f{i}"] for i in (0, 1, 2, 3, 8)] == [123, 623, 1, 2, 1]
    assert saved["f4"].max() < 2**32
    manualSeed(123)
    x, y = random.uniform(0, 1, 2, np.float64)
    assert [saved["f5"], saved["f6"], saved["f7"]] == [x, y, np.sqrt(-2 * np.log(1 - y))]

    # As it is right after manualSeed there: no word has been made yet, and next is 0.
    manualSeed(123)
    state = random.getRNGState()
    state.view(fields)["f3"] = 0
    manualSeed(9)
    random.setRNGState(state)
    assert random.random() == 2991312382


def test_what_is_not_a_state() -> None:
    manualSeed(3)
    for wrong in (np.zeros(5048, np.uint8), np.zeros(5047, np.uint8), np.zeros(5048), [0] * 5048):
        with pytest.raises(errors.THNNError, match=r"random\.setRNGState"):
            random.setRNGState(wrong)  # type: ignore[arg-type]
    state = random.getRNGState()
    state[8:12].view(np.int32)[0] = 17  # 17 words are left, but the next one is not that one
    with pytest.raises(errors.ValueRangeError, match="expected the bytes of a generator's state, got seeded 1, left 17"):
        random.setRNGState(state)
    assert random.initialSeed() == 3


@pytest.mark.parametrize(
    "draw, match",
    [
        (lambda: random.random(0), "1 to 0"),
        (lambda: random.random(3, 2), "3 to 2"),
        (lambda: random.randperm(-1), "n: expected 0 or more"),
        (lambda: random.normal(0, 0, 3), "stdv: expected"),
        (lambda: random.logNormal(0, -1, 3), "stdv: expected"),
        (lambda: random.exponential(0, 3), "rate: expected"),
        (lambda: random.cauchy(0, float("nan"), 3), "sigma: expected"),
        (lambda: random.geometric(0, 3), "p: expected"),
        (lambda: random.geometric(1, 3), "p: expected"),
        (lambda: random.uniform(0, 1, 3, np.int64), "dtype: expected"),
        (lambda: random.uniform("a", 1, 3), "^random.uniform: low: expected a number, got 'a'"),
        (lambda: random.bernoulli(2, 3), "^random.bernoulli: p: expected 0 to 1, got 2"),
        (lambda: random.multinomial([1, 2], 3), "^random.multinomial: probabilities: expected 3 that are more than 0"),
        (lambda: random.multinomial([0, 0], 1, True), "^random.multinomial: probabilities: expected one that is more than 0"),
        (lambda: random.multinomial([1, -2], 1), "^random.multinomial: probabilities: expected numbers from 0, got -2.0 to 1.0"),
        (lambda: random.multinomial([1, float("nan")], 1), "^random.multinomial: probabilities: expected numbers from 0"),
        (lambda: random.multinomial([1e308, 1e308], 1), "^random.multinomial: probabilities: their sum is too large"),
        (lambda: random.multinomial(np.ones((1, 1, 1)), 1), "^random.multinomial: probabilities: expected K or N x K numbers"),
        (lambda: random.multinomial([], 1), "^random.multinomial: probabilities: expected K or N x K numbers"),
        (lambda: random.multinomial("ab", 1), "^random.multinomial: probabilities: expected numbers, got 'ab'"),
        (lambda: random.multinomial([1], 0), "^random.multinomial: n: expected 1 or more, got 0"),
        (lambda: random.randperm(2.5), "^random.randperm: n: expected an integer, got 2.5"),
        (lambda: random.random(2.5), "^random.random: a: expected an integer, got 2.5"),
        (lambda: random.random(1, "6"), "^random.random: b: expected an integer, got '6'"),
        (lambda: manualSeed(1.5), "^random.manualSeed: seed: expected an integer, got 1.5"),
        (lambda: manualSeed(np.array([1, 2])), "^random.manualSeed: seed: expected an integer"),
    ],
)
def test_arguments_out_of_range(draw: Callable[[], Any], match: str) -> None:
    with pytest.raises(errors.THNNError, match=match):
        draw()


@pytest.mark.parametrize("number", [np.int64(7), np.int32(7), np.uint8(7), np.array(7)])
def test_integers_of_numpy(number: Any) -> None:
    drawn = []
    for n in (7, number):
        manualSeed(n)
        drawn.append([random.random(), random.random(n), *random.randperm(n).tolist()])
    assert drawn[0] == drawn[1]


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


@pytest.mark.parametrize("shape", [-1, (2, -1), 2.5, (2.5,), "x", 10**30])
def test_shapes_that_no_array_has(shape: Any) -> None:
    for name, arguments in {"uniform": (0, 1), "normal": (0, 1), "exponential": (1,), "bernoulli": (0.5,)}.items():
        with pytest.raises(errors.ShapeError, match=f"random.{name}: no array has the shape"):
            getattr(random, name)(*arguments, shape)
