"""Results of classes that users write: an array of another dtype is an error of that class, not of the layer after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

from pytorch_legacy.arrays import Tensor, is_tensor, tree
from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.messages import described

PASSES = ("updateOutput", "updateGradInput")


def checked(method: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a pass of a module or criterion that raises DtypeError if a result has another dtype than the object.

    Integers are results of any object. Nothing is checked if the input has another dtype already, because then another object is
    wrong; nor for a class that sets ``changesDtype``; nor for a container, whose modules are checked one by one.
    """

    @wraps(method)
    def passing(self: Any, input: Any, *arguments: Any, **keywords: Any) -> Any:
        result = method(self, input, *arguments, **keywords)
        odd = next((array for array in _floats(result) if array.dtype != self._dtype), None)
        if odd is None or self.changesDtype or self.__dict__.get("modules"):
            return result
        given = [*_floats(input)]
        if given and all(array.dtype != self._dtype for array in given):
            return result
        raise DtypeError(
            f"{self._typename}: {method.__name__}: expected to return {self._dtype}, the dtype of the module, "
            f"got {described(odd)}; return x.astype(input.dtype), or set changesDtype = True in the class if that is meant"
        )

    return passing


def _floats(value: Any) -> Iterator[Tensor]:
    """Yields the arrays of floating-point numbers in a table. A recorded array without dimensions stands for a number."""
    for array in tree.leaves(value):
        if is_tensor(array) and array.dtype.kind in "fc" and (array.ndim or not isinstance(array, Recorded)):
            yield array
