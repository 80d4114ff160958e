"""The layers of nnx: gradients, defaults, what they compute, and what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError, ValueRangeError
from tests.trees import assert_close, assert_same


def noise(*shape: int) -> np.ndarray:
    return pl.random.uniform(-2, 2, shape, np.float64)


def test_everything_is_in_nn() -> None:
    for name in pl.nnx.__all__:
        assert getattr(nn, name) is getattr(pl.nnx, name) and getattr(nn, name)._typename == f"nn.{name}"


def classifier() -> Any:
    return nn.SpatialClassifier().add(nn.Linear(3, 2)).add(nn.Tanh())


JACOBIANS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "Minus": (nn.Minus, (3, 4)),
    "MultiSoftMax": (nn.MultiSoftMax, (3, 4)),
    "MultiSoftMax_3": (nn.MultiSoftMax, (2, 3, 4)),
    "SaturatedLU": (lambda: nn.SaturatedLU(-0.5, -1, 1, 2), (3, 4)),
    "SpatialClassifier": (classifier, (3, 2, 4)),
    "SpatialDownSampling": (lambda: nn.SpatialDownSampling(3, 2), (2, 5, 7)),
    "SpatialDownSampling_4": (lambda: nn.SpatialDownSampling(2, 2), (2, 1, 4, 5)),
    "SpatialLinear": (lambda: nn.SpatialLinear(3, 2), (3, 2, 4)),
    "SpatialNormalization": (lambda: nn.SpatialNormalization(2, np.ones((3, 3)), 0.3), (2, 4, 5)),
    "SpatialNormalization_even": (lambda: nn.SpatialNormalization(1, np.ones((2, 4)), 0.3), (1, 4, 5)),
    "SpatialNormalization_2": (lambda: nn.SpatialNormalization(2, [np.ones((1, 3)), np.ones((3, 1))], 0.3), (2, 4, 5)),
    "SpatialPadding": (lambda: nn.SpatialPadding(1, 2, 0, -1, val=3), (2, 3, 4)),
    "SpatialPadding_dims": (lambda: nn.SpatialPadding(1, -1, 2, 0, 0, 2), (2, 3, 4)),
    "SpatialReSampling": (lambda: nn.SpatialReSampling(owidth=5, oheight=3), (2, 2, 4, 4)),
    "SpatialReSampling_ratio": (lambda: nn.SpatialReSampling(1.6, 0.5), (2, 4, 4)),
    "SpatialReSamplingEx_up": (lambda: nn.SpatialReSamplingEx(owidth=7, oheight=5), (2, 3, 3)),
    "SpatialReSamplingEx_down": (lambda: nn.SpatialReSamplingEx(owidth=2, oheight=3), (2, 6, 5)),
    "SpatialReSamplingEx_mean": (lambda: nn.SpatialReSamplingEx(0.5, 0.5, mode="average"), (2, 5, 5)),
    "SpatialReSamplingEx_bilinear": (lambda: nn.SpatialReSamplingEx(owidth=5, oheight=6, mode="bilinear"), (2, 3, 4)),
    "SpatialReSamplingEx_dims": (lambda: nn.SpatialReSamplingEx(owidth=2, oheight=2, mode="average", yDim=0, xDim=1), (4, 5, 2)),
    "SpatialReSamplingEx_bilinear_dims": (lambda: nn.SpatialReSamplingEx(2, 2, mode="bilinear", yDim=0, xDim=1), (2, 3, 2)),
    "SpatialUpSampling": (lambda: nn.SpatialUpSampling(3, 2), (2, 2, 3)),
    "SpatialUpSampling_dims": (lambda: nn.SpatialUpSampling(3, 2, 0, 1), (2, 2, 3)),
}


@pytest.mark.parametrize("name", JACOBIANS)
def test_jacobian(name: str) -> None:
    pl.manualSeed(1)
    make, shape = JACOBIANS[name]
    module = make().double()
    input = np.empty(shape)
    assert nn.Jacobian.testJacobian(module, input) < 1e-6
    flat, flatGrad = module.getParameters()
    if flat.size:
        assert nn.Jacobian.testJacobianParameters(module, input, flat, flatGrad) < 1e-6
        module.zeroGradParameters()
        gradOutput = noise(*module.forward(input).shape)
        module.backward(input, gradOutput)
        once = flatGrad.copy()
        module.accGradParameters(input, gradOutput, 0.5)
        assert_close(flatGrad, 1.5 * once, 1e-12)


@pytest.mark.parametrize("name", JACOBIANS)
def test_any_strides(name: str) -> None:
    make, shape = JACOBIANS[name]
    module, input = make().double(), noise(*shape)
    output = module.forward(input).copy()
    gradOutput = noise(*output.shape)
    gradInput = module.backward(input, gradOutput).copy()
    turned, turnedGrad = np.asfortranarray(input), np.asfortranarray(gradOutput)
    assert_close(module.forward(turned), output, 1e-12)
    assert_close(module.backward(turned, turnedGrad), gradInput, 1e-12)
    assert_close(module.clearState().clone().forward(input), output, 1e-12)


def test_balance() -> None:
    pl.manualSeed(2)
    module = nn.Balance(2).double()
    first, second = (pl.random.uniform(0.1, 1, (3, 4), np.float64) for _ in range(2))
    module.forward(first)
    output = module.forward(second)
    prob = np.concatenate([first, second]).sum(0)
    prob /= prob.sum()
    raw = second / prob
    assert_close(output, raw / raw.sum(1, keepdims=True), 1e-12)
    gradOutput = noise(3, 4)
    assert_close(module.backward(second, gradOutput), gradOutput / raw.sum(1, keepdims=True) / prob, 1e-12)
    assert module.startIdx == 0  # the third batch takes the place of the first
    module.evaluate()
    assert_same(module.forward(first), first)
    assert_same(module.backward(first, gradOutput), gradOutput)


def test_push_and_pull() -> None:
    push = nn.PushTable(1)
    pulls = [push.pull(0), push.pull(2)]
    entries = [np.full(2, value) for value in (1.0, 2.0, 3.0)]
    rest = push.double().forward(entries)
    assert rest == [entries[0], entries[2]]
    assert [pull.forward(rest) for pull in pulls] == [[entries[1], *rest], [*rest, entries[1]]]
    assert pulls[0].forward(entries[0]) == [entries[1], entries[0]]
    gradients = [np.full(2, value) for value in (10.0, 20.0, 30.0)]
    assert pulls[1].backward(rest, gradients) == gradients[:2]
    assert pulls[0].backward(rest, gradients) == gradients[1:]
    gradInput = push.backward(entries, gradients[:2])
    assert_same(gradInput, [gradients[0], np.full(2, 40.0), gradients[1]])
    push.forward(entries)
    assert_same(push.backward(entries, gradients[:2])[1], np.zeros(2))  # no pull has run


def test_push_and_pull_stay_together() -> None:
    push = nn.PushTable(0)
    net = nn.Sequential().add(push).add(nn.ParallelTable().add(nn.Linear(2, 2))).add(push.pull(1)).add(nn.JoinTable(1)).double()
    copy = net.clone()
    input = [noise(3, 1), noise(3, 2)]
    assert copy.get(0)._pulls[0] is copy.get(2) and copy.get(2)._push is copy.get(0)
    assert_same(copy.forward(input), net.forward(input))
    assert copy.get(0)._pulls[0]._dtype == np.float64


def test_saturated_unit() -> None:
    module = nn.SaturatedLU()
    assert (module.threshold, module.val, module.threshold2, module.val2) == (-1, -1, 1, 1)
    input = np.array([-2, -0.5, np.nan, 0.5, 2])
    assert_same(nn.SaturatedLU(-1, 0, 1, 9).double().forward(input), np.array([0, -0.5, np.nan, 0.5, 9]))


def test_reference_values() -> None:
    planes = np.arange(24.0).reshape(1, 4, 6)
    assert_same(nn.SpatialDownSampling(3, 2).double().forward(planes), np.array([[[4.0, 7], [16, 19]]]))
    assert_same(nn.SpatialUpSampling(2, 1).double().forward(planes), planes.repeat(2, 2))
    padded = nn.SpatialPadding(1, 0, -1, 2, val=7).double().forward(planes)
    assert_same(padded, np.pad(planes[:, 1:], ((0, 0), (0, 2), (1, 0)), constant_values=7))
    assert_same(nn.SpatialReSamplingEx(owidth=3, oheight=2).double().forward(planes), planes[:, ::2, ::2])
    assert_same(nn.SpatialReSamplingEx(owidth=8, oheight=8).double().forward(planes)[0, :, 0], planes[0].repeat(2, 0)[:, 0])
    assert_close(nn.SpatialReSampling(owidth=11, oheight=4).double().forward(planes)[0, 0], np.arange(0, 5.5, 0.5), 1e-12)


def test_ratios_are_of_the_present_input() -> None:
    module = nn.SpatialReSampling(rwidth=2, rheight=0.5)
    assert [module.forward(np.ones((1, n, n), np.float32)).shape for n in (4, 6)] == [(1, 2, 8), (1, 3, 12)]


def test_normalization() -> None:
    """Against the definition, with the mean deviation for a threshold."""
    pl.manualSeed(3)
    input, kernel = noise(2, 5, 4), np.arange(1.0, 10).reshape(3, 3)

    def summed(planes: np.ndarray) -> np.ndarray:
        around = np.pad(planes, ((0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(around, (3, 3), (1, 2))
        return (windows * kernel / 45).sum((0, 3, 4))

    ones = summed(np.ones_like(input))
    centred = input - summed(input) / ones
    deviation = np.sqrt(summed(centred**2)) / ones
    module = nn.SpatialNormalization(2, kernel).double()
    assert_close(module.forward(input), centred / np.maximum(deviation, deviation.mean()), 1e-7)
    alone = nn.SpatialNormalization(1, kernel).double()
    assert_same(alone.forward(input[0]), alone.clone().forward(input[:1]))


def test_spatial_linear() -> None:
    pl.manualSeed(4)
    module, input = nn.SpatialLinear(3, 2).double(), noise(3, 2, 2)
    assert_close(module.forward(input)[:, 1, 0], module.weight @ input[:, 1, 0] + module.bias, 1e-12)
    module.gradWeight.fill(2)
    module.zeroGradParameters(0.25)
    assert (module.gradWeight == 0.5).all()
    before = module.weight.copy()
    module.decayParameters(0.1)
    assert_close(module.weight, 0.9 * before, 1e-12)


def test_classifier() -> None:
    module, input = classifier().double(), noise(3, 2, 4)
    output = module.forward(input).copy()
    assert_close(output[:, 1, 2], module.classifier.forward(input[:, 1, 2]), 1e-12)
    module.spatialOutput = False
    assert_close(module.forward(input).T.reshape(output.shape), output, 1e-12)
    assert_close(module.backward(input, np.ones((8, 2)))[:, 0, 0].shape, np.array([3]), 0)


ONES = np.ones((2, 3), np.float32)
PLANES = np.ones((2, 4, 4), np.float32)
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: nn.Balance(0), ValueRangeError, "nBatch: expected 1 or more, got 0"),
    (lambda: nn.Balance().forward(PLANES), ShapeError, "expected a 2-D array, got 3-D"),
    (lambda: nn.Minus().forward([ONES]), DtypeError, "input: expected a float32 array, got a table of 1"),
    (lambda: nn.MultiSoftMax().forward(ONES[0]), ShapeError, "expected a 2-D or 3-D array, got 1-D"),
    (lambda: nn.PushTable(2).forward([ONES]), IndexRangeError, "2 is out of range for a dimension of size 1"),
    (lambda: nn.PushTable(0).pull(2).forward([ONES]), IndexRangeError, "index: 2 is out of range for a table of 2"),
    (lambda: nn.SpatialDownSampling(5, 1).forward(PLANES), ShapeError, "expected planes of at least 1 x 5, got 4 x 4"),
    (lambda: nn.SpatialUpSampling(2, 2, 0, 2), ValueRangeError, r"xDim: expected yDim \+ 1, got 2 and yDim = 0"),
    (lambda: nn.SpatialUpSampling(2, 2).forward(ONES), IndexRangeError, "xDim: 2 is out of range for a 2-D array"),
    (lambda: nn.SpatialLinear(3, 1).forward(PLANES), ShapeError, "input: expected 3 planes, got 2 x 4 x 4"),
    (lambda: nn.SpatialPadding(-2).forward(PLANES), ShapeError, "input: expected cells that padding leaves, got 2 x 4 x 4"),
    (lambda: nn.SpatialReSampling(owidth=3), ValueRangeError, "oheight: expected a size, or a ratio rheight above 0, got None"),
    (lambda: nn.SpatialReSampling(0.1, 1).forward(PLANES), ShapeError, "planes of which something is left"),
    (lambda: nn.SpatialReSamplingEx(1, 1, mode="cubic"), ValueRangeError, "mode: expected one of simple, average, bilinear"),
    (lambda: nn.SpatialReSamplingEx(2, 0.5).forward(PLANES), ShapeError, "larger or smaller along both axes, got 4 x 4"),
    (lambda: nn.SpatialNormalization(1, np.ones(3)), ShapeError, "kernel: expected a 2-D array or a list of two"),
    (lambda: nn.SpatialNormalization(1, np.ones((3, 3))).forward(PLANES), ShapeError, "input: expected 1 planes, got 2 x 4 x 4"),
    (lambda: classifier().forward(PLANES), ShapeError, r"in module 1 of nn\.SpatialClassifier, in module 1 of nn\.Sequential"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, text", ERRORS)
def test_errors(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_a_gradient_has_the_size_of_the_planes_that_it_belongs_to() -> None:
    small, large = nn.SpatialReSampling(owidth=5, oheight=3).double(), nn.SpatialReSampling(owidth=7, oheight=9).double()
    x, gradient = np.arange(32.0).reshape(2, 4, 4), np.arange(126.0).reshape(2, 9, 7)
    expected = large.backward(x, gradient)
    assert np.array_equal(small.backward(x, gradient), expected) and expected.shape == x.shape
    with pytest.raises(ShapeError, match="gradOutput: expected 2 x 9 x 7, got 1 x 9 x 7"):
        small.backward(x, gradient[:1])
