"""Slices of the input for one module each, joined again."""

from typing import Any

import numpy as np

from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.container.joining import layout
from pytorch_legacy.storage import Tensor


class Parallel(Container):
    """Gives each module one slice of the input and joins their outputs::

        output = concatenate([modules[i](input.take(i, inputDimension)) for i ...], axis=outputDimension)

    Parameters
    ----------
    inputDimension : int
        The dimension along which the input is cut; its size is the number of modules. The slices lack it.
    outputDimension : int
        The dimension of the outputs along which they are joined; all their other sizes agree.

    Raises
    ------
    ShapeError
        If there are more or fewer slices than modules. (Torch7 let the last modules be if there were fewer.)

    Notes
    -----
    ``gradInput`` is None if that of a module is. Source: Torch7 nn.Parallel.
    """

    _oneBased = ("inputDimension", "outputDimension")
    _dropped = ("totalOutputSize",)

    def __init__(self, inputDimension: int, outputDimension: int) -> None:
        super().__init__()
        self.inputDimension = inputDimension
        self.outputDimension = outputDimension

    def updateOutput(self, input: Tensor) -> Tensor:
        slices = self._slices(input)
        outputs = self._each(lambda i, module: module.updateOutput(slices[i]))
        shape, windows = layout(self, outputs, self.outputDimension)
        output = self._resize("output", shape, apart=outputs)
        for window, part in zip(windows, outputs, strict=True):
            output[window] = part
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor | None:
        slices, parts = self._slices(input), self._parts(gradOutput)
        return self._stacked(input, self._each(lambda i, module: module.updateGradInput(slices[i], parts[i])))

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        slices, parts = self._slices(input), self._parts(gradOutput)
        self._each(lambda i, module: module.accGradParameters(slices[i], parts[i], scale))

    def accUpdateGradParameters(self, input: Tensor, gradOutput: Tensor, lr: float) -> None:
        slices, parts = self._slices(input), self._parts(gradOutput)
        self._each(lambda i, module: module.accUpdateGradParameters(slices[i], parts[i], lr))

    def backward(self, input: Tensor, gradOutput: Any = None, scale: float = 1.0) -> Tensor | None:
        slices, parts = self._slices(input), self._parts(gradOutput)
        return self._stacked(input, self._each(lambda i, module: module.backward(slices[i], parts[i], scale)))

    def _slices(self, input: Tensor) -> Tensor:
        """The input with the dimension of the slices in front."""
        check.array(self, "input", input)
        axis = check.axis(self, self.inputDimension, input.ndim, "inputDimension")
        if input.shape[axis] != len(self.modules):
            raise ShapeError(
                f"{self._typename}: input: expected a slice for each of {len(self.modules)} modules, "
                f"got {input.shape[axis]} along dimension {axis}"
            )
        return np.moveaxis(input, axis, 0)

    def _parts(self, gradOutput: Tensor) -> list[Tensor]:
        """What of gradOutput belongs to each module."""
        shape, windows = layout(self, [module.output for module in self.modules], self.outputDimension)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), shape)
        return [gradOutput[window] for window in windows]

    def _stacked(self, input: Tensor, gradients: list[Any]) -> Tensor | None:
        if any(gradient is None for gradient in gradients):
            self.gradInput = None
            return None
        gradInput = self._resize("gradInput", input.shape, apart=gradients)
        for place, gradient in zip(np.moveaxis(gradInput, self.inputDimension, 0), gradients, strict=True):
            place[...] = gradient
        return gradInput

    def __repr__(self) -> str:
        return self._branches()
