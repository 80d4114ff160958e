"""One module for each entry of a table."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module


class ParallelTable(Container):
    """Gives each module the input entry of the same number::

        output[i]    = modules[i](input[i])
        gradInput[i] = modules[i].gradInput

    Input and gradOutput are lists with as many entries as there are modules, each whatever its module takes. Further entries of
    the input are not looked at, as in Torch7.

    Parameters
    ----------
    *modules : Module
        Modules that it holds at first; ``add`` appends more.

    Notes
    -----
    Source: Torch7 nn.ParallelTable.

    Examples
    --------
    >>> net = nn.ParallelTable(nn.Square(), nn.MulConstant(10.0))
    >>> net.forward([np.float32([1, 2, 3]), np.float32([4])])
    [array([1., 4., 9.], dtype=float32), array([40.], dtype=float32)]
    """

    _isList = True

    def __init__(self, *modules: Module) -> None:
        super().__init__(*modules)
        self.output, self.gradInput = [], []

    def updateOutput(self, input: list[Any]) -> list[Any]:
        self._checked(input)
        self.output = self._forEachChild(lambda i, module: module.updateOutput(input[i]), guarded=True)
        return self.output

    def route(self, run: Callable[[Module, Any], Any], input: Any) -> list[Any]:
        if isinstance(input, (list, np.ndarray)):  # a stand-in for a table has no length
            self._checked(input)
        return [run(module, input[i]) for i, module in enumerate(self.modules)]

    def updateGradInput(self, input: list[Any], gradOutput: Any = None) -> list[Any]:
        gradOutput = self._gradients(input, gradOutput)
        self.gradInput = self._forEachChild(lambda i, module: module.updateGradInput(input[i], gradOutput[i]))
        return self.gradInput

    def accGradParameters(self, input: list[Any], gradOutput: Any = None, scale: float = 1.0) -> None:
        gradOutput = self._gradients(input, gradOutput)
        self._forEachChild(lambda i, module: module.accGradParameters(input[i], gradOutput[i], scale))

    def accUpdateGradParameters(self, input: list[Any], gradOutput: list[Any], lr: float) -> None:
        gradOutput = self._gradients(input, gradOutput)
        self._forEachChild(lambda i, module: module.accUpdateGradParameters(input[i], gradOutput[i], lr))

    def backward(self, input: list[Any], gradOutput: Any = None, scale: float = 1.0) -> list[Any]:
        input, gradOutput = self._handed(input, gradOutput)
        gradOutput = self._gradients(input, gradOutput)
        self.gradInput = self._forEachChild(lambda i, module: module.backward(input[i], gradOutput[i], scale))
        return self.gradInput

    def _gradients(self, input: list[Any], gradOutput: Any) -> list[Any]:
        """The gradOutput of each module."""
        self._checked(input)
        return check.branches(self, gradOutput, len(self.modules))

    def _checked(self, input: Any) -> None:
        if not isinstance(input, list) or len(input) < len(self.modules):
            check.table(self, "input", input, len(self.modules))

    def __repr__(self) -> str:
        return self._branches()
