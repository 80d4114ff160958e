"""Properties of normalization layers beyond their cases: stored statistics, and the caller's arrays afterwards."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from pytorch_legacy import nn

LOCAL = [nn.SpatialSubtractiveNormalization, nn.SpatialDivisiveNormalization, nn.SpatialContrastiveNormalization]


@pytest.mark.parametrize("layer", LOCAL)
def test_kernel_is_copied(layer) -> None:
    kernel = np.array([1.0, 2.0, 1.0])
    module = layer(2, kernel)
    assert kernel.tolist() == [1, 2, 1]
    # The product of the kernel with itself weighs all planes with 1 in sum, where that makes a difference.
    total = np.sqrt(0.5) if layer is nn.SpatialDivisiveNormalization else 0.5
    np.testing.assert_allclose(module.kernel, np.array([1, 2, 1]) / 4 * total, 1e-6)


@pytest.mark.parametrize("layer", LOCAL)
def test_size_and_type_may_change(layer) -> None:
    """The sum of the kernel's part on the planes follows the input's size and the module's type."""
    module = layer(1, np.ones((3, 3)))
    rng = np.random.default_rng(1)
    for shape, dtype in [((1, 4, 5), "f"), ((2, 1, 6, 3), "f"), ((1, 4, 5), "d"), ((1, 4, 5), "f")]:
        module.float() if dtype == "f" else module.double()
        x = rng.standard_normal(shape).astype(dtype)
        fresh = layer(1, np.ones((3, 3)))
        fresh.float() if dtype == "f" else fresh.double()
        output = module.forward(x)
        assert output.dtype == dtype
        np.testing.assert_allclose(output, fresh.forward(x), rtol=1e-6)


@pytest.mark.parametrize("layer", LOCAL)
def test_cleared_module_runs(layer) -> None:
    x = np.random.default_rng(1).standard_normal((1, 4, 5)).astype("f")
    module = layer()
    before = module.forward(x).copy()
    assert module.clearState() is module
    assert module.output.size == 0
    np.testing.assert_array_equal(module.forward(x), before)


def test_window_of_large_values_leaves_no_trace() -> None:
    """Sums of later windows are as exact as if the large planes were not there."""
    x = np.ones((40, 1, 2), np.float32)
    x[3] = 1e18
    module = nn.SpatialCrossMapLRN(5, alpha=5.0, beta=1.0, k=0.0)
    np.testing.assert_allclose(module.forward(x)[6:-2], 0.2, rtol=1e-6)
    assert module.scale.shape == (1, 40, 1, 2)


def test_infinity_stays_in_its_windows() -> None:
    x = np.ones((1, 9, 1, 1))
    x[0, 2] = inf
    module = nn.SpatialCrossMapLRN(3, alpha=3.0).double()
    scale = module.forward(x) is not None and module.scale[0, :, 0, 0]
    assert scale.tolist() == [3, inf, inf, inf, 4, 4, 4, 4, 3]


@pytest.mark.parametrize("p, text", [(2, "2"), (2.0, "2"), (1.5, "1.500000"), (inf, "inf")])
def test_normalize_prints_its_norm(p: float, text: str) -> None:
    assert str(nn.Normalize(p)) == f"nn.Normalize({text})"
