"""Additions of dpnn to every module: momentum, decay and limits of gradients and parameters, batches of one."""

import pickle

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, UnsupportedError, ValueRangeError
from tests.nn.toys import fails
from tests.trees import assert_close, assert_same


def network():
    pl.manualSeed(3)
    net = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Tanh()).add(nn.Linear(4, 2)).double()
    for i, gradient in enumerate(net.parameters()[1]):
        gradient[...] = np.arange(gradient.size).reshape(gradient.shape) + i
    return net


def copies(arrays):
    return [array.copy() for array in arrays]


def test_momentum():
    net = network()
    first = copies(net.parameters()[1])
    assert net.updateGradParameters(0.9) is net
    assert_close(net.parameters()[1], first, 1e-14)  # the damping is 0.9 too: 0.9 g + 0.1 g
    for gradient in net.parameters()[1]:
        gradient.fill(1)
    net.updateGradParameters(0.9, 0.5)
    assert_close(net.parameters()[1], [0.9 * g + 0.5 for g in first], 1e-14)
    assert_close(net.get(0).momGradParams, net.get(0).parameters()[1], 1e-14)
    assert net.get(1).momentumGradParameters() is None


def test_nesterov():
    net = network()
    first = copies(net.parameters()[1])
    net.updateGradParameters(0.5, 0, True)
    assert_close(net.parameters()[1], [g + 0.5 * 1.5 * g for g in first], 1e-14)


def test_modules_have_numbers_of_their_own():
    net = network()
    net.get(0).momFactor = 0
    net.get(2).momDamp = 0
    first = copies(net.parameters()[1])
    net.updateGradParameters(0.9)
    assert_close(net.parameters()[1], [*first[:2], *(1.9 * g for g in first[2:])], 1e-14)
    assert "momGradParams" not in vars(net.get(0))


def test_weightDecay():
    net = network()
    first, parameters = copies(net.parameters()[1]), net.parameters()[0]
    assert net.weightDecay(0.1) is net.weightDecay(0) is net
    expected = [g + 0.1 * p if p.ndim > 1 else g for g, p in zip(first, parameters, strict=True)]
    assert_close(net.parameters()[1], expected, 1e-14)
    net.weightDecay(0.1, 1)
    assert_close(net.parameters()[1], [g + 0.1 * p for g, p in zip(expected, parameters, strict=True)], 1e-14)


def test_gradParamClip():
    net = network()
    first = copies(net.parameters()[1])
    norm = np.sqrt(sum((g * g).sum() for g in first))
    assert net.gradParamNorm() == pytest.approx(norm)
    assert net.gradParamClip(1e6) == pytest.approx(norm) and net.gradParamClip(0) == 0
    assert_same(net.parameters()[1], first)
    assert net.gradParamClip(2) == pytest.approx(norm) and net.gradParamNorm() == pytest.approx(2)
    assert_close(net.parameters()[1], [g * 2 / norm for g in first], 1e-14)
    net = network()
    assert net.gradParamClip(2, True) == pytest.approx(norm)
    assert [module.gradParamNorm() for module in net.modules] == pytest.approx([2, 0, 2])


def test_maxParamNorm():
    net = network()
    weight = net.get(0).weight
    weight[...] = np.arange(12).reshape(4, 3)
    bias = net.get(0).bias.copy()
    assert net.maxParamNorm() is net
    assert_same(weight, np.arange(12.0).reshape(4, 3))
    net.maxParamNorm(5)
    lengths = np.sqrt((np.arange(12).reshape(4, 3) ** 2).sum(1))
    assert_close(np.sqrt((weight**2).sum(1)), np.minimum(lengths, 5), 1e-6)
    net.maxParamNorm(None, 3)
    assert (np.sqrt((weight**2).sum(0)) <= 3).all() and weight[0, 1] < 1
    assert_same(net.get(0).bias, bias)


def test_batches_of_one():
    layer, image = nn.Identity(), np.arange(6.0).reshape(2, 3)
    batch = layer.toBatch(image, 2)
    assert batch.shape == (1, 2, 3) and batch.base is not None
    assert_same(layer.fromBatch(batch), image)
    assert layer.toBatch(image, 2, 1).shape == (2, 1, 3) and layer.fromBatch(np.zeros((2, 1, 3)), 1).shape == (2, 3)
    with fails(ShapeError, "nn.Identity: fromBatch: expected size 1 along dimension 0, got (2, 3)"):
        layer.fromBatch(image)
    assert layer.toBatch(image, 1) is image and layer.fromBatch(image) is image


def test_dontBackward():
    linear = nn.Linear(3, 2)
    net = nn.Sequential().add(nn.Linear(3, 3)).add(linear.dontBackward())
    x, g = np.ones((1, 3), np.float32), np.ones((1, 2), np.float32)
    for one in (net, net.clone(), pickle.loads(pickle.dumps(net))):
        one.zeroGradParameters()
        one.get(1).forward(x)
        assert one.get(1).backward(x, g) is None and not one.get(1).gradWeight.any()


def test_dontBackward_in_a_file(tmp_path):
    pl.save(tmp_path / "net.t7", nn.Linear(3, 2).dontBackward())
    loaded = pl.load(tmp_path / "net.t7")
    assert "updateGradInput" not in vars(loaded) and loaded.weight.shape == (2, 3)


def test_others():
    net = network()
    assert net.extrapolateType() == "torch.DoubleTensor" and nn.Tanh().extrapolateType() is None
    assert net.outside(5, 3) == net.outside((5, 3)) == (5, 2)
    assert net.checkParameters() is net and len(net.sparseParameters()[0]) == 4
    net.get(2).bias[1] = np.nan
    with fails(ValueRangeError, "nn.Sequential: checkParameters: parameter 3 has a NaN"):
        net.checkParameters()
    across = np.arange(6.0).reshape(2, 3).T
    layer = nn.Identity()
    assert layer.contiguousInput(across).flags.c_contiguous and layer.contiguousInput(across, True).flags.c_contiguous
    visited = []
    net.accept(type("Visitor", (), {"visit": lambda self, module: visited.append(module)})())
    assert visited == [net] and type(net.Serial("torch.FloatTensor")) is nn.Serial
    sparse = nn.IndexLinear(3, 2)
    with pytest.raises(UnsupportedError, match=r"nn\.IndexLinear: gradParamNorm: not for sparse gradients"):
        sparse.gradParamNorm()
    assert sparse.weightDecay == 0 and nn.SparseLinear(3, 2).clone().weightDecay == 0
