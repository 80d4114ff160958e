"""Powers."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class Power(Module):
    """Each element to a constant power::

        output    = input ** p
        gradInput = gradOutput * p * input ** (p - 1)

    Parameters
    ----------
    p : float
        The exponent, field ``pow``.

    Notes
    -----
    Any shape. Negative elements have only whole powers, others are NaN; negative powers of 0 are infinite. NumPy's warnings
    are kept back. Source: Torch7 nn.Power.

    Examples
    --------
    >>> nn.Power(3).forward(np.float32([-2, 1, 3]))
    array([-8.,  1., 27.], dtype=float32)
    >>> nn.Power(-1).forward(np.float32([-2, 1, 4]))
    array([-0.5 ,  1.  ,  0.25], dtype=float32)
    """

    _file = Form(kinds={"pow": "a number"})

    def __init__(self, p: float) -> None:
        super().__init__()
        self.pow = p

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        return blocks.elements(self._raised, output, input, self.pow)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        shape = check.tensor(self, "input", input).shape
        gradOutput = check.gradient(self, gradOutput, input)
        gradInput = self._resize("gradInput", shape, mustNotOverlap=gradOutput)
        return blocks.elements(self._slopes, gradInput, input, gradOutput, self.pow)

    @staticmethod
    def _raised(result: Tensor, input: Tensor, p: float) -> None:
        result[...] = input  # NumPy's digits would depend on the strides
        with np.errstate(all="ignore"):
            compute.power(result, p, out=result)

    @classmethod
    def _slopes(cls, gradInput: Tensor, input: Tensor, gradOutput: Tensor, p: float) -> None:
        cls._raised(gradInput, input, p - 1)
        with np.errstate(all="ignore"):
            gradInput *= gradOutput
            gradInput *= p
