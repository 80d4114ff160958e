"""Convolution of sequences, with padding."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.cudnn.SpatialConvolution import SpatialConvolution
from pytorch_legacy.nn import check


class TemporalConvolution(SpatialConvolution):
    """``nn.TemporalConvolution`` with frames of zeros on either side.

    .. math:: y_{t,o} = b_o + \\sum_{k,f} W_{o,\\; k F + f} \\, x_{t dH + k - padH,\\; f}

    where F is the inputFrameSize: a convolution of one plane, whose height is the time.

    Parameters
    ----------
    inputFrameSize, outputFrameSize : int
        Number of features of a frame, before and after.
    kH : int
        Number of frames that a filter sees.
    dH : int
        Steps of the filters.
    padH : int
        Frames of zeros on either side.

    Attributes
    ----------
    weight, gradWeight : array of outputFrameSize x (kH * inputFrameSize)
    bias, gradBias : array of outputFrameSize

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D with frames of inputFrameSize, has too few of them, or a number is out of range.

    Notes
    -----
    Shapes: ``(N x) nInputFrame x inputFrameSize`` to ``(N x) nOutputFrame x outputFrameSize`` with
    nOutputFrame = floor((nInputFrame + 2 padH - kH) / dH) + 1.
    The fields kH, dH and padH are those that ``nn.TemporalConvolution`` calls kW and dW; kW is the inputFrameSize.
    Source: cudnn.torch ``TemporalConvolution``.

    Examples
    --------
    >>> layer = cudnn.TemporalConvolution(1, 1, 3, padH=1)
    >>> layer.weight[...], layer.bias[...] = 1, 0
    >>> layer.forward(np.float32([[1], [10], [100]])).ravel()  # sums of three frames; as many as before
    array([ 11., 111., 110.], dtype=float32)
    """

    def __init__(self, inputFrameSize: int, outputFrameSize: int, kH: int, dH: int = 1, padH: int = 0) -> None:
        self.inputFrameSize, self.outputFrameSize = inputFrameSize, outputFrameSize
        super().__init__(1, outputFrameSize, inputFrameSize, kH, 1, dH, 0, padH)

    def updateOutput(self, input: Tensor) -> Tensor:
        columns = super().updateOutput(self._plane(input))[..., 0]
        self.output = np.ascontiguousarray(columns.swapaxes(-1, -2), like=columns)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        if self.gradInput is None:
            return None
        gradInput = super().updateGradInput(self._plane(input), self._columns(gradOutput))
        self.gradInput = gradInput.reshape(input.shape)
        return self.gradInput

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        super().accGradParameters(self._plane(input), self._columns(gradOutput), scale)

    def _plane(self, input: Tensor) -> Tensor:
        """The sequences as planes."""
        *batch, frames, features = check.tensor(self, "input", input, 2, 3).shape
        check.shape(self, "input", input, (*batch, frames, self.inputFrameSize))
        return input.reshape(*batch, 1, frames, features)

    def _columns(self, gradOutput: Tensor) -> Tensor:
        """Returns the gradient of the output as planes of one column."""
        gradOutput = check.tensor(self, "gradOutput", gradOutput, 2, 3)
        return np.ascontiguousarray(gradOutput.swapaxes(-1, -2), like=gradOutput)[..., None]

    def _weightShape(self) -> tuple[int, ...]:
        return self.outputFrameSize, self._kernel()[0] * self.inputFrameSize

    def __repr__(self) -> str:
        return self._typename
