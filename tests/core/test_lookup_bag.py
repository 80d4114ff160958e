"""LookupTableBag, for which Torch7 had no class: sums and means of bags, their gradients, hostile offsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend
from tests import capi

ROWS, WIDTH = 6, 4


def made(name: str, real: str, numbers: dict[str, Any], **arrays: Any) -> capi.Call:
    function = next(f for f in capi.GENERIC if f.name == f"LookupTableBag_{name}")
    call = capi.Call(function, real, values={"state": None} | numbers)
    call.arrays |= {key: array for key, array in arrays.items() if array is not None}
    call.values |= {key: None if array is None else capi.describe(array) for key, array in arrays.items()}
    return call


def bags(real: str, mode: int, input: Any, offsets: Any) -> capi.Call:
    weight = np.random.default_rng(1).standard_normal((ROWS, WIDTH)).astype(capi.REALS[real])
    count, number = len(input), len(offsets)
    return made(
        "updateOutput", real, {"mode": mode}, input=np.array(input, np.int64), offsets=np.array(offsets, np.int64),
        weight=weight, output=np.full((number, WIDTH), np.nan, weight.dtype), offset2bag=np.full(count, -7),
        seq_length=np.full(number, -7),
    )  # fmt: skip


INPUT, OFFSETS = [3, 0, 3, 5, 1, 3, 3], [0, 2, 2, 3, 7]
BAGS = [INPUT[0:2], [], INPUT[2:3], INPUT[3:7], []]


@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("real", capi.REALS)
def test_forward(real: str, mode: int) -> None:
    call = bags(real, mode, INPUT, OFFSETS)
    assert call() == capi.OK, capi.last_error()
    weight = call.arrays["weight"].astype(np.float64)
    expected = [weight[bag].sum(0) / (max(len(bag), 1) if mode else 1) for bag in BAGS]
    np.testing.assert_allclose(call.arrays["output"], expected, rtol=0, atol=1e-6 if real == "Float" else 1e-14)
    np.testing.assert_array_equal(call.arrays["offset2bag"], [0, 0, 2, 3, 3, 3, 3])
    np.testing.assert_array_equal(call.arrays["seq_length"], [2, 0, 1, 4, 0])


@pytest.mark.parametrize("scaled", [0, 1])
@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("real", capi.REALS)
def test_gradient(real: str, mode: int, scaled: int) -> None:
    forward = bags(real, mode, INPUT, OFFSETS)
    assert forward() == capi.OK
    rng = np.random.default_rng(2)
    gradOutput = rng.standard_normal((5, WIDTH)).astype(capi.REALS[real])
    start = rng.standard_normal((ROWS, WIDTH)).astype(capi.REALS[real])
    kept = {key: forward.arrays[key] for key in ("input", "offset2bag")}
    lengths = forward.arrays["seq_length"] if mode else None
    numbers = {"mode": mode, "scaleGradByFreq": scaled, "scale": 0.5}
    call = made("accGradParameters", real, numbers, **kept, gradOutput=gradOutput, gradWeight=start.copy(), seq_length=lengths)
    assert call() == capi.OK, capi.last_error()
    expected = start.astype(np.float64)
    for bag, g in zip(BAGS, gradOutput.astype(np.float64), strict=True):
        for index in bag:
            expected[index] += 0.5 * g / (len(bag) if mode else 1) / (INPUT.count(index) if scaled else 1)
    np.testing.assert_allclose(call.arrays["gradWeight"], expected, rtol=0, atol=1e-6 if real == "Float" else 1e-14)


def test_threads() -> None:
    """The same bits for any number of threads, also where one row gets most of the gradient."""
    rng = np.random.default_rng(3)
    input = np.minimum(rng.geometric(0.4, 50_000) - 1, ROWS - 1)
    bag = np.sort(rng.integers(0, 300, len(input)))
    gradOutput = rng.standard_normal((300, WIDTH)).astype("f")
    before, results = backend.get_num_threads(), []
    try:
        for threads in (1, 2, 3):
            backend.set_num_threads(threads)
            gradWeight = np.zeros((ROWS, WIDTH), "f")
            numbers = {"mode": 0, "scaleGradByFreq": 1, "scale": 1.0}
            call = made(
                "accGradParameters", "Float", numbers, input=input, offset2bag=bag, gradOutput=gradOutput,
                gradWeight=gradWeight, seq_length=None,
            )  # fmt: skip
            assert call() == capi.OK, capi.last_error()
            results.append(gradWeight)
    finally:
        backend.set_num_threads(before)
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])


@pytest.mark.parametrize(
    "offsets, message",
    [
        ([1, 2], "offsets: expected 0 to 0 as number 0, got 1"),
        ([0, 5, 3], "offsets: expected 5 to 7 as number 2, got 3"),
        ([0, 8], "offsets: expected 0 to 7 as number 1, got 8"),
        ([0, -1], "offsets: expected 0 to 7 as number 1, got -1"),
        ([], "offsets: expected a bag for 7 indices, got none"),
    ],
)
def test_offsets(offsets: list[int], message: str) -> None:
    call = bags("Float", 0, INPUT, offsets)
    before = call.contents()
    assert call() == capi.INDEX
    assert capi.last_error().endswith(message)
    assert call.contents() == before


def test_no_such_mode() -> None:
    call = bags("Float", 2, INPUT, OFFSETS)
    assert call() == capi.VALUE
    assert capi.last_error().endswith("mode: expected 0 to 1, got 2")


def test_bag_out_of_range() -> None:
    numbers = {"mode": 0, "scaleGradByFreq": 0, "scale": 1.0}
    call = made(
        "accGradParameters", "Float", numbers, input=np.zeros(2, np.int64), offset2bag=np.array([0, 3]),
        gradOutput=np.zeros((3, WIDTH), "f"), gradWeight=np.zeros((ROWS, WIDTH), "f"), seq_length=None,
    )  # fmt: skip
    assert call() == capi.INDEX
    assert capi.last_error().endswith("offset2bag: expected 0 to 2, got 3")


def test_mean_needs_lengths() -> None:
    numbers = {"mode": 1, "scaleGradByFreq": 0, "scale": 1.0}
    call = made(
        "accGradParameters", "Float", numbers, input=np.zeros(2, np.int64), offset2bag=np.zeros(2, np.int64),
        gradOutput=np.zeros((3, WIDTH), "f"), gradWeight=np.zeros((ROWS, WIDTH), "f"), seq_length=None,
    )  # fmt: skip
    assert call() == capi.NULL
