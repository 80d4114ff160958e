"""Slices of the input for one module each, joined again."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.container.joining import layout
from pytorch_legacy.nn.Module import Module


class Parallel(Container):
    """Gives each module a slice, and joins the outputs; dimensions count from 0: Lua's ``nn.Parallel(1, 2)`` is ``(0, 1)``::

        output = concatenate([modules[i](input.take(i, inputDimension)) for i ...], axis=outputDimension)

    Parameters
    ----------
    inputDimension : int, optional
        The dimension along which the input is cut, with a slice for each module. The slices lack it.
    outputDimension : int, optional
        The dimension of the outputs along which they are joined; all their other sizes agree. Both dimensions may also be set
        later, as attributes.
    *modules : Module
        Modules that it holds at first; ``add`` appends more.

    Raises
    ------
    ShapeError
        If there are no slices, or more than modules.

    Notes
    -----
    If there are fewer slices than modules, the last modules do not run, as in Torch7. ``gradInput`` is None if that of a module
    is. Source: Torch7 nn.Parallel.

    Examples
    --------
    >>> net = nn.Parallel(0, 0, nn.Identity(), nn.MulConstant(10.0))  # nn.Parallel(1, 1) in Lua
    >>> net.forward(np.float32([[1, 2], [3, 4]]))  # a row for each module
    array([ 1.,  2., 30., 40.], dtype=float32)
    """

    _file = Form(
        oneBased=("inputDimension", "outputDimension"),
        dropped=("totalOutputSize",),
        defaults={"inputDimension": None, "outputDimension": None},
    )

    _isList = True
    inputDimension: Any
    outputDimension: Any

    def __init__(self, inputDimension: int | None = None, outputDimension: int | None = None, *modules: Module) -> None:
        super().__init__(*modules)
        self.inputDimension = inputDimension
        self.outputDimension = outputDimension

    def updateOutput(self, input: Tensor) -> Tensor:
        slices = self._slices(input)
        outputs = self._first(len(slices), lambda i, module: module.updateOutput(slices[i]), guarded=True)
        shape, windows = layout(self, outputs, self.outputDimension)
        output = self._resize("output", shape, mustNotOverlap=outputs)
        for window, part in zip(windows, outputs, strict=True):
            output[window] = part
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        return self._stacked("updateGradInput", input, gradOutput)

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        slices, parts = self._both(input, gradOutput)
        self._first(len(slices), lambda i, module: module.accGradParameters(slices[i], parts[i], scale))

    def accUpdateGradParameters(self, input: Tensor, gradOutput: Tensor, lr: float) -> None:
        slices, parts = self._both(input, gradOutput)
        self._first(len(slices), lambda i, module: module.accUpdateGradParameters(slices[i], parts[i], lr))

    def backward(self, input: Tensor, gradOutput: Any = None, scale: float = 1.0) -> Tensor | None:
        input, gradOutput = self._handed(input, gradOutput)
        return self._stacked("backward", input, gradOutput, scale)

    def _slices(self, input: Tensor) -> Tensor:
        """The input with the dimension of the slices in front."""
        if self.inputDimension is None or self.outputDimension is None:
            missing = "inputDimension" if self.inputDimension is None else "outputDimension"
            raise ValueRangeError(f"{self._typename}: {missing}: expected a dimension before the first pass, got None")
        check.array(self, "input", input)
        axis = check.axis(self, self.inputDimension, input.ndim, "inputDimension")
        if not 0 < input.shape[axis] <= len(self.modules):
            raise ShapeError(
                f"{self._typename}: input: expected 1 to {len(self.modules)} slices, one for each module, "
                f"got {input.shape[axis]} along dimension {axis}"
            )
        return np.moveaxis(input, axis, 0)

    def _both(self, input: Tensor, gradOutput: Tensor) -> tuple[Tensor, list[Tensor]]:
        """The slices of the input, and what of gradOutput belongs to each."""
        slices = self._slices(input)
        outputs = [module.output for module in self.modules[: len(slices)]]
        shape, windows = layout(self, outputs, self.outputDimension)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        return slices, [gradOutput[window] for window in windows]

    def _first(self, count: int, function: Callable[[int, Module], Any], guarded: bool = False) -> list[Any]:
        """Calls a function with the modules that get a slice."""
        return self._forEachChild(lambda i, module: function(i, module) if i < count else None, guarded=guarded)[:count]

    def _stacked(self, method: str, input: Tensor, gradOutput: Any, *scale: float) -> Tensor | None:
        """Calls a method of the modules and lays their gradients side by side, each at once: the next call may overwrite it."""
        slices, parts = self._both(input, gradOutput)
        places = np.moveaxis(self._resize("gradInput", input.shape, mustNotOverlap=[input, gradOutput]), self.inputDimension, 0)

        def put(i: int, module: Module) -> bool:
            gradient = getattr(module, method)(slices[i], parts[i], *scale)
            if gradient is not None:
                places[i] = gradient
            return gradient is not None

        if not all(self._first(len(slices), put)):
            self.gradInput = None
        return self.gradInput

    def __repr__(self) -> str:
        return self._branches()
