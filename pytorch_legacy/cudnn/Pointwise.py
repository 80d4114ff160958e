"""Activations that may write their results over what they are computed from."""

from typing import ClassVar

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import call
from pytorch_legacy.cudnn.Layer import Layer
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.activation.Inplace import Inplace


class Pointwise(Layer, Inplace):
    """Base of activations whose gradient follows from their output; the C functions have the name `_function`.

    Attributes
    ----------
    mode : str
        cuDNN's name of the function.
    """

    _function: ClassVar[str]
    mode: str

    _file = Form(kinds={"mode": "text"})

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._outputFor(check.tensor(self, "input", input))
        call(self, f"{self._function}_updateOutput", input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradInput = self._gradInputFor(input, gradOutput)
        call(self, f"{self._function}_updateGradInput", input, gradOutput, gradInput, self.output)
        return gradInput
