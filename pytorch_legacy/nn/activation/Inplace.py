"""The base class of layers that may write their results over their arguments."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend.prepared import Bindings, InPlace
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Native import Native, Plan


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

    def _prepared(self, plan: Plan, handed: tuple[Any, ...], buffer: Any) -> Any:
        if self.inplace:
            return InPlace(Bindings.of(self).calls[plan.function], plan.read, plan.fields[0])
        prepared = super()._prepared(plan, handed, buffer)
        if prepared is not None and "inplace" not in plan.fields:  # C would not refuse another buffer once the flag is on
            prepared.asPass(lambda module: (None,) if module.inplace else plan.read(module), buffer)
        return prepared

    def _makeOutput(self, input: Tensor) -> None:
        self._outputFor(input)

    def _makeGradInput(self, input: Tensor, gradOutput: Tensor) -> None:
        self._gradInputFor(input, gradOutput)
