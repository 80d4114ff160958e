"""Means of whole planes."""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class SpatialGlobalAveragePooling(Module):
    """Mean of each plane, whatever its size.

    .. math:: y = \\frac{1}{H W} \\sum_i x_i, \\qquad \\frac{\\partial y}{\\partial x_i} = \\frac{1}{H W}

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 3-D or 4-D, or its planes have no cells.

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x 1 x 1``.
    Source: Lin, Chen, Yan, "Network in network" (2014); C: ``THNN/pooling/SpatialGlobalAveragePooling.c``.

    Examples
    --------
    >>> nn.SpatialGlobalAveragePooling().forward(np.arange(12, dtype=np.float32).reshape(2, 2, 3)).tolist()
    [[[2.5]], [[8.5]]]
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = output_size(self, "SpatialGlobalAveragePooling_outputSize", check.tensor(self, "input", input))
        output = self._resize("output", shape)
        call(self, "SpatialGlobalAveragePooling_updateOutput", input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "SpatialGlobalAveragePooling_updateGradInput", input, gradOutput, gradInput)
        return gradInput
