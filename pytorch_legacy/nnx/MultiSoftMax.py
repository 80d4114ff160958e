"""A softmax of the last dimension."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import call
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class MultiSoftMax(Module):
    """Makes the elements along the last dimension positive, with sum 1.

    .. math:: y_c = \\frac{e^{x_c}}{\\sum_k e^{x_k}}

    Raises
    ------
    ShapeError
        If the input is not 2-D or 3-D.

    Notes
    -----
    Shapes: ``N x C`` or ``M x N x C``. Torch7's could not run backward with a matrix; this does. Source: nnx ``MultiSoftMax``;
    C: ``THNN/activation/SoftMax.c``.

    Examples
    --------
    >>> nnx.MultiSoftMax().forward(np.float32([[[0, 0], [2, 2]], [[5, 5], [0, 1000]]])).tolist()
    [[[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5], [0.0, 1.0]]]
    """

    _file = Form(dropped=("_input", "_output", "_gradInput", "_gradOutput"))

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input, 2, 3).shape)
        call(self, "SoftMax_updateOutput", _rows(input), _rows(output))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input, 2, 3).shape)
        check.like(self, "gradOutput", gradOutput, input)
        call(self, "SoftMax_updateGradInput", _rows(input), _rows(gradOutput), _rows(gradInput), _rows(self.output))
        return gradInput


def _rows(array: Tensor) -> Tensor:
    *leading, last = array.shape
    return array if len(leading) == 1 else array.reshape(leading[0] * leading[1], last)
