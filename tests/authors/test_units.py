"""Learned units, noise, borders, optical flow, criterions: what the case table does not show."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import authors, nn
from pytorch_legacy.errors import DtypeError, NullError, ShapeError, UnsupportedError, ValueRangeError
from tests.authors.test_layers import draw


@pytest.mark.parametrize(
    "cls, before, after",
    [
        (authors.ConstrainedMul, [0.1], [0.11]),
        (authors.ConstrainedMul, [-5.0], [0.11]),
        (authors.ConstrainedMul, [2.0], [1.99]),
        (authors.ConstrainedMul, [1.5], [1.5]),
        (authors.ConstrainedDiv, [0.05], [0.11]),
        (authors.ConstrainedDiv, [7.0], [7.0]),
        (authors.PELU, [0.0, 7.0], [0.11, 7.0]),
        (authors.PELU, [3.0, 0.0], [1.99, 0.11]),
    ],
)
def test_forward_keeps_weights_in_their_range(cls: Any, before: list[float], after: list[float]) -> None:
    layer, x = cls().double(), draw(2, 3)
    layer.weight[...] = before
    layer.forward(x)
    assert layer.weight.tolist() == after
    layer.zeroGradParameters()
    for scale, total in ((1.0, 1.0), (0.5, 1.5)):
        layer.backward(x, np.ones((2, 3)), scale)
        whole = layer.gradWeight.copy() / total
    one = cls().double()
    one.weight[...] = after
    one.backward(x, np.ones((2, 3)))
    np.testing.assert_allclose(whole, one.gradWeight, atol=1e-12)
    np.testing.assert_array_equal(layer.reset().weight, np.ones_like(layer.weight))


def test_units_in_place() -> None:
    """The output takes the place of the input, and backward restores it."""
    for cls in (authors.ConstrainedMul, authors.ConstrainedDiv):
        layer, x, g = cls(True).double(), draw(2, 3), draw(2, 3, seed=2)
        layer.weight[...] = 0.5
        input = x.copy()
        assert layer.forward(input) is input
        layer.zeroGradParameters()
        plain = cls().double()
        plain.weight[...] = 0.5
        plain.forward(x)
        plain.zeroGradParameters()
        np.testing.assert_allclose(layer.backward(input, g), plain.backward(x, g))
        np.testing.assert_allclose(input, x)
        np.testing.assert_allclose(layer.gradWeight, plain.gradWeight)


def test_pelu_of_extremes() -> None:
    """Large inputs give no NaN, and NaN is no zero."""
    layer = authors.PELU().double()
    x = np.array([-np.inf, -1e300, 1e300, np.nan])
    output = layer.forward(x)
    assert output[:3].tolist() == [-1, -1, 1e300] and np.isnan(output[3])
    with np.errstate(invalid="raise", over="raise"):
        gradInput = layer.updateGradInput(x[:3], np.ones(3))
        layer.zeroGradParameters()
        layer.accGradParameters(x[:2], np.ones(2))
    assert gradInput.tolist() == [0, 0, 1] and layer.gradWeight.tolist() == [-2, 0]


def test_pelu_is_its_parts() -> None:
    layer, x = authors.PELU().double(), draw(3, 4)
    layer.weight[...] = 0.7, 1.3
    parts = nn.Sequential().add(authors.ConstrainedDiv()).add(nn.ELU()).add(authors.ConstrainedMul()).double()
    parts[0].weight[...], parts[2].weight[...] = 1.3, 0.7
    np.testing.assert_allclose(layer.forward(x), parts.forward(x), atol=1e-12)
    layer.zeroGradParameters()
    parts.zeroGradParameters()
    np.testing.assert_allclose(layer.backward(x, x), parts.backward(x, x), atol=1e-12)
    np.testing.assert_allclose(layer.gradWeight[::-1], [parts[0].gradWeight[0], parts[2].gradWeight[0]], atol=1e-12)


def test_frelu_is_its_parts() -> None:
    layer, x = authors.FReLU().double(), draw(3, 4)
    parts = nn.Sequential().add(nn.ReLU()).add(authors.MyAdd()).double()
    np.testing.assert_array_equal(layer.forward(x), parts.forward(x))
    np.testing.assert_array_equal(layer.backward(x, x), parts.backward(x, x))


def test_learned_bias() -> None:
    """A factor for its gradient, a constraint, and which dimension the channels are."""
    layer, x, g = authors.MyAdd(3, 0.5, 0.1, True).double(), draw(2, 3, 4), draw(2, 3, 4, seed=2)
    layer.biasCopy[...] = -0.25
    layer.forward(x)
    assert layer.bias.tolist() == [-0.25] * 3 == layer.biasCopy.tolist()
    layer.zeroGradParameters()
    layer.backward(x, g)
    np.testing.assert_allclose(layer.gradBias, 0.1 * g.sum((0, 2)))
    samples = authors.MyAdd(3).setNumInputDims(2).double()
    np.testing.assert_array_equal(samples.forward(x), x - 1)
    assert samples.forward(draw(3, 4)).shape == (3, 4)
    for shape, match in (((3,), "2-D samples of 3 channels, got 3"), ((2, 4, 3), "2-D samples of 3 channels, got 2 x 4 x 3")):
        with pytest.raises(ShapeError, match=f"nn.MyAdd: input: expected {match}"):
            samples.forward(draw(*shape))
    with pytest.raises(ShapeError, match=r"nn\.MyAdd: input: expected 3 channels in dimension 1, got 3 x 4"):
        authors.MyAdd(3).double().forward(draw(3, 4))


# ------------------------------------------------------------------------------------------------ noise


def test_noise_in_evaluation() -> None:
    """Noise is drawn in evaluation too, by the package's generator."""
    for layer, x in (
        (authors.GenNoise(2), draw(2, 3, 2, 2)),
        (authors.NoiseFill(1), draw(2, 3, 2, 2)),
        (authors.GaussianSampler(), [draw(2, 3), draw(2, 3)]),
    ):
        layer.double().evaluate()
        pl.manualSeed(5)
        first, second = layer.forward(x).copy(), layer.forward(x).copy()
        pl.manualSeed(5)
        assert (first != second).any() and (layer.forward(x) == first).all()


def test_noise_channels() -> None:
    layer, x = authors.NoiseFill(2).double(), draw(2, 3, 4, 4)
    output, kept = layer.forward(x), x.copy()
    np.testing.assert_array_equal(output[:, :1], x[:, :1])
    np.testing.assert_array_equal(x, kept)
    assert 0 <= output[:, 1:].min() < output[:, 1:].max() < 1
    g = draw(2, 3, 4, 4)
    gradInput = layer.backward(x, g)
    np.testing.assert_array_equal(gradInput[:, :1], g[:, :1])
    assert not gradInput[:, 1:].any()


def test_sampler() -> None:
    layer, mean, log = authors.GaussianSampler().double(), draw(20000), np.full(20000, np.log(4))
    deviation = (layer.forward([mean, log]) - mean).std()
    assert deviation == pytest.approx(2, abs=0.05)
    with pytest.raises(NullError, match=r"nn\.GaussianSampler: updateGradInput: expected the input of the last forward"):
        layer.updateGradInput([mean[:5], log[:5]], mean[:5])
    with pytest.raises(NullError, match="expected the input of the last forward"):
        layer.clearState().updateGradInput([mean, log], mean)


# ------------------------------------------------------------------------------------------------ borders, first GPU layers


@pytest.mark.parametrize("cls", [authors.SpatialCircularPadding, authors.SpatialSymmetricPadding])
def test_borders_that_do_not_fit(cls: Any) -> None:
    for pads, shape in (((4, 0, 0, 0), (1, 1, 3, 3)), ((0, 0, 0, 4), (1, 1, 3, 3)), ((-2, -1, 0, 0), (1, 1, 3, 3))):
        with pytest.raises(ShapeError, match=rf"nn\.{cls.__name__}: input: too small for the border: 1 x 1 x 3 x 3"):
            cls(*pads).double().forward(draw(*shape))
    with pytest.raises(ShapeError, match=rf"nn\.{cls.__name__}: input: expected a 3-D or 4-D array"):
        cls(1).double().forward(draw(3, 3))


def test_corners_of_the_torus() -> None:
    """Rolled images give rolled outputs: a convolution behind the border knows no edge."""
    border = authors.SpatialCircularPadding(1, 1, 1, 1).double()
    net = nn.Sequential().add(border).add(nn.SpatialConvolution(2, 3, 3, 3)).double()
    x = draw(1, 2, 4, 5)
    expected = np.roll(net.forward(x), (1, 2), (2, 3))
    np.testing.assert_allclose(net.forward(np.roll(x, (1, 2), (2, 3))), expected, atol=1e-12)


def test_first_cuda_layers_that_do_not_fit() -> None:
    layer = authors.SpatialConvolutionCUDA(2, 3, 3, 3).double()
    with pytest.raises(ShapeError, match="expected 2 planes, the nInputPlane, in the first dimension, got 3 x 5 x 5 x 2"):
        layer.forward(draw(3, 5, 5, 2))
    with pytest.raises(ShapeError, match=r"nn\.SpatialConvolutionCUDA"):
        layer.forward(draw(2, 2, 5, 2))
    with pytest.raises(ShapeError, match=r"nn\.SpatialMaxPoolingCUDA"):
        authors.SpatialMaxPoolingCUDA(3, 3).double().forward(draw(2, 2, 5, 2))
    layer.weight = None
    with pytest.raises(DtypeError, match=r"nn\.SpatialConvolutionCUDA: weight: expected a float64 array, got None"):
        layer.forward(draw(2, 5, 5, 2))


# ------------------------------------------------------------------------------------------------ optical flow


def test_flow_from_file_and_back() -> None:
    """A pyramid level of SPyNet: an image, moved by an enlarged flow."""
    net = nn.Sequential().add(nn.ParallelTable().add(nn.Identity()).add(authors.ScaleBHWD(2)))
    net.add(authors.FlowSamplerBHWD()).double()
    image, flow = draw(1, 4, 4, 3), np.zeros((1, 2, 2, 2))
    np.testing.assert_array_equal(net.forward([image, flow]), image)
    flow[...] = [1, 0]
    np.testing.assert_array_equal(net.forward([image, flow])[:, :, :-1], image[:, :, 1:])
    np.testing.assert_array_equal(net.output[:, :, -1], image[:, :, -1])
    file = io.BytesIO()
    pl.save(file, net)
    np.testing.assert_array_equal(pl.load(file.getvalue()).forward([image, flow]), net.output)


@pytest.mark.parametrize(
    "run, error, match",
    [
        (lambda: authors.FlowSamplerBHWD().double().forward([draw(1, 3, 3, 2), draw(1, 3, 3, 3)]), ShapeError,
         r"nn.BilinearSamplerBHWD: input\[1\]: expected 1 x 3 x 3 x 2, got 1 x 3 x 3 x 3"),
        (lambda: authors.FlowSamplerBHWD().double().forward([draw(2, 3, 3, 2), draw(1, 3, 3, 2)]), ShapeError,
         r"input\[1\]: expected 2 x 3 x 3 x 2, got 1 x 3 x 3 x 2"),
        (lambda: authors.FlowSamplerBHWD().double().forward([draw(1, 0, 3, 2), draw(1, 3, 3, 2)]), ShapeError,
         r"input\[0\]: expected images with cells, got 1 x 0 x 3 x 2"),
        (lambda: authors.FlowSamplerBHWD().double().forward([draw(3, 3, 2), draw(1, 3, 3, 2)]), ShapeError,
         r"input\[1\]: expected a 3-D"),
        (lambda: authors.ScaleBHWD(0), ValueRangeError, "nn.ScaleBHWD: scale: expected a positive number, got 0"),
        (lambda: authors.ScaleBHWD(float("inf")), ValueRangeError, "nn.ScaleBHWD: scale: expected a positive number, got inf"),
        (lambda: authors.ScaleBHWD(0.1).double().forward(draw(1, 3, 3, 2)), ShapeError,
         "input: nothing is left of 1 x 3 x 3 x 2 with a scale of 0.1"),
        (lambda: authors.CostVolMulti(4), ValueRangeError, "nn.CostVolMulti: win: expected an odd number, got 4"),
        (lambda: authors.CostVolMulti().double().forward([draw(1, 1, 3, 3)]), ShapeError, "expected two frames or more"),
        (lambda: authors.CostVolMulti().double().forward([draw(1, 1, 3, 3), draw(1, 2, 3, 3)]), ShapeError, r"input\[1\]"),
        (lambda: authors.EPECriterion().double().forward(draw(1, 3, 2), draw(1, 3, 2)), ShapeError,
         "nn.EPECriterion: input: expected N x 2 x ..., got 1 x 3 x 2"),
    ],
)  # fmt: skip
def test_flow_errors(run: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        run()


def test_equal_flows() -> None:
    loss, x = authors.EPECriterion().double(), draw(2, 2, 3)
    assert loss.forward(x, x) == 0 and not loss.backward(x, x).any()


# ------------------------------------------------------------------------------------------------ waifu2x


def test_scaled_gradient() -> None:
    layer, x = authors.GradWeight(0.5).double(), draw(2, 3)
    assert layer.forward(x) is not x and (layer.output == x).all()
    np.testing.assert_array_equal(layer.backward(x, x), 0.5 * x)


def test_fixed_filters_do_not_learn() -> None:
    for layer in (authors.EdgeFilter(2).double(), authors.RandomBinaryConvolution(2, 3, 3, 3).double()):
        before, x = layer.weight.copy(), draw(2, 2, 4, 4)
        layer.zeroGradParameters()
        layer.backward(x, np.ones_like(layer.forward(x)))
        layer.updateParameters(1)
        assert not layer.gradWeight.any()
        np.testing.assert_array_equal(layer.weight, before)
    pl.manualSeed(2)
    one = authors.RandomBinaryConvolution(2, 3, 3, 3, 0.5).weight
    assert {*one.ravel().tolist()} == {-1, 0, 1} and np.count_nonzero(one) <= 27
    pl.manualSeed(2)
    np.testing.assert_array_equal(authors.RandomBinaryConvolution(2, 3, 3, 3, 0.5).weight, one)


def test_measures() -> None:
    """PSNR and SSIM against their definitions; neither has a gradient."""
    x, target = draw(2, 2, 7, 8) / 4 + 0.5, draw(2, 2, 7, 8, seed=2) / 4 + 0.5
    psnr = authors.PSNRCriterion().double()
    assert psnr.forward(x, target) == pytest.approx(-10 * np.log10(((np.clip(x, 0, 1) - target) ** 2).mean()))
    assert psnr.forward(target, np.clip(target, 0, 1)) == np.inf
    ssim = authors.SSIMCriterion(2, 3, 0.8).double()
    line = np.exp(-(np.arange(-1, 2) ** 2) / (2 * 0.8**2))
    window = np.outer(line, line) / np.outer(line, line).sum()
    values = []
    for n, c, h, w in np.ndindex(2, 2, 5, 6):
        a, b = (image[n, c, h : h + 3, w : w + 3] for image in (x, target))
        mean, other = (window * a).sum(), (window * b).sum()
        covariance = (window * a * b).sum() - mean * other
        variances = (window * a * a).sum() - mean**2 + (window * b * b).sum() - other**2
        values.append((2 * mean * other + 1e-4) * (2 * covariance + 9e-4) / ((mean**2 + other**2 + 1e-4) * (variances + 9e-4)))
    assert ssim.forward(x, target) == pytest.approx(np.mean(values), abs=1e-10)
    for loss in (psnr, ssim):
        file = io.BytesIO()
        pl.save(file, loss)
        loaded = pl.load(file.getvalue())
        assert loaded.forward(x, target) == loss.forward(x, target) == loss.clone().forward(x, target)
        single = loaded.float().forward(x.astype("f"), target.astype("f"))
        assert single == pytest.approx(loss.forward(x, target), rel=1e-4)
        with pytest.raises(UnsupportedError, match=rf"{loss._typename}: backward: this criterion has no gradient"):
            loss.backward(x, target)


def test_losses_of_samples() -> None:
    loss, x, target = authors.ClippedMSECriterion().double(), draw(3, 4), draw(3, 4, seed=2)
    loss.forward(x, target)
    np.testing.assert_allclose(loss.instance_loss, ((np.clip(x, 0, 1) - target) ** 2).mean(1))
    both = authors.AuxiliaryLossCriterion(authors.ClippedMSECriterion, [0, 2]).double()
    both.forward([x, target], target)
    np.testing.assert_allclose(
        both.instance_loss, (((np.clip(x, 0, 2) - target) ** 2).mean(1) + ((np.clip(target, 0, 2) - target) ** 2).mean(1)) / 2
    )


def test_criterions_of_more_outputs_are_copies_of_the_first() -> None:
    """Copies have the settings of the first criterion, even if the constructor is unknown, as in files."""
    x, target = np.array([[3.0, -2.0]]), np.array([[0.5, 0.25]])
    both = authors.AuxiliaryLossCriterion(authors.ClippedMSECriterion, [0, 2]).double()
    both.forward([x], target)
    both._make = None
    both.criterions[0].sizeAverage = True
    both.forward([x, x], target)
    assert [criterion.sizeAverage for criterion in both.criterions] == [True, True]


def test_gradient_of_what_is_limited() -> None:
    """It passes the limits as if there were none, so that elements come back into the range."""
    loss, x, target = authors.ClippedMSECriterion().double(), np.array([[3.0, -2.0]]), np.array([[0.5, 0.5]])
    assert loss.forward(x, target) == 0.25 and loss.backward(x, target).tolist() == [[0.5, -0.5]]


@pytest.mark.parametrize(
    "run, error, match",
    [
        (lambda: authors.ClippedMSECriterion(1, 0), ValueRangeError,
         "w2nn.ClippedMSECriterion: min: expected no more than max, 0, got 1"),
        (lambda: authors.ClippedWeightedHuberCriterion([1], 1, [1, 0]), ValueRangeError,
         "clip: expected two numbers, the lower one first"),
        (lambda: authors.ClippedWeightedHuberCriterion([1], 1, [1]), ValueRangeError, "clip: expected two numbers"),
        (lambda: authors.WeightedHuberCriterion([1, 2]).double().forward(draw(2, 3), draw(2, 3)), ShapeError,
         "WeightedHuberCriterion: weight"),
        (lambda: authors.W2nnWeightedMSECriterion([1, 2]).double().forward(draw(2, 3), draw(2, 3)), ShapeError,
         "w2nn.WeightedMSECriterion: weight"),
        (lambda: authors.LBPCriterion(2, 4).double().forward(draw(2, 9), draw(2, 9)), ShapeError,
         "input: expected rows of 2 square planes, got 2 x 9"),
        (lambda: authors.LBPCriterion(2, 1), ValueRangeError, "w2nn.LBPCriterion: n: expected 2 or more, got 1"),
        (lambda: authors.LBPCriterion(1, 4).double().forward(draw(2, 1, 4, 4), draw(1, 1, 4, 4)), ShapeError,
         "target: expected 2 x 1 x 4 x 4, got 1"),
        (lambda: authors.SSIMCriterion(1).double().forward(draw(1, 1, 9, 9), draw(1, 1, 9, 9)), ShapeError,
         "SpatialConvolution"),
        (lambda: authors.RandomBinaryConvolution(1, 1, 3, 3, 2), ValueRangeError, "kSparsity: expected 0 to 1, got 2"),
        (lambda: authors.KLDCriterion().double().forward([draw(2), draw(2)], None), DtypeError,
         "nn.KLDCriterion: expected means and logarithms"),
        (lambda: authors.KLDCriterion().double().forward(draw(2), draw(3)), ShapeError,
         "nn.KLDCriterion: target: expected 2, got 3"),
        (lambda: authors.KLDCriterion().double().forward([draw(2), draw(2)], [draw(2), draw(3)]), ShapeError,
         r"target\[1\]: expected 2, got 3"),
        (lambda: authors.LstmLayer(2, 3, 4).double().forward([]), ShapeError, "nn.LstmLayer: input"),
        (lambda: authors.LstmLayer(2, 3, 4, 1.0), ValueRangeError,
         "nn.LstmLayer: dropout: expected 0 to less than 1, got 1.0"),
        (lambda: authors.LstmLayer(2, 3, 4).double().forward([draw(2, 2), draw(2, 3)]), ShapeError,
         "at step 2 of nn.LstmLayer"),
        (lambda: authors.LstmLayer(2, 3, 4).double().accGradParameters([draw(2, 2)], [draw(2, 3)]), NullError, "nn.LstmLayer"),
        (lambda: authors.BiRnnJoin(2, 3, 4).double().forward([[draw(1, 2)], [draw(1, 2)] * 2]), ShapeError,
         r"input\[1\]: expected 1 steps as in input\[0\], got 2"),
        (lambda: authors.SharedParallelTable(nn.Identity(), 4).forward(draw(2)), DtypeError,
         "nn.SharedParallelTable: input: expected a table"),
    ],
)  # fmt: skip
def test_errors(run: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        run()
