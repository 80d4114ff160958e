"""A recurrent network from any module of two inputs."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.errors import ArgumentError, FieldError, ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Container import Container
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described
from pytorch_legacy.rnn.HiddenState import HiddenState
from pytorch_legacy.rnn.steps import first


class Recurrence(HiddenState):
    """Gives a module its own last output beside the input::

        output(t) = module([input(t), output(t-1)])

    Parameters
    ----------
    module : Module
        From a table of two to an array or a table of arrays.
    outputSize : int, sequence of int, or sequence of such sequences
        The sizes of an output, without the batch: the output before the first step is zero. One for each array of a
        table.
    nInputDim : int
        The rank of an input (of the first array in it) without the batch: 0 for a batch of indices.
    rho : int
        Steps to keep for the way back; an nn.Sequencer sets it.

    Raises
    ------
    ShapeError
        If the input has neither nInputDim nor nInputDim + 1 dimensions.

    Notes
    -----
    ``userPrevOutput`` replaces the zeros. ``getHiddenState()`` is a list of the output and of the states of recurrent modules
    inside, if there are some. Source: Element-Research rnn ``Recurrence``.

    Examples
    --------
    >>> layer = rnn.Recurrence(nn.CAddTable(), 1, 1)  # output(t) = input(t) + output(t-1)
    >>> [layer.forward(np.float32([[i]])).item() for i in (1, 10, 100)]
    [1.0, 11.0, 111.0]
    """

    _file = Form(dropped=("typeTensor",), properties=("module",), scratch={"typeTensor": None}, defaults={"rho": 9999})

    def __init__(self, module: Module, outputSize: Any, nInputDim: int, rho: int = 9999) -> None:
        super().__init__(rho)
        try:
            self.outputSize = _sizes([outputSize] if np.ndim(outputSize) == 0 else outputSize)
        except (TypeError, ValueError):
            text = "expected a size, sizes, or lists of these"
            raise ArgumentError(f"{self._typename}: outputSize: {text}, got {described(outputSize)}") from None
        self.nInputDim = check.count(self, "nInputDim", nInputDim, 0)
        self.modules.append(module)
        self._dtype = module._dtype
        self.forget()

    @property
    def module(self) -> Module:
        return self.modules[0]

    def getHiddenState(self, step: int | None = None, input: Any = None) -> list[Any]:
        step = self.step - 1 if step is None else step
        return _together(super().getHiddenState(step, input), Container.getHiddenState(self, step, input))

    def setHiddenState(self, step: int | None, hiddenState: Any) -> Self:
        step = self.step - 1 if step is None else step
        own, *inside = check.table(self, "hiddenState", hiddenState)
        Container.setHiddenState(self, step, *inside[:1] or [False])
        return super().setHiddenState(step, own)

    def getGradHiddenState(self, step: int | None = None) -> list[Any]:
        return _together(super().getGradHiddenState(step), Container.getGradHiddenState(self, step))

    def setGradHiddenState(self, step: int | None, gradHiddenState: Any) -> Self:
        step = self.step - 1 if step is None else step
        own, *inside = check.table(self, "gradHiddenState", gradHiddenState)
        Container.setGradHiddenState(self, step, *inside[:1] or [False])
        return super().setGradHiddenState(step, own)

    def _zeroState(self, input: Any) -> list[Any]:
        if input is None:
            return [self.__dict__["zeroTensor"]]
        shape = first(self, "input", input).shape
        if len(shape) not in (self.nInputDim, self.nInputDim + 1):
            raise ShapeError(
                f"{self._typename}: input: expected {self.nInputDim} dimensions, or one more for a batch, got {described(input)}"
            )
        zero = self._dtype.type(0)
        return [self._zeros("zeroTensor", _table(self.outputSize, shape[: len(shape) - self.nInputDim], zero))]

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        super()._fromTorch7(fields, version)
        try:
            self.outputSize = _sizes(self.outputSize)
        except (TypeError, ValueError, OverflowError):
            raise FieldError(f"outputSize: expected sizes, or lists of these, got {described(self.outputSize)}") from None

    def __repr__(self) -> str:
        return f"{self._typename} @ {self.module!r}"


def _together(own: Any, inside: Any) -> list[Any]:
    """Returns a state, and those inside, if there are some."""
    return [own] if inside is False else [own, inside]


def _sizes(value: Any) -> list[Any]:
    """Sizes as a list, or lists of them as a list of lists."""
    return [int(entry) if np.ndim(entry) == 0 else _sizes(entry) for entry in value]


def _table(sizes: list[Any], batch: tuple[int, ...], zero: Any) -> Any:
    """Arrays of the given sizes, which hold no elements of their own."""
    if sizes and isinstance(sizes[0], list):
        return [_table(entry, batch, zero) for entry in sizes]
    return np.broadcast_to(zero, (*batch, *sizes))
