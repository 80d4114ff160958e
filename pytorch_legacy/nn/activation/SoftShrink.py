"""Elements moved towards 0."""

from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.activation.Shrink import Shrink
from pytorch_legacy.storage import Tensor


class SoftShrink(Shrink):
    """Moves each element towards 0, where it stops.

    .. math:: y = \\operatorname{sign}(x) \\max(|x| - \\lambda, 0)

    The gradient passes where the output is not 0.

    Parameters
    ----------
    lambda_ : float
        How far.

    Notes
    -----
    Shapes: any; the output has that of the input. NaN stays NaN; in Torch7 it became 0.
    Source: Torch7 ``nn.SoftShrink``; C: ``THNN/activation/SoftShrink.c``.

    Examples
    --------
    >>> nn.SoftShrink(2).forward(np.float32([-3, -1, 2, 5]))
    array([-1.,  0.,  0.,  3.], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        call(self, "SoftShrink_updateOutput", input, output, self.lambda_)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input).shape)
        call(self, "SoftShrink_updateGradInput", input, gradOutput, gradInput, self.lambda_)
        return gradInput
