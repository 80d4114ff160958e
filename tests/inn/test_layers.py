"""Layers of imagine-nn, against their definitions."""

from __future__ import annotations

from math import ceil, floor
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import cudnn, inn, nn
from pytorch_legacy.errors import IndexRangeError, ShapeError


def draw(*shape: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def pooled(planes: Any, boxes: Any, W: int, H: int, scale: float, v2: bool) -> Any:
    """The definition, cell by cell."""
    result = np.zeros((len(boxes), planes.shape[1], H, W))
    for r, (sample, *edges) in enumerate(boxes):
        left, upper, right, lower = (floor(edge * scale + 0.5) for edge in edges)
        width, height = (max(end - start + (not v2), 1) for start, end in ((left, right), (upper, lower)))

        def bins(n: int, bin: int, length: int, start: int, size: int, v2: bool = v2) -> slice:
            first, last = n * length / bin, (n + 1) * length / bin
            first, last = (floor(first + 0.5), floor(last + 0.5)) if v2 else (floor(first), ceil(last))
            return slice(min(max(first + start, 0), size), min(max(last + start, 0), size))

        for h in range(H):
            for w in range(W):
                cells = planes[int(sample)][
                    :, bins(h, H, height, upper, planes.shape[2]), bins(w, W, width, left, planes.shape[3])
                ]
                result[r, :, h, w] = cells.max((1, 2)) if cells.size else 0
    return result


BOXES = np.array([[0, 0, 0, 7, 9], [1, 4, 3, 11, 9], [1, 2, 2, 2, 2], [0, 10, 12, 40, 30], [0, 6, 2, 3, 1]], float)


@pytest.mark.parametrize("v2", [True, False])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_roi_pooling(v2: bool, scale: float) -> None:
    planes = draw(2, 3, 8, 7)
    net = inn.ROIPooling(3, 2, scale).double()
    net.v2 = v2
    np.testing.assert_array_equal(net.forward([planes, BOXES]), pooled(planes, BOXES, 3, 2, scale, v2))
    assert net.output.shape == (5, 3, 2, 3)
    g = draw(5, 3, 2, 3, seed=2)
    gradPlanes, gradBoxes = net.backward([planes, BOXES], g)
    assert not gradBoxes.any() and gradBoxes.shape == BOXES.shape
    steps = np.zeros_like(planes)
    for place in np.ndindex(planes.shape):
        for sign in (1, -1):
            moved = planes.copy()
            moved[place] += sign * 1e-6
            steps[place] += sign * (net.forward([moved, BOXES]) * g).sum() / 2e-6
    np.testing.assert_allclose(gradPlanes, steps, atol=1e-6)


def test_roi_pooling_takes_the_first_of_equals() -> None:
    net = inn.ROIPooling(1, 1).double()
    net.forward([np.ones((1, 1, 3, 4)), np.array([[0.0, 1, 1, 4, 3]])])
    assert net.indices.item() == 5


def test_roi_pooling_errors() -> None:
    net = inn.ROIPooling(1, 1).double()
    with pytest.raises(IndexRangeError, match="a box in sample 2, of 1"):
        net.forward([np.ones((1, 1, 3, 4)), np.array([[2.0, 1, 1, 4, 3]])])
    with pytest.raises(ShapeError, match=r"inn\.ROIPooling: input\[1\]: expected 1 x 5, got 1 x 4"):
        net.forward([np.ones((1, 1, 3, 4)), np.ones((1, 4))])
    assert net.forward([np.ones((1, 1, 3, 4)), np.empty((0, 5))]).shape == (0, 1, 1, 1)


def test_old_roi_pooling() -> None:
    """Files without `v2` hold the first kernel, new layers the second."""
    old = inn.ROIPooling.__new__(inn.ROIPooling)
    old._fromTorch7({"W": 2, "H": 2, "spatial_scale": 1}, 1)
    assert not old.v2 and inn.ROIPooling(2, 2).v2


@pytest.mark.parametrize(
    "net, shape",
    [
        (lambda: inn.ConstAffine(3), (2, 3, 2, 2)),
        (lambda: inn.SpatialConstAffine(3), (2, 3)),
        (lambda: inn.SpatialCrossResponseNormalization(3, 0.5, 0.75, 1), (2, 4, 2, 2)),
        (lambda: inn.SpatialPyramidPooling([2, 2], [1, 1]), (2, 5, 6)),
        (lambda: inn.SpatialMaxPooling(3, 3, 2, 2), (2, 6, 6)),
        (lambda: inn.SpatialAveragePooling(3, 3, 2, 2), (2, 6, 6)),
    ],
)
def test_gradients(net: Any, shape: tuple[int, ...]) -> None:
    assert pl.nn.Jacobian.testJacobian(net().double(), draw(*shape)) < 1e-6


def test_same_response_normalization() -> None:
    """The layers inside work in place: each backward needs its own forward."""
    net, x, g = inn.SpatialSameResponseNormalization(3, 0.5, 0.75).double(), draw(2, 4, 4), draw(2, 4, 4, seed=2)

    def value(x: Any) -> Any:
        around = np.pad(x * x, ((0, 0), (1, 1), (1, 1)))
        sums = sum(around[:, i : i + 4, j : j + 4] for i in range(3) for j in range(3))
        return x * (1 + 0.5 / 9 * sums) ** -0.75

    np.testing.assert_allclose(net.forward(x), value(x))
    gradInput = net.backward(x, g)
    steps = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * 1e-6
            steps[place] += sign * (value(moved) * g).sum() / 2e-6
    np.testing.assert_allclose(gradInput, steps, atol=1e-7)


def test_rounding_up() -> None:
    assert inn.SpatialMaxPooling(3, 3, 2, 2).ceil_mode and inn.SpatialAveragePooling(3, 3, 2, 2).ceil_mode
    assert inn.SpatialStochasticPooling(3, 3, 2, 2).double().forward(np.abs(draw(2, 6, 6))).shape == (2, 3, 3)
    old = inn.SpatialAveragePooling.__new__(inn.SpatialAveragePooling)
    old._fromTorch7({"kW": 3, "kH": 3, "dW": 2, "dH": 2, "_type": "torch.DoubleTensor"}, 1)
    assert old.ceil_mode and old.divide


def test_stochastic_pooling() -> None:
    net, x = inn.SpatialStochasticPooling(2, 2, 2, 2).double(), np.abs(draw(1, 2, 4, 4))
    windows = x.reshape(1, 2, 2, 2, 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(1, 2, 2, 2, 4)
    drawn = net.forward(x)
    assert (drawn[..., None] == windows).any(-1).all()
    net.evaluate()
    np.testing.assert_allclose(net.forward(x), (windows**2).sum(-1) / windows.sum(-1))
    assert not {"noise", "fixedNoise"} & net._toTorch7().keys()


def test_mean_of_channels() -> None:
    x, mean = draw(2, 3, 2, 2), draw(3)
    np.testing.assert_array_equal(inn.MeanSubtraction(mean).double().forward(x).shape, x.shape)
    net = inn.MeanSubtraction(mean).double()
    net.mean = mean
    np.testing.assert_array_equal(net.forward(x), x - mean[:, None, None])
    with pytest.raises(ShapeError, match="mean: expected 3, got 2"):
        inn.MeanSubtraction(draw(2)).double().forward(x)


def test_const_affine_in_place() -> None:
    net, x = inn.ConstAffine(3, True).double(), draw(2, 3, 2, 2)
    net.a[...], net.b[...] = [1, 2, 3], [4, 5, 6]
    work = x.copy()
    assert net.forward(work) is work
    np.testing.assert_allclose(work, x * net.a[:, None, None] + net.b[:, None, None])
    assert net.parameters() is None


def network() -> Any:
    pl.manualSeed(5)
    net = nn.Sequential().add(nn.SpatialConvolution(2, 3, 3, 3).noBias()).add(cudnn.SpatialBatchNormalization(3))
    branch = nn.Sequential().add(nn.SpatialConvolutionMM(3, 4, 1, 1)).add(nn.SpatialBatchNormalization(4, affine=False))
    net.add(nn.ReLU()).add(nn.ConcatTable().add(branch)).add(nn.SelectTable(0)).add(nn.View(-1).setNumInputDims(3))
    net.add(nn.Linear(16, 5)).add(nn.BatchNormalization(5)).double()
    for norm in net.listModules():
        if isinstance(norm, nn.BatchNormalization):
            norm.running_mean[...], norm.running_var[...] = draw(len(norm.running_mean)), 1.5
    net.evaluate()
    return net


def test_fold_batch_normalization() -> None:
    net, x = network(), draw(2, 2, 4, 4)
    expected = net.forward(x).copy()
    assert inn.utils.foldBatchNorm(net) is net
    assert not any(isinstance(module, nn.BatchNormalization) for module in net.listModules())
    np.testing.assert_allclose(net.forward(x), expected, rtol=1e-10)


def test_fix_batch_normalization() -> None:
    net, x = network(), draw(2, 2, 4, 4)
    expected = net.forward(x).copy()
    inn.utils.BNtoFixed(net)
    assert sum(isinstance(module, inn.ConstAffine) for module in net.listModules()) == 3
    np.testing.assert_allclose(net.forward(x), expected, rtol=1e-10)


def test_maxima_of_boxes_keep_nan():
    x = np.arange(36, dtype=np.float32).reshape(1, 1, 6, 6)
    x[0, 0, 2, 2] = np.nan
    for v2 in (True, False):
        layer = inn.ROIPooling(2, 2)
        layer.v2 = v2
        output = layer.forward([x, np.float32([[0, 0, 0, 5, 5]])])
        np.testing.assert_array_equal(np.isnan(output[0, 0]), [[True, False], [False, False]])


@pytest.mark.parametrize("edge", [np.nan, np.inf, 1e30])
def test_boxes_are_somewhere(edge: float) -> None:
    with pytest.raises(pl.THNNError, match="an edge that is NaN, or farther"):
        inn.ROIPooling(2, 2).forward([np.ones((1, 1, 4, 4), np.float32), np.float32([[0, 0, 0, 4, edge]])])
