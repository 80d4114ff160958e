"""Branches joined into one array."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import blocks, check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.container.joining import Window, layout
from pytorch_legacy.nn.Module import Module


class Concat(Container):
    """Joins what its modules make of one input along a dimension, counted from 0: Lua's ``nn.Concat(2)`` is ``nn.Concat(1)``::

        output    = concatenate([module(input) for module in modules], axis=dimension)
        gradInput = sum(module.gradInput for module in modules)

    Modules without a gradInput do not count in the sum.

    Parameters
    ----------
    dimension : int
        The dimension of the outputs, batch included, along which they are joined; all their other sizes agree.
    *modules : Module
        Modules that it holds at first; ``add`` appends more.

    Notes
    -----
    The input may be a table, then gradInput is one too. Source: Torch7 nn.Concat.

    Examples
    --------
    >>> net = nn.Concat(1, nn.Identity(), nn.MulConstant(10.0))  # nn.Concat(2) in Lua
    >>> net.forward(np.float32([[1, 2], [3, 4]]))
    array([[ 1.,  2., 10., 20.],
           [ 3.,  4., 30., 40.]], dtype=float32)
    """

    _file = Form(oneBased=("dimension",), scratch={"outputSize": lambda module: t7.longs([])})

    _isList = True

    def __init__(self, dimension: int, *modules: Module) -> None:
        super().__init__(*modules)
        self.dimension = dimension

    def updateOutput(self, input: Any) -> Tensor:
        outputs = self._forEachChild(lambda _, module: module.updateOutput(input), guarded=True)
        shape, windows = self._layout(outputs)
        output = self._resize("output", shape, mustNotOverlap=outputs)
        for window, part in zip(windows, outputs, strict=True):
            blocks.copy(output[window], part)
        return output

    def updateGradInput(self, input: Any, gradOutput: Tensor) -> Any:
        parts = self._parts(gradOutput)
        return self._sum("updateGradInput", input, parts)

    def accGradParameters(self, input: Any, gradOutput: Tensor, scale: float = 1.0) -> None:
        parts = self._parts(gradOutput)
        self._forEachChild(lambda i, module: module.accGradParameters(input, parts[i], scale))

    def accUpdateGradParameters(self, input: Any, gradOutput: Tensor, lr: float) -> None:
        parts = self._parts(gradOutput)
        self._forEachChild(lambda i, module: module.accUpdateGradParameters(input, parts[i], lr))

    def backward(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> Any:
        input, gradOutput = self._handed(input, gradOutput)
        parts = self._parts(gradOutput)
        return self._sum("backward", input, parts, scale)

    def _parts(self, gradOutput: Tensor) -> list[Tensor]:
        """Returns the part of gradOutput that belongs to each module."""
        shape, windows = self._layout([module.output for module in self.modules])
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        return [gradOutput[window] for window in windows]

    def _layout(self, outputs: list[Tensor]) -> tuple[tuple[int, ...], list[Window]]:
        """The shape of the joint output, and where in it each module's output goes."""
        return layout(self, outputs, self.dimension)

    def __repr__(self) -> str:
        return self._branches()
