"""Maxima of adaptive windows."""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.pooling.AdaptivePooling import AdaptivePooling
from pytorch_legacy.nn.pooling.Indexed import Indexed
from pytorch_legacy.storage import Tensor


class TemporalAdaptiveMaxPooling(Indexed, AdaptivePooling):
    """Maximum of windows that share each sequence as evenly as they can, so that the output has the size you ask for.

    .. math:: y_o = \\max_{i \\in R_o} x_i, \\qquad
              R_o = [\\lfloor o I / O \\rfloor, \\lceil (o + 1) I / O \\rceil)

    for an input of I and an output of O cells. Windows overlap where O does not divide I;
    O may exceed I. The gradient goes to the cell that the maximum came from: the first of equal ones in row-major
    order,
    and the first NaN before every number.

    Parameters
    ----------
    W : int or None
        Length of the output; None keeps the input's.

    Attributes
    ----------
    indices : int64 array, as output
        Where each maximum was: its place in the sequence.

    Raises
    ------
    ShapeError, ValueRangeError
        If the input is not 2-D or 3-D, or a size is below 1.

    Notes
    -----
    Shapes: ``(N x) C x L`` to ``(N x) C x W``.
    Bounds are exact integers.
    The form that Torch7 lacked of its SpatialAdaptiveMaxPooling. C: ``THNN/pooling/TemporalAdaptiveMaxPooling.c``.
    """

    _axes = "W"

    def __init__(self, W: int | None) -> None:
        super().__init__(W)

    def updateOutput(self, input: Tensor) -> Tensor:
        sizes = self._sizes(input)
        shape = output_size(self, "TemporalAdaptiveMaxPooling_outputSize", input, *sizes)
        output, indices = self._resizeWithIndices(shape)
        call(self, "TemporalAdaptiveMaxPooling_updateOutput", input, output, indices, *sizes)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = output_size(self, "TemporalAdaptiveMaxPooling_outputSize", input, *self._sizes(input))
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        gradInput = self._resize("gradInput", input.shape)
        call(self, "TemporalAdaptiveMaxPooling_updateGradInput", input, gradOutput, gradInput, self.indices)
        return gradInput
