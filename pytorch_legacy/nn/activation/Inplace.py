"""The base class of layers that may write their results over their arguments."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native


class Inplace(Native):
    """Base of layers with a flag ``inplace``: output then takes the place of the input, gradInput of gradOutput.

    An array that is read-only, as the output of nn.Replicate is, is left as it is: the layer works on a copy.
    """

    inplace = False  # the field is younger than many files

    _file = Form(defaults={"inplace": False})

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def _outputFor(self, input: Tensor) -> Tensor:
        """The array that ``updateOutput`` writes."""
        check.tensor(self, "input", input)
        return self._bufferFor("output", input)

    def _gradInputFor(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        """The array that ``updateGradInput`` writes."""
        given = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        return self._bufferFor("gradInput", given, mustNotOverlap=[input, given])

    def _pass(self, name: str, *handed: Tensor) -> Any:
        if self.inplace:  # C wants the array that it writes over, which is a copy where the other one is read-only
            handed = (*handed[:-1], self.output if name == "updateOutput" else self.gradInput)
        return super()._pass(name, *handed)

    def _makeOutput(self, input: Tensor) -> None:
        self._outputFor(input)

    def _makeGradInput(self, input: Tensor, gradOutput: Tensor) -> None:
        self._gradInputFor(input, gradOutput)
