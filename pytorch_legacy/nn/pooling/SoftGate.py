"""The logits of local importance pooling, kept within bounds."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class SoftGate(Native):
    """The logistic function, stretched.

    .. math:: y = \\frac{c}{1 + e^{-x}}, \\qquad \\frac{\\partial y}{\\partial x} = y \\left(1 - \\frac{y}{c}\\right)

    Parameters
    ----------
    coefficient : float
        Above every output; the factor c of the formula.

    Raises
    ------
    DtypeError, ShapeError
        If an array is of another type than the module, or gradOutput of another shape than the output.

    Notes
    -----
    Shapes: any; the output has that of the input.
    Torch7 has no such layer. Source: as SpatialLocalImportancePooling.

    Examples
    --------
    >>> nn.SoftGate().forward(np.float32([0, np.log(3), 100])).round(4)  # half of 12, three quarters, all of it
    array([ 6.,  9., 12.], dtype=float32)
    """

    _layer = "Sigmoid"
    _file = Form(defaults={"coefficient": 12.0})

    def __init__(self, coefficient: float = 12.0) -> None:
        super().__init__()
        self.coefficient = coefficient

    def updateOutput(self, input: Tensor) -> Tensor:
        output: Tensor = super().updateOutput(input)
        output *= self.coefficient
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.shape(self, "input", check.tensor(self, "input", input), self.output.shape)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), input.shape)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        np.multiply(self.output, -1 / self.coefficient, out=gradInput)
        gradInput += 1
        gradInput *= self.output
        gradInput *= gradOutput
        return gradInput
