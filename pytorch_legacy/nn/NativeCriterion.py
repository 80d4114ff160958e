"""The base of criterions whose loss and gradient are functions of libTHNN."""

from typing import Any, ClassVar

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Native import Caller


class NativeCriterion(Caller, Criterion):
    """A criterion whose loss and gradient are functions of libTHNN.

    A subclass names its functions (``_layer``) and has the fields that they want. The functions get the input and the target,
    as ``_goal`` has it; the loss is written to ``output_tensor``.

    Attributes
    ----------
    _scalars : tuple of str
        Buffers of one number.
    """

    _names = {"output": "output_tensor"}
    _scalars: ClassVar[tuple[str, ...]] = ("output_tensor",)
    output_tensor: Tensor

    def updateOutput(self, input: Any, target: Any) -> float:
        found = self._pass("updateOutput", input, self._goal(target))[0]
        self.output = compute.number(found)
        return self.output

    def updateGradInput(self, input: Any, target: Any) -> Any:
        return self._pass("updateGradInput", input, self._goal(target))

    def _pass(self, name: str, *handed: Any) -> Any:
        """Calls the function of a pass and returns what it wrote.

        A pass prepares the next one, as in `Native`.
        """
        try:
            found = self.__dict__["_bindings"].passes[name].repeat(self, handed)
            if found is not None:
                return found
        except Exception:
            pass
        for buffer in self._scalars:
            self._resize(buffer, (1,))
        if name == "updateGradInput":
            self._resize("gradInput", check.tensor(self, "input", handed[0]).shape, mustNotOverlap=[*handed])
        return super()._pass(name, *handed)

    def _goal(self, target: Any) -> Any:
        """The target as the functions take it."""
        return target
