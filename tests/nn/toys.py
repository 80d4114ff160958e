"""Layers in plain NumPy under the names of the real ones, so that tests of containers need no C library."""

from contextlib import contextmanager

import numpy as np
import pytest

from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module


class Linear(Module):
    """output = input W' + b, for a vector or a batch."""

    _typename = "nn.Linear"

    def __init__(self, inputs: int, outputs: int, bias: bool = True) -> None:
        super().__init__()
        rng = np.random.default_rng(7)
        self.weight = rng.standard_normal((outputs, inputs), np.float32)
        self.gradWeight = np.zeros((outputs, inputs), np.float32)
        if bias:
            self.bias = rng.standard_normal(outputs, np.float32)
            self.gradBias = np.zeros(outputs, np.float32)

    def updateOutput(self, input):
        if input.shape[-1] != self.weight.shape[1]:
            raise ShapeError(f"nn.Linear: input: expected {self.weight.shape[1]} columns, got {input.shape[-1]}")
        output = self._resize("output", (*input.shape[:-1], len(self.weight)))
        np.matmul(input, self.weight.T, out=output)
        if self.bias is not None:
            output += self.bias
        return output

    def updateGradInput(self, input, gradOutput):
        if self.gradInput is None:
            return None
        return np.matmul(gradOutput, self.weight, out=self._resize("gradInput", input.shape))

    def accGradParameters(self, input, gradOutput, scale=1.0):
        rows, gradRows = np.atleast_2d(input), np.atleast_2d(gradOutput)
        self.gradWeight += scale * gradRows.T @ rows
        if self.bias is not None:
            self.gradBias += scale * gradRows.sum(0)

    def __repr__(self):
        return f"nn.Linear({self.weight.shape[1]} -> {len(self.weight)})"


class Tanh(Module):
    _typename = "nn.Tanh"

    def updateOutput(self, input):
        return np.tanh(input, out=self._resize("output", input.shape))

    def updateGradInput(self, input, gradOutput):
        gradInput = self._resize("gradInput", input.shape)
        gradInput[...] = gradOutput * (1 - self.output**2)
        return gradInput


class MSECriterion(Criterion):
    _typename = "nn.MSECriterion"
    sizeAverage = True

    def updateOutput(self, input, target):
        self.output = float(((input - target) ** 2).mean())
        return self.output

    def updateGradInput(self, input, target):
        gradInput = self._resize("gradInput", input.shape)
        gradInput[...] = 2 / input.size * (input - target)
        return gradInput


def batch(*shape, seed=3):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def mlp():
    return Sequential().add(Linear(4, 3)).add(Tanh()).add(Linear(3, 2))


def tied():
    """Two layers that share the weight, each with a bias of its own."""
    first, second = Linear(3, 3), Linear(3, 3)
    second.share(first, "weight", "gradWeight")
    return Sequential().add(first).add(second)


def weights(net):
    return [module.weight for module in net.modules if module.weight is not None]


@contextmanager
def fails(error, text):
    """The block raises this error with exactly this text."""
    with pytest.raises(error) as caught:
        yield
    assert str(caught.value) == text


class Factory:
    """Makes these layers, and the real ones that are plain NumPy, from .t7 files."""

    def __init__(self, *classes):
        self.classes = {cls._typename: cls for cls in (Linear, Tanh, MSECriterion, *classes)}

    def create(self, typename, version):
        cls = self.classes.get(typename)
        return cls and cls.__new__(cls)

    def fill(self, instance, record, path):
        instance._fromTorch7(record.fields, record.version)
