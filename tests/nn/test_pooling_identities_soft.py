"""Relations of SoftPool and local importance pooling to each other and to average and max pooling."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from pytorch_legacy import nn
from tests.cases.SpatialSoftPool import weighed, windows

WINDOWS = [(2, 2), (2, 2, 1, 1), (3, 3, 2, 2, 1, 1), (3, 3, 1, 1, 1, 1), (4, 3, 3, 2, 2, 1)]
SCALES = [1.0, 100.0]  # calm windows, and others


def planes(scale: float = 1.0, shape: tuple[int, ...] = (2, 3, 9, 8)) -> np.ndarray:
    return scale * np.random.default_rng(8).standard_normal(shape)


def gradient(module: nn.Module, *x: np.ndarray):
    """Output, and gradient of the output times fixed random numbers."""
    input = list(x) if len(x) > 1 else x[0]
    output = module.forward(input)
    gradOutput = np.random.default_rng(9).standard_normal(output.shape)
    return output, gradOutput, module.backward(input, gradOutput)


def close(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-12) -> None:
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("window", WINDOWS)
def test_logits_that_are_the_input(window: tuple[int, ...], scale: float) -> None:
    """LIP(x, beta x) is SoftPool, and so is its total gradient."""
    x, beta = planes(scale), 0.75
    soft, _, gradSoft = gradient(nn.SpatialSoftPool(*window, beta=beta).double(), x)
    lip, _, (gradX, gradLogit) = gradient(nn.SpatialLocalImportancePooling(*window).double(), x, beta * x)
    close(soft, lip, 1e-11)
    close(gradSoft, gradX + beta * gradLogit, 1e-11 * scale)


@pytest.mark.parametrize("logit", [0.0, 3.5, -70.0, 1e4, -1e300, np.inf, -np.inf])
@pytest.mark.parametrize("window", WINDOWS)
def test_equal_logits_are_average_pooling(window: tuple[int, ...], logit: float) -> None:
    x = planes()
    average = nn.SpatialAveragePooling(*(window if len(window) > 2 else window * 2)).setCountExcludePad().double()
    expected, _, gradExpected = gradient(average, x)
    module = nn.SpatialLocalImportancePooling(*window).double()
    output, _, (gradX, gradLogit) = gradient(module, x, np.full_like(x, logit))
    close(output, expected)
    close(gradX, gradExpected)
    assert np.isfinite(gradLogit).all()


@pytest.mark.parametrize("window", WINDOWS)
def test_beta_zero_is_average_pooling(window: tuple[int, ...]) -> None:
    average = nn.SpatialAveragePooling(*(window if len(window) > 2 else window * 2)).setCountExcludePad().double()
    for scale in (1.0, 1e12, 1e300):
        expected, _, gradExpected = gradient(average, planes(scale))
        output, _, gradInput = gradient(nn.SpatialSoftPool(*window, beta=0.0).double(), planes(scale))
        close(output / scale, expected / scale)
        close(gradInput, gradExpected)


@pytest.mark.parametrize("window", WINDOWS)
def test_large_beta_is_max_pooling(window: tuple[int, ...]) -> None:
    x = np.random.default_rng(8).permutation(np.linspace(-1, 1, 432)).reshape(2, 3, 9, 8)
    expected, _, gradExpected = gradient(nn.SpatialMaxPooling(*window).double(), x)
    output, _, gradInput = gradient(nn.SpatialSoftPool(*window, beta=1e5).double(), x)
    close(output, expected)
    close(gradInput, gradExpected)
    lip, _, (gradX, _) = gradient(nn.SpatialLocalImportancePooling(*window).double(), x, 1e5 * x)
    close(lip, expected)
    close(gradX, gradExpected)


def test_two_cells_are_silu() -> None:
    """The window {x, 0} gives x sigmoid(x), whose derivative is known."""
    x = np.concatenate([np.linspace(-30, 30, 101), [-1e4, -80.0, 80.0, 1e4]])
    input = np.stack([x, np.zeros_like(x)], 1)[None]
    module = nn.TemporalSoftPool(2).double()
    input = input.reshape(1, -1, 1)
    with np.errstate(over="ignore"):
        sigmoid = 1 / (1 + np.exp(-x))
    close(module.forward(input)[0, :, 0], x * sigmoid)
    gradInput = module.backward(input, np.ones((1, x.size, 1)))
    derivative = sigmoid * (1 + x * (1 - sigmoid))
    close(gradInput[0, ::2, 0], derivative)
    assert -0.0999 < gradInput[0, ::2, 0].min() < -0.09 and 1.09 < gradInput[0, ::2, 0].max() < 1.0999


def test_three_by_three() -> None:
    """Numbers that are known."""
    x = np.arange(1.0, 10.0).reshape(1, 3, 3)
    output = nn.SpatialSoftPool(2, 2, 1, 1).double().forward(x)
    np.testing.assert_allclose(output, [[[4.5887810, 5.5887810], [7.5887810, 8.5887810]]], atol=5e-8)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("window", WINDOWS)
def test_shift(window: tuple[int, ...], scale: float) -> None:
    """SoftPool(x + c) = SoftPool(x) + c; a shift of the logits changes nothing."""
    x, logit = planes(scale), planes(scale)[:, ::-1].copy()
    output, _, gradInput = (np.copy(part) for part in gradient(nn.SpatialSoftPool(*window).double(), x))
    for shift in (5.0, -300.0, 1e4):
        moved, _, gradMoved = gradient(nn.SpatialSoftPool(*window).double(), x + shift)
        close(moved - shift, output, 1e-9)
        close(gradMoved, gradInput, 1e-8)
        usual = gradient(nn.SpatialLocalImportancePooling(*window).double(), x, logit)
        other = gradient(nn.SpatialLocalImportancePooling(*window).double(), x, logit + shift)
        close(other[0], usual[0], 1e-9)
        close(np.array(other[2]), np.array(usual[2]), 1e-8)


@pytest.mark.parametrize("scale", SCALES)
def test_sums_of_gradients(scale: float) -> None:
    """The gradients of a window sum to its gradOutput for x, and to 0 for the logits."""
    x, logit = planes(scale), planes(scale)[:, ::-1].copy()
    for window in WINDOWS:
        _, gradOutput, gradInput = gradient(nn.SpatialSoftPool(*window).double(), x)
        close(gradInput.sum((2, 3)), gradOutput.sum((2, 3)), 1e-10)
        _, gradOutput, (gradX, gradLogit) = gradient(nn.SpatialLocalImportancePooling(*window).double(), x, logit)
        close(gradX.sum((2, 3)), gradOutput.sum((2, 3)), 1e-10)
        close(gradLogit.sum((2, 3)), np.zeros((2, 3)), 1e-10 * scale)


@pytest.mark.parametrize("scale", SCALES)
def test_published_gradient(scale: float) -> None:
    """By name SoftPool sends gradOutput times weight: what local importance pooling sends to x."""
    for window in WINDOWS:
        module = nn.SpatialSoftPool(*window, gradient="published").double()
        _, _, published = gradient(module, planes(scale))
        _, _, (gradX, _) = gradient(nn.SpatialLocalImportancePooling(*window).double(), planes(scale), planes(scale))
        close(published, gradX)
        module.gradient = "exact"
        assert not np.allclose(gradient(module, planes(scale))[2], gradX)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("offset", [1e4, -1e4, 1e30, -1e30])
def test_large_inputs(offset: float, dtype: str) -> None:
    """Between least and largest cell of the window, whatever the cells; gradients are finite."""
    x = (offset + planes(1e4)).astype(dtype)
    for window in WINDOWS:
        for module, input in (
            (nn.SpatialSoftPool(*window).type(dtype), x),
            (nn.SpatialLocalImportancePooling(*window).type(dtype), [x, -x]),
        ):
            output = module.forward(input)
            largest = nn.SpatialMaxPooling(*window).type(dtype).forward(x)
            least = -nn.SpatialMaxPooling(*window).type(dtype).forward(-x)
            room = 4 * np.spacing(np.abs(x).max())
            assert (least - room <= output).all() and (output <= largest + room).all()
            assert all(np.isfinite(part).all() for part in np.atleast_1d(module.backward(input, np.ones_like(output))))


def test_nearly_overflowing_inputs() -> None:
    x = np.full((1, 4, 4), 3e38, np.float32)
    for module, input in (
        (nn.SpatialSoftPool(2, 2), x),
        (nn.SpatialSoftPool(2, 2, beta=0.0), x),
        (nn.SpatialLocalImportancePooling(2, 2), [x, np.zeros_like(x)]),
        (nn.SpatialLocalImportancePooling(2, 2), [x, x]),
    ):
        np.testing.assert_allclose(module.forward(input), np.full((1, 2, 2), 3e38), rtol=1e-6)


def test_infinite_cells() -> None:
    """+inf takes its window and its gradient, -inf has no part, unless all are -inf; NaN stays."""
    inf = np.inf
    rows = [[inf, 1, inf, 2], [-inf, 3, 3, 3], [-inf] * 4, [np.nan, 0, 0, 0], [-inf, inf, 0, 0]]
    module = nn.TemporalSoftPool(4).double()
    frames = np.array(rows).T[None]
    output = module.forward(frames)
    np.testing.assert_array_equal(output[0, 0], [inf, 3, -inf, np.nan, inf])
    gradInput = module.backward(frames, np.ones((1, 1, 5)))[0].T
    close(gradInput[:3], np.array([[0.5, 0, 0.5, 0], [0, 1 / 3, 1 / 3, 1 / 3], [0, 0, 0, 0]]))
    assert np.isnan(gradInput[3]).all()
    close(gradInput[4], np.array([0, 1, 0, 0]))


def test_outlier_is_confined() -> None:
    """A cell that is not calm changes no digit of windows that do not see it, nor of their gradients."""
    x = planes().astype("f")
    for window in WINDOWS:
        module = nn.SpatialSoftPool(*window)
        output = module.forward(x).copy()
        gradOutput = np.ones_like(output)
        gradInput = module.backward(x, gradOutput).copy()
        for value in (1e3, -1e3, np.inf, np.nan):
            other = x.copy()
            other[0, 0, 4, 4] = value
            now = module.forward(other)
            kW, kH, dW, dH, pW, pH = (getattr(module, name) for name in ("kW", "kH", "dW", "dH", "padW", "padH"))
            sees = np.zeros(output.shape, bool)
            for h, w in product(range(output.shape[2]), range(output.shape[3])):
                sees[0, 0, h, w] = 0 <= 4 + pH - h * dH < kH and 0 <= 4 + pW - w * dW < kW
            assert sees.any()
            np.testing.assert_array_equal(now[~sees], output[~sees])
            near = np.zeros(x.shape, bool)
            near[0, 0, max(0, 5 - kH) : 4 + kH, max(0, 5 - kW) : 4 + kW] = True
            np.testing.assert_array_equal(module.backward(other, gradOutput)[~near], gradInput[~near])


def brute_gradient(x, logit, axes, gradOutput):
    """Gradients of the mean, window by window."""
    gradX, gradLogit = np.zeros_like(x), np.zeros_like(x)
    for (h, rows), (w, columns) in product(enumerate(axes[0]), enumerate(axes[1])):
        at = (slice(max(rows.start, 0), rows.stop), slice(max(columns.start, 0), columns.stop))
        cells, logits = x[(..., *at)], logit[(..., *at)]
        weight = np.exp(logits - logits.max((-2, -1), keepdims=True))
        weight /= weight.sum((-2, -1), keepdims=True)
        mean = (weight * cells).sum((-2, -1), keepdims=True)
        sent = gradOutput[..., h : h + 1, w : w + 1] * weight
        gradX[(..., *at)] += sent
        gradLogit[(..., *at)] += sent * (cells - mean)
    return gradX, gradLogit


@pytest.mark.parametrize("ceil", [False, True])
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_all_small_sizes(k: int, ceil: bool) -> None:
    """Every height and width up to 9, every stride and padding; outliers here and there."""
    rng = np.random.default_rng(k)
    for d, p in product((1, 2, 3), range(k // 2 + 1)):
        for height, width in ((h, w) for h in range(1, 10) for w in sorted({h, 10 - h})):
            if min(height, width) + 2 * p < k:
                continue
            x, logit = rng.standard_normal((2, 2, height, width)) * rng.choice([1, 1, 1, 90], (2, 2, height, width))
            soft = nn.SpatialSoftPool(k, k, d, d, p, p).double()
            lip = nn.SpatialLocalImportancePooling(k, k, d, d, p, p).double()
            if ceil:
                soft.ceil(), lip.ceil()
            axes = windows(soft, x)
            output, gradOutput, gradInput = gradient(soft, x)
            close(output, weighed(x, x, axes), 1e-11)
            close(gradInput, sum(brute_gradient(x, x, axes, gradOutput)), 1e-10)
            output, gradOutput, gradients = gradient(lip, x, logit)
            close(output, weighed(x, logit, axes), 1e-11)
            close(np.array(gradients), np.array(brute_gradient(x, logit, axes, gradOutput)), 1e-10)


def test_simplified_lip_begins_as_average_pooling() -> None:
    x = planes().astype("f")
    module = nn.SpatialSimplifiedLIP(3, 3, 3, 2, 2, 1, 1)
    average = nn.SpatialAveragePooling(3, 3, 2, 2, 1, 1).setCountExcludePad()
    np.testing.assert_allclose(module.forward(x), average.forward(x), rtol=0, atol=1e-6)
    assert [parameter.shape for parameter in module.parameters()[0]] == [(3, 3, 3, 3), (3,), (3,)]
    module.parameters()[0][0].fill(1)
    module.reset()
    np.testing.assert_allclose(module.forward(x), average.forward(x), rtol=0, atol=1e-6)


def test_simplified_lip_learns() -> None:
    """A step along the gradients makes the loss smaller, also in the flat parameters and after conversion."""
    x = planes()
    module = nn.SpatialSimplifiedLIP(3, 2, 2).double()
    flat, gradFlat = module.getParameters()
    flat += np.random.default_rng(1).uniform(-0.1, 0.1, flat.shape)
    before = module.forward(x).copy()
    gradFlat.fill(0)
    module.backward(x, before)
    flat -= 1e-4 * gradFlat
    assert (module.forward(x) ** 2).sum() < (before**2).sum()
