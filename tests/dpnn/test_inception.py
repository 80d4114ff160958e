"""Inception and FireModule, and a small network in the manner of OpenFace."""

from __future__ import annotations

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import ShapeError, ValueRangeError
from tests.trees import assert_close, assert_same


def noise(*shape: int) -> np.ndarray:
    return pl.random.uniform(-1, 1, shape, np.float64)


def test_columns() -> None:
    pl.manualSeed(1)
    config = {"inputSize": 3, "kernelSize": [3, 5], "kernelStride": [1, 1], "outputSize": [4, 2], "reduceSize": [2, 2, 1, 3]}
    module = nn.Inception(config, batchNorm=True, pool=nn.SpatialMaxPooling(3, 3, 1, 1, 1, 1))
    columns = module.get(0)
    assert [len(column) for column in columns] == [6, 6, 4, 3]
    assert isinstance(columns, nn.DepthConcat)
    assert module.forward(np.ones((2, 3, 6, 5), np.float32)).shape == (2, 4 + 2 + 1 + 3, 6, 5)
    assert columns[2][0] is module.pool and columns[0][2] is not module.transfer


def test_defaults() -> None:
    module = nn.Inception(inputSize=2, outputSize=[2, 2], reduceSize=[1, 1])
    assert (module.kernelSize, module.kernelStride, module.padding) == ([5, 3], [1, 1], True)
    assert (module.poolSize, module.poolStride, module.reduceStride) == (3, 1, [])
    assert isinstance(module.transfer, nn.ReLU)
    assert [len(column) for column in module.get(0)] == [4, 4, 1]  # nothing behind the pooling, no last column


def test_no_convolution_behind_the_pooling() -> None:
    sizes = {"kernelSize": [3], "kernelStride": [2], "reduceSize": [1, None, 3], "reduceStride": [1, 1, 2]}
    module = nn.Inception(sizes, inputSize=2, outputSize=[2])
    columns = module.get(0)
    assert [len(column) for column in columns] == [4, 1, 2]
    assert columns[2][0].dW == 2


def test_one_picture() -> None:
    pl.manualSeed(2)
    module = nn.Inception(inputSize=2, outputSize=[2, 2], reduceSize=[1, 1, 2, 2], transfer=nn.Tanh()).double()
    input, gradOutput = noise(1, 2, 6, 6), noise(1, 8, 6, 6)
    output, gradInput = (value.copy() for value in module(input, gradOutput))
    assert_same(module.forward(input[0]), output[0])
    assert_same(module.backward(input[0], gradOutput[0]), gradInput[0])


def test_jacobian() -> None:
    pl.manualSeed(3)
    module = nn.Inception(inputSize=2, outputSize=[1], kernelSize=[3], kernelStride=[1], reduceSize=[1, 1, 1], transfer=nn.Tanh(),
                          pool=nn.SpatialAveragePooling(3, 3, 1, 1, 1, 1)).double()  # fmt: skip
    input = np.empty((1, 2, 4, 3))
    assert nn.Jacobian.testJacobian(module, input) < 1e-7
    flat, flatGrad = module.getParameters()
    assert nn.Jacobian.testJacobianParameters(module, input, flat, flatGrad) < 1e-7


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ({"outputSize": [1], "reduceSize": [1]}, ValueRangeError, "nn.Inception: inputSize: expected a value, got none"),
        ({"inputSize": 2, "outputSize": [1], "reduceSize": [1, 1]}, ShapeError, "outputSize: expected a list of 2"),
        ({"inputSize": 2, "outputSize": [1, 1], "reduceSize": [1]}, ShapeError, "reduceSize: expected 2 to 4 numbers"),
        ({"inputSize": 2, "outputSize": [1, 1], "reduceSize": [1, 1], "kernel": 3}, ValueRangeError, "kernel: expected one of"),
    ],
)
def test_errors(arguments: dict, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        nn.Inception(**arguments)


def test_error_inside() -> None:
    module = nn.Inception(inputSize=2, outputSize=[2, 2], reduceSize=[1, 1])
    with pytest.raises(ShapeError, match=r"in module 1 of nn\.Inception, in module 1 of nn\.DepthConcat, in module 1 of"):
        module.forward(np.ones((1, 3, 6, 6), np.float32))


def test_fire_module() -> None:
    pl.manualSeed(4)
    module = nn.FireModule(2, 1, 2, 1, "Tanh").double()
    assert module.squeeze is module.modules[0].get(0) and isinstance(module.expand, nn.Concat)
    input = np.empty((1, 2, 3, 3))
    assert nn.Jacobian.testJacobian(module, input) < 1e-7
    flat, flatGrad = module.getParameters()
    assert nn.Jacobian.testJacobianParameters(module, input, flat, flatGrad) < 1e-7
    assert str(module).endswith("inputPlanes: 2 -> Squeeze Planes: 1 -> Expand: 2(1x1) + 1(3x3), activation: Tanh")
    with pytest.raises(ValueRangeError, match="activation: expected the name of a layer of nn, got 'tanh'"):
        nn.FireModule(2, 1, 2, 1, "tanh")


def test_first_fire_modules() -> None:
    """They were no containers, and one field had another name."""
    fields = nn.FireModule(2, 1, 2, 3)._toTorch7()
    del fields["modules"]
    fields["e1x3"] = fields.pop("e3x3")
    old = nn.FireModule.__new__(nn.FireModule)
    old._fromTorch7(fields, 1)
    assert old.e3x3 == 3 and old.forward(np.ones((1, 2, 4, 4), np.float32)).shape == (1, 5, 4, 4)


def test_face_network() -> None:
    """Faces to points on a sphere: it learns to take two pictures apart."""
    pl.manualSeed(5)
    net = nn.Sequential()
    net.add(nn.SpatialConvolutionMM(3, 4, 3, 3, 2, 2, 1, 1)).add(nn.SpatialBatchNormalization(4)).add(nn.ReLU())
    net.add(nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1)).add(nn.SpatialCrossMapLRN(3, 0.0001, 0.75))
    net.add(nn.Inception(inputSize=4, kernelSize=[3, 5], kernelStride=[1, 1], outputSize=[4, 2], reduceSize=[3, 2, 2, 3],
                         pool=nn.SpatialMaxPooling(3, 3, 1, 1, 1, 1), batchNorm=True))  # fmt: skip
    net.add(nn.Inception(inputSize=11, kernelSize=[3], kernelStride=[2], outputSize=[6], reduceSize=[4, None],
                         pool=nn.SpatialLPPooling(11, 2, 3, 3, 2, 2), padding=True, batchNorm=True))  # fmt: skip
    net.add(nn.View(-1).setNumInputDims(3)).add(nn.Linear(17 * 2 * 2, 8)).add(nn.Normalize(2)).double()
    faces = noise(2, 3, 16, 16)
    start = net.forward(faces).copy()
    assert start.shape == (2, 8)
    assert_close((start**2).sum(1), np.ones(2), 1e-8)
    for _ in range(10):
        net.zeroGradParameters()
        output = net.forward(faces)
        net.backward(faces, output[::-1].copy())  # the gradient of the product of the two points
        net.updateParameters(0.1)
    final = net.forward(faces)
    assert final[0] @ final[1] < start[0] @ start[1] - 0.1
    net.evaluate()
    assert np.isfinite(net.clearState().forward(faces)).all()
