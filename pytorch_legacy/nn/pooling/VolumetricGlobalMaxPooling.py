"""Maxima of whole volumes."""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.pooling.Indexed import Indexed
from pytorch_legacy.storage import Tensor


class VolumetricGlobalMaxPooling(Indexed):
    """Maximum of each volume, whatever its size.

    .. math:: y = \\max_i x_i

    The gradient goes to the cell that the maximum came from: the first of equal ones, and the first NaN before every
    number.

    Attributes
    ----------
    indices : int64 array, as output
        Where each maximum was: (t * H + row) * W + column within its volume.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 4-D or 5-D, or its volumes have no cells.

    Notes
    -----
    Shapes: ``(N x) C x T x H x W`` to ``(N x) C x 1 x 1 x 1``.
    Source: C: ``THNN/pooling/VolumetricGlobalMaxPooling.c``.

    Examples
    --------
    >>> pool, x = nn.VolumetricGlobalMaxPooling(), np.float32([[[[1, 5], [3, 2]], [[4, 0], [6, 8]]]])
    >>> pool.forward(x).tolist()
    [[[[8.0]]]]
    >>> pool.indices.item()  # time 1, row 1, column 1
    7
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        shape = output_size(self, "VolumetricGlobalMaxPooling_outputSize", check.tensor(self, "input", input))
        output, indices = self._resizeWithIndices(shape)
        call(self, "VolumetricGlobalMaxPooling_updateOutput", input, output, indices)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "VolumetricGlobalMaxPooling_updateGradInput", input, gradOutput, gradInput, self.indices)
        return gradInput
