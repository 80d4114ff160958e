"""Convolutions whose planes fall into groups."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.convolution.Convolution import Convolution


class Grouped(Layer, Convolution):
    """Base of convolutions in which an output plane sees the input planes of its own group only.

    Each group is a convolution of its own, over its part of the planes, filters and biases: SpatialGroupedConvolution in C. Where
    a group is one input plane, they are one SpatialDepthWiseConvolution.

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
        output = self._resize("output", self._outputShape(input), mustNotOverlap=input)
        if self._isDepthWise():
            weight, bias = self._byPlane(self.weight), self._byPlane(self.bias)
            self._call("SpatialDepthWiseConvolution_updateOutput", input, output, weight, bias)
        else:
            self._call("SpatialGroupedConvolution_updateOutput", input, output, self.weight, self.bias, **self._kind())
        return output

    def updateGradInput(self, input: Any, gradOutput: Tensor) -> Any:
        if self.groups == 1 or self.gradInput is None:
            return super().updateGradInput(input, gradOutput)
        gradInput = self._resize("gradInput", self._checkedInput(input).shape, mustNotOverlap=[input, gradOutput])
        if self._isDepthWise():
            self._call("SpatialDepthWiseConvolution_updateGradInput", input, gradOutput, gradInput, self._byPlane(self.weight))
        else:
            name = "SpatialGroupedConvolution_updateGradInput"
            self._call(name, input, gradOutput, gradInput, self.weight, **self._kind())
        return gradInput

    def accGradParameters(self, input: Any, gradOutput: Tensor, scale: float = 1.0) -> None:
        if self.groups == 1:
            return super().accGradParameters(input, gradOutput, scale)
        self._checkedInput(input)
        if self._isDepthWise():
            name = "SpatialDepthWiseConvolution_accGradParameters"
            self._call(name, input, gradOutput, self._byPlane(self.gradWeight), self._byPlane(self.gradBias), scale=scale)
        else:
            name = "SpatialGroupedConvolution_accGradParameters"
            self._call(name, input, gradOutput, self.gradWeight, self.gradBias, **self._kind(), scale=scale)
        return None

    def _outputShape(self, input: Any) -> tuple[int, ...]:
        if self.groups == 1:
            return super()._outputShape(input)
        self._checkedInput(input)
        if self._isDepthWise():
            return self._size("SpatialDepthWiseConvolution_outputSize", input, self._byPlane(self.weight))
        return self._size("SpatialGroupedConvolution_outputSize", input, self.weight, **self._kind())

    def _kind(self) -> dict[str, int]:
        """Returns the arguments of the C functions besides the fields that all layers have."""
        adjusted = {name: getattr(self, name) if self._isTransposed else 0 for name in ("adjW", "adjH")}
        return {**adjusted, "full": int(self._isTransposed)}

    def _setGroups(self, groups: int, nInputPlane: int, nOutputPlane: int) -> None:
        """Notes the number of groups, before there are any parameters."""
        self.groups = check.count(self, "groups", groups)
        self._checkGroups(nInputPlane, nOutputPlane)

    def _checkGroups(self, nInputPlane: int, nOutputPlane: int) -> None:
        check.count(self, "groups", self.groups)
        for name, planes in (("nInputPlane", nInputPlane), ("nOutputPlane", nOutputPlane)):
            if planes % self.groups:
                raise ValueRangeError(f"{self._typename}: {name}: expected a multiple of the {self.groups} groups, got {planes}")

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
