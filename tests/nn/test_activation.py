"""Activations at their edges, where central differences cannot look, and what their constructors and files say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import backend, nn
from pytorch_legacy.backend.header import Function
from tests import capi

NAN, INF = np.nan, np.inf

# Module, inputs, outputs, gradients.
EDGES: list[tuple[nn.Module, list[float], list[float], list[float]]] = [
    (nn.Abs(), [0, -0.0, -INF, NAN], [0, 0, INF, NAN], [1, 1, -1, -1]),
    (nn.ELU(2), [0, -INF, INF, NAN, -1e-30], [0, -2, INF, NAN, -2e-30], [2, 0, 1, 1, 2]),
    (nn.ELU(-2), [0, -INF, INF, NAN], [0, 2, INF, NAN], [-2, 0, 1, 1]),
    (nn.HardShrink(), [0.5, -0.5, 0.75, -0.75, INF, NAN], [0, 0, 0.75, -0.75, INF, NAN], [0, 0, 1, 1, 1, 1]),
    (nn.HardTanh(), [1, -1, 0.5, INF, -INF, NAN], [1, -1, 0.5, 1, -1, NAN], [0, 0, 1, 0, 0, 1]),
    (nn.LeakyReLU(0.5), [0, INF, -INF, NAN], [0, INF, -INF, NAN], [0.5, 1, 0.5, 0.5]),
    (nn.LogSigmoid(), [0, INF, -INF, -1000, NAN], [-np.log(2), 0, -INF, -1000, NAN], [0.5, 0, 1, 1, NAN]),
    (nn.PReLU(), [0, INF, -INF, NAN], [0, INF, -INF, NAN], [0.25, 1, 0.25, 0.25]),
    (nn.ReLU(), [0, -0.0, INF, -INF, NAN, -1e-30], [0, 0, INF, 0, NAN, 0], [0, 0, 1, 0, 1, 0]),
    (nn.ReLU(True), [0, -2, INF, -INF, NAN, 3], [0, 0, INF, 0, NAN, 3], [0, 0, 1, 0, 1, 1]),
    (nn.Clamp(-1, 2), [-1, -INF, INF, NAN, 0.5], [-1, -1, 2, NAN, 0.5], [0, 0, 0, 1, 1]),
    (nn.CReLU(1), [[2, NAN]], [[2, NAN, 0, NAN]], [[1, 0]]),
    (nn.ReLU6(), [0, 6, 5, INF, -INF, NAN], [0, 6, 5, 6, 0, NAN], [0, 0, 1, 0, 0, 1]),
    (nn.SoftPlus(), [0, 1000, -1000, INF, -INF, NAN], [np.log(2), 1000, 0, INF, 0, NAN], [0.5, 1, 0, 1, 0, NAN]),
    (nn.SoftShrink(), [0.5, -0.5, 0.75, -0.75, INF, NAN], [0, 0, 0.25, -0.25, INF, NAN], [0, 0, 1, 1, 1, 1]),
    (nn.SoftSign(), [0, INF, -INF, -3, NAN], [0, 1, -1, -0.75, NAN], [1, 0, 0, 0.0625, NAN]),
    (nn.Sqrt(), [0, 4, INF, -1, NAN], [0, 2, INF, NAN, NAN], [0, 0.25, 0, NAN, NAN]),
    (nn.Square(), [0, -3, -INF, NAN], [0, 9, INF, NAN], [0, -6, -INF, NAN]),
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("module, x, y, gradient", [pytest.param(*row, id=repr(row[0])) for row in EDGES])
def test_edges(module: nn.Module, x: list[float], y: list[float], gradient: list[float], dtype: Any) -> None:
    module = module.clone().type(dtype)
    input = np.array(x, dtype)
    np.testing.assert_allclose(module.forward(input), np.array(y, dtype), rtol=1e-6, atol=1e-37)
    np.testing.assert_allclose(module.backward(input, np.ones_like(module.output)), np.array(gradient, dtype), rtol=1e-6)


@pytest.mark.parametrize(
    "name", ["Clamp", "HardShrink", "HardTanh", "LogSigmoid", "ReLU", "ReLU6", "SoftShrink", "SoftSign", "Threshold"]
)
def test_other_numbers_than_nan_are_as_in_torch7(name: str) -> None:
    """These files of tests/golden are marked for what Torch7 did with NaN, or with infinities."""
    case = pl.load(Path(__file__).parents[1] / "golden" / "activation" / f"{name}_special_15.t7")
    module, x = case["module"], case["input"]
    same = np.isfinite(x) if name in ("LogSigmoid", "SoftSign") else ~np.isnan(x)
    assert same.sum() >= 12
    np.testing.assert_allclose(module.forward(x)[same], case["train"]["output"][same], rtol=1e-10, atol=1e-15)
    gradInput = module.backward(x, case["gradOutput"])
    np.testing.assert_allclose(gradInput[same], case["train"]["gradInput"][same], rtol=1e-10, atol=1e-15)
    np.testing.assert_array_equal(np.isnan(module.output), np.isnan(x))


@pytest.mark.parametrize("cls, best", [(nn.CMaxTable, np.maximum), (nn.CMinTable, np.minimum)])
@pytest.mark.parametrize("n", [6, 200_000])
def test_maxima_of_tables_keep_nan(cls: Any, best: Any, n: int) -> None:
    """The first NaN of a place takes the gradient."""
    a, b, c = (np.random.default_rng(i).normal(size=n).astype(np.float32) for i in range(3))
    a[0] = b[1] = c[2] = b[3] = c[3] = NAN
    layer = cls()
    np.testing.assert_array_equal(layer.forward([a, b, c]), best(best(a, b), c))
    gradients = layer.backward([a, b, c], np.ones_like(a))
    np.testing.assert_array_equal([gradient[:4] for gradient in gradients], [[1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 0]])
    np.testing.assert_array_equal(sum(gradients), 1)


def test_a_network_of_nan_has_no_finite_loss() -> None:
    layers = nn.ReLU(), nn.ReLU6(), nn.HardTanh(), nn.Threshold(), nn.HardShrink(), nn.SoftShrink(), nn.CReLU(1), nn.RReLU()
    for layer in layers:
        network = nn.Sequential().add(nn.Linear(3, 4)).add(layer).add(nn.LogSoftMax())
        network.get(0).weight.fill(NAN)
        assert np.isnan(nn.ClassNLLCriterion().forward(network.forward(np.ones((2, 3), np.float32)), np.array([0, 1])))


def test_evaluation_draws_nothing() -> None:
    """RReLU takes one draw for each element that is not positive, and none in evaluation."""
    x = np.array([-1, 2, 0, NAN, -3], "f")
    pl.manualSeed(7)
    draws = pl.random.uniform(0.125, 1 / 3, 4, np.float32)
    pl.manualSeed(7)
    module = nn.RReLU()
    module.evaluate()
    module.forward(x)
    module.training()
    module.forward(x)
    np.testing.assert_array_equal(module.noise, [draws[0], 1, draws[1], 1, draws[2]])
    assert pl.random.uniform(0.125, 1 / 3, 1, np.float32) == draws[3]


def test_slope_gradients_are_those_of_one_slope_for_each_channel() -> None:
    """The gradient of a shared slope is the sum of those of the channels; scale multiplies it once."""
    rng = np.random.default_rng(0)
    x, g = rng.standard_normal((2, 30, 4, 60, 70))
    shared, own = nn.PReLU().double(), nn.PReLU(4).double()
    shared.accGradParameters(x, g, 2.0)
    own.accGradParameters(x, g, 2.0)
    products = np.where(x > 0, 0, x * g)
    np.testing.assert_allclose(own.gradWeight, 2 * products.sum((0, 2, 3)), rtol=1e-12)
    np.testing.assert_allclose(shared.gradWeight, [2 * products.sum()], rtol=1e-12)


def test_leaky_relu_of_true_works_in_place() -> None:
    module = nn.LeakyReLU(True)
    x = np.array([-1, 1], "f")
    assert module.forward(x) is x
    assert module.negval == 0.01


def test_lambda_has_its_own_name_in_files() -> None:
    for cls in (nn.HardShrink, nn.SoftShrink):
        module = cls(0.125)
        fields = module._toTorch7()
        assert fields["lambda"] == 0.125
        assert "lambda_" not in fields
        twin = cls.__new__(cls)
        twin._fromTorch7(fields, 1)
        assert twin.lambda_ == 0.125
        assert "lambda" in fields


def test_clear_state_empties_inner_buffers() -> None:
    x = np.ones((2, 3), "f")
    shrink, softmin = nn.TanhShrink(), nn.SoftMin()
    for module in (shrink, softmin):
        module.forward(x)
        module.backward(x, x)
        module.clearState()
    assert shrink.tanh.output.size == shrink.tanh.gradInput.size == softmin.mininput.size == 0


def test_gated_linear_size_of_eight_dimensions() -> None:
    module = nn.GatedLinearUnit(0)
    assert backend.output_size(module, "GatedLinear_outputSize", np.zeros((4,) + (1,) * 7, "f"), 0) == (2,) + (1,) * 7


def test_buffers_in_files_are_dropped() -> None:
    for cls, buffer in ((nn.LogSigmoid, "buffer"), (nn.PReLU, "gradWeightBuf"), (nn.PReLU, "gradWeightBuf2")):
        module = cls.__new__(cls)
        module._fromTorch7(cls()._toTorch7() | {buffer: np.zeros(5, "f")}, 1)
        assert not hasattr(module, buffer)
        assert module.forward(np.ones((2, 3), "f")).shape == (2, 3)


INPLACE = [function for function in capi.GENERIC if "inplace" in [argument.name for argument in function.arguments]]


@pytest.mark.parametrize("function", INPLACE, ids=lambda function: function.name)
def test_inplace_takes_one_view_only(function: Function) -> None:
    """A host that promises to work in place, and then names two arrays."""
    call = capi.valid(function, "Float")
    call.values["inplace"] = 1
    before = call.contents()
    assert call() == capi.VALUE
    assert "expected the same view as" in capi.last_error()
    assert call.contents() == before


@pytest.mark.parametrize("name", ["RReLU_updateOutput", "RReLU_updateGradInput"])
def test_noise_is_for_training(name: str) -> None:
    function = next(function for function in capi.GENERIC if function.name == name)
    call = capi.valid(function, "Double")
    call.values |= {"noise": None, "train": 0}
    assert call() == capi.OK


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("module", [nn.Exp(), nn.Log(), nn.Sigmoid()], ids=repr)
def test_blocks_of_ordinary_numbers(module: nn.Module, dtype: Any) -> None:
    """Blocks of ordinary numbers go a shorter way. It gives the same results, and one unusual number, wherever it is, keeps its
    block from it: NaN is one for all three modules."""
    module = module.clone().type(np.dtype(dtype).name)
    limits = np.finfo(dtype)
    values = np.array([0, 1, 87, 88.722, 103.3, 708, 709.782, 745, limits.tiny, limits.tiny / 2, limits.max], dtype)
    with np.errstate(over="ignore"):
        values = np.concatenate([values, np.nextafter(values, dtype(0)), np.nextafter(values, dtype(INF))])
    for value in [*values, *-values, dtype(INF)]:
        careful = module.forward(np.array([value, NAN], dtype))[0]
        np.testing.assert_array_equal(module.forward(np.full(600, value, dtype)), careful)
        for at in [0, 7, 255, 256, 300, 598]:
            mixed = np.full(599, 0.75, dtype)
            mixed[at] = value
            np.testing.assert_array_equal(module.forward(mixed)[at], careful)
