"""Large gradients are written past the caches (THNN/core/stream.h): the same digits as those of their parts, which are not."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from pytorch_legacy import backend, nn
from tests import capi

MACHINE = (Path(__file__).resolve().parents[2] / "THNN" / "core" / "machine.h").read_text(encoding="utf-8")
CACHED = 1 << int(re.findall(r"THNN_CACHED = 1 << (\d+)", MACHINE)[0])  # bytes

LAYERS = {
    "sliding averages": (nn.SpatialAveragePooling(3, 2, 2, 2, 1, 1), (4, 177, 120, 130)),
    "bands of part of a plane": (nn.SpatialAveragePooling(5, 5, 3, 3), (2, 2, 1201, 1300)),
    "adaptive averages": (nn.SpatialAdaptiveAveragePooling(7, 5), (3, 900, 57, 61)),
    "adaptive averages of sequences": (nn.TemporalAdaptiveAveragePooling(64), (3, 2300, 1251)),
    "averages of volumes": (nn.VolumetricAveragePooling(2, 2, 2), (3, 40, 12, 80, 81)),
    "averages of planes": (nn.SpatialGlobalAveragePooling(), (3, 60, 211, 247)),
    "averages of small planes": (nn.SpatialGlobalAveragePooling(), (3, 58000, 7, 7)),
    "maxima of planes": (nn.SpatialGlobalMaxPooling(), (3, 120, 157, 161)),
    "adaptive maxima": (nn.SpatialAdaptiveMaxPooling(7, 7), (3, 900, 57, 61)),
    "sliding maxima": (nn.SpatialMaxPooling(3, 3, 2, 2), (3, 120, 157, 161)),
    "maxima of small planes": (nn.SpatialGlobalMaxPooling(), (3, 58000, 7, 7)),
    "maxima of short rows": (nn.SpatialAdaptiveMaxPooling(9, 1), (3, 24000, 1, 120)),
    "averages of short rows": (nn.SpatialAdaptiveAveragePooling(9, 1), (3, 24000, 1, 120)),
    "powers": (nn.SpatialPowerAveragePooling(2, 3, 3, 2, 2), (3, 180, 120, 130)),
    "Gaussians": (nn.SpatialGaussianPooling(180, 5, 5, 2, 2, 2, 2, 2).float(), (3, 180, 120, 130)),
    "mixed": (nn.SpatialMixedPooling(3, 3, 2, 2), (3, 180, 120, 130)),
    "gated": (nn.SpatialGatedPooling(3, 3, 2, 2).float(), (3, 180, 120, 130)),
    "probabilities": (nn.SpatialStochasticPooling(2, 2), (3, 180, 120, 130)),
    "random maxima": (nn.SpatialFractionalMaxPooling(2, 2, 20, 20), (3, 900, 57, 61)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_as_its_parts(name: str) -> None:
    """The parts are computed once, and compared with what one thread and two make of the whole."""
    kept, shape = LAYERS[name]
    kept.evaluate()  # stochastic pooling: the mean over all choices
    layer = kept.clone()
    x = np.random.default_rng(1).standard_normal(shape, np.float32)
    assert x.nbytes > CACHED
    y = layer.forward(x)
    g = np.random.default_rng(2).standard_normal(y.shape, np.float32)
    wholes = []
    for threads in (1, 2):
        backend.set_num_threads(threads)
        wholes.append(layer.updateGradInput(x, g).copy())
    for i in range(len(x)):
        part = kept.clone()
        assert x[i : i + 1].nbytes <= CACHED
        if name == "random maxima":
            part.indices = layer.indices[i : i + 1].copy()
            part.output = y[i : i + 1].copy()
        else:
            part.forward(x[i : i + 1])
        gradInput = part.updateGradInput(x[i : i + 1], g[i : i + 1])
        for whole in wholes:
            np.testing.assert_array_equal(whole[i : i + 1], gradInput)


@pytest.mark.parametrize("offset", [0, 1, 4, 60, 63])
def test_at_any_address(offset: int) -> None:
    """Lines are whole only from the first one on; and elements of a mapped file may lie at any byte."""
    x, g = np.zeros((1, 401, 120, 130), np.float32), np.random.default_rng(3).standard_normal((1, 401, 40, 43), np.float32)
    memory = np.full(x.nbytes + 128, 0x7F, np.uint8)
    at = -memory.ctypes.data % 64 + offset
    gx = np.frombuffer(memory.data, np.float32, x.size, at).reshape(x.shape)
    function = next(f for f in capi.GENERIC if f.name == "SpatialAveragePooling_updateGradInput")
    numbers = {"kW": 3, "kH": 3, "dW": 3, "dH": 3, "padW": 0, "padH": 0, "ceil_mode": 0, "count_include_pad": 1}
    call = capi.Call(function, "Float", {"input": x, "gradOutput": g, "gradInput": gx}, {"state": None} | numbers)
    call.values |= {name: capi.describe(array) for name, array in call.arrays.items()}
    assert call() == capi.OK, capi.last_error()
    layer = nn.SpatialAveragePooling(3, 3, 3, 3)
    for part in (slice(200), slice(200, 401)):
        layer.forward(x[:, part])
        np.testing.assert_array_equal(gx[:, part], layer.updateGradInput(x[:, part], g[:, part]))
    assert (memory[:at] == 0x7F).all() and (memory[at + x.nbytes :] == 0x7F).all()
