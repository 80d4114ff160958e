"""Norms and distances whose squares are too large or too small for the type: on a device as on the host."""

from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn
from tests.cuda.gpu import IS_REAL, TYPES, down, on_a_device, up
from tests.cuda.gpu import gpu as gpu

pytestmark = on_a_device

ROWS = [*(nn.Normalize(p, 0) for p in (1, 1.5, 2, 3, np.inf)), nn.Euclidean(4, 3), nn.WeightedEuclidean(4, 3), nn.Cosine(4, 3)]
PAIRS = [*(nn.PairwiseDistance(p) for p in (1, 1.5, 2, 3)), nn.CosineDistance()]
HOST = {"torch.CudaTensor": "torch.FloatTensor", "torch.CudaDoubleTensor": "torch.DoubleTensor"}
# On a GPU no gradient may be below the smallest normal number: kernels of CuPy take those for 0.
FAR = 1e30 if IS_REAL else 1e36
UNITS = {"torch.CudaTensor": [1e25, FAR, 1e-25, 1 / FAR], "torch.CudaDoubleTensor": [1e160, 1e300, 1e-160, 1e-300]}


@pytest.mark.parametrize("type", TYPES)
def test_as_on_the_host(gpu: Any, type: str) -> None:
    for unit in UNITS[type]:
        x = (np.array([[3, -1, 0.5, 2], [1, 0.25, -2, 4]]) * unit).astype(TYPES[type])
        y = (np.array([[1, 3, 0, -2], [2, 2, 1, 1]]) * unit).astype(TYPES[type])
        for layer in ROWS + PAIRS:
            input: Any = [x, y] if layer in PAIRS else x
            host, device = layer.clone().type(HOST[type]), layer.clone().type(type)
            for module in (host, device):
                if module.weight is not None:
                    module.weight *= unit
            expected = host.forward(input)
            close(down(device.forward(up(input))), expected)
            gradOutput = np.ones_like(expected)
            gradient, found = host.backward(input, gradOutput), down(device.backward(up(input), up(gradOutput)))
            for pair in zip(found, gradient, strict=True) if layer in PAIRS else [(found, gradient)]:
                close(*pair)


def close(found: Any, expected: Any) -> None:
    assert np.isfinite(expected).all()
    largest = abs(expected).max() or 1  # cosines of small vectors, to whose norms 1e-12 is added, may be 0
    np.testing.assert_allclose(found / largest, expected / largest, rtol=0, atol=1e-4)
