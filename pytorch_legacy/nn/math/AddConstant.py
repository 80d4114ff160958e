"""A constant added."""

from typing import Any

import numpy as np

from pytorch_legacy.arguments import as_kind
from pytorch_legacy.arrays import Tensor, is_tensor, is_writable
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described


class AddConstant(Module):
    """Adds a number, or a vector along the last dimension::

        output    = input + constant_scalar
        gradInput = gradOutput

    Parameters
    ----------
    constant_scalar : float or array
        The number, or a vector as long as the last dimension of the input.
    inplace : bool
        Write into the input, and take the constant off again in the backward pass, for the layer before. gradInput is
        then gradOutput itself.

    Notes
    -----
    Any shape. Source: Torch7 nn.AddConstant.

    Examples
    --------
    >>> nn.AddConstant(10).forward(np.float32([1, 2, 3]))
    array([11., 12., 13.], dtype=float32)
    >>> nn.AddConstant(np.float32([10, 20])).forward(np.float32([[1, 2], [3, 4]]))
    array([[11., 22.],
           [13., 24.]], dtype=float32)
    """

    inplace = False

    _file = Form(defaults={"inplace": False}, kinds={"constant_scalar": "a number or a tensor"})

    def __init__(self, constant_scalar: Any, inplace: bool = False) -> None:
        super().__init__()
        constant = self._constant("constant_scalar", constant_scalar)
        self.constant_scalar = constant if constant.ndim else as_kind(self, "constant_scalar", constant_scalar, float)
        self.inplace = inplace

    def updateOutput(self, input: Tensor) -> Tensor:
        constant = self._term(check.tensor(self, "input", input))
        target = self._bufferFor("output", input)
        self.output = blocks.apply(np.add, input, constant, out=target)
        return self.output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        if self.inplace:
            if is_writable(input):
                blocks.apply(np.subtract, input, self._term(input), out=input)
            self.gradInput = gradOutput
        else:
            blocks.copy(self._resize("gradInput", input.shape), gradOutput)
        return self.gradInput

    def _term(self, input: Tensor) -> Any:
        """The number, or the vector if it fits to the input."""
        constant = self.constant_scalar
        if isinstance(constant, np.ndarray) or is_tensor(constant):
            check.tensor(self, "constant_scalar", constant)
            if constant.ndim != 1 or constant.shape != input.shape[-1:]:
                raise ShapeError(
                    f"{self._typename}: constant_scalar: expected a number or a vector as long as the last dimension of "
                    f"{described(input)}, got {described(constant)}"
                )
            return constant
        return self._dtype.type(constant)
