"""Convolutions in groups, in C: each group is the layer of its own planes, whatever the number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import cudnn, nn
from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.cuda.gpu import down, on_a_device, up
from tests.cuda.gpu import gpu as gpu
from tests.nn.test_convolution_ways import busy

# Planes of a group, outputs of a group, groups, samples, kernel, stride, padding, height, width.
SHAPES = {
    "few planes": (2, 3, 4, 2, 3, 1, 1, 9, 17),
    "one output": (5, 1, 3, 1, 2, 2, 0, 8, 8),
    "many planes": (24, 20, 2, 1, 3, 1, 1, 12, 11),
    "1x1": (6, 7, 3, 3, 1, 1, 0, 5, 5),
    "1x1 strided": (6, 7, 3, 2, 1, 2, 0, 7, 6),
    "more groups than places": (3, 2, 40, 1, 1, 1, 0, 1, 1),
    "as large as the planes": (3, 4, 5, 4, 4, 1, 0, 4, 4),
    "gaps": (3, 2, 3, 2, 2, 3, 0, 11, 8),
    "two groups": (16, 16, 2, 1, 5, 1, 2, 20, 20),
    "no samples": (3, 2, 2, 0, 3, 1, 1, 5, 5),
}


def layer(shape: tuple[int, ...], isFull: bool, dtype: str) -> Any:
    planes, outputs, groups, _, k, stride, pad, *_ = shape
    if isFull:
        one = cudnn.SpatialFullConvolution(planes * groups, outputs * groups, k, k, stride, stride, pad, pad, 0, 0, groups)
    else:
        one = cudnn.SpatialConvolution(planes * groups, outputs * groups, k, k, stride, stride, pad, pad, groups)
    return one.type(dtype)


def alone(module: Any, group: int) -> Any:
    """The layer of one group."""
    groups, numbers = module.groups, (module.kW, module.kH, module.dW, module.dH, module.padW, module.padH)
    kind: Any = nn.SpatialFullConvolution if module._isTransposed else nn.SpatialConvolution
    one = kind(module.nInputPlane // groups, module.nOutputPlane // groups, *numbers).type(module.type())
    one.weight[...] = np.split(module.weight, groups)[group]
    one.bias[...] = np.split(module.bias, groups)[group]
    one.zeroGradParameters()
    return one


def passes(module: Any, x: Any, g: Any) -> list[Any]:
    module.zeroGradParameters()
    return [np.array(a) for a in (module.forward(x), module.backward(x, g, 0.5), module.gradWeight, module.gradBias)]


@pytest.mark.parametrize("isFull", [False, True], ids=["forward", "transposed"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", SHAPES)
def test_each_group_alone(name: str, dtype: str, isFull: bool) -> None:
    planes, _, groups, samples, *_, height, width = SHAPES[name]
    random = np.random.default_rng(0)
    module = layer(SHAPES[name], isFull, dtype)
    x = random.standard_normal((samples, planes * groups, height, width)).astype(dtype)
    g = random.standard_normal(module.forward(x).shape).astype(dtype)
    results = passes(module, x, g)
    parts = [passes(alone(module, i), *(np.split(a, groups, 1)[i] for a in (x, g))) for i in range(groups)]
    for result, part, axis in zip(results, zip(*parts, strict=True), (1, 1, 0, 0), strict=True):
        expected = np.concatenate(part, axis)
        scale = np.abs(expected).max(initial=1e-30)
        np.testing.assert_allclose(result / scale, expected / scale, atol=1e-13 if dtype == "float64" else 1e-5, rtol=0)
    if samples:
        many = busy(module, x)
        gradients = random.standard_normal(module.forward(many).shape).astype(dtype)
        runs = []
        for threads in (1, 2, 3):
            pl.setNumThreads(threads)
            runs.append(passes(module, many, gradients))
        for run in runs[1:]:
            for one, several in zip(runs[0], run, strict=True):
                np.testing.assert_array_equal(one, several)
        # without a batch
        np.testing.assert_allclose(module.forward(x[0]), results[0][0], rtol=1e-4 if dtype == "float32" else 1e-10, atol=1e-5)


@pytest.mark.parametrize("isFull", [False, True], ids=["forward", "transposed"])
def test_weights_that_change_are_seen(isFull: bool) -> None:
    """Packed weights of all groups are made anew when those of the last one change."""
    module = layer(SHAPES["many planes"], isFull, "float32")
    x = np.random.default_rng(1).standard_normal((1, 48, 12, 11)).astype(np.float32)
    before = [module.forward(x).copy() for _ in range(3)][-1]
    module.weight[-1, -1, -1, -1] += 1
    after = module.forward(x).copy()
    assert np.array_equal(before[:, :20], after[:, :20]) and not np.allclose(before, after)
    np.testing.assert_array_equal(after, layer_like(module).forward(x))


def layer_like(module: Any) -> Any:
    other = module.clone()
    other.weight = other.weight.copy()
    return other


@on_a_device
@pytest.mark.parametrize("isFull", [False, True], ids=["forward", "transposed"])
@pytest.mark.parametrize("name", SHAPES)
def test_on_a_device(name: str, isFull: bool, gpu: Any) -> None:
    planes, _, groups, samples, *_, height, width = SHAPES[name]
    random = np.random.default_rng(0)
    module = layer(SHAPES[name], isFull, "float32")
    x = random.standard_normal((samples, planes * groups, height, width)).astype(np.float32)
    g = random.standard_normal(module.forward(x).shape).astype(np.float32)
    expected = passes(module, x, g)
    twin = module.clone().cuda()
    twin.zeroGradParameters()
    results = [twin.forward(up(x)), twin.backward(up(x), up(g), 0.5), twin.gradWeight, twin.gradBias]
    for result, host in zip(results, expected, strict=True):
        array = down(result)
        assert is_tensor(array) and array.shape == host.shape
        np.testing.assert_allclose(array, host, atol=2e-5 * np.abs(host).max(initial=1e-30), rtol=0)


def test_errors() -> None:
    module = cudnn.SpatialConvolution(4, 6, 3, 3, groups=2)
    x, g = np.zeros((1, 4, 5, 5), np.float32), np.zeros((1, 6, 3, 3), np.float32)
    kind = {"adjW": 0, "adjH": 0, "full": 0}

    def call(**given: Any) -> None:
        module._call("SpatialGroupedConvolution_updateOutput", x, g, module.weight, module.bias, **(kind | given))

    with pytest.raises(ValueRangeError, match=r"groups: expected 1 or more, got 0"):
        call(groups=0)
    with pytest.raises(ShapeError, match=r"weight: expected a multiple of 4 groups of nOutputPlane, got 6"):
        call(groups=4)
    with pytest.raises(ShapeError, match=r"input: expected 6 planes, the nInputPlane, got 1 x 4 x 5 x 5"):
        call(groups=3)
    with pytest.raises(ValueRangeError, match=r"adjW: expected 0 to 0, got 1"):
        call(adjW=1)
    with pytest.raises(ShapeError, match=r"weight: expected a multiple of 4 groups of nInputPlane, got 6"):
        call(full=1, groups=4)
