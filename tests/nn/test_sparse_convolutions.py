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


@pytest.mark.parametrize("real", capi.REALS)
def test_padding_of_rows(real: str) -> None:
    """TemporalRowConvolution's C functions take a padding, which Torch7's class never used."""
    function = next(f for f in capi.GENERIC if f.name == "TemporalRowConvolution_updateOutput")
    call = capi.valid(function, real)
    call.values["padW"] = 1
    x, w, b = (call.arrays[name] for name in ("input", "weight", "bias"))
    output = np.empty((*x.shape[:-2], x.shape[-2], x.shape[-1]), x.dtype)
    call.values["output"] = capi.describe(output)
    assert call() == capi.OK, capi.last_error()
    padded = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(1, 1), (0, 0)])
    frames = [padded[..., t : t + 3, :] for t in range(x.shape[-2])]
    assert_close(output, np.stack([(f * w[:, 0].T).sum(-2) + b for f in frames], -2), 1e-5)
