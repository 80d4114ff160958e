"""A guard against what is not a number."""

from itertools import count
from typing import Any, NoReturn

import numpy as np

from pytorch_legacy.arrays import is_tensor, tree
from pytorch_legacy.arrays.device import recorder
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.decorator.Decorator import Decorator
from pytorch_legacy.nn.Module import Module

_ids = count(1)


class NaN(Decorator):
    """A decorator that raises an error as soon as its module produces a NaN.

    Parameters
    ----------
    module : Module
    id : int or str, optional
        A name to be printed, a number that no other has if it is not given.

    Raises
    ------
    ValueRangeError
        If there is a NaN in the output, in gradInput, or in the gradients of the parameters (or in the parameters after
        an update at once). The text says whether it came in already or was made here.

    Notes
    -----
    Arrays and tables of arrays. Source: Torch7 nn.NaN.

    Examples
    --------
    >>> net = nn.NaN(nn.Log(), "the logarithm")
    >>> net.forward(np.float32([-1]))
    Traceback (most recent call last):
        ...
    pytorch_legacy.errors.ValueRangeError: nn.NaN(the logarithm) @ nn.Log: NaN found in output
    """

    _file = Form(defaults={"id": None})

    def __init__(self, module: Module, id: int | str | None = None) -> None:
        super().__init__(module)
        self.id = next(_ids) if id is None else id

    def updateOutput(self, input: Any) -> Any:
        output = super().updateOutput(input)
        if recorder() is not None:
            for leaf in tree.leaves(output):
                np.isnan(leaf).within(0, 0, f"NaN found in output of {self!r}", ValueRangeError)
            return output
        if _has_nan(output):
            if _has_nan(input):
                self._fail("input")
            self._fail("parameters" if _has_nan(self.parameters()[0]) else "output")
        return output

    def updateGradInput(self, input: Any, gradOutput: Any = None) -> Any:
        gradInput = super().updateGradInput(input, gradOutput)
        if _has_nan(gradInput):
            self._fail("gradOutput" if _has_nan(gradOutput) else "gradInput")
        return gradInput

    def accGradParameters(self, input: Any, gradOutput: Any = None, scale: float = 1.0) -> None:
        super().accGradParameters(input, gradOutput, scale)
        if _has_nan(self.parameters()[1]):
            self._fail("gradParameters")

    def accUpdateGradParameters(self, input: Any, gradOutput: Any, lr: float) -> None:
        super().accUpdateGradParameters(input, gradOutput, lr)
        if _has_nan(self.parameters()[0]):
            self._fail("parameters")

    def _fail(self, where: str) -> NoReturn:
        raise ValueRangeError(f"{self!r}: NaN found in {where}")

    def __repr__(self) -> str:
        return f"{self._typename}({self.id}) @ {self.modules[0]!r}"


def _has_nan(value: Any) -> bool:
    return any(
        is_tensor(leaf) and leaf.dtype.kind == "f" and bool(np.isnan(leaf.sum()) and np.isnan(leaf).any())
        for leaf in tree.leaves(value)
    )
