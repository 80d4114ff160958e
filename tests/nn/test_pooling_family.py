"""Properties that pooling layers of one family share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.backend import output_size
from pytorch_legacy.errors import ValueRangeError

SHAPES = {"Temporal": (2, 3, 21), "Spatial": (2, 3, 13, 10), "Volumetric": (2, 2, 5, 7, 6)}
KINDS = ("Average", "Max")
LAYERS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "SpatialAveragePooling": (lambda: nn.SpatialAveragePooling(3, 2, 2, 1, 1, 1), SHAPES["Spatial"]),
    "SpatialAveragePooling_gaps": (lambda: nn.SpatialAveragePooling(1, 2, 3, 3), SHAPES["Spatial"]),
    "SpatialMaxPooling": (lambda: nn.SpatialMaxPooling(3, 2, 2, 1, 1, 1), SHAPES["Spatial"]),
    "SpatialMaxPooling_5x4": (lambda: nn.SpatialMaxPooling(5, 4, 3, 2).ceil(), SHAPES["Spatial"]),
    "SpatialDilatedMaxPooling": (lambda: nn.SpatialDilatedMaxPooling(2, 2, 1, 2, 1, 1, 2, 3), SHAPES["Spatial"]),
    "TemporalAveragePooling": (lambda: nn.TemporalAveragePooling(3, 2), SHAPES["Temporal"]),
    "TemporalMaxPooling": (lambda: nn.TemporalMaxPooling(2, 1), SHAPES["Temporal"]),
    "VolumetricAveragePooling": (lambda: nn.VolumetricAveragePooling(2, 3, 3, 1, 2, 1, 1, 1, 1), SHAPES["Volumetric"]),
    "VolumetricMaxPooling": (lambda: nn.VolumetricMaxPooling(2, 3, 3, 1, 2, 1, 1, 1, 1), SHAPES["Volumetric"]),
    **{
        f"{form}Adaptive{kind}Pooling_{sizes}": (
            lambda form=form, kind=kind, sizes=sizes: getattr(nn, f"{form}Adaptive{kind}Pooling")(*sizes),
            SHAPES[form],
        )
        for kind in KINDS
        for form, sizes in [
            ("Temporal", (7,)), ("Temporal", (30,)), ("Spatial", (4, 5)), ("Spatial", (12, 15)), ("Volumetric", (3, 4, 2)),
        ]
    },
}  # fmt: skip


@pytest.fixture
def backward() -> Iterator[Any]:
    yield pl.setPoolingBackward
    pl.setPoolingBackward("default")


@pytest.mark.parametrize("name", LAYERS)
def test_gather_and_scatter_agree(name: str, backward: Any) -> None:
    make, shape = LAYERS[name]
    module, rng = make().double(), np.random.default_rng(1)
    x = rng.standard_normal(shape)
    g = rng.standard_normal(module.forward(x).shape)
    found = {}
    for how in ("gather", "scatter", "default"):
        backward(how)
        found[how] = module.updateGradInput(x, g).copy()
    np.testing.assert_allclose(found["gather"], found["scatter"], rtol=0, atol=1e-14)
    assert any(np.array_equal(found["default"], found[how]) for how in ("gather", "scatter"))


def test_backward_has_three_names() -> None:
    with pytest.raises(ValueRangeError, match="setPoolingBackward: how: expected one of default, gather, scatter, got 'atomic'"):
        pl.setPoolingBackward("atomic")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", SHAPES)
def test_one_adaptive_window_is_the_global_layer(form: str, kind: str) -> None:
    x = np.random.default_rng(2).standard_normal(SHAPES[form])
    one = getattr(nn, f"{form}Adaptive{kind}Pooling")(*(1,) * (x.ndim - 2)).double()
    whole = getattr(nn, f"{form}Global{kind}Pooling")().double()
    y = whole.forward(x)
    np.testing.assert_allclose(one.forward(x), y, rtol=1e-14)
    np.testing.assert_allclose(one.backward(x, y), whole.backward(x, y), rtol=1e-14)
    if kind == "Max":
        np.testing.assert_array_equal(one.indices, whole.indices)


@pytest.mark.parametrize("kind", KINDS)
def test_adaptive_windows_that_divide_are_fixed_windows(kind: str) -> None:
    x = np.random.default_rng(3).standard_normal((2, 3, 12, 10))
    adaptive = getattr(nn, f"SpatialAdaptive{kind}Pooling")(5, 4).double()
    fixed = getattr(nn, f"Spatial{kind}Pooling")(2, 3, 2, 3).double()
    np.testing.assert_allclose(adaptive.forward(x), fixed.forward(x), rtol=1e-14)
    g = np.random.default_rng(4).standard_normal(fixed.output.shape)
    np.testing.assert_allclose(adaptive.backward(x, g), fixed.backward(x, g), rtol=1e-14)


@pytest.mark.parametrize("form", SHAPES)
def test_a_gradient_is_passed_on_whole(form: str) -> None:
    """Gradients of the input sum to those of the output: weights of a window sum to 1."""
    shape = SHAPES[form]
    for layer in (f"{form}{which}{kind}Pooling" for which in ("Adaptive", "Global") for kind in KINDS):
        sizes = (4, 3, 2)[: len(shape) - 2] if "Adaptive" in layer else ()
        module = getattr(nn, layer)(*sizes).double()
        x = np.random.default_rng(5).standard_normal(shape)
        g = np.random.default_rng(6).standard_normal(module.forward(x).shape)
        assert module.backward(x, g).sum() == pytest.approx(g.sum(), abs=1e-12), layer


@pytest.mark.parametrize("form", SHAPES)
def test_slices_of_more_dimensions_agree(form: str) -> None:
    """A layer of fewer dimensions is one of more dimensions with axes of one cell."""
    x = np.random.default_rng(7).standard_normal((2, 3, 1, 1, 11)[:5])
    flat = {"Temporal": x[:, :, 0, 0].swapaxes(1, 2), "Spatial": x[:, :, 0], "Volumetric": x}[form]
    ones = (1,) * (flat.ndim - 3)
    order = {"Temporal": (4,), "Spatial": (4, 1), "Volumetric": (1, 4, 1)}[form]
    for kind in KINDS:
        module = getattr(nn, f"{form}Adaptive{kind}Pooling")(*order).double()
        expected = getattr(nn, f"SpatialAdaptive{kind}Pooling")(4, 1).double().forward(x[:, :, 0]).reshape(2, 3, *ones, 4)
        np.testing.assert_array_equal(module.forward(flat), expected.swapaxes(1, 2) if form == "Temporal" else expected)


def large(*shape: int) -> np.ndarray:
    """A view of one cell that has this shape and takes no memory."""
    return np.broadcast_to(np.zeros(1, np.float32), shape)


def test_planes_of_more_than_32_bits() -> None:
    """Sizes whose products pass 2^31 and 2^32: geometry is in 64 bits."""
    module = nn.SpatialMaxPooling(2, 2)
    x = large(1, 70_001, 99_999)
    assert output_size(module, "SpatialMaxPooling_outputSize", x, 2, 2, 2, 2, 0, 0, 1) == (1, 35_001, 50_000)
    assert output_size(module, "SpatialMaxPooling_outputSize", x, 3, 3, 2, 2, 1, 1, 0) == (1, 35_001, 50_000)
    assert output_size(module, "SpatialAdaptiveAveragePooling_outputSize", x, 2**31 - 1, 7) == (1, 7, 2**31 - 1)
    long = large(2**40, 1)
    assert output_size(module, "TemporalAdaptiveMaxPooling_outputSize", long, 3) == (3, 1)
    assert output_size(module, "TemporalSoftPool_outputSize", long, 2, 2**30, 1, 1) == (1025, 1)
    volume = large(1, 3000, 3000, 3000)
    assert output_size(module, "VolumetricAveragePooling_outputSize", volume, *(3,) * 3, *(2,) * 3, *(1,) * 3, 0) == (
        1,
        *(1500,) * 3,
    )


def test_nan_wins_wherever_it_stands() -> None:
    """The first NaN of a window is its maximum, also in rows that hold others, and so it is found by every layer."""
    rng = np.random.default_rng(8)
    for _ in range(50):
        x = rng.standard_normal((1, 9, 11))
        cells = rng.choice(99, 3, replace=False)
        x.reshape(-1)[cells] = np.nan
        module = nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1).double()
        y = module.forward(x)
        padded = np.full((11, 13), -np.inf)
        padded[1:10, 1:12] = x[0]
        for oh, ow in np.ndindex(*y.shape[1:]):
            window = padded[2 * oh : 2 * oh + 3, 2 * ow : 2 * ow + 3]
            place = np.flatnonzero(np.isnan(window))[0] if np.isnan(window).any() else window.argmax()
            row, column = 2 * oh + place // 3 - 1, 2 * ow + place % 3 - 1
            assert module.indices[0, oh, ow] == row * 11 + column
        first = nn.SpatialGlobalMaxPooling().double()
        assert np.isnan(first.forward(x)) and first.indices.item() == cells.min()
        one = nn.SpatialAdaptiveMaxPooling(1, 1).double()
        assert np.isnan(one.forward(x)) and one.indices.item() == cells.min()


@pytest.mark.parametrize("p", [0.5, 1, 2, 2.5, 3, 4, np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gradients_of_norms_do_not_hide_nan(p: float, dtype: type) -> None:
    x = np.array([[[0, np.nan, 3, 0, 1, 2]]], dtype)
    module = nn.SpatialPowerAveragePooling(p, 3, 1).type(dtype)
    assert np.isnan(module.forward(x)).tolist() == [[[True, False]]]
    first, second = module.updateGradInput(x, np.ones((1, 1, 2), dtype)).reshape(2, 3)
    assert np.isnan(first).tolist() == [False, True, p != 1]  # p = 1: a sum of magnitudes, each alone
    assert np.isfinite(second).all() and second[0] == 0


def test_no_gradient_passes_a_feature_norm_of_zero() -> None:
    """As in Torch7; the gradient of the plain sum that SpatialLPPooling computes for p = 1 does."""
    x, g = np.array([[0.0, 2, -3, 0, 0, 1]]), np.array([[1.0, 10, 100, 1000, 10000]])
    features = nn.FeatureLPPooling(2, 1, 1, True).double()
    features.forward(x)
    assert features.updateGradInput(x, g).tolist() == [[1, 11, 110, 100, 10000, 10000]]
    plane = nn.SpatialLPPooling(1, 1, 2, 1, 1, 1).double()
    plane.forward(x[None])
    assert plane.updateGradInput(x[None], g[None]).tolist() == [[[1, 11, 110, 1100, 11000, 10000]]]


def test_composite_has_the_windows_of_its_pooling() -> None:
    module, x = nn.SpatialSimplifiedLIP(2, 2, 2), np.ones((2, 5, 5), np.float32)
    assert module.ceil().forward(x).shape == (2, 3, 3)
    assert module.floor().forward(x).shape == (2, 2, 2)


@pytest.mark.parametrize("name", [name for name in nn.__all__ if name.endswith("MaxPooling")])
def test_empty_is_another_name_of_clearState(name: str) -> None:
    module: Any = getattr(nn, name).__new__(getattr(nn, name))
    module.output, module.indices = np.ones(2, np.float32), np.ones(2, np.int64)
    assert module.empty() is module
    assert module.output.size == module.indices.size == 0


SEQUENCES = (
    lambda: nn.TemporalSoftPool(3, 2, 1),
    lambda: nn.TemporalAdaptiveMaxPooling(4),
    lambda: nn.TemporalAdaptiveMaxPooling(None),
    lambda: nn.TemporalAdaptiveAveragePooling(4),
    nn.TemporalGlobalMaxPooling,
    nn.TemporalGlobalAveragePooling,
)


@pytest.mark.parametrize("make", SEQUENCES)
@pytest.mark.parametrize("shape", [(9, 5), (2, 9, 5)])
def test_version_1_of_layers_of_sequences(make, shape, tmp_path) -> None:
    """They pooled (N x) frameSize x nFrame, and layers of their files still do, also saved again."""
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    layer = make()
    expected = layer.forward(x).copy()
    g = np.random.default_rng(4).standard_normal(expected.shape).astype(np.float32)
    gradient = layer.backward(x, g).copy()
    assert layer._toRecord().version == 2
    record = layer._toRecord()
    old = type(layer).__new__(type(layer))
    old._fromTorch7({name: value for name, value in record.fields.items() if name != "indices"}, 1)
    pl.save(tmp_path / "old.t7", old)
    pl.save(tmp_path / "new.t7", layer)
    assert "(version 1: frameSize x nFrame)" in str(old) and "version" not in str(layer)
    for each in (old, pl.load(tmp_path / "old.t7"), old.clone().float()):
        assert each._toRecord().version == 1
        for _ in range(2):
            np.testing.assert_array_equal(each.forward(x.swapaxes(-1, -2)), expected.swapaxes(-1, -2))
            np.testing.assert_array_equal(each.backward(x.swapaxes(-1, -2), g.swapaxes(-1, -2)), gradient.swapaxes(-1, -2))
        if "indices" in vars(layer):
            np.testing.assert_array_equal(each.indices, layer.indices.swapaxes(-1, -2) // shape[-1])
    np.testing.assert_array_equal(pl.load(tmp_path / "new.t7").forward(x), expected)


def test_layers_of_sequences_pool_frames() -> None:
    """Pooling layers with windows of frames agree with TemporalMaxPooling or TemporalAveragePooling in layout."""
    x = np.random.default_rng(3).standard_normal((2, 12, 5))
    wanted, mean = nn.TemporalMaxPooling(3).double().forward(x), nn.TemporalAveragePooling(3).double().forward(x)
    layer = nn.TemporalAdaptiveMaxPooling(4).double()
    np.testing.assert_array_equal(layer.forward(x), wanted)
    np.testing.assert_array_equal(np.take_along_axis(x.reshape(2, 60), layer.indices.reshape(2, 20), 1), wanted.reshape(2, 20))
    np.testing.assert_array_equal(layer.indices % 5, np.broadcast_to(np.arange(5), (2, 4, 5)))
    np.testing.assert_allclose(nn.TemporalAdaptiveAveragePooling(4).double().forward(x), mean, rtol=1e-12)
    np.testing.assert_allclose(nn.TemporalSoftPool(3, beta=0).double().forward(x), mean, rtol=1e-12)
    np.testing.assert_allclose(nn.TemporalSoftPool(3, beta=1e4).double().forward(x), wanted, rtol=1e-6)
    np.testing.assert_array_equal(nn.TemporalGlobalMaxPooling().double().forward(x), x.max(1, keepdims=True))
    np.testing.assert_allclose(nn.TemporalGlobalAveragePooling().double().forward(x), x.mean(1, keepdims=True), rtol=1e-12)
