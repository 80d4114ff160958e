"""Means over adaptive windows."""

from pytorch_legacy.backend import call, output_size
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.storage import Tensor


class SpatialAdaptiveAveragePooling(Module):
    """Mean over windows that share each plane as evenly as they can, so that the output has the size you ask for.

    .. math:: y_o = \\frac{1}{|R_o|} \\sum_{i \\in R_o} x_i, \\qquad
              R_o = [\\lfloor o I / O \\rfloor, \\lceil (o + 1) I / O \\rceil)

    along height and along width, for an input of I and an output of O cells. Windows overlap where O does not divide I;
    O may exceed I.

    Parameters
    ----------
    W, H : int or None
        Width and height of the output; None keeps the input's.

    Notes
    -----
    Shapes: ``(N x) C x H_in x W_in`` to ``(N x) C x H x W``.
    Bounds are exact integers; Torch7 computed them in floating point.
    A rank or size that does not fit raises ShapeError or ValueRangeError, another element type DtypeError.
    Source: Torch7 ``nn.SpatialAdaptiveAveragePooling``; C: ``THNN/pooling/SpatialAdaptiveAveragePooling.c``.
    """

    def __init__(self, W: int | None, H: int | None) -> None:
        super().__init__()
        self.W = W
        self.H = H

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", self._outputSize(input))
        call(self, "SpatialAdaptiveAveragePooling_updateOutput", input, output, output.shape[-1], output.shape[-2])
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), self._outputSize(input))
        gradInput = self._resize("gradInput", input.shape)
        call(self, "SpatialAdaptiveAveragePooling_updateGradInput", input, gradOutput, gradInput)
        return gradInput

    def _outputSize(self, input: Tensor) -> tuple[int, ...]:
        height, width = (0, 0, *check.tensor(self, "input", input).shape)[-2:]  # C says so if there are too few
        size = (width if self.W is None else self.W, height if self.H is None else self.H)
        return output_size(self, "SpatialAdaptiveAveragePooling_outputSize", input, *size)
