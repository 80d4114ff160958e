"""Convolutions that do not connect all planes, or not everywhere alike: their parameters, their files, their calls in C."""

from __future__ import annotations

import numpy as np
import pytest

from pytorch_legacy import nn
from tests import capi
from tests.trees import assert_close, assert_same


def loaded(kind: type[nn.Module], fields: dict[str, object], version: int = 1) -> nn.Module:
    module = kind.__new__(kind)
    module._fromTorch7(fields, version)
    return module


@pytest.mark.parametrize("kind", [nn.SpatialConvolutionMap, nn.SpatialFullConvolutionMap])
def test_planes_of_a_file_count_from_one(kind: type[nn.Module]) -> None:
    module = kind(nn.tables.oneToOne(3), 2, 2).double()
    fields = module._toTorch7()
    assert_same(fields["connTable"], np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
    again = loaded(kind, fields)
    assert_same(again.connTable, module.connTable)
    x = np.ones((3, 4, 4))
    assert_same(again.forward(x), module.forward(x))


def test_table_stays_integer() -> None:
    module = nn.SpatialConvolutionMap(nn.tables.full(2, 2).astype(float), 1, 1).double()
    assert module.connTable.dtype == np.int64


def test_plane_without_kernels_has_a_bias() -> None:
    module = nn.SpatialConvolutionMap(np.array([[0, 0], [0, 2]]), 1, 1)
    assert np.isfinite(module.bias).all()
    module.bias[...] = [1, 2, 3]
    assert_same(module.forward(np.zeros((1, 2, 2), "f"))[1], np.full((2, 2), 2, "f"))


def test_decayParameters() -> None:
    module = nn.SpatialConvolutionMap(nn.tables.full(2, 2), 2, 2)
    module.weight.fill(8)
    module.bias.fill(4)
    module.decayParameters(0.25)
    assert (module.weight == 6).all()
    assert (module.bias == 3).all()


@pytest.mark.parametrize(
    "module", [nn.SpatialDepthWiseConvolution(2, 3, 2, 2), nn.TemporalRowConvolution(3, 2)], ids=lambda m: m._typename
)
def test_reset_without_bias(module: nn.Module) -> None:
    module.noBias().reset(0.1)
    assert module.bias is None
    assert 0 < abs(module.weight).max() <= 0.1 * np.sqrt(3) + 1e-6
    assert str(module).endswith(") without bias")


def test_multiplier_of_newer_files() -> None:
    """Later releases called the multiplier by its name and saved the product as nOutputPlane."""
    module = nn.SpatialDepthWiseConvolution(2, 3, 2, 2).double()
    again = loaded(nn.SpatialDepthWiseConvolution, module._toTorch7() | {"nOutputPlane": 6, "depthwiseMultiplier": 3}, 2)
    x = np.random.default_rng(0).standard_normal((2, 4, 5))
    assert again.nOutputPlane == 3
    assert_same(again.forward(x), module.forward(x))


@pytest.mark.parametrize(
    "module, shape",
    [
        (nn.SpatialConvolutionLocal(2, 2, 4, 3, 2, 2), (2, 3, 4)),
        (nn.SpatialConvolutionMap(nn.tables.full(2, 2), 2, 2), (2, 3, 4)),
        (nn.SpatialFullConvolutionMap(nn.tables.full(2, 2), 2, 2), (2, 3, 4)),
        (nn.SpatialDepthWiseConvolution(2, 2, 2, 2), (2, 3, 4)),
        (nn.TemporalRowConvolution(3, 2), (4, 3)),
    ],
    ids=lambda value: getattr(value, "_typename", ""),
)
def test_no_gradInput_wanted(module: nn.Module, shape: tuple[int, ...]) -> None:
    x = np.ones(shape, "f")
    gradOutput = module.forward(x).copy()
    module.gradInput = None
    assert module.backward(x, gradOutput) is None
    assert module.gradWeight.any()


def test_flat_weights() -> None:
    """The weights of a place may be a matrix, those of a depthwise convolution four-dimensional: same elements."""
    x = np.random.default_rng(0).standard_normal((2, 3, 4)).astype("f")
    for module in nn.SpatialConvolutionLocal(2, 3, 4, 3, 2, 2), nn.SpatialDepthWiseConvolution(2, 3, 2, 2):
        expected = module.forward(x).copy()
        gradInput = module.backward(x, expected).copy()
        module.weight = module.weight.reshape((6, 3, 8) if module.weight.ndim == 6 else (3, 2, 2, 2))
        module.gradWeight = np.zeros(module.weight.shape, "f")
        assert_same(module.forward(x), expected)
        assert_same(module.backward(x, expected), gradInput)


def test_same_as_convolution() -> None:
    """With a full table, or with one filter bank for all places, they are ordinary convolutions."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, 6, 7))
    plain = nn.SpatialConvolution(3, 4, 3, 2).double()
    expected = plain.forward(x)
    table = nn.SpatialConvolutionMap(nn.tables.full(3, 4), 3, 2).double()
    table.weight[...] = plain.weight.reshape(12, 2, 3)
    table.bias[...] = plain.bias
    local = nn.SpatialConvolutionLocal(3, 4, 7, 6, 3, 2).double()
    local.weight[...] = plain.weight
    local.bias[...] = plain.bias[:, None, None]
    gradInput = plain.backward(x, expected)
    for module in table, local:
        assert_close(module.forward(x), expected, 1e-12)
        assert_close(module.backward(x, expected), gradInput, 1e-12)
        assert_close(module.gradBias.reshape(4, -1).sum(1), plain.gradBias, 1e-12)
    assert_close(table.gradWeight.reshape(plain.weight.shape), plain.gradWeight, 1e-12)
    assert_close(local.gradWeight.sum((0, 1)), plain.gradWeight, 1e-12)


@pytest.mark.parametrize("padW, dW", [(1, 1), (2, 3), (4, 2)])
@pytest.mark.parametrize("featFirst", [0, 1])
@pytest.mark.parametrize("real", capi.REALS)
def test_padding_of_rows(real: str, featFirst: int, padW: int, dW: int) -> None:
    """TemporalRowConvolution's C functions take a padding, which Torch7's class never used."""
    rng = np.random.default_rng(0)
    dtype = capi.REALS[real]
    x, w = rng.standard_normal((2, 3, 6)).astype(dtype), rng.standard_normal((3, 1, 4)).astype(dtype)
    padded = np.pad(x, [(0, 0), (0, 0), (padW, padW)])
    starts = range(0, padded.shape[-1] - 3, dW)
    y = np.stack([(padded[..., t : t + 4] * w[:, 0]).sum(-1) for t in starts], -1)
    g = rng.standard_normal(y.shape).astype(dtype)

    def swapped(array: np.ndarray) -> np.ndarray:
        return array if featFirst else np.ascontiguousarray(array.swapaxes(1, 2))

    def run(name: str, **arrays: np.ndarray | None) -> None:
        call = capi.valid(next(f for f in capi.GENERIC if f.name == f"TemporalRowConvolution_{name}"), real)
        call.values |= {"kW": 4, "dW": dW, "padW": padW, "featFirst": featFirst}
        call.values |= {key: None if array is None else capi.describe(array) for key, array in arrays.items()}
        assert call() == capi.OK, capi.last_error()

    input, gradOutput = swapped(x), swapped(g)
    output, gradInput, gradWeight = np.empty_like(swapped(y)), np.empty_like(swapped(x)), np.zeros_like(w)
    run("updateOutput", input=input, output=output, weight=w, bias=None)
    assert_close(output, swapped(y), 1e-5)
    run("updateGradInput", input=input, gradOutput=gradOutput, gradInput=gradInput, weight=w)
    run("accGradParameters", input=input, gradOutput=gradOutput, gradWeight=gradWeight, gradBias=None)
    # y is linear in x, and in w: multiplied by its gradient, each gives the same number.
    assert_close((gradInput * input).sum(), (g * y).sum(), 1e-5)
    assert_close((gradWeight * w).sum(), (g * y).sum(), 1e-5)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_only_taps_that_see_it_learn_from_a_bad_cell(value: float) -> None:
    layer = nn.SpatialDepthWiseConvolution(1, 1, 2, 2)
    x = np.ones((1, 3, 4), "f")
    x[0, 0, 3] = value  # the corner, which only tap [0][1] sees
    layer.forward(x)
    layer.zeroGradParameters()
    layer.backward(x, np.ones((1, 2, 3), "f"))
    np.testing.assert_array_equal(layer.gradWeight.reshape(2, 2), [[6, value], [6, 6]])
