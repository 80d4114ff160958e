"""LSTMSequence: what the definition of a cell gives step by step; gradients by differences."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend
from tests import capi
from tests.core.test_fused_cells import call, lstm
from tests.nn.test_convolution_ways import at_edges

T, H = 4, 5
LARGE = 230  # cells: threads share their weights, and one sample has loops of its own
WAYS = [(1, H), (2, H), (9, H), (30, H), (1, 128), (1, LARGE), (3, LARGE)]  # samples and cells
THREADS = 1, 2, 3, 20  # 128 cells have work for two, 230 for four
PLACES = {0: (0, 1, 2, 3), 1: (0, 1, 3, 2)}  # positions of i, f, g and o


def drawn(samples: int, dtype: Any = np.float64, steps: int = T, size: int = H) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(8)
    shapes: dict[str, tuple[int, ...]] = {"gates": (steps, samples, 4 * size), "weight": (size, 4 * size), "bias": (4 * size,)}
    shapes |= {"h0": (samples, size), "c0": (samples, size)}
    return {name: rng.standard_normal(shape).astype(np.float32).astype(dtype) for name, shape in shapes.items()}


def turned(array: np.ndarray) -> np.ndarray:
    """The same numbers, column by column in memory."""
    return np.ascontiguousarray(array.T).T


def definition(
    order: int, gates: np.ndarray, weight: np.ndarray, bias: np.ndarray, h0: np.ndarray, c0: np.ndarray
) -> list[np.ndarray]:
    """output and cell."""
    h, c, steps = h0, c0, []
    for sums in gates:
        parts = np.split(sums + h @ weight + bias, 4, -1)
        inOrder = np.concatenate([parts[place] for place in PLACES[order]], -1)
        h, c = lstm(inOrder, np.zeros_like(inOrder), None, None, c)
        steps.append((h, c))
    return [np.stack(states) for states in zip(*steps, strict=True)]


def forward(real: str, order: int, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """output, cell, and the gates for the way back."""
    steps, samples, columns = given["gates"].shape
    gates = given["gates"].copy()
    results = {name: np.full((steps, samples, columns // 4), np.nan, gates.dtype) for name in ("output", "cell")}
    call("LSTMSequence_updateOutput", real, **given | {"gates": gates} | results, order=order)
    return results | {"gates": gates}


@pytest.mark.parametrize("real", capi.REALS)
@pytest.mark.parametrize("order", PLACES)
@pytest.mark.parametrize(("samples", "size"), [*WAYS, (9, 140)])
@pytest.mark.parametrize("isTransposed", [False, True])
def test_forward(real: str, order: int, samples: int, size: int, isTransposed: bool) -> None:
    given = drawn(samples, capi.REALS[real], size=size)
    given["weight"] /= 4
    if isTransposed:
        given["weight"] = turned(given["weight"])
    results = forward(real, order, given)
    expected = definition(order, **{name: array.astype(np.float64) for name, array in given.items()})
    for name, wanted in zip(("output", "cell"), expected, strict=True):
        np.testing.assert_allclose(results[name], wanted, rtol=0, atol={"Double": 1e-13, "Float": 1e-5}[real])


def backward(
    real: str, order: int, given: dict[str, np.ndarray], results: dict[str, np.ndarray], gradients: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """By the names of what the gradients are of; that of weight is the product of the steps."""
    gradGates = np.full_like(given["gates"], np.nan)
    gradHidden, gradCell = gradients["h"].copy(), gradients["c"].copy()
    call(
        "LSTMSequence_updateGradInput", real, gates=results["gates"], gradOutput=gradients["output"], gradGates=gradGates,
        gradHidden=gradHidden, gradCell=gradCell, weight=given["weight"], c0=given["c0"], cell=results["cell"], order=order,
    )  # fmt: skip
    before = np.concatenate([given["h0"][None], results["output"]])[: len(gradGates)]
    ofWeight, ofBias = np.einsum("tnh,tng->hg", before, gradGates), gradGates.sum((0, 1))
    return {"gates": gradGates, "h0": gradHidden, "c0": gradCell, "weight": ofWeight, "bias": ofBias}


@pytest.mark.parametrize("order", PLACES)
@pytest.mark.parametrize(("samples", "size"), WAYS)
@pytest.mark.parametrize("isTransposed", [False, True])
def test_gradients(order: int, samples: int, size: int, isTransposed: bool) -> None:
    """By central differences of the definition, along random directions."""
    given = drawn(samples, size=size)
    given["weight"] *= np.sqrt(H / size)
    if isTransposed:
        given["weight"] = turned(given["weight"])
    rng = np.random.default_rng(9)
    shapes = {"output": (T, samples, size), "h": (samples, size), "c": (samples, size)}
    weights = {name: rng.standard_normal(shape) for name, shape in shapes.items()}

    def loss(arrays: dict[str, np.ndarray]) -> float:
        output, cell = definition(order, **arrays)
        return float((weights["output"] * output).sum() + (weights["h"] * output[-1]).sum() + (weights["c"] * cell[-1]).sum())

    found = backward("Double", order, given, forward("Double", order, given), weights)
    for name, gradient in found.items():
        for _ in range(8):
            direction = rng.standard_normal(gradient.shape)
            above, below = (loss(given | {name: given[name] + sign * 1e-6 * direction}) for sign in (1, -1))
            assert (gradient * direction).sum() == pytest.approx((above - below) / 2e-6, rel=1e-6, abs=1e-6), name
    singles = {name: array.astype(np.float32) for name, array in given.items()}
    gradients = {name: array.astype(np.float32) for name, array in weights.items()}
    for name, gradient in backward("Float", order, singles, forward("Float", order, singles), gradients).items():
        np.testing.assert_allclose(gradient, found[name], rtol=0, atol=2e-5)


@pytest.mark.parametrize(("samples", "size"), [*WAYS, (40, 140)])
@pytest.mark.parametrize("isTransposed", [False, True])
def test_threads(samples: int, size: int, isTransposed: bool) -> None:
    """However steps and samples are shared among threads, results have the same bits."""
    found = []
    for threads in THREADS:
        backend.set_num_threads(threads)
        given = drawn(samples, np.float32, size=size)
        if isTransposed:
            given["weight"] = turned(given["weight"])
        results = forward("Float", 0, given)
        states = {"output": results["output"], "h": given["h0"], "c": given["c0"]}
        found.append(results | {f"grad {name}": array for name, array in backward("Float", 0, given, results, states).items()})
    for other in found[1:]:
        for name, array in found[0].items():
            np.testing.assert_array_equal(other[name], array, err_msg=name)


@pytest.mark.parametrize("size", [H, 8, 64, LARGE])  # the gates of 8 cells fill a vector of columns
@pytest.mark.parametrize("steps", [1, 2, 3, 7])
@pytest.mark.parametrize("isTransposed", [False, True])
def test_one_sample_as_two(size: int, steps: int, isTransposed: bool) -> None:
    """One sample has loops of its own, which pack the weight if there are enough steps."""
    one = drawn(1, steps=steps, size=size)
    one["weight"] /= np.sqrt(size)
    if isTransposed:
        one["weight"] = turned(one["weight"])
    two = one | {name: np.repeat(one[name], 2, axis=-2) for name in ("gates", "h0", "c0")}
    found = []
    for given in (one, two):
        results = forward("Double", 1, given)
        states = {"output": results["output"], "h": given["h0"], "c": given["c0"]}
        gradients = backward("Double", 1, given, results, states)
        found.append(results | {f"grad {name}": gradients[name] for name in ("gates", "h0", "c0")})
    for name, array in found[0].items():
        np.testing.assert_allclose(np.repeat(array, 2, axis=-2), found[1][name], rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.skipif(sys.platform != "linux", reason="protects pages as Linux does")
@pytest.mark.parametrize("real", capi.REALS)
@pytest.mark.parametrize("size", [8, 16, 24, 64, 65])  # the gates of 8 doubles and of 16 floats fill a vector of columns
@pytest.mark.parametrize("isTransposed", [False, True])
def test_nothing_beside_the_weight_is_read(real: str, size: int, isTransposed: bool) -> None:
    for steps in (2, 5):
        given = drawn(1, capi.REALS[real], steps=steps, size=size)
        if isTransposed:
            given["weight"] = turned(given["weight"])
        expected = forward(real, 1, given)
        states = {"output": expected["output"], "h": given["h0"], "c": given["c0"]}
        gradients = backward(real, 1, given, expected, states)
        for array in at_edges(given["weight"].T if isTransposed else given["weight"]):
            placed = given | {"weight": array.T if isTransposed else array}
            for name, found in forward(real, 1, placed).items():
                np.testing.assert_array_equal(found, expected[name])
            np.testing.assert_array_equal(backward(real, 1, placed, expected, states)["h0"], gradients["h0"])


@pytest.mark.parametrize("samples", [1, 3])
def test_no_steps_and_no_cells(samples: int) -> None:
    """Without steps the gradients of the states stay."""
    none = drawn(samples, steps=0)
    results = forward("Double", 0, none)
    states = {"output": results["output"], "h": none["h0"], "c": none["c0"]}
    found = backward("Double", 0, none, results, states)
    np.testing.assert_array_equal(found["h0"], none["h0"])
    np.testing.assert_array_equal(found["c0"], none["c0"])
    empty = drawn(samples, size=0)
    results = forward("Double", 0, empty)
    assert (
        backward("Double", 0, empty, results, {"output": results["output"], "h": empty["h0"], "c": empty["c0"]})["h0"].size == 0
    )


def test_strides() -> None:
    """Arrays in every other column give the same bits."""
    given = drawn(3)
    expected = forward("Double", 0, given)
    spread = {name: np.repeat(array, 2, axis=-1)[..., ::2] for name, array in given.items()}
    for name, array in forward("Double", 0, spread).items():
        np.testing.assert_array_equal(array, expected[name])
