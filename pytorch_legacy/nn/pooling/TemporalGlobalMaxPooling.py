"""Maxima of whole sequences."""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.pooling.Indexed import Indexed
from pytorch_legacy.storage import Tensor


class TemporalGlobalMaxPooling(Indexed):
    """Maximum of each sequence, whatever its size.

    .. math:: y = \\max_i x_i

    The gradient goes to the cell that the maximum came from: the first of equal ones, and the first NaN before every
    number.

    Attributes
    ----------
    indices : int64 array, as output
        Where each maximum was: its place in the sequence.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, or its sequences have no cells.

    Notes
    -----
    Shapes: ``(N x) C x L`` to ``(N x) C x 1``.
    Source: C: ``THNN/pooling/TemporalGlobalMaxPooling.c``.
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = output_size(self, "TemporalGlobalMaxPooling_outputSize", check.tensor(self, "input", input))
        output, indices = self._resizeWithIndices(shape)
        call(self, "TemporalGlobalMaxPooling_updateOutput", input, output, indices)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "TemporalGlobalMaxPooling_updateGradInput", input, gradOutput, gradInput, self.indices)
        return gradInput
