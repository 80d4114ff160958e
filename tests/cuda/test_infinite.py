"""Pooling on a device of infinite gradients, and of numbers whose sums are infinite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend, nn
from tests.cuda.gpu import TYPES, down, on_a_device, up
from tests.cuda.gpu import gpu as gpu

pytestmark = on_a_device

LAYERS = {
    "spatial": (lambda: nn.SpatialSoftPool(3, 2, 2, 1), (2, 6, 9)),
    "volumetric": (lambda: nn.VolumetricSoftPool(2, 3, 2, 1, 2, 1), (2, 4, 6, 7)),
    "temporal": (lambda: nn.TemporalSoftPool(3, 2), (11, 5)),
}


@pytest.mark.parametrize("beta", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("gradient", ["exact", "published"])
@pytest.mark.parametrize("name", LAYERS)
@np.errstate(invalid="ignore")
def test_soft_pooling(gpu: Any, name: str, gradient: str, beta: float) -> None:
    make, shape = LAYERS[name]
    rng = np.random.default_rng(4)
    x = rng.standard_normal(shape)
    here, there = make().double(), make().type("torch.CudaDoubleTensor")
    for module in (here, there):
        module.beta, module.gradient = beta, gradient
    backend.set_kernels("plain")
    g = rng.standard_normal(here.forward(x).shape)
    g[rng.random(g.shape) < 0.2] = np.inf
    expected = here.backward(x, g)
    backend.set_kernels("fast")
    there.forward(up(x))
    actual = np.array(down(there.backward(up(x), up(g))))
    assert np.isinf(expected).any()
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-12)


MEANS = {
    "global": (nn.SpatialGlobalAveragePooling, (2, 13, 31)),
    "global, in parts": (nn.SpatialGlobalAveragePooling, (1, 220, 190)),
    "global, few cells": (nn.SpatialGlobalAveragePooling, (40, 2, 2)),
    "global volumes": (nn.VolumetricGlobalAveragePooling, (2, 3, 9, 11)),
    "global sequences": (nn.TemporalGlobalAveragePooling, (70, 5)),
    "adaptive": (lambda: nn.SpatialAdaptiveAveragePooling(3, 2), (2, 40, 50)),
    "adaptive sequences": (lambda: nn.TemporalAdaptiveAveragePooling(3), (70, 5)),
    "adaptive volumes": (lambda: nn.VolumetricAdaptiveAveragePooling(2, 3, 2), (2, 5, 14, 15)),
    "windows": (lambda: nn.SpatialAveragePooling(17, 11, 3, 2, 1, 1), (2, 30, 40)),
    "one window": (lambda: nn.SpatialAveragePooling(31, 13), (2, 13, 31)),
    "soft": (lambda: nn.SpatialSoftPool(5, 9, beta=0.0), (2, 20, 30)),
    "large soft": (lambda: nn.SpatialSoftPool(30, 20, beta=0.0), (2, 20, 30)),
}


@pytest.mark.parametrize("type", ["torch.CudaTensor", "torch.CudaDoubleTensor"])
@pytest.mark.parametrize("name", MEANS)
def test_means_of_huge_numbers(gpu: Any, name: str, type: str) -> None:
    """Sums of several threads may overflow in both directions. Their means are those of small numbers, times a power of two."""
    make, shape = MEANS[name]
    module, rng, dtype = make().type(type), np.random.default_rng(5), TYPES[type]
    most, small = 0.999 * float(np.finfo(dtype).max), 2.0**-60
    signs = rng.choice([-1, 1], shape)
    mixed, sorted = signs * most * (1 - 0.5 * rng.random(shape)), np.sort((signs * most).ravel()).reshape(shape)
    for x in (mixed, sorted, np.full(shape, 0.9 * most)):
        expected = np.array(down(module.forward(up((x * small).astype(dtype)))))
        actual = np.array(down(module.forward(up(x.astype(dtype)))))
        if name == "one window":  # Torch7 divides a sum that it keeps, which may be infinite
            expected[abs(expected) * x[0].size > most * small] *= np.inf
        if name == "windows":  # sums that are infinite on the way stay so
            assert not np.isnan(actual).any()
            continue
        np.testing.assert_allclose(actual * small, expected, rtol=0, atol=16 * np.finfo(dtype).eps * most * small)
