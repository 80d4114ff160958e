"""Properties of the normalization layers beyond their cases: running statistics, single samples, exactness."""

import numpy as np
import pytest

from pytorch_legacy import nn
from pytorch_legacy.errors import NullError, ShapeError


def images(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def test_running_statistics():
    x = images(4, 3, 5, 2)
    module = nn.SpatialBatchNormalization(3, 1e-3, 0.25)
    for _ in range(2):
        module.forward(x)
    mean, var = x.mean((0, 2, 3), np.float64), x.var((0, 2, 3), np.float64, ddof=1)
    np.testing.assert_allclose(module.running_mean, (1 - 0.75**2) * mean, rtol=1e-5)
    np.testing.assert_allclose(module.running_var, 0.75**2 + (1 - 0.75**2) * var, rtol=1e-5)
    np.testing.assert_allclose(module.save_std, 1 / np.sqrt(x.var((0, 2, 3)) + 1e-3), rtol=1e-5)


def test_evaluation_changes_nothing():
    module = nn.BatchNormalization(3)
    module.forward(images(4, 3))
    names = "running_mean", "running_var", "save_mean", "save_std"
    before = [getattr(module, name).copy() for name in names]
    module.evaluate()
    module.forward(images(6, 3))
    for name, old in zip(names, before, strict=True):
        np.testing.assert_array_equal(getattr(module, name), old)


@pytest.mark.parametrize("cls, shape", [(nn.BatchNormalization, (3,)), (nn.SpatialBatchNormalization, (3, 6, 7))])
def test_a_batch_of_one_is_as_in_evaluation(cls, shape):
    """As in Torch7's last release; see also tests/golden, for the results."""
    module = cls(3)
    module.forward(images(5, *shape))
    before = module.running_mean.copy(), module.running_var.copy(), module.save_mean.copy()
    x = images(1, *shape)
    passes = []
    for mode in (module.training, module.evaluate):
        mode()
        module.zeroGradParameters()
        passes.append([module.forward(x).copy(), module.backward(x, x).copy(), module.gradWeight.copy(), module.gradBias.copy()])
    np.testing.assert_equal(*passes)
    np.testing.assert_equal((module.running_mean, module.running_var, module.save_mean), before)


def test_a_strict_image_is_a_batch_of_pixels():
    x = images(1, 3, 6, 7)
    module = nn.SpatialBatchNormalization(3, affine=False).setStrict()
    y = module.forward(x)
    np.testing.assert_allclose(y.mean((0, 2, 3)), 0, atol=1e-6)
    np.testing.assert_allclose(y.var((0, 2, 3)), 1, rtol=1e-3)
    assert np.abs(module.running_mean).min() > 0


@pytest.mark.parametrize(
    "cls, shape",
    [
        (nn.BatchNormalization, (3,)),
        (nn.SpatialBatchNormalization, (3, 4, 5)),
        (nn.VolumetricBatchNormalization, (3, 2, 4, 5)),
    ],
)
def test_one_sample_in_evaluation(cls, shape):
    """A sample without a batch dimension gives what it gives in a batch, and takes its gradients."""
    x, g = images(2, *shape), images(2, *shape)[::-1].copy()
    module = cls(3)
    module.evaluate()
    whole = module.forward(x).copy(), module.backward(x, g).copy(), module.gradWeight.copy()
    module.zeroGradParameters()
    for i in range(2):
        np.testing.assert_array_equal(module.forward(x[i]), whole[0][i])
        np.testing.assert_array_equal(module.backward(x[i], g[i]), whole[1][i])
        assert module.output.shape == module.gradInput.shape == shape
    np.testing.assert_allclose(module.gradWeight, whole[2], rtol=1e-5)
    with pytest.raises(ShapeError, match="gradOutput: expected"):
        module.backward(x[0], g)


def test_variance_far_from_zero():
    """Single precision data far from zero: sums of squares minus squared sums would have no digit left."""
    x = (images(64, 4) + np.float32(10_000)).astype(np.float32)
    module = nn.BatchNormalization(4, 0.0)
    module.forward(x)
    np.testing.assert_allclose(module.save_std, 1 / x.std(0, np.float64), rtol=1e-6)


def test_backward_after_clearState():
    x = images(4, 3)
    module = nn.BatchNormalization(3)
    module.forward(x)
    module.clearState()
    assert module.save_mean is None and module.save_std is None
    with pytest.raises(NullError, match="save_mean"):
        module.backward(x, x)
    module.evaluate()
    np.testing.assert_allclose(module.updateGradInput(x, x), x * module.weight / np.sqrt(1 + module.eps), rtol=0.2)


def test_without_gradient_of_the_input():
    x = images(4, 3)
    module = nn.BatchNormalization(3)
    module.gradInput = None
    module.forward(x)
    assert module.backward(x, x) is None
    assert np.abs(module.gradWeight).max() > 0


def test_parts_of_backward():
    """updateGradInput and accGradParameters give what backward gives."""
    x, g = images(4, 3), images(4, 3)[::-1].copy()
    module = nn.BatchNormalization(3)
    module.forward(x)
    gradInput, gradWeight = module.backward(x, g, 0.5).copy(), module.gradWeight.copy()
    module.zeroGradParameters()
    np.testing.assert_array_equal(module.updateGradInput(x, g), gradInput)
    assert not module.gradWeight.any()
    module.accGradParameters(x, g, 0.5)
    np.testing.assert_array_equal(module.gradWeight, gradWeight)


def test_initial_state():
    module = nn.SpatialBatchNormalization(50)
    assert (module.weight >= 0).all() and (module.weight < 1).all() and module.weight.std() > 0.1
    assert not module.bias.any() and not module.running_mean.any() and (module.running_var == 1).all()
    assert str(module) == "nn.SpatialBatchNormalization (4D) (50)"
    assert nn.BatchNormalization(5, affine=False).parameters() is None


@pytest.mark.parametrize("shape", [(4096, 3), (64, 3, 8, 8)])
def test_moments_of_values_far_from_zero(shape: tuple[int, ...]) -> None:
    """Sums are counted from the first value of a channel: one that is like the others, an outlier, or infinite."""
    x: np.ndarray = np.random.default_rng(0).standard_normal(shape) + 1e4
    x[(0, 1) + (0,) * (len(shape) - 2)] = -1e6
    x[(0, 2) + (0,) * (len(shape) - 2)] = np.inf
    kind = nn.BatchNormalization if len(shape) == 2 else nn.SpatialBatchNormalization
    module = kind(3, 1e-5, 1.0, False).double()
    output = module.forward(x)
    rest = (0, *range(2, x.ndim))
    with np.errstate(invalid="ignore"):
        mean, variance = x.mean(rest), x.var(rest, ddof=1)
    np.testing.assert_allclose(module.running_mean, mean, rtol=1e-12)
    np.testing.assert_allclose(module.running_var, variance, rtol=1e-10)
    np.testing.assert_allclose(output.std(rest)[:2], 1, rtol=1e-4)
    assert np.isnan(output[:, 2]).all()


@pytest.mark.parametrize("strict", [False, True])
def test_an_empty_batch_leaves_no_statistics(strict):
    module = nn.SpatialBatchNormalization(3).setStrict(strict)
    empty = images(0, 3, 2, 2)
    assert module.forward(empty).shape == module.backward(empty, empty).shape == empty.shape
    assert module.save_mean is None and module.save_std is None and not module.running_mean.any()
