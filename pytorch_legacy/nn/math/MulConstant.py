"""A constant factor."""

import numpy as np

from pytorch_legacy.arrays import Tensor, is_writable
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module


class MulConstant(Module):
    """Multiplies its input by a number::

        output    = input * constant_scalar
        gradInput = gradOutput * constant_scalar

    Parameters
    ----------
    constant_scalar : float
        The factor.
    inplace : bool
        Write into the input and the gradOutput. The backward pass divides the input by the factor again (unless that
        is 0), for the layer before.

    Notes
    -----
    Any shape. Source: Torch7 nn.MulConstant.

    Examples
    --------
    >>> layer, x = nn.MulConstant(10), np.float32([1, 2, 3])
    >>> layer.forward(x)
    array([10., 20., 30.], dtype=float32)
    >>> layer.backward(x, np.float32([1, 1, 1]))
    array([10., 10., 10.], dtype=float32)
    """

    inplace = False

    _file = Form(defaults={"inplace": False}, kinds={"constant_scalar": "a number"})

    def __init__(self, constant_scalar: float, inplace: bool = False) -> None:
        super().__init__()
        self.constant_scalar = constant_scalar
        self.inplace = inplace

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input)
        target = self._bufferFor("output", input)
        self.output = blocks.apply(np.multiply, input, self._dtype.type(self.constant_scalar), out=target)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        factor = self._dtype.type(self.constant_scalar)
        target = self._bufferFor("gradInput", gradOutput)
        if self.inplace and factor != 0 and is_writable(input):
            blocks.apply(np.divide, input, factor, out=input)
        self.gradInput = blocks.apply(np.multiply, gradOutput, factor, out=target)
        return self.gradInput
