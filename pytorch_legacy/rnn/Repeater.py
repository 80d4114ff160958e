"""One input for several steps."""

from typing import Any

from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import recursiveAdd, recursiveCopy
from pytorch_legacy.rnn.AbstractRecurrent import AbstractRecurrent
from pytorch_legacy.rnn.AbstractSequencer import AbstractSequencer
from pytorch_legacy.rnn.Recursor import recurrent
from pytorch_legacy.rnn.steps import at_step


class Repeater(AbstractSequencer):
    """Gives a module the same input at each of `rho` steps::

        output[t] = module(input)              t = 0 .. rho-1
        gradInput = the sum of the gradients of all steps

    Parameters
    ----------
    module : Module
        Recurrent, or put into an nn.Recursor.
    rho : int
        The number of steps.

    Notes
    -----
    Each call begins with a state of zero. Source: Element-Research rnn ``Repeater``.

    Examples
    --------
    >>> layer = rnn.Repeater(rnn.Recurrence(nn.CAddTable(), 1, 1), 3)  # output(t) = input + output(t-1)
    >>> [step.item() for step in layer.forward(np.float32([[5]]))]
    [5.0, 10.0, 15.0]
    """

    _file = Form(
        dropped=("rnn", "nStep"),
        properties=("module",),
        defaults={"rho": lambda fields: fields["nStep"]},
        kinds={"rho": "a whole number", "nStep": "a whole number"},
    )

    def __init__(self, module: Module, rho: int) -> None:
        super().__init__()
        self.rho = check.count(self, "rho", rho)
        self.modules.append(recurrent(module))
        self._dtype = module._dtype
        self.output = []

    @property
    def module(self) -> AbstractRecurrent:
        module = self.modules[0]
        assert isinstance(module, AbstractRecurrent)
        return module

    def updateOutput(self, input: Any) -> list[Any]:
        self.module.maxBPTTstep(self.rho)
        self.module.forget()
        self.output = []
        for t in range(self.rho):
            with at_step(t, self):
                self.output.append(self.module.updateOutput(input))
        return self.output

    def updateGradInput(self, input: Any, gradOutput: list[Any]) -> Any:
        check.like(self, "gradOutput", gradOutput, self.output)
        self._rewind()
        for t in reversed(range(self.rho)):
            with at_step(t, self):
                gradient = self.module.updateGradInput(input, gradOutput[t])
            if t == self.rho - 1:
                self.gradInput = recursiveCopy(self.gradInput, gradient)
            else:
                recursiveAdd(self.gradInput, gradient)
        return self.gradInput

    def accGradParameters(self, input: Any, gradOutput: list[Any], scale: float = 1.0) -> None:
        self._rewind()
        for t in reversed(range(self.rho)):
            with at_step(t, self):
                self.module.accGradParameters(input, gradOutput[t], scale)

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        self.modules = [recurrent(module) for module in self.modules]

    def __repr__(self) -> str:
        inner = repr(self.modules[0]).replace("\n", "\n  ")
        return "\n".join(
            [
                f"{self._typename} {{",
                "  [  input,    input,  ...,  input  ]",
                "       V         V             V     ",
                f"  {inner}",
                "       V         V             V     ",
                f"  [output(1),output(2),...,output({self.rho})]",
                "}",
            ]
        )
