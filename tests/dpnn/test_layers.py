"""The other layers of dpnn: gradients, defaults, what they draw, and what they refuse."""

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
    for name in pl.dpnn.__all__:
        assert getattr(nn, name) is getattr(pl.dpnn, name) and getattr(nn, name)._typename == f"nn.{name}"


# Layers whose gradient is the derivative, while they draw the same numbers.
JACOBIANS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "PCAColorTransform": (lambda: nn.PCAColorTransform(2, [[0.6, -0.8], [0.8, 0.6]], [1, 0.2]), (2, 2, 2, 3)),
    "SimpleColorTransform": (lambda: nn.SimpleColorTransform(2, [0.1, 0.3]), (2, 3, 2)),
    "SpatialFeatNormalization": (lambda: nn.SpatialFeatNormalization([0.5, 1], [2, 3]), (2, 2, 2, 3)),
    "SpatialRegionDropout": (lambda: nn.SpatialRegionDropout(0.4), (2, 4, 5)),
    "SpatialUniformCrop": (lambda: nn.SpatialUniformCrop(2, 3), (2, 1, 4, 5)),
    "SpatialUniformCrop_scale": (lambda: nn.SpatialUniformCrop(2, 3, {"min": 0.6, "max": 1.5}), (2, 1, 5, 6)),
    "TotalDropout": (lambda: nn.TotalDropout(0.5), (3, 4)),
}


@pytest.mark.parametrize("name", JACOBIANS)
@pytest.mark.parametrize("train", [True, False])
def test_jacobian(name: str, train: bool) -> None:
    make, shape = JACOBIANS[name]
    module = make().double()
    module.train = train
    forward = module.updateOutput

    def seeded(input: np.ndarray) -> np.ndarray:
        pl.manualSeed(11)
        output: np.ndarray = forward(input)
        return output

    module.updateOutput = seeded
    assert nn.Jacobian.testJacobian(module, np.empty(shape)) < 1e-7


@pytest.mark.parametrize("name", JACOBIANS)
def test_seeds_repeat_and_copies_agree(name: str) -> None:
    make, shape = JACOBIANS[name]
    module, input = make().double(), noise(*shape)
    outputs = []
    for layer in (module, module.clone(), module.clearState()):
        pl.manualSeed(12)
        outputs.append(layer.forward(input).copy())
    assert_same(outputs[1], outputs[0])
    assert_same(outputs[2], outputs[0])


def test_glimpse() -> None:
    """Backward is the transpose of forward, for both ways to make patches smaller."""
    for scale, size in ((2, 2), (3, (2, 3))):
        module = nn.SpatialGlimpse(size, 3, scale).double()
        places = np.array([[0.1, -0.4], [2.0, -1.5]])
        picture, other = noise(2, 2, 9, 8), noise(2, 6, *np.broadcast_to(size, 2))
        output = module.forward([picture, places])
        gradPicture, gradPlaces = module.backward([picture, places], other)
        assert_close(np.sum(output * other), np.sum(gradPicture * picture), 1e-10)
        assert_same(gradPlaces, np.zeros((2, 2)))
        alone = nn.SpatialGlimpse(size, 3, scale).double()
        assert_close(alone.forward([picture[1], places[1]]), output[1], 1e-12)
        assert_close(alone.backward([picture[1], places[1]], other[1])[0], gradPicture[1], 1e-12)


def test_glimpse_places() -> None:
    module = nn.SpatialGlimpse(1, 1).double()
    picture = np.arange(20.0).reshape(1, 4, 5)
    for place, cell in (((-1, -1), 0), ((-1, 1), 4), ((1, -1), 15), ((1, 1), 19), ((3, -9), 15)):
        assert module.forward([picture, np.array(place, np.float64)]).item() == cell


def test_older_glimpse() -> None:
    fields = nn.SpatialGlimpse(2)._toTorch7()
    del fields["width"], fields["height"]
    old = nn.SpatialGlimpse.__new__(nn.SpatialGlimpse)
    old._fromTorch7(fields | {"size": 3}, 1)
    assert (old.height, old.width) == (3, 3)


@pytest.mark.parametrize("train", [True, False])
def test_crop(train: bool) -> None:
    pl.manualSeed(13)
    module = nn.SpatialUniformCrop(2, 3).double()
    module.train = train
    input = noise(20, 1, 5, 7)
    output = module.forward(input)
    for picture, crop, (h, w) in zip(input, output, module.coord, strict=True):
        assert_same(crop, picture[:, h : h + 2, w : w + 3])
    assert module.coord.min() == (0 if train else 1) and (module.coord <= (2, 3)).all()
    assert nn.SpatialUniformCrop(5, 7).double().forward(input).shape == input.shape
    module = nn.SpatialUniformCrop(5, 7).double()
    module.evaluate()
    assert_same(module.forward(input), input)


@pytest.mark.parametrize("scale", [[0.5, 1.5], {"min": 0.5, "max": 1.5}, {1: 0.5, 2: 1.5}])
def test_crop_with_scale(scale: Any) -> None:
    pl.manualSeed(14)
    module = nn.SpatialUniformCrop(4, 4, scale).double()
    output = module.forward(np.ones((6, 2, 8, 9)))
    assert output.shape == (6, 2, 4, 4) and module.scales.min() < 1 < module.scales.max()
    assert_close(output, np.ones(output.shape), 1e-12)


def test_region_dropout() -> None:
    pl.manualSeed(15)
    module, edges = nn.SpatialRegionDropout(0.5).double(), {}
    for _ in range(40):
        output = module.forward(np.ones((1, 4, 5)))[0].copy()
        edges[module.regionType] = output
    half = np.full((4, 5), 2.0)
    for edge, strip in enumerate((np.s_[:2], np.s_[2:], np.s_[:, :2], np.s_[:, 3:]), 1):
        expected = half.copy()
        expected[strip] = 0
        assert_same(edges[edge], expected)


def test_total_dropout() -> None:
    pl.manualSeed(16)
    module = nn.TotalDropout(0.3).double()
    seen = [module.forward(np.ones(3)).copy() for _ in range(300)]
    assert all(len(np.unique(output)) == 1 for output in seen)
    assert 0.6 < np.mean(seen) < 0.8


def test_color_noise() -> None:
    pl.manualSeed(17)
    module = nn.SimpleColorTransform(2, [0.1, 10]).double()
    module.forward(np.zeros((200, 2, 1, 1)))
    assert (np.abs(module.noise).max(0) <= [0.1, 10]).all() and (np.abs(module.noise).max(0) > [0.09, 9]).all()
    vectors, values = np.array([[0.6, -0.8], [0.8, 0.6]]), np.array([1, 0.2])
    module = nn.PCAColorTransform(2, vectors, values, 0.5).double()
    module.forward(np.zeros((4000, 2, 1, 1)))
    covariance = np.cov(module.noise.T)
    assert np.abs(covariance - 0.25 * vectors @ np.diag(values**2) @ vectors.T).max() < 0.02


def test_binary_convolution() -> None:
    """The sign stands in for the weight; the weight itself stays, and gradients accumulate."""
    pl.manualSeed(18)
    module = nn.SpatialBinaryConvolution(2, 3, 3, 3, 1, 1, 1, 1).double()
    weight, input, gradOutput = module.weight.copy(), noise(1, 2, 4, 4), noise(1, 3, 4, 4)
    plain = nn.SpatialConvolution(2, 3, 3, 3, 1, 1, 1, 1).double().noBias()
    plain.weight = np.where(weight >= 0, 1.0, -1.0)
    plain.zeroGradParameters()
    for _ in range(2):
        output = module.forward(input)
    assert_close(output, plain.forward(input) * np.abs(weight).mean((1, 2, 3))[:, None, None], 1e-12)
    module.zeroGradParameters()
    gradInput = module.backward(input, gradOutput)
    assert_close(gradInput, plain.backward(input, gradOutput) * np.abs(weight).mean((0, 2, 3))[:, None, None], 1e-12)
    module.backward(input, gradOutput)
    assert_close(module.gradWeight, 2 * plain.gradWeight, 1e-12)
    assert_same(module.weight, weight)
    assert module.bias is None and (module.iwh, module.owh) == (18, 27)


def test_binary_convolution_saved_amid_a_pass() -> None:
    module = nn.SpatialBinaryConvolution(1, 2, 3, 3)
    weight = module.weight
    fields = module._toTorch7() | {"weight": np.sign(weight), "tempWeight": weight}
    found = nn.SpatialBinaryConvolution.__new__(nn.SpatialBinaryConvolution)
    found._fromTorch7(fields, 1)
    assert_same(found.weight, weight)


def test_categorical_entropy() -> None:
    pl.manualSeed(19)
    module, input = nn.CategoricalEntropy(0.5).double(), pl.random.uniform(0.1, 1, (3, 4), np.float64)
    gradOutput, divisor = noise(3, 4), input.sum()

    def entropy() -> float:
        p = input.sum(0) / divisor
        return float(-(p * np.log(p + 1e-6)).sum())

    assert module.forward(input) is input
    gradInput = module.backward(input, gradOutput).copy()
    assert_close(module.entropy, np.array(entropy()), 1e-12)
    for place in np.ndindex(input.shape):
        kept = input[place]
        input[place] = kept + 1e-6
        above = entropy()
        input[place] = kept - 1e-6
        push = (above - entropy()) / 2e-6
        input[place] = kept
        assert abs(gradInput[place] - gradOutput[place] + 0.5 / 3 * push) < 1e-8
    module.minEntropy = 0.1
    assert_same(module.backward(input, gradOutput), gradOutput)


def test_arg_max() -> None:
    input = np.array([[1.0, 3, 2], [5, 4, 5]])
    assert_same(nn.ArgMax(1).double().forward(input), np.array([1, 0]))
    assert_same(nn.ArgMax(0, 1).double().forward(input), np.array([1, 0]))
    assert_same(nn.ArgMax(0, asLong=False).double().forward(input), np.array([1.0, 1, 1]))
    assert_same(nn.ArgMax().double().forward(input[0]), np.array([1]))
    assert_same(nn.ArgMax().double().backward(input, None), np.zeros((2, 3)))


def test_clip() -> None:
    input, gradOutput = np.array([-3, 0.5, np.nan, 3]), noise(4)
    module = nn.Clip(-1, 1).double()
    assert_same(module.forward(input), np.array([-1, 0.5, np.nan, 1]))
    assert module.backward(input, gradOutput) is gradOutput


def test_reverse_table() -> None:
    module = nn.ReverseTable()
    assert module.forward([1, [2], 3]) == [3, [2], 1] and module.backward([1, 2], [4, 5]) == [5, 4] and module.forward([]) == []


def test_dictionary() -> None:
    module = nn.Dictionary(5, 2, accUpdate=True)
    assert module.gradWeight is None and module.forward(np.array([1, 4])).shape == (2, 2)
    assert nn.Dictionary(5, 2).gradWeight is not None


# ---------------------------------------------------------------------------------------------- losses


@pytest.mark.parametrize(
    "name, shape, targetShape", [("Binary", (4,), (4, 1)), ("Binary", (4, 1), (4,)), ("SpatialBinary", (1, 2, 3), (1, 2, 3)),
                                 ("SpatialBinary", (2, 1, 2, 3), (2, 1, 2, 3))]
)  # fmt: skip
@pytest.mark.parametrize("sizeAverage", [True, False])
def test_logistic_losses(name: str, shape: tuple[int, ...], targetShape: tuple[int, ...], sizeAverage: bool) -> None:
    pl.manualSeed(20)
    criterion = getattr(nn, f"{name}LogisticRegression")().double()
    criterion.sizeAverage = sizeAverage
    input, target = noise(*shape), np.where(noise(*targetShape) > 0, 1, -1)
    criterion.forward(input, target)
    gradInput = criterion.backward(input, target).copy()
    for place in np.ndindex(shape):
        kept = input[place]
        input[place] = kept + 1e-6
        above = criterion.forward(input, target)
        input[place] = kept - 1e-6
        assert abs((above - criterion.forward(input, target)) / 2e-6 - gradInput[place]) < 1e-8
        input[place] = kept


def test_logistic_loss_of_large_numbers() -> None:
    criterion, input = nn.BinaryLogisticRegression(), np.array([1e30, -1e30], np.float32)
    assert criterion.forward(input, np.array([1, 1])) == np.float32(1e30) / 2
    assert_same(criterion.backward(input, np.array([1, 1])), np.array([0, -0.5], np.float32))


# ---------------------------------------------------------------------------------------------- errors


ONES = np.ones((2, 3), np.float32)
PLANES = np.ones((1, 3, 4, 4), np.float32)
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: nn.ArgMax(2).forward(ONES), IndexRangeError, "nn.ArgMax: dim: 2 is out of range for a 2-D array"),
    (lambda: nn.ArgMax().forward(ONES[:0]), ShapeError, "nn.ArgMax: input: expected elements along dimension 0, got none"),
    (lambda: nn.Clip(1, -1), ValueRangeError, "nn.Clip: minval: expected at most maxval, -1, got 1"),
    (lambda: nn.Clip(0, 1).forward([ONES]), DtypeError, "nn.Clip: input: expected a float32 array, got a table of 1"),
    (lambda: nn.TotalDropout(1), ValueRangeError, "nn.TotalDropout: p: expected 0 <= p < 1, got 1"),
    (lambda: nn.SpatialRegionDropout(-0.1), ValueRangeError, "nn.SpatialRegionDropout: p: expected 0 <= p < 1"),
    (lambda: nn.SpatialRegionDropout().forward(ONES), ShapeError, "expected a 3-D or 4-D array, got 2-D"),
    (lambda: nn.SpatialFeatNormalization(np.ones((2, 2))), ShapeError, "mean: expected a 1-D array"),
    (lambda: nn.SpatialFeatNormalization([1, 2], [1]), ShapeError, "std: expected 2, got 1"),
    (lambda: nn.SpatialFeatNormalization([1]).forward(PLANES), ShapeError, "input: expected 1 planes, got 1 x 3 x 4 x 4"),
    (lambda: nn.PCAColorTransform(2, np.eye(3), [1, 2]), ShapeError, "eigenVectors: expected 2 x 2, got 3 x 3"),
    (lambda: nn.PCAColorTransform(2, np.eye(2), [1]), ShapeError, "eigenValues: expected 2, got 1"),
    (lambda: nn.SimpleColorTransform(3, [1]), ShapeError, "range: expected 3, got 1"),
    (lambda: nn.SimpleColorTransform(1, [1]).forward(PLANES), ShapeError, "input: expected 1 planes"),
    (lambda: nn.SpatialUniformCrop(5).forward(PLANES), ShapeError, "expected planes of at least 5 x 5, got 4 x 4"),
    (lambda: nn.SpatialUniformCrop(2, 2, [1]), ValueRangeError, 'scale: expected "min" and "max" or two numbers'),
    (lambda: nn.SpatialUniformCrop(2, 2, [2, 1]), ValueRangeError, "scale: expected 0 < min <= max, got 2 and 1"),
    (lambda: nn.SpatialGlimpse(2).forward([PLANES, ONES]), ShapeError, r"input\[1\]: expected 1 x 2, got 2 x 3"),
    (lambda: nn.SpatialGlimpse(2, 1).forward([PLANES[..., :1, :1], ONES[:1, :2]]), ShapeError, "expected larger pictures"),
    (lambda: nn.SpatialGlimpse(0), ValueRangeError, "height: expected 1 or more, got 0"),
    (lambda: nn.CategoricalEntropy().forward(PLANES), ShapeError, "expected a 2-D array, got 4-D"),
    (lambda: nn.ReverseTable().forward(ONES), DtypeError, "input: expected a table"),
    (lambda: nn.BinaryLogisticRegression().forward(ONES, np.array([1])), ShapeError,
     "target: expected 2 x 3, or 6 elements in another shape, got 1"),
    (lambda: nn.BinaryLogisticRegression().forward(ONES[0], np.array([1, 2, 1])), ValueRangeError, "expected 1, 0 or -1, got 2"),
    (lambda: nn.SpatialBinaryLogisticRegression().forward(PLANES, PLANES), ShapeError, "input: expected one plane"),
]  # fmt: skip


@pytest.mark.parametrize("call, error, text", ERRORS)
def test_errors(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()
