"""Draws of Lua programs, against those of Torch7 in golden/random/parity.t7."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import random, t7

from . import running

result = partial(running.result, requires=["torch"])

PARITY = t7.read(Path(__file__).parents[1] / "golden" / "random" / "parity.t7")
SEEDS = PARITY["seeds"]
DRAWS = {
    "rand": "torch.rand(4, 5)",
    "uniform": "torch.Tensor(20):uniform()",
    "uniform_ab": "torch.Tensor(20):uniform(-3, 5)",
    "uniform_f": "torch.FloatTensor(20):uniform(-1, 1)",
    "randn": "torch.randn(4, 5)",
    "normal": "torch.Tensor(21):normal()",
    "normal_ms": "torch.Tensor(21):normal(2, 0.5)",
    "normal_big": "torch.Tensor(100):normal()",
    "bernoulli": "torch.Tensor(50):bernoulli(0.3)",
    "exponential": "torch.Tensor(20):exponential(1.5)",
    "cauchy": "torch.Tensor(20):cauchy()",
    "geometric": "torch.Tensor(20):geometric(0.4)",
    "randperm": "torch.randperm(31)",
}


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    """The generator is that of the process: it goes on as if nothing had been drawn."""
    state = random.getRNGState()
    yield
    random.setRNGState(state)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", DRAWS)
def test_tensors(seed: int, name: str) -> None:
    found, expected = result(f"torch.manualSeed({seed}) return {DRAWS[name]}"), PARITY[str(seed)][name]
    assert found.dtype == expected.dtype
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_single_numbers(seed: int) -> None:
    parity = PARITY[str(seed)]
    code = "torch.manualSeed({}) local t = {{}} for i = 1, 20 do t[i] = {} end return t"
    assert list(result(code.format(seed, "torch.random()")).values()) == parity["random"]
    assert list(result(code.format(seed, "torch.random(6)")).values()) == parity["random_1_6"]
    assert list(result(code.format(seed, "torch.random(1, 6)")).values()) == parity["random_1_6"]
    assert list(result(code.format(seed, "torch.uniform()")).values()) == parity["uniform"].tolist()
    assert result(f"torch.manualSeed({seed}) return torch.IntTensor(20):random(1, 6)").tolist() == parity["random_1_6"]
    assert result(f"torch.manualSeed({seed}) return torch.Tensor(20):random()").tolist() == parity["random"]


@pytest.mark.parametrize("seed", SEEDS)
def test_one_sequence(seed: int) -> None:
    code = f"""
    torch.manualSeed({seed})
    return torch.randn(3), torch.rand(2), torch.Tensor(2):normal(), torch.Tensor(4):bernoulli(), torch.randperm(5), torch.randn(1)
    """
    for found, expected in zip(result(code), PARITY[str(seed)]["mixed"], strict=True):
        assert np.array_equal(found, expected)


def test_the_generator_is_that_of_the_package() -> None:
    pl.manualSeed(5)
    expected = random.uniform(0, 1, 3, np.float64)
    pl.manualSeed(5)
    assert np.array_equal(result("return torch.rand(3)"), expected)
    result("torch.manualSeed(5)")
    assert np.array_equal(random.uniform(0, 1, 3, np.float64), expected)


def test_other_generators() -> None:
    code = """
    torch.manualSeed(1)
    local g = torch.Generator()
    torch.manualSeed(g, 7)
    local a = torch.rand(g, 3)
    local first = torch.rand(2)              -- of the package's generator, which did not move
    torch.manualSeed(7)
    local b = torch.rand(3)
    torch.manualSeed(1)
    local state = torch.getRNGState(g)
    local c = torch.random(g)
    torch.setRNGState(g, state)
    local x = torch.Tensor(3):uniform(torch.Generator(), 2, 3)
    return a, b, first, torch.rand(2), c == torch.random(g), torch.initialSeed(g), x:min() >= 2, torch.randperm(g, 4):sum()
    """
    a, b, first, again, isSame, seed, isWithin, total = result(code)
    assert np.array_equal(a, b)
    assert np.array_equal(first, again)
    assert (isSame, seed, isWithin, total) == (True, 7.0, True, 10.0)


def test_outcomes() -> None:
    weights = [0.1, 0.0, 0.6, 0.3]
    random.manualSeed(3)
    expected = random.multinomial(weights, 20, True) + 1
    code = "torch.manualSeed(3) local p = torch.Tensor{0.1, 0, 0.6, 0.3} return torch.multinomial(p, 20, true), p:multinomial(3)"
    found, few = result(code)
    assert found.dtype == np.int64
    assert np.array_equal(found, expected)
    assert sorted(few.tolist()) == [1, 3, 4]
    rows = result("local r = torch.LongTensor() torch.FloatTensor{{1, 0}, {0, 1}}.multinomial(r, torch.eye(2), 2, true) return r")
    assert rows.tolist() == [[1, 1], [2, 2]]


def test_aliases_have_the_chances() -> None:
    code = """
    torch.manualSeed(2)
    local state = torch.multinomialAliasSetup(torch.Tensor{0.5, 0, 0.3, 0.2})
    return torch.multinomialAlias(torch.LongTensor(20000), state)
    """
    shares = np.bincount(result(code), minlength=5)[1:] / 20000
    np.testing.assert_allclose(shares, [0.5, 0, 0.3, 0.2], atol=0.02)


@pytest.mark.parametrize(
    "code, message",
    [
        ("torch.Tensor(2):normal(0, 0)", "standard deviation must be strictly positive"),
        ("torch.Tensor(2):geometric(1)", "must be > 0 and < 1"),
        ("torch.Tensor(2):bernoulli(2)", "must be >= 0 and <= 1"),
        ("torch.bernoulli('x')", "number expected, got string"),
        ("torch.Tensor(2):random(3, 2)", "upper bound must be larger than lower bound"),
        ("torch.multinomial(torch.zeros(3), 1)", "expected 1 that are more than 0"),
        ("torch.setRNGState(torch.ByteTensor(3))", "expected the ByteTensor of getRNGState"),
        ("torch.randperm(0)", "must be strictly positive"),
        ("torch.uniform('x')", "number expected, got string"),
    ],
)
def test_what_cannot_be_drawn(code: str, message: str) -> None:
    with pytest.raises(pl.lua.LuaError) as caught:
        result(code)
    assert message in str(caught.value.value)
