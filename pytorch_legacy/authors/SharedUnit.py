"""The base of layers that apply one unit to all entries of a table."""

from itertools import chain
from typing import Any, Self

from pytorch_legacy import random
from pytorch_legacy.errors import NullError, located
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module


class SharedUnit(Container):
    """Runs a unit for each step, by clones that share its parameters and their gradients.

    A subclass calls the unit by `_forward`, `_backward` and `_accumulate`, and names the field of the unit in its form.

    Attributes
    ----------
    maxT : int
        Number of clones that Torch7 made, so that its sequences were no longer. Here any number of steps is possible.
    """

    _file = Form(
        private=("modules", "_clones", "_cloned", "_passes"),
        dropped=("rnnState", "drnnState"),
        kinds={"maxT": "a whole number"},
    )
    _clones: list[Any]
    _cloned: list[Any]  # the unit, the parameters that its clones share, and their gradients
    _passes: dict[int, tuple[Any, Any]]  # for each step: the input and the gradient of the output of the last pass

    def __init__(self, unit: Module, maxT: int) -> None:
        super().__init__()
        self.maxT = maxT
        self.modules.append(unit)
        self.clones: list[Any] = []  # stays empty: Torch7 then makes its own at the first pass
        self.output, self.gradInput = [], []
        self._clones, self._cloned, self._passes = [], [], {}
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters of the unit: weights uniform in [-0.08, 0.08), and biases of 0; `stdv` is not used."""
        for i, parameter in enumerate(self.parameters()[0]):
            if i % 2:
                parameter.fill(0)
            else:
                parameter[...] = random.uniform(-0.08, 0.08, parameter.shape, self._dtype, self._onDevice)
        return self

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        for clone, input, gradOutput in self._kept("accUpdateGradParameters"):
            clone.accUpdateGradParameters(input, gradOutput, lr)

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        for clone, input, gradOutput in self._kept("accGradParameters"):
            clone.accGradParameters(input, gradOutput, scale)

    def clearState(self) -> Self:
        self._clones, self._cloned, self._passes = [], [], {}
        super().clearState()
        self.output, self.gradInput = [], []
        return self

    def _begin(self) -> None:
        """Begins a forward pass. Clones are made again if the unit, or an array of its parameters, is another one now."""
        arrays = [self.modules[0], *chain(*(self.modules[0].parameters() or ()))]
        if len(arrays) != len(self._cloned) or any(one is not other for one, other in zip(arrays, self._cloned, strict=True)):
            self._clones, self._cloned = [], arrays
        self._passes = {}

    def _forward(self, step: int, input: Any) -> Any:
        """Runs the unit of a step; an error names the step."""
        with located(f"at step {step + 1} of {self._typename}"):
            output = self._at(step).updateOutput(input)
        self._passes[step] = input, None
        return output

    def _backward(self, step: int, gradOutput: Any) -> Any:
        """Returns the gradient of the input of a step."""
        if step not in self._passes:
            raise NullError(f"{self._typename}: updateGradInput: expected the input of the last forward")
        input = self._passes[step][0]
        with located(f"at step {step + 1} of {self._typename}"):
            gradInput = self._at(step).updateGradInput(input, gradOutput)
        self._passes[step] = input, gradOutput
        return gradInput

    def _kept(self, method: str) -> list[tuple[Any, Any, Any]]:
        """Returns clone, input and gradient of the output of each step, from the last pass."""
        if not self._passes or any(gradOutput is None for _, gradOutput in self._passes.values()):
            raise NullError(f"{self._typename}: {method}: expected updateGradInput first")
        return [(self._at(step), *arrays) for step, arrays in self._passes.items()]

    def _at(self, step: int) -> Any:
        """Returns the clone of a step, in the mode of the unit."""
        unit: Any = self.modules[0]
        if not self._clones:
            self._clones.append(unit)
        while len(self._clones) <= step:
            self._clones.append(unit.stepClone())
        clone = self._clones[step]
        if clone.train != unit.train:
            clone.training() if unit.train else clone.evaluate()
        return clone

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7({**fields, "clones": []}, version)
        self._clones, self._cloned, self._passes = [], [], {}
        self.output, self.gradInput = [], []

    def __repr__(self) -> str:
        return self._typename
