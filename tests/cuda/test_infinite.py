"""Soft pooling on a device gives its definition's gradients where gradOutput is infinite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytorch_legacy import backend, nn
from tests.cuda.gpu import down, on_a_device, up
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
