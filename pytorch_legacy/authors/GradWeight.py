"""A factor for the gradient."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class GradWeight(Module):
    """Passes the input on, and multiplies the gradient by a number::

        output    = input
        gradInput = constant_scalar * gradOutput

    Parameters
    ----------
    constant_scalar : float
        The number.

    Notes
    -----
    Shapes: any. The output is a copy. Source: waifu2x ``GradWeight``.

    Examples
    --------
    >>> layer, x = authors.GradWeight(0.5), np.float32([1, 2])
    >>> layer.forward(x), layer.backward(x, np.float32([1, 1]))
    (array([1., 2.], dtype=float32), array([0.5, 0.5], dtype=float32))
    """

    _typename = "w2nn.GradWeight"
    _file = Form(kinds={"constant_scalar": "a number"})

    def __init__(self, constant_scalar: float) -> None:
        super().__init__()
        self.constant_scalar = constant_scalar

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape, mustNotOverlap=input)
        return blocks.copy(output, input)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.like(self, "gradOutput", gradOutput, check.tensor(self, "input", input))
        gradInput = self._resize("gradInput", input.shape)
        return blocks.apply(np.multiply, gradOutput, self._dtype.type(self.constant_scalar), out=gradInput)
