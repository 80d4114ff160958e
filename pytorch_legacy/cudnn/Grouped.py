"""Convolutions whose planes fall into groups."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.convolution.Convolution import Convolution


class Grouped(Layer, Convolution):
    """Base of convolutions in which an output plane sees the input planes of its own group only.

    Each group is a convolution of its own, by the same C functions, over its part of the planes, filters and biases. Where a
    group is one input plane, they are one SpatialDepthWiseConvolution.

    Attributes
    ----------
    groups : int
        Number of groups; it divides nInputPlane and nOutputPlane.
    fmode, bdmode, bwmode
        Names of cuDNN's algorithms, which mean nothing here.
    """

    _file = Form(kinds={"groups": "a whole number"})

    _file = Form(kinds={"groups": "a whole number from 1 on"})
    groups = 1  # the field is younger than some files, and not all classes have it

    def fastest(self, mode: bool = True) -> Any:
        """Asks cuDNN for its fastest algorithms; means nothing here. Returns self."""
        return self

    def setMode(self, fmode: str | None = None, bdmode: str | None = None, bwmode: str | None = None) -> Any:
        """Notes the names of cuDNN's algorithms, which mean nothing here, and returns self."""
        for name, mode in (("fmode", fmode), ("bdmode", bdmode), ("bwmode", bwmode)):
            if mode is not None:
                setattr(self, name, mode)
        return self

    def resetMode(self) -> Any:
        """Forgets the names of cuDNN's algorithms, and returns self."""
        for name in ("fmode", "bdmode", "bwmode"):
            self.__dict__.pop(name, None)
        return self

    def updateOutput(self, input: Any) -> Any:
        if self.groups == 1:
            return super().updateOutput(input)
        if self._isDepthWise():
            weight, bias = self._byPlane(self.weight), self._byPlane(self.bias)
            shape = self._size("SpatialDepthWiseConvolution_outputSize", self._checkedInput(input), weight)
            output = self._resize("output", shape)
            self._call("SpatialDepthWiseConvolution_updateOutput", input, output, weight, bias)
            return output
        inputs = self._inputGroups(input)
        weights = self._split(self.weight, 0)
        *batch, planes, height, width = self._size("outputSize", inputs[0], weights[0])
        output = self._resize("output", (*batch, planes * self.groups, height, width))
        for x, y, weight, bias in zip(inputs, self._split(output, -3), weights, self._split(self.bias, 0), strict=True):
            self._call("updateOutput", x, y, weight, bias)
        return output

    def updateGradInput(self, input: Any, gradOutput: Tensor) -> Any:
        if self.groups == 1 or self.gradInput is None:
            return super().updateGradInput(input, gradOutput)
        if self._isDepthWise():
            gradInput = self._resize("gradInput", self._checkedInput(input).shape)
            self._call("SpatialDepthWiseConvolution_updateGradInput", input, gradOutput, gradInput, self._byPlane(self.weight))
            return gradInput
        inputs, gradOutputs = self._inputGroups(input), self._outputGroups(gradOutput)
        gradInput = self._resize("gradInput", input.shape)
        for x, dy, dx, weight in zip(inputs, gradOutputs, self._split(gradInput, -3), self._split(self.weight, 0), strict=True):
            self._call("updateGradInput", x, dy, dx, weight)
        return gradInput

    def accGradParameters(self, input: Any, gradOutput: Tensor, scale: float = 1.0) -> None:
        if self.groups == 1:
            return super().accGradParameters(input, gradOutput, scale)
        if self._isDepthWise():
            name = "SpatialDepthWiseConvolution_accGradParameters"
            byPlane = self._byPlane(self.gradWeight), self._byPlane(self.gradBias)
            self._call(name, self._checkedInput(input), gradOutput, *byPlane, scale=scale)
            return None
        parts = self._inputGroups(input), self._outputGroups(gradOutput)
        gradients = self._split(self.gradWeight, 0), self._split(self.gradBias, 0)
        for x, dy, gradWeight, gradBias in zip(*parts, *gradients, strict=True):
            self._call("accGradParameters", x, dy, gradWeight, gradBias, scale=scale)
        return None

    def _setGroups(self, groups: int, nInputPlane: int, nOutputPlane: int) -> None:
        """Notes the number of groups, before there are any parameters."""
        self.groups = check.count(self, "groups", groups)
        self._checkGroups(nInputPlane, nOutputPlane)

    def _checkGroups(self, nInputPlane: int, nOutputPlane: int) -> None:
        check.count(self, "groups", self.groups)
        for name, planes in (("nInputPlane", nInputPlane), ("nOutputPlane", nOutputPlane)):
            if planes % self.groups:
                raise ValueRangeError(f"{self._typename}: {name}: expected a multiple of the {self.groups} groups, got {planes}")

    def _split(self, array: Tensor | None, axis: int) -> list[Any]:
        """The groups' parts of an array along the dimension of its planes."""
        return [None] * self.groups if array is None else np.split(array, self.groups, axis)

    def _isDepthWise(self) -> bool:
        return self.groups == self.nInputPlane and not self._isTransposed and self.nOutputPlane % self.groups == 0

    def _byPlane(self, array: Tensor | None) -> Tensor | None:
        """Filters or biases of groups of one input plane, in the order of SpatialDepthWiseConvolution: first outputs first."""
        if array is None:
            return None
        return array.reshape(self.groups, -1, *array.shape[2:]).swapaxes(0, 1)  # a view, whatever the strides

    def _checkedInput(self, input: Any) -> Any:
        self._checkGroups(self.nInputPlane, self.nOutputPlane)  # a file may say anything
        *batch, planes, height, width = check.tensor(self, "input", input, 3, 4).shape
        if planes != self.nInputPlane:
            check.shape(self, "input", input, (*batch, self.nInputPlane, height, width))
        return input

    def _inputGroups(self, input: Any) -> list[Tensor]:
        return self._split(self._checkedInput(input), -3)

    def _outputGroups(self, gradOutput: Tensor) -> list[Tensor]:
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self.output.shape)
        return self._split(gradOutput, -3)
