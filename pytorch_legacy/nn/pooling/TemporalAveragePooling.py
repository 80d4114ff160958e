"""Means of successive frames."""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class TemporalAveragePooling(Module):
    """Mean of successive frames, feature by feature.

    .. math:: y_{o, c} = \\frac{1}{kW} \\sum_{j < kW} x_{o \\, dW + j, c}

    Parameters
    ----------
    kW : int
        Frames of a window.
    dW : int, optional
        Distance of windows; kW if not given.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, has too few frames, or a number is below 1.

    Notes
    -----
    Shapes: ``(N x) nFrame x frameSize`` to ``(N x) oFrame x frameSize`` with
    :math:`oFrame = \\lfloor (nFrame - kW) / dW \\rfloor + 1`.
    Torch7 had no such layer; it is the mean to its TemporalMaxPooling. C: ``THNN/pooling/TemporalAveragePooling.c``.

    Examples
    --------
    >>> x = np.float32([[1, 10], [3, 30], [5, 50], [7, 70]])  # four frames of two features
    >>> nn.TemporalAveragePooling(2).forward(x)
    array([[ 2., 20.],
           [ 6., 60.]], dtype=float32)
    >>> nn.TemporalAveragePooling(2, 1).forward(x)
    array([[ 2., 20.],
           [ 4., 40.],
           [ 6., 60.]], dtype=float32)
    """

    def __init__(self, kW: int, dW: int | None = None) -> None:
        super().__init__()
        self.kW = kW
        self.dW = kW if dW is None else dW

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = output_size(self, "TemporalAveragePooling_outputSize", check.tensor(self, "input", input), self.kW, self.dW)
        output = self._resize("output", shape)
        call(self, "TemporalAveragePooling_updateOutput", input, output, self.kW, self.dW)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "TemporalAveragePooling_updateGradInput", input, gradOutput, gradInput, self.kW, self.dW)
        return gradInput
