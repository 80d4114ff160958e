"""A softmax of the last dimension."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class MultiSoftMax(Native):
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

    _layer = "SoftMax"
    _file = Form(dropped=("_input", "_output", "_gradInput", "_gradOutput"))

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input, 2, 3).shape)
        self._call("updateOutput", _rows(input), _rows(output))
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._resize("gradInput", check.tensor(self, "input", input, 2, 3).shape)
        check.like(self, "gradOutput", gradOutput, input)
        self._call("updateGradInput", *map(_rows, (input, gradOutput, gradInput, self.output)))
        return gradInput


def _rows(array: Tensor) -> Tensor:
    *leading, last = array.shape
    return array if len(leading) == 1 else array.reshape(leading[0] * leading[1], last)
