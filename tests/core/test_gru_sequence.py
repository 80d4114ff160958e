"""GRUSequence: what the definition of a cell gives step by step; gradients by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend
from tests import capi
from tests.core.test_fused_cells import call, sigmoid
from tests.core.test_lstm_sequence import LARGE, THREADS, WAYS, H, T, turned

Arrays = dict[str, Any]


def drawn(resetFirst: int, samples: int, dtype: Any = np.float64, steps: int = T, size: int = H) -> Arrays:
    rng = np.random.default_rng(8)
    shapes: dict[str, tuple[int, ...]] = {"gates": (steps, samples, 3 * size), "weight": (size, 3 * size)}
    shapes |= {"bias": ((3 if resetFirst else 4) * size,), "h0": (samples, size)}
    return {name: rng.standard_normal(shape).astype(np.float32).astype(dtype) for name, shape in shapes.items()} | {"mask": None}


def masked(given: Arrays) -> Arrays:
    """The same; some steps of some samples, the first and the last one among them, are masked."""
    mask = (np.random.default_rng(7).random(given["gates"].shape[:2]) < 0.3).astype(given["gates"].dtype)
    mask[0, 0] = mask[-1, -1] = 1
    return given | {"mask": mask}


def definition(resetFirst: int, gates: Any, weight: Any, bias: Any, h0: Any, mask: Any) -> np.ndarray:
    """output"""
    size = len(weight)
    h, steps = h0, []
    for t, sums in enumerate(gates):
        r, z = np.split(sigmoid(sums[:, : 2 * size] + h @ weight[:, : 2 * size] + bias[: 2 * size]), 2, -1)
        ofG = weight[:, 2 * size :]
        left = (r * h) @ ofG if resetFirst else r * (h @ ofG + bias[3 * size :])
        g = np.tanh(sums[:, 2 * size :] + bias[2 * size : 3 * size] + left)
        h = (1 - z) * g + z * h
        if mask is not None:
            h = np.where(mask[t, :, None], 0, h)
        steps.append(h)
    return np.stack(steps)


def forward(real: str, resetFirst: int, given: Arrays) -> Arrays:
    """output, and gates and reset for the way back."""
    steps, samples, columns = given["gates"].shape
    gates = given["gates"].copy()
    results = {name: np.full((steps, samples, columns // 3), np.nan, gates.dtype) for name in ("output", "reset")}
    call("GRUSequence_updateOutput", real, **given | {"gates": gates} | results, resetFirst=resetFirst)
    return results | {"gates": gates}


def backward(real: str, resetFirst: int, given: Arrays, results: Arrays, gradOutput: Any, gradLast: Any) -> Arrays:
    """By the names of what the gradients are of; those of weight and bias are products and sums of the steps."""
    gradGates, gradReset = np.full_like(given["gates"], np.nan), np.full_like(results["reset"], np.nan)
    gradHidden = gradLast.copy()
    call(
        "GRUSequence_updateGradInput", real, **results, gradOutput=gradOutput, gradGates=gradGates, gradReset=gradReset,
        gradHidden=gradHidden, weight=given["weight"], h0=given["h0"], mask=given["mask"], resetFirst=resetFirst,
    )  # fmt: skip
    before = np.concatenate([given["h0"][None], results["output"]])[: len(gradGates)]
    both, g = np.split(gradGates, [2 * given["h0"].shape[1]], -1)
    ofG = (results["reset"], g) if resetFirst else (before, gradReset)
    ofWeight = np.concatenate([np.einsum("tnh,tng->hg", *pair) for pair in ((before, both), ofG)], -1)
    ofBias = np.concatenate([gradGates, gradReset], -1).sum((0, 1))[: len(given["bias"])]
    return {"gates": gradGates, "h0": gradHidden, "weight": ofWeight, "bias": ofBias}


@pytest.mark.parametrize("real", capi.REALS)
@pytest.mark.parametrize("resetFirst", [0, 1])
@pytest.mark.parametrize(("samples", "size"), [*WAYS, (9, 140)])
@pytest.mark.parametrize("isTransposed", [False, True])
def test_forward(real: str, resetFirst: int, samples: int, size: int, isTransposed: bool) -> None:
    given = drawn(resetFirst, samples, capi.REALS[real], size=size)
    given["weight"] /= 4
    if isTransposed:
        given["weight"] = turned(given["weight"])
    for arrays in (given, masked(given)):
        expected = definition(resetFirst, **{k: None if a is None else a.astype(np.float64) for k, a in arrays.items()})
        found = forward(real, resetFirst, arrays)["output"]
        np.testing.assert_allclose(found, expected, rtol=0, atol={"Double": 1e-13, "Float": 1e-5}[real])


@pytest.mark.parametrize("resetFirst", [0, 1])
@pytest.mark.parametrize(("samples", "size"), WAYS)
@pytest.mark.parametrize("isTransposed", [False, True])
@pytest.mark.parametrize("isMasked", [False, True])
def test_gradients(resetFirst: int, samples: int, size: int, isTransposed: bool, isMasked: bool) -> None:
    """By central differences of the definition, along random directions."""
    given = drawn(resetFirst, samples, size=size)
    given["weight"] *= np.sqrt(H / size)
    if isTransposed:
        given["weight"] = turned(given["weight"])
    if isMasked:
        given = masked(given)
    rng = np.random.default_rng(9)
    gradients = rng.standard_normal((T, samples, size)), rng.standard_normal((samples, size))

    def loss(arrays: Arrays) -> float:
        output = definition(resetFirst, **arrays)
        return float((gradients[0] * output).sum() + (gradients[1] * output[-1]).sum())

    found = backward("Double", resetFirst, given, forward("Double", resetFirst, given), *gradients)
    for name, gradient in found.items():
        for _ in range(8):
            direction = rng.standard_normal(gradient.shape)
            above, below = (loss(given | {name: given[name] + sign * 1e-6 * direction}) for sign in (1, -1))
            assert (gradient * direction).sum() == pytest.approx((above - below) / 2e-6, rel=1e-6, abs=1e-6), name
    singles = {name: None if array is None else array.astype(np.float32) for name, array in given.items()}
    results = forward("Float", resetFirst, singles)
    for name, gradient in backward("Float", resetFirst, singles, results, *(g.astype(np.float32) for g in gradients)).items():
        np.testing.assert_allclose(gradient, found[name], rtol=0, atol=2e-5)


@pytest.mark.parametrize("resetFirst", [0, 1])
@pytest.mark.parametrize(("samples", "size"), [*WAYS, (40, 140)])
def test_threads(resetFirst: int, samples: int, size: int) -> None:
    """However steps and samples are shared among threads, results have the same bits."""
    found = []
    for threads in THREADS:
        backend.set_num_threads(threads)
        given = drawn(resetFirst, samples, np.float32, size=size)
        results = forward("Float", resetFirst, given)
        gradients = backward("Float", resetFirst, given, results, results["output"], given["h0"])
        found.append(results | {f"grad {name}": array for name, array in gradients.items()})
    for other in found[1:]:
        for name, array in found[0].items():
            np.testing.assert_array_equal(other[name], array, err_msg=name)


@pytest.mark.parametrize("size", [H, 64, LARGE])
@pytest.mark.parametrize("steps", [1, 2, 3, 7])
@pytest.mark.parametrize("isTransposed", [False, True])
@pytest.mark.parametrize("resetFirst", [0, 1])
def test_one_sample_as_two(size: int, steps: int, isTransposed: bool, resetFirst: int) -> None:
    """One sample has loops of its own, which pack the weight if there are enough steps."""
    one = masked(drawn(resetFirst, 1, steps=steps, size=size))
    one["mask"][0] = 0
    one["weight"] /= np.sqrt(size)
    if isTransposed:
        one["weight"] = turned(one["weight"])
    two = (
        one | {name: np.repeat(one[name], 2, axis=-2) for name in ("gates", "h0")} | {"mask": np.repeat(one["mask"], 2, axis=-1)}
    )
    found = []
    for given in (one, two):
        results = forward("Double", resetFirst, given)
        gradients = backward("Double", resetFirst, given, results, results["output"], given["h0"])
        found.append(results | {f"grad {name}": gradients[name] for name in ("gates", "h0")})
    for name, array in found[0].items():
        np.testing.assert_allclose(np.repeat(array, 2, axis=-2), found[1][name], rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("samples", [1, 3])
@pytest.mark.parametrize("resetFirst", [0, 1])
def test_no_steps_and_no_cells(samples: int, resetFirst: int) -> None:
    """Without steps the gradient of the state stays."""
    none = drawn(resetFirst, samples, steps=0)
    results = forward("Double", resetFirst, none)
    np.testing.assert_array_equal(backward("Double", resetFirst, none, results, results["output"], none["h0"])["h0"], none["h0"])
    empty = drawn(resetFirst, samples, size=0)
    results = forward("Double", resetFirst, empty)
    assert backward("Double", resetFirst, empty, results, results["output"], empty["h0"])["h0"].size == 0


@pytest.mark.parametrize("resetFirst", [0, 1])
def test_strides(resetFirst: int) -> None:
    """Arrays in every other column give the same bits."""
    given = masked(drawn(resetFirst, 3))
    expected = forward("Double", resetFirst, given)
    spread = {name: np.repeat(array, 2, axis=-1)[..., ::2] for name, array in given.items()}
    for name, array in forward("Double", resetFirst, spread).items():
        np.testing.assert_array_equal(array, expected[name])


@pytest.mark.parametrize("samples", [1, 3])
def test_masked_steps_forget(samples: int) -> None:
    """A state that is no number ends with the sequence that it belongs to."""
    given = drawn(1, samples) | {"mask": np.zeros((T, samples))}
    given["h0"][...] = np.nan
    given["mask"][1] = 1
    output = forward("Double", 1, given)["output"]
    assert np.isnan(output[0]).all() and not output[1].any() and np.isfinite(output[2:]).all()
