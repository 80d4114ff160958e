"""Properties of pooling with powers and with weights that hold for all values."""

from itertools import pairwise, product
from math import inf
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, t7
from tests.cases import SpatialPowerAveragePooling
from tests.trees import assert_close

GOLDEN = Path(__file__).parent.parent / "golden" / "pooling"
POWERS = (1, 1.5, 2, 3, 4, 7.25, inf)


def uniform(*shape, low=-1.0):
    return np.random.default_rng(0).uniform(low, 1, shape)


def sweep():
    """Windows (kernel, stride, pad, ceil) along one axis, and planes of all small sizes that hold them."""
    for k, d, ceil in product(range(1, 5), range(1, 4), (False, True)):
        for pad in range(k // 2 + 1):
            sizes = [(height, width) for height in range(1, 10) for width in (height, 10 - height)]
            yield k, d, pad, ceil, [size for size in sizes if min(size) + 2 * pad >= k]


def with_ceil(module, ceil):
    return module.ceil() if ceil else module


# ---------------------------------------------------------------------------------------------- powers


@pytest.mark.parametrize("p", [1, 2, 2.5, inf])
def test_power_over_all_small_sizes(p):
    for k, d, pad, ceil, sizes in sweep():
        module = with_ceil(nn.SpatialPowerAveragePooling(p, k, k, d, d, pad, pad), ceil).double()
        for size in sizes:
            x = uniform(1, *size)
            expected = SpatialPowerAveragePooling.reference(module, x)
            np.testing.assert_allclose(module.forward(x), expected, rtol=1e-12, err_msg=f"{k} {d} {pad} {ceil} {size}")
            gradOutput = uniform(*expected.shape, low=0.5)
            total = (module.backward(x, gradOutput) * x).sum()  # Euler: the norm is homogeneous
            assert total == pytest.approx((gradOutput * expected).sum(), rel=1e-11)


def test_power_one_is_the_sum_of_positive_cells():
    x = uniform(2, 3, 6, 7, low=0.1)
    total = nn.SpatialAveragePooling(3, 2, 2, 1).double()
    total.divide = False
    np.testing.assert_allclose(nn.SpatialPowerAveragePooling(1, 3, 2, 2, 1).double().forward(x), total.forward(x), rtol=1e-14)


def test_power_two_is_the_root_of_the_sum_of_squares():
    x = uniform(2, 3, 6, 7)
    total = nn.SpatialAveragePooling(3, 2, 2, 1).double()
    total.divide = False
    norm = nn.SpatialPowerAveragePooling(2, 3, 2, 2, 1).double()
    np.testing.assert_allclose(norm.forward(x), np.sqrt(total.forward(x * x)), rtol=1e-14)


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("factor", [-3.0, 1e-200, 1e200])
def test_norms_are_homogeneous(p, factor):
    x, module = uniform(2, 5, 6), nn.SpatialPowerAveragePooling(p, 3, 2, 1, 1).double()
    small, gradOutput = module.forward(x).copy(), uniform(2, 4, 4)
    gradient = module.backward(x, gradOutput).copy()
    np.testing.assert_allclose(module.forward(factor * x), abs(factor) * small, rtol=1e-12)
    np.testing.assert_allclose(module.backward(factor * x, gradOutput), np.sign(factor) * gradient, rtol=1e-11, atol=1e-15)


def test_norms_fall_with_the_power_towards_the_maximum():
    x = uniform(2, 8, 8)
    norms = [nn.SpatialPowerAveragePooling(p, 2, 2).double().forward(x) for p in (0.5, *POWERS[:-1], 200, 1e4, inf)]
    for larger, smaller in pairwise(norms):
        assert (larger >= smaller * (1 - 1e-14)).all()
    np.testing.assert_array_equal(norms[-1], nn.SpatialMaxPooling(2, 2).double().forward(np.abs(x)))
    np.testing.assert_allclose(norms[-2], norms[-1], rtol=1e-3)


@pytest.mark.parametrize("p", (0.5, *POWERS))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_windows_of_zeros(p, dtype):
    x = np.zeros((1, 4, 6), dtype)
    x[:, :2, :2] = 3
    x[:, 2, 4] = 1e-44
    module = nn.SpatialPowerAveragePooling(p, 2, 2).type(dtype)
    y = module.forward(x)
    np.testing.assert_array_equal(y[0] > 0, [[True, False, False], [False, False, True]])
    gradInput = module.backward(x, np.ones_like(y))
    assert (gradInput[x == 0] == 0).all()
    assert (gradInput[x != 0] > 0).all()


@pytest.mark.parametrize("p", POWERS)
def test_large_and_small_floats_stay_finite(p):
    for size in (1e30, 3e37, 1e-30, 1e-40):
        x = np.full((1, 4, 4), size, "f")
        module = nn.SpatialPowerAveragePooling(p, 2, 2)
        ratio = 4 ** (1 / p)
        np.testing.assert_allclose(module.forward(x) / np.float32(size), ratio, rtol=1e-5 if size > 1e-35 else 1e-3)
        gradInput = module.backward(x, np.ones((1, 2, 2), "f"))
        np.testing.assert_allclose(gradInput, ratio ** (1 - p) if p < inf else 0.25, rtol=1e-4 if size > 1e-35 else 1e-2)


def test_equal_maxima_share_the_gradient():
    x = np.array([[[2.0, -2.0, 1.0, 0.0]]])
    module = nn.SpatialPowerAveragePooling(inf, 4, 1).double()
    module.forward(x)
    np.testing.assert_array_equal(module.backward(x, np.ones((1, 1, 1))), [[[0.5, -0.5, 0, 0]]])


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("SpatialLPPooling*.t7")), ids=lambda path: path.name)
@pytest.mark.parametrize("children", ["objects", "records"])
def test_torch7_network_of_lp_pooling(path, children):
    """The file holds a network of layers: modules, or what stands in for those whose class is not known."""
    case = pl.load(path)
    module, train = case["module"], case["train"]
    if children == "records":
        record = t7.read(path)["module"]
        module = nn.SpatialLPPooling.__new__(nn.SpatialLPPooling)
        module._fromTorch7(record.fields, record.version)
    near = 1e-10 if case["dtype"] == "double" else 1e-5
    assert type(module) is nn.SpatialLPPooling
    assert str(module) == case["tostring"]
    assert_close(module.forward(case["input"]), train["output"], near)
    assert_close(module.backward(case["input"], case["gradOutput"]), train["gradInput"], near)


@pytest.mark.parametrize("p", [2, 3])
def test_lp_pooling_is_stored_as_the_network(p):
    old = nn.SpatialLPPooling(1, p, 3, 2, 2, 1).double()
    new = nn.SpatialLPPooling.__new__(nn.SpatialLPPooling)
    fields = old._toTorch7()
    assert [layer.typename for layer in fields["modules"]] == (
        ["nn.Square", "nn.SpatialAveragePooling", "nn.MulConstant", "nn.Sqrt"]
        if p == 2
        else ["nn.Power", "nn.SpatialAveragePooling", "nn.MulConstant", "nn.Power"]
    )
    new._fromTorch7(fields, 1)
    x = uniform(1, 5, 6, low=0.1)
    np.testing.assert_array_equal(new.forward(x), old.forward(x))
    assert str(new) == str(old)
    assert new.p == p


def test_powers_of_signed_cells():
    x = np.array([[[2.0, -1.0]]])
    assert nn.SpatialLPPooling(1, 1, 2, 1).double().forward(x) == 1
    assert nn.SpatialLPPooling(1, 3, 2, 1).double().forward(x) == pytest.approx(7 ** (1 / 3))
    assert np.isnan(nn.SpatialLPPooling(1, 3, 2, 1).double().forward(-x))
    assert np.isnan(nn.SpatialLPPooling(1, 1.5, 2, 1).double().forward(x))
    cancelling = np.array([[[2e200, -2e200, 1e200, 0.0]]])
    assert nn.SpatialLPPooling(1, 3, 4, 1).double().forward(cancelling) == pytest.approx(1e200)


# ---------------------------------------------------------------------------------------------- Gaussians


def gaussian(arguments, mean=0.0, precision=0.0, ceil=False, include=False):
    module = with_ceil(nn.SpatialGaussianPooling(*arguments), ceil).double()
    module.mean[...] = mean
    module.precision[...] = precision
    module.count_include_pad = include
    return module


@pytest.mark.parametrize("include", [False, True])
def test_gaussian_without_precision_is_the_average(include):
    for k, d, pad, ceil, sizes in sweep():
        module = gaussian((1, k, k, d, d, pad, pad), 0.3, 0.0, ceil, include)
        average = with_ceil(nn.SpatialAveragePooling(k, k, d, d, pad, pad), ceil).double()
        average.count_include_pad = include
        for size in sizes:
            x = uniform(1, *size)
            y = average.forward(x)
            np.testing.assert_allclose(module.forward(x), y, rtol=1e-12, atol=1e-15, err_msg=f"{k} {d} {pad} {ceil} {size}")
            gradOutput = uniform(*y.shape)
            np.testing.assert_allclose(module.backward(x, gradOutput), average.backward(x, gradOutput), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("precision", [-2.0, 0.0, 0.7, 1e30, inf])
@pytest.mark.parametrize("mean", [0.0, 0.25, -7.0, 1e30])
def test_gaussian_keeps_constants(mean, precision):
    if mean == 1e30 and precision < 0:
        precision = -1e-3
    module = gaussian((2, 4, 3, 2, 1, 2, 1, 2), mean, precision, True)
    x = np.full((2, 7, 8), 3.0)
    y = module.forward(x)
    np.testing.assert_allclose(y, 3, rtol=1e-12)
    gradInput = module.backward(x, np.ones_like(y))
    assert gradInput.sum() == pytest.approx(y.size)  # the weights of a window add up to 1
    np.testing.assert_allclose(module.gradPrecision, 0, atol=1e-9)
    assert np.isfinite(module.gradMean).all() or (mean, precision) == (0, inf)  # between two cells a mean decides all


def test_large_precision_takes_the_nearest_cell():
    x = uniform(1, 9, 9)
    for mean, cell in (((-1, 1), (2, 0)), ((0.4, -0.4), (1, 1)), ((50, -60), (0, 2))):
        y = gaussian((1, 3, 3), np.array(mean, float), 1e12).forward(x)
        np.testing.assert_allclose(y, x[:, cell[0] :: 3, cell[1] :: 3], rtol=1e-12)


def test_gaussian_is_a_convolution():
    module = gaussian((1, 3, 2, 2, 1), np.array([0.3, -0.2]), np.array([0.9, 0.4]))
    x = uniform(1, 6, 9)
    weight = np.exp(-0.45 * (np.arange(3) - 1.3) ** 2) * np.exp(-0.2 * (np.arange(2) - 0.3) ** 2)[:, None]
    convolution = nn.SpatialConvolution(1, 1, 3, 2, 2, 1).double()
    convolution.weight[...] = weight / weight.sum()
    convolution.bias.fill(0)
    np.testing.assert_allclose(module.forward(x), convolution.forward(x), rtol=1e-12, atol=1e-15)


def test_symmetric_planes_do_not_move_the_mean():
    x = uniform(2, 3, 7, 7)
    x = x + x[..., ::-1]
    x = x + x[..., ::-1, :]
    module = gaussian((3, 3, 3, 2, 2, 1, 1), 0.0, 0.8)
    y = module.forward(x)
    module.zeroGradParameters()
    module.backward(x, np.ones_like(y))
    np.testing.assert_allclose(module.gradMean, 0, atol=1e-13)
    assert (np.abs(module.gradPrecision) > 1e-6).all()


def test_gaussian_takes_a_step_in_place():
    """accUpdateGradParameters moves the parameters by gradients at their old values."""
    module, x = gaussian((1, 3, 3), 0.2, 0.5), uniform(1, 6, 6)
    y = module.forward(x)
    module.zeroGradParameters()
    module.accGradParameters(x, np.ones_like(y))
    expected = module.mean - 0.1 * module.gradMean, module.precision - 0.1 * module.gradPrecision
    module.accUpdateGradParameters(x, np.ones_like(y), 0.1)
    np.testing.assert_allclose(module.mean, expected[0], rtol=1e-14)
    np.testing.assert_allclose(module.precision, expected[1], rtol=1e-14)


# ---------------------------------------------------------------------------------------------- blends


@pytest.mark.parametrize("make", [nn.SpatialMixedPooling, nn.SpatialGatedPooling])
def test_blends_over_all_small_sizes(make):
    """Share 1 is the maximum, share 0 the mean, one half is in the middle; gates without a mask are one half."""
    for k, d, pad, ceil, sizes in sweep():
        arguments = k, k, d, d, pad, pad
        blend, maximum, average = (
            with_ceil(layer(*arguments), ceil).double() for layer in (make, nn.SpatialMaxPooling, nn.SpatialAveragePooling)
        )
        average.setCountExcludePad()
        shares = (0.0, 0.5, 1.0) if make is nn.SpatialMixedPooling else (0.5,)
        for size, share in product(sizes, shares):
            blend.weight.fill(share if make is nn.SpatialMixedPooling else 0)
            x = uniform(1, *size)
            expected = share * maximum.forward(x) + (1 - share) * average.forward(x)
            np.testing.assert_allclose(blend.forward(x), expected, rtol=1e-12, atol=1e-15, err_msg=f"{k} {d} {pad} {ceil} {size}")
            gradOutput = uniform(*expected.shape)
            gradient = share * maximum.backward(x, gradOutput) + (1 - share) * average.backward(x, gradOutput)
            np.testing.assert_allclose(blend.updateGradInput(x, gradOutput), gradient, rtol=1e-12, atol=1e-15)


def test_a_fixed_blend_has_no_parameters():
    module = nn.SpatialMixedPooling(2, 2, alpha=0.3, learn=False)
    x = np.arange(4, dtype="f").reshape(1, 2, 2)
    np.testing.assert_allclose(module.forward(x), 0.3 * 3 + 0.7 * 1.5, rtol=1e-6)
    module.backward(x, np.ones((1, 1, 1), "f"))
    assert module.parameters() is None
    assert (module.gradWeight == 0).all()


def test_gates_follow_their_mask():
    module = nn.SpatialGatedPooling(2, 1).double()
    module.weight[...] = [[[1.0, 0.0]]]
    x = np.array([[[2.0, 1.0, -30.0, 1.0]]])
    gate = 1 / (1 + np.exp(-x[..., ::2]))
    np.testing.assert_allclose(module.forward(x), gate * [[[2, 1]]] + (1 - gate) * [[[1.5, -14.5]]], rtol=1e-13)
    np.testing.assert_allclose(module.gate, gate, rtol=1e-13)


def gaussian_gradients(x, g, k, d, pad, mean, precision):
    """Gradients of mean and precision (W, H) by their definition, for windows k x 2 at strides d, 1 and x and g of one plane."""
    starts = range(-pad, x.shape[1] + pad - k + 1, d)
    gradMean, gradPrecision = np.zeros(2), np.zeros(2)
    for (oh, o), gradient in np.ndenumerate(g):
        columns = np.arange(k)[(np.arange(k) + starts[o] >= 0) & (np.arange(k) + starts[o] < x.shape[1])]
        away = np.stack(np.meshgrid(columns - (k - 1) / 2, [-0.5, 0.5])) - mean[:, None, None]
        w = np.exp(-(precision[:, None, None] * away**2).sum(0) / 2)
        w /= w.sum()
        share = gradient * w * x[oh : oh + 2, columns + starts[o]]
        for total, q in ((gradMean, precision[:, None, None] * away), (gradPrecision, -(away**2) / 2)):
            total += (share * (q - (w * q).sum((1, 2), keepdims=True))).sum((1, 2))
    return gradMean, gradPrecision


@pytest.mark.parametrize("k", range(1, 8))
@pytest.mark.parametrize("d", [1, 2, 3])
def test_gaussian_parameters_learn_from_long_rows(k, d):
    pad, width = k // 2, 600 * d
    mean, precision = np.array([0.3, -0.2]), np.array([0.4, 0.9])
    module = gaussian((1, k, 2, d, 1, pad), mean, precision)
    x = uniform(1, 3, width)
    g = uniform(*module.forward(x).shape, low=0.5)
    module.backward(x, g)
    gradMean, gradPrecision = gaussian_gradients(x[0], g[0], k, d, pad, mean, precision)
    np.testing.assert_allclose(module.gradMean[0, 0], gradMean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(module.gradPrecision[0, 0], gradPrecision, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("width", [700, 4099])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_gaussian_parameters_learn_the_sum_of_all_rows_of_windows(width, stride):
    module = gaussian((1, 7, 6, stride, 2), np.array([0.3, -0.2]), np.array([0.4, 0.9]))
    x = uniform(1, 40, width)
    g = uniform(*module.forward(x).shape, low=0.5)
    module.backward(x, g)
    mean, precision = module.gradMean.copy(), module.gradPrecision.copy()
    module.zeroGradParameters()
    for row in range(g.shape[1]):
        module.accGradParameters(x[:, 2 * row : 2 * row + 6], g[:, row : row + 1])
    np.testing.assert_allclose(mean, module.gradMean, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(precision, module.gradPrecision, rtol=1e-10, atol=1e-10)
