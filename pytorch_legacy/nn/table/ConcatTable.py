"""Branches side by side."""

from collections.abc import Callable
from typing import Any

from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module


class ConcatTable(Container):
    """Gives every module the same input and returns the list of their outputs::

        output    = [module(input) for module in modules]
        gradInput = sum(module.gradInput for module in modules)

    Modules without a gradInput do not count in the sum.

    Parameters
    ----------
    *modules : Module
        Modules that it holds at first; ``add`` appends more.

    Notes
    -----
    The input may be a table, then gradInput is one too. Source: Torch7 nn.ConcatTable.

    Examples
    --------
    >>> net = nn.ConcatTable(nn.Identity(), nn.Square())
    >>> net.forward(np.float32([1, 2, 3]))
    [array([1., 2., 3.], dtype=float32), array([1., 4., 9.], dtype=float32)]
    >>> net.backward(np.float32([1, 2, 3]), [np.float32([1, 1, 1]), np.float32([1, 1, 1])])  # 1 + 2x
    array([3., 5., 7.], dtype=float32)
    """

    _isList = True

    def updateOutput(self, input: Any) -> list[Any]:
        self.output = self._forEachChild(lambda _, module: module.updateOutput(input), guarded=True)
        return self.output

    def route(self, run: Callable[[Module, Any], Any], input: Any) -> list[Any]:
        return [run(module, input) for module in self.modules]

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        return self._sum("updateGradInput", input, check.branches(self, gradOutput, len(self.modules)))

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        gradOutput = check.branches(self, gradOutput, len(self.modules))
        self._forEachChild(lambda i, module: module.accGradParameters(input, gradOutput[i], scale))

    def accUpdateGradParameters(self, input: Any, gradOutput: list[Any], lr: float) -> None:
        gradOutput = check.branches(self, gradOutput, len(self.modules))
        self._forEachChild(lambda i, module: module.accUpdateGradParameters(input, gradOutput[i], lr))

    def backward(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> Any:
        input, gradOutput = self._handed(input, gradOutput)
        return self._sum("backward", input, check.branches(self, gradOutput, len(self.modules)), scale)

    def __repr__(self) -> str:
        return self._branches()
