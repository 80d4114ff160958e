"""nn.utils of Torch7: arrays and tables of arrays treated alike.

A table is a list or a dict, nested as deep as it may be. Where Torch7 changes the size of a tensor in place, the
functions here return what to use from then on.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor, overlap, tree, type_name
from pytorch_legacy.errors import DtypeError, IndexRangeError, ShapeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.messages import described as described
from pytorch_legacy.messages import sizes as sizes
from pytorch_legacy.nn import blocks
from pytorch_legacy.objects import Object
from pytorch_legacy.objects.base import fitting
from pytorch_legacy.objects.conversion import converted

_lua = Lua(methods={"addSingletonDimension": dict.fromkeys(("dim", "last"), "numbers")})


def recursiveType(param: Any, type: Any, tensorCache: dict[Any, Any] | None = None) -> Any:
    """`param` with all its arrays, integer ones too, converted to a tensor type or dtype; objects convert themselves.

    Arrays that share a storage share the converted one; one `tensorCache` for several calls keeps that up.
    """
    name = type if str(type).startswith("torch.") else type_name(type)
    return converted(param, name, {} if tensorCache is None else tensorCache)


def recursiveResizeAs(t1: Any, t2: Any) -> Any:
    """Arrays of the shapes in `t2`, those of `t1` where they fit. The contents are undefined."""
    return by_example(t1, t2, lambda old, new: fitting(old, new, getattr(old, "dtype", None)))


def recursiveCopy(t1: Any, t2: Any) -> Any:
    """A copy of `t2`, in the arrays of `t1` where they fit."""

    def copied(old: Any, new: Tensor) -> Tensor:
        return blocks.copy(fitting(old, new), new)

    return by_example(t1, t2, copied)


def recursiveFill(t2: Any, val: float) -> Any:
    """Sets every element to `val`, and returns `t2`."""
    by_example(None, t2, lambda _, array: array.fill(val))
    return t2


def recursiveAdd(t1: Any, val: Any, t2: Any = None) -> Any:
    """Adds ``val * t2`` to `t1` in place and returns it; ``recursiveAdd(t1, t2)`` adds `t2`."""
    factor, t2 = (1, val) if t2 is None else (val, t2)

    def added(total: Any, term: Tensor) -> Tensor:
        if not is_tensor(total) or total.shape != term.shape:
            raise ShapeError(f"nn.utils.recursiveAdd: cannot add {described(term)} to {described(total)}")
        return blocks.apply(np.add, total, term if factor == 1 else factor * term, out=total)

    return by_example(t1, t2, added)


def recursiveSum(t1: Any, terms: Sequence[Any]) -> Any:
    """The sum of `terms`, one or more that are alike, in the arrays of `t1` where they fit and are no terms themselves."""
    first, *others = terms
    if overlap(t1, terms):
        t1 = None
    if others and is_tensor(first) and is_tensor(others[0]) and first.shape == others[0].shape:
        total = blocks.apply(np.add, first, others.pop(0), out=fitting(t1, first))  # a copy less to make and to read
    else:
        total = recursiveCopy(t1, first)
    for term in others:
        recursiveAdd(total, term)
    return total


def owned(value: Any) -> Any:
    """Returns `value` with copies of its arrays, which no later call overwrites."""
    return tree.map_arrays(np.copy, value)


def addSingletonDimension(t: Any, dim: Any = 0, *last: int) -> Tensor:
    """A view of `t` with a dimension of size 1 before dimension `dim`.

    Called with three arguments, the first is what Torch7 makes the view of; here it stays as it is.
    """
    t, dim = (dim, *last) if last else (t, dim)
    where = "nn.utils.addSingletonDimension"
    if not is_tensor(t):
        raise DtypeError(f"{where}: t: expected an array, got {described(t)}")
    if not -t.ndim - 1 <= dim <= t.ndim:
        raise IndexRangeError.of(f"{where}: dim: {{}} is out of range for a {t.ndim}-D array", dim)
    return np.expand_dims(t, dim)


def contiguousView(output: Any, input: Tensor, *sizes: int) -> Tensor:
    """`input` seen with other sizes, one of which may be -1; through a copy, in `output` if it fits, where needed."""
    contiguous = input if input.flags.c_contiguous else recursiveCopy(output, input)
    return contiguous.reshape(sizes)


def clear(self: Object, *fields: str) -> Object:
    """Empties fields: an array becomes one without elements, a table an empty one, anything else None.

    Nothing is written to the old arrays, which others may hold.
    """
    for field in fields:
        value = getattr(self, field, None)
        if is_tensor(value):
            setattr(self, field, np.empty(0, value.dtype, like=value))
        elif value is not None:
            setattr(self, field, type(value)() if isinstance(value, (list, dict)) else None)
    return self


def author_name(module: Any) -> str:
    """Returns the name that an author gave to a module in the field ``name``, as loadcaffe does; "" if there is none.

    Characters that do not print are written as Python shows them.
    """
    name = getattr(module, "__dict__", {}).get("name")
    return printable(name[:200]) if isinstance(name, str) else ""


def by_example(t1: Any, t2: Any, function: Callable[[Any, Tensor], Any]) -> Any:
    """A table like `t2` of the results of `function` for its arrays, with what `t1` has in the same place."""

    def of_leaf(leaf: Any, old: Any) -> Any:
        if not is_tensor(leaf):
            raise DtypeError(f"nn.utils: expected arrays or tables of arrays, got {described(leaf)}")
        return function(old, leaf)

    return tree.paired(of_leaf, t2, t1)
