"""Softmax over the channels of each place, or over a whole sample."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native

INSTANCE, CHANNEL = "CUDNN_SOFTMAX_MODE_INSTANCE", "CUDNN_SOFTMAX_MODE_CHANNEL"
ACCURATE, FAST, LOG = "CUDNN_SOFTMAX_ACCURATE", "CUDNN_SOFTMAX_FAST", "CUDNN_SOFTMAX_LOG"


class Channels(Layer, Native):
    """Base of the softmax layers.

    Attributes
    ----------
    mode : str
        What sums to 1: the channels of each place (``CUDNN_SOFTMAX_MODE_CHANNEL``), or all cells of a sample
        (``CUDNN_SOFTMAX_MODE_INSTANCE``).
    algorithm : str
        cuDNN's name of the function.
    """

    _ranks = 1, 2, 3, 4
    mode = CHANNEL  # files of converted networks lack both
    algorithm = ACCURATE

    _file = Form(kinds={"mode": "text"})

    def __init__(self, fast: bool = False) -> None:
        super().__init__()
        self.algorithm = LOG if self._layer == "LogSoftMax" else FAST if fast else ACCURATE
        self.mode = type(self).mode

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", self._shape(input))
        self._call("updateOutput", self._arranged(input), self._arranged(output))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", self._shape(input))
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), gradInput.shape)
        self._call("updateGradInput", *map(self._arranged, (input, gradOutput, gradInput, self.output)))
        return gradInput

    def _shape(self, input: Tensor) -> tuple[int, ...]:
        return check.tensor(self, "input", input, *self._ranks).shape

    def _arranged(self, array: Tensor) -> Tensor:
        """The same elements with the dimensions that the C functions take."""
        sample = self._ranks[-2]  # dimensions of a sample with places
        if array.ndim < sample:
            return array
        batch = array.shape[: array.ndim - sample]
        if self.mode == INSTANCE:
            return array.reshape(*batch, -1 if array.size else 0)
        if self.mode != CHANNEL:
            raise ValueRangeError(f"{self._typename}: mode: expected {INSTANCE!r} or {CHANNEL!r}, got {self.mode!r}")
        if sample == 3:
            return array
        channels, time, height, width = array.shape[-4:]
        return array.reshape(*batch, channels, time * height, width)
