"""Means of whole volumes."""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class VolumetricGlobalAveragePooling(Module):
    """Mean of each volume, whatever its size.

    .. math:: y = \\frac{1}{T H W} \\sum_i x_i, \\qquad \\frac{\\partial y}{\\partial x_i} = \\frac{1}{T H W}

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, or its volumes have no cells.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x 1 x 1 x 1``.
    Source: Lin, Chen, Yan, "Network in network" (2014); C: ``THNN/pooling/VolumetricGlobalAveragePooling.c``.

    Examples
    --------
    >>> x = np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2)
    >>> nn.VolumetricGlobalAveragePooling().forward(x).ravel()
    array([ 3.5, 11.5], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = output_size(self, "VolumetricGlobalAveragePooling_outputSize", check.tensor(self, "input", input))
        output = self._resize("output", shape)
        call(self, "VolumetricGlobalAveragePooling_updateOutput", input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "VolumetricGlobalAveragePooling_updateGradInput", input, gradOutput, gradInput)
        return gradInput
