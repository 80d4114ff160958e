"""Softmax over the channels of each place, or over a whole sample."""

from typing import ClassVar

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import call
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module

INSTANCE, CHANNEL = "CUDNN_SOFTMAX_MODE_INSTANCE", "CUDNN_SOFTMAX_MODE_CHANNEL"
ACCURATE, FAST, LOG = "CUDNN_SOFTMAX_ACCURATE", "CUDNN_SOFTMAX_FAST", "CUDNN_SOFTMAX_LOG"


class Channels(Layer, Module):
    """Base of the softmax layers; the C functions have the name `_function`.

    Attributes
    ----------
    mode : str
        What sums to 1: the channels of each place (``CUDNN_SOFTMAX_MODE_CHANNEL``), or all cells of a sample
        (``CUDNN_SOFTMAX_MODE_INSTANCE``).
    algorithm : str
        cuDNN's name of the function.
    """

    _function: ClassVar[str] = "SoftMax"
    _sample: ClassVar[int] = 3  # dimensions of a sample with places
    mode = CHANNEL  # files of converted networks lack both
    algorithm = ACCURATE

    _file = Form(kinds={"mode": "text"})

    def __init__(self, fast: bool = False) -> None:
        super().__init__()
        self.algorithm = LOG if self._function == "LogSoftMax" else FAST if fast else ACCURATE
        self.mode = type(self).mode

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", self._shape(input))
        call(self, f"{self._function}_updateOutput", self._arranged(input), self._arranged(output))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", self._shape(input))
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), gradInput.shape)
        arrays = [self._arranged(array) for array in (input, gradOutput, gradInput, self.output)]
        call(self, f"{self._function}_updateGradInput", *arrays)
        return gradInput

    def _shape(self, input: Tensor) -> tuple[int, ...]:
        return check.tensor(self, "input", input, 1, 2, self._sample, self._sample + 1).shape

    def _arranged(self, array: Tensor) -> Tensor:
        """The same elements with the dimensions that the C functions take."""
        if array.ndim < self._sample:
            return array
        batch = array.shape[: array.ndim - self._sample]
        if self.mode == INSTANCE:
            return array.reshape(*batch, -1 if array.size else 0)
        if self.mode != CHANNEL:
            raise ValueRangeError(f"{self._typename}: mode: expected {INSTANCE!r} or {CHANNEL!r}, got {self.mode!r}")
        if self._sample == 3:
            return array
        channels, time, height, width = array.shape[-4:]
        return array.reshape(*batch, channels, time * height, width)
