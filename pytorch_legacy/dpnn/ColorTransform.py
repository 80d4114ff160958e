"""The base class of layers that add random colours."""

from typing import ClassVar, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear, sizes


class ColorTransform(Module):
    """Adds to each plane of a picture a number of its own while training; a subclass draws the numbers."""

    _buffers: ClassVar[tuple[str, ...]] = ("noise",)
    _file = Form(dropped=("_tempNoise", "_tempNoiseExpanded", "_tempNoiseSamples", "_tempLambda", "_tempLambdaExpanded"))

    def __init__(self, inputChannels: int) -> None:
        super().__init__()
        self.inputChannels = check.count(self, "inputChannels", inputChannels)
        self.train = True
        self.noise = np.empty(0, self._dtype)

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", self._checked(input).shape)
        if not self.train:
            output[...] = input
            return output
        self.noise = self._sampleNoise(input.shape[:-3])
        return np.add(input, self.noise.reshape(*input.shape[:-2], 1, 1), out=output)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, self._checked(input))
        gradInput = self._resize("gradInput", input.shape)
        gradInput[...] = gradOutput
        return gradInput

    def clearState(self) -> Self:
        clear(self, *self._buffers)
        return super().clearState()

    def _sampleNoise(self, batch: tuple[int, ...]) -> Tensor:
        """Fresh numbers, for a batch of ``batch[0]`` pictures or for one."""
        raise NotImplementedError

    def _checked(self, input: Tensor) -> Tensor:
        if check.tensor(self, "input", input, 3, 4).shape[-3] != self.inputChannels:
            raise ShapeError(f"{self._typename}: input: expected {self.inputChannels} planes, got {sizes(input.shape)}")
        return input
