"""The base of criterions whose loss and gradient are functions of libTHNN."""

from typing import Any, ClassVar

from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.backend import call
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Native import Caller, _plan


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

    def updateOutput(self, input: Any, target: Any) -> Any:
        found = self._pass("updateOutput", input, self._goal(target))[0]
        self.output = found if isinstance(found, Recorded) else float(found)
        return self.output

    def updateGradInput(self, input: Any, target: Any) -> Any:
        return self._pass("updateGradInput", input, self._goal(target))

    def _pass(self, name: str, input: Any, *handed: Any) -> Any:
        """Calls the function of a pass and returns what it wrote.

        A pass prepares the next one, as in `Native`.
        """
        try:
            run, read, buffer = self._bindings[name]
            arguments = read(self)
            if arguments[0] is buffer:
                run(input, *handed, *arguments)
                return buffer
        except Exception:
            pass  # the first time, or with an error: the long way says what is wrong
        for buffer in self._scalars:
            self._resize(buffer, (1,))
        if name == "updateGradInput":
            self._resize("gradInput", check.tensor(self, "input", input).shape)
        plan = _plan(type(self), name, 1 + len(handed))
        arguments = plan.read(self)
        call(self, plan.function, input, *handed, *arguments)
        self._bindings[name] = self._bindings[plan.function], plan.read, arguments[0]
        return arguments[0]

    def _goal(self, target: Any) -> Any:
        """The target as the functions take it."""
        return target
