"""Properties of Linear beyond its cases: all divisions of large work, initial values, shared parameters."""

import numpy as np
import pytest

from pytorch_legacy import backend, nn, random
from pytorch_legacy.errors import ArgumentError, ValueRangeError
from tests.trees import assert_close

# batch, inputSize, outputSize: few samples (one, up to 4, up to 8) and many, wide and tall weights, long sums
SHAPES = [
    (1, 3, 5), (1, 500, 301), (1, 3000, 40), (1, 40, 3000), (3, 1030, 130), (5, 70, 900), (8, 1100, 66), (9, 300, 700),
    (40, 2500, 90), (300, 64, 80), (2500, 20, 30),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch, inputs, outputs", SHAPES)
def test_cuts(batch, inputs, outputs, dtype):
    rng = np.random.default_rng(0)
    module = nn.Linear(inputs, outputs).type(dtype)
    x, g = rng.standard_normal((batch, inputs)).astype(dtype), rng.standard_normal((batch, outputs)).astype(dtype)
    weight = module.weight.astype("d")
    expected = [x @ weight.T + module.bias, g @ weight, g.astype("d").T @ x, g.sum(0, dtype="d")]
    first = None
    try:
        for threads in (1, 3):
            backend.set_num_threads(threads)
            module.output, module.gradInput = np.full_like(g, np.nan), np.full_like(x, np.nan)
            module.zeroGradParameters()
            module.forward(x)
            module.backward(x, g)
            results = [module.output, module.gradInput, module.gradWeight, module.gradBias]
            for result, truth in zip(results, expected, strict=True):
                assert_close(result, truth, {"float64": 1e-12, "float32": 1e-5}[dtype])
            first = first or [result.copy() for result in results]
            for result, before in zip(results, first, strict=True):
                np.testing.assert_array_equal(result, before)
    finally:
        backend.set_num_threads(0)


def test_reset():
    """Weight before bias; the limit is 1 / sqrt(fan-in), or makes the standard deviation what is asked for."""
    random.manualSeed(3)
    module = nn.Linear(4, 3)
    random.manualSeed(3)
    np.testing.assert_array_equal(module.weight, random.uniform(-0.5, 0.5, (3, 4)))
    np.testing.assert_array_equal(module.bias, random.uniform(-0.5, 0.5, 3))
    module = nn.Linear(100, 100)
    assert module.reset(2) is module
    assert module.weight.std() == pytest.approx(2, rel=0.02)


def test_shared_parameters_move_at_once():
    """Shared or not, the update needs no gradients of the parameters, and adds up where a weight is used twice."""
    first, second = nn.Linear(2, 3), nn.Linear(2, 3)
    second.share(first, "weight", "bias")
    x, g = np.float32([[1, 2]]), np.float32([[1, 0, -1]])
    before = first.weight.copy()
    for module in (first, second):
        module.gradWeight.fill(7)
        module.forward(x)
        module.backwardUpdate(x, g, 0.5)
        assert (module.gradWeight == 7).all()
    np.testing.assert_allclose(second.weight, before - 2 * 0.5 * np.outer(g, x), rtol=1e-6)


def test_no_gradInput():
    module = nn.Linear(2, 1)
    module.gradInput = None
    x = np.ones((3, 2), "f")
    module.forward(x)
    assert module.backward(x, np.ones((3, 1), "f")) is None
    assert (module.gradWeight == 3).all()


def test_scratch_of_a_file_stays_behind():
    module = nn.Linear.__new__(nn.Linear)
    module._fromTorch7(dict(nn.Linear(2, 1)._toTorch7(), addBuffer=np.ones(5, "f")), 1)
    assert not hasattr(module, "addBuffer")
    assert module.forward(np.ones(2, "f")).shape == (1,)


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((0, 1), ValueRangeError, "nn.Linear: inputSize: expected 1 or more, got 0"),
        ((2, -1), ValueRangeError, "nn.Linear: outputSize: expected 1 or more, got -1"),
        ((2, 1.5), ArgumentError, "nn.Linear: outputSize: expected an integer, got 1.5"),
    ],
)
def test_bad_sizes(arguments, error, message):
    with pytest.raises(error, match=message):
        nn.Linear(*arguments)


@pytest.mark.parametrize("samples", [1, 5, 12])
def test_long_sums_keep_their_digits(samples: int) -> None:
    """A million equal terms, whose rounding errors all point one way."""
    n = 10**6
    wide, tall = nn.Linear(n, 5), nn.Linear(5, n)
    for layer in (wide, tall):
        layer.weight[...] = 0.1
        layer.bias[...] = 0
    tenth = float(np.float32(0.1))
    x = np.full((samples, n), 0.1, "f")
    tolerance = 2e-6 if samples <= 8 else 1e-4  # many samples: BLAS adds up
    np.testing.assert_allclose(wide.forward(x), tenth * tenth * n, rtol=tolerance)
    np.testing.assert_allclose(tall.updateGradInput(x[:, :5].copy(), x), tenth * tenth * n, rtol=tolerance)
