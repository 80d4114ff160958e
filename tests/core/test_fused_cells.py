"""The cells of LSTM and GRU, for which Torch7 had no class: values from their definition, gradients by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests import capi

N, H = 3, 5
Arrays = dict[str, np.ndarray]


def call(name: str, real: str, **arrays: Any) -> None:
    function = next(f for f in capi.GENERIC if f.name == name)
    made = capi.Call(function, real, values={"state": None})
    made.values |= {key: capi.describe(value) if isinstance(value, np.ndarray) else value for key, value in arrays.items()}
    assert made() == capi.OK, capi.last_error()


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def lstm(input: np.ndarray, hidden: np.ndarray, bias1: Any, bias2: Any, cell: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The definition: output and outputCell."""
    i, f, g, o = np.split(input + hidden + sum(b for b in (bias1, bias2) if b is not None), 4, axis=-1)
    outputCell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(outputCell), outputCell


def gru(input: np.ndarray, hidden: np.ndarray, bias1: Any, bias2: Any, hx: np.ndarray) -> tuple[np.ndarray]:
    ir, ii, inew = np.split(input + (0 if bias1 is None else bias1), 3, axis=-1)
    hr, hi, hnew = np.split(hidden + (0 if bias2 is None else bias2), 3, axis=-1)
    keep, new = sigmoid(ii + hi), np.tanh(inew + sigmoid(ir + hr) * hnew)
    return ((1 - keep) * new + keep * hx,)


CELLS: dict[str, Any] = {"LSTM": (4, "cell", lstm), "GRU": (3, "hx", gru)}


def drawn(name: str, biases: tuple[bool, bool], samples: tuple[int, ...], dtype: Any = np.float64) -> dict[str, Any]:
    parts, cell, _ = CELLS[name]
    rng = np.random.default_rng(4)

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape).astype(np.float32).astype(dtype)

    gates = (*samples, parts * H)
    return {"input": normal(*gates), "hidden": normal(*gates)} | {
        f"bias{k + 1}": normal(parts * H) if biases[k] else None for k in range(2)
    } | {cell: normal(*samples, H)}  # fmt: skip


def forward(name: str, real: str, given: dict[str, Any]) -> Arrays:
    """Runs updateOutput; its outputs, and what backward needs."""
    dtype, shape = capi.REALS[real], given[CELLS[name][1]].shape
    outputs = {"output": np.full(shape, np.nan, dtype)}
    if name == "LSTM":
        outputs["outputCell"] = np.full(shape, np.nan, dtype)
        storage = given["input"].copy()
        call("LSTMFused_updateOutput", real, **given | {"input": storage} | outputs)
    else:
        storage = np.full((*shape[:-1], 5 * H), np.nan, dtype)
        call("GRUFused_updateOutput", real, **given, **outputs, storage=storage)
    return outputs | {"storage": storage}


@pytest.mark.parametrize("samples", [(N,), (), (700,)])
@pytest.mark.parametrize("biases", [(True, True), (False, False), (True, False), (False, True)])
@pytest.mark.parametrize("real", capi.REALS)
@pytest.mark.parametrize("name", CELLS)
def test_forward(name: str, real: str, biases: tuple[bool, bool], samples: tuple[int, ...]) -> None:
    given = drawn(name, biases, samples, capi.REALS[real])
    outputs = forward(name, real, given)
    expected = CELLS[name][2](**{key: None if a is None else a.astype(np.float64) for key, a in given.items()})
    for actual, wanted in zip(outputs.values(), expected, strict=False):
        np.testing.assert_allclose(actual, wanted, rtol=0, atol={"Double": 1e-14, "Float": 2e-6}[real])


def backward(name: str, real: str, given: dict[str, Any], outputs: Arrays, gradients: list[np.ndarray]) -> Arrays:
    """The gradients of the inputs, by their names."""
    dtype, shape = capi.REALS[real], outputs["output"].shape
    gates = (*shape[:-1], CELLS[name][0] * H)
    gradInput, gradCell = np.full(gates, np.nan, dtype), np.full(shape, np.nan, dtype)
    if name == "LSTM":
        call(
            "LSTMFused_updateGradInput", real, storage=outputs["storage"], gradInGates=gradInput, cx=given["cell"],
            cy=outputs["outputCell"], gradOutput=gradients[0], gradOutputCell=gradients[1], gradInputCx=gradCell,
        )  # fmt: skip
        return {"input": gradInput, "hidden": gradInput, "cell": gradCell}
    gradHidden = np.full(gates, np.nan, dtype)
    call(
        "GRUFused_updateGradInput", real, gradInInput=gradInput, gradInHidden=gradHidden, gradOutput=gradients[0],
        gradInputHx=gradCell, storage=outputs["storage"],
    )  # fmt: skip
    return {"input": gradInput, "hidden": gradHidden, "hx": gradCell}


@pytest.mark.parametrize("name", CELLS)
def test_gradients(name: str) -> None:
    """By central differences of the definition."""
    given = drawn(name, (True, True), (N,))
    outputs = forward(name, "Double", given)
    rng = np.random.default_rng(5)
    weights = [rng.standard_normal((N, H)) for _ in range(2)]

    def loss() -> float:
        return sum(float((w * y).sum()) for w, y in zip(weights, CELLS[name][2](**given), strict=False))

    for key, gradient in backward(name, "Double", given, outputs, weights).items():
        for i in range(gradient.size):
            old = given[key].flat[i]
            given[key].flat[i] = old + 1e-6
            above = loss()
            given[key].flat[i] = old - 1e-6
            below = loss()
            given[key].flat[i] = old
            assert gradient.flat[i] == pytest.approx((above - below) / 2e-6, abs=1e-8), (key, i)


@pytest.mark.parametrize("name", CELLS)
def test_single_precision(name: str) -> None:
    results = []
    for real, dtype in capi.REALS.items():
        given = drawn(name, (True, True), (N,), dtype)
        weights = [w.astype(dtype) for w in np.random.default_rng(6).standard_normal((2, N, H)).astype(np.float32)]
        results.append(backward(name, real, given, forward(name, real, given), weights))
    for key, single in results[0].items():
        np.testing.assert_allclose(single, results[1][key], rtol=0, atol=2e-6)


@pytest.mark.parametrize("name", CELLS)
def test_strides(name: str) -> None:
    """Gates and cells that lie in every other column give the same bits."""
    given = drawn(name, (True, True), (N,))
    expected = forward(name, "Double", given)
    spread: dict[str, Any] = {key: np.repeat(array, 2, axis=-1)[..., ::2] for key, array in given.items()}
    actual = forward(name, "Double", spread)
    for key, array in expected.items():
        np.testing.assert_array_equal(actual[key], array)
