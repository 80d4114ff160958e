"""Softmax and its logarithm over the channels of each place, or over a whole sample."""

from pytorch_legacy import nn
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
        Cells that sum to 1: by default the channels of each place (``CUDNN_SOFTMAX_MODE_CHANNEL``), or all cells of a sample
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


class SoftMax(Channels, nn.SoftMax):
    """Makes all cells of a sample positive, with sum 1: channels and places together, unlike ``nn.SoftMax``.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: cudnn.torch ``SoftMax``.

    Examples
    --------
    >>> x = np.zeros((1, 2, 1, 2), np.float32)
    >>> cudnn.SoftMax().forward(x).ravel()  # two channels at two places: four cells
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    >>> nn.SoftMax().forward(x).ravel()
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """

    mode = INSTANCE


class LogSoftMax(Channels, nn.LogSoftMax):
    """The logarithm of SoftMax: channels and places together, unlike ``nn.LogSoftMax``.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: cudnn.torch ``LogSoftMax``.

    Examples
    --------
    >>> x = np.zeros((1, 2, 1, 2), np.float32)
    >>> np.exp(cudnn.LogSoftMax().forward(x)).round(4).ravel()  # two channels at two places: four cells
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    >>> np.exp(nn.LogSoftMax().forward(x)).round(4).ravel()
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """

    mode = INSTANCE


class SpatialSoftMax(Channels, nn.SpatialSoftMax):
    """``nn.SpatialSoftMax`` under cudnn's name.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: cudnn.torch ``SpatialSoftMax``.

    Examples
    --------
    >>> cudnn.SpatialSoftMax().forward(np.zeros((1, 2, 1, 2), np.float32)).ravel()  # two channels at each place
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """


class SpatialLogSoftMax(Channels, nn.SpatialLogSoftMax):
    """``nn.SpatialLogSoftMax`` under cudnn's name.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x H x W`` or ``N x C x H x W``; the output has that of the input.
    Source: cudnn.torch ``SpatialLogSoftMax``.

    Examples
    --------
    >>> np.exp(cudnn.SpatialLogSoftMax().forward(np.zeros((1, 2, 1, 2), np.float32))).round(4).ravel()
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """


class VolumetricSoftMax(Channels, nn.SoftMax):
    """Makes the channels of each place of a volume positive, with sum 1.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x T x H x W`` or ``N x C x T x H x W``; the output has that of the input.
    Source: cudnn.torch ``VolumetricSoftMax``.

    Examples
    --------
    >>> x = np.zeros((1, 2, 2, 1, 1), np.float32)  # two channels at two places
    >>> cudnn.VolumetricSoftMax().forward(x).ravel()
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """

    _ranks = 1, 2, 4, 5


class VolumetricLogSoftMax(Channels, nn.LogSoftMax):
    """The logarithm of VolumetricSoftMax.

    Notes
    -----
    Shapes: ``C``, ``N x C``, ``C x T x H x W`` or ``N x C x T x H x W``; the output has that of the input.
    Source: cudnn.torch ``VolumetricLogSoftMax``.

    Examples
    --------
    >>> np.exp(cudnn.VolumetricLogSoftMax().forward(np.zeros((1, 2, 2, 1, 1), np.float32))).round(4).ravel()
    array([0.5, 0.5, 0.5, 0.5], dtype=float32)
    """

    _ranks = 1, 2, 4, 5
