"""The Gram matrix of an image's channels."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class GramMatrix(Module):
    """The inner products of all pairs of planes.

    .. math:: y_{c,d} = \\sum_{h,w} x_{c,h,w} x_{d,h,w}

    Notes
    -----
    Shapes: ``(N x) C x H x W`` to ``(N x) C x C``. The original takes single samples.
    Source: neural-style ``GramMatrix``.

    Examples
    --------
    >>> authors.GramMatrix().forward(np.float32([[[1, 2]], [[3, 4]]]))  # 1 * 1 + 2 * 2, 1 * 3 + 2 * 4, ...
    array([[ 5., 11.],
           [11., 25.]], dtype=float32)
    """

    def updateOutput(self, input: Tensor) -> Tensor:
        flat = self._flat(input)
        output = self._resize("output", (*flat.shape[:-1], flat.shape[-2]))
        compute.matmul(flat, flat.swapaxes(-1, -2), out=output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        flat = self._flat(input)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), (*flat.shape[:-1], flat.shape[-2]))
        gradInput = self._resize("gradInput", input.shape)
        compute.matmul(gradOutput + gradOutput.swapaxes(-1, -2), flat, out=gradInput.reshape(flat.shape))
        return gradInput

    def _flat(self, input: Tensor) -> Tensor:
        """The planes as rows."""
        *front, height, width = check.tensor(self, "input", input, 3, 4).shape
        return input.reshape(*front, height * width)
