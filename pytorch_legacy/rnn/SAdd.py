"""A number added."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class SAdd(Module):
    """Adds a number, and changes the sign if asked to::

        output = input + addend   or   -(input + addend)

    Parameters
    ----------
    addend : float
    negate : bool

    Notes
    -----
    Any shape. Source: Element-Research rnn ``SAdd``.

    Examples
    --------
    >>> rnn.SAdd(-1, True).forward(np.float32([0.25, 0.5]))  # 1 - x
    array([0.75, 0.5 ], dtype=float32)
    """

    _file = Form(defaults={"negate": False}, kinds={"addend": "a number"})

    def __init__(self, addend: float, negate: bool = False) -> None:
        super().__init__()
        self.addend = addend
        self.negate = negate

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        np.add(input, self.addend, out=output)
        if self.negate:
            np.negative(output, out=output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        gradInput = self._resize("gradInput", gradOutput.shape)
        np.multiply(gradOutput, -1 if self.negate else 1, out=gradInput)
        return gradInput
