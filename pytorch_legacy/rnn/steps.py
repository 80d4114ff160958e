"""Helpers for steps: tables by step, sequences, and errors that name the step."""

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import DtypeError, ShapeError, located
from pytorch_legacy.nn import check
from pytorch_legacy.nn.utils import described
from pytorch_legacy.objects import Object


def at_step(step: int, module: Object) -> AbstractContextManager[None]:
    """An exception that passes says at which step it was raised; like modules, steps count from 1 in messages."""
    return located(f"at step {step + 1} of {module._typename}")


def sequence(module: Object, name: str, value: Any) -> Any:
    """`value`, a list of steps or an array of which each ``value[i]`` is a step."""
    if is_tensor(value):
        if value.ndim < 2 or not len(value):
            raise ShapeError(f"{module._typename}: {name}: expected an array of one or more steps, got {described(value)}")
        return value
    if not isinstance(value, list):
        raise DtypeError(f"{module._typename}: {name}: expected an array or a table of steps, got {described(value)}")
    return check.table(module, name, value)


def joined(module: Object, name: str, values: list[Any], example: Any) -> Any:
    """The results of all steps: one array, in the buffer of field `name`, where `example`, the input, is one."""
    if not is_tensor(example) or not all(is_tensor(value) for value in values):
        return values
    buffer: Any = module._resize(name, (len(values), *values[0].shape), values[0].dtype)
    return np.stack(values, out=buffer)


def first(module: Object, name: str, value: Any) -> Tensor:
    """The first array of a table, or of its first table."""
    inner = value
    while isinstance(inner, list) and inner:
        inner = inner[0]
    if not is_tensor(inner):
        raise DtypeError(f"{module._typename}: {name}: expected an array or a table of arrays, got {described(value)}")
    return inner


def areZero(array: Tensor, rank: int) -> Tensor:
    """Returns a mask of the samples, of so many dimensions, that are all zeros.

    For a single sample the result has no dimensions.
    """
    found = ~array.any(axis=tuple(range(array.ndim - rank, array.ndim))) if rank else array == 0
    return found if is_tensor(found) else np.asarray(found)


def by_step(table: Any) -> dict[int, Any]:
    """A table of a .t7 file with an entry for each step, which counts from 0 afterwards."""
    if isinstance(table, list):
        return dict(enumerate(table))
    return {step - 1: value for step, value in (table or {}).items() if type(step) is int}


def to_table(steps: dict[int, Any]) -> Any:
    """The opposite of `by_step`."""
    if sorted(steps) == list(range(len(steps))):
        return [steps[step] for step in range(len(steps))]
    return {step + 1: value for step, value in steps.items()}
