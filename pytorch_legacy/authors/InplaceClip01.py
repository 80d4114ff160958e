"""Elements limited to the range from 0 to 1, in place."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class InplaceClip01(Module):
    """Limits each element of the input itself to the range from 0 to 1; the gradient passes everywhere.

    Notes
    -----
    Shapes: any; output and input are one array, and gradInput and gradOutput.
    Source: waifu2x ``InplaceClip01``.

    Examples
    --------
    >>> x = np.float32([-1, 0.5, 3])
    >>> authors.InplaceClip01().forward(x) is x
    True
    >>> x
    array([0. , 0.5, 1. ], dtype=float32)
    """

    _typename = "w2nn.InplaceClip01"

    def updateOutput(self, input: Tensor) -> Tensor:
        self.output = check.writable(self, "output", check.tensor(self, "input", input))
        return compute.clip(input, 0, 1, out=self.output)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        self.gradInput = gradOutput
        return gradOutput
