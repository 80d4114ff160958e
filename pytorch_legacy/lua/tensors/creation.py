"""Constructors of tensors and storages, and functions that fill new tensors: zeros, ranges, diagonals."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy import random

from ..language.errors import raise_error
from ..language.libraries.files import system_name
from ..language.operators import tonumber
from ..language.table import TABLES, Table
from .generators import Generator, drawing
from .memory import zeros
from .signatures import Form, described, forms
from .tensor import Array, Storage, Tensor, Types
from .values import LONG, cast, count, integer, items, resize, shape_of, sizes, store
from .views import on_storage

FORMS: dict[str, tuple[Form, ...]] = {}

# ------------------------------------------------------------------------------------------------------ constructors


def _nested(table: Table, depth: int = 0) -> Any:
    if depth > 32:
        raise_error("the tables of a tensor are nested too deeply")
    found = items(table)
    if any(one.__class__ in TABLES for one in found):
        return [_nested(one, depth + 1) if one.__class__ in TABLES else None for one in found]
    return [one if one.__class__ is float else tonumber(one) for one in found]


def array_of(table: Table, dtype: np.dtype[Any]) -> Array:
    """Returns the array of a table of numbers, or of tables of one shape."""
    values = _nested(table)
    try:
        found = np.array(values)
    except ValueError:
        found = np.array(None)
    if found.dtype == object:
        raise_error("invalid argument: expected a table of numbers, or tables of the same size of such")
    if any(n == 0 for n in found.shape):
        found = found.reshape(0)
    return cast(found, dtype)


def construct(kind: type[Tensor], arguments: tuple[Any, ...]) -> Tensor:
    """Returns a new tensor of sizes, a nested table, a storage with offset, sizes and strides, or of another tensor's memory."""
    while arguments and arguments[-1] is None:
        arguments = arguments[:-1]
    if not arguments:
        return kind(np.empty(0, kind.dtype))
    first = arguments[0]
    if isinstance(first, Tensor):
        if first.__class__ is not kind:
            raise_error(f"bad argument #1 to '{kind.name}' ({kind.name} expected, got {first.name})")
        return first.view(first.array) if first.array.size else kind(np.empty(0, kind.dtype))
    if isinstance(first, Storage) and (first.dtype == kind.dtype or first.dtype != LONG):
        return on_storage(kind(np.empty(0, kind.dtype)), first, arguments[1:])
    if isinstance(first, Storage) and len(arguments) > 1 and isinstance(arguments[1], Storage):
        x = kind(np.empty(0, kind.dtype))
        storage = x.types.storages[kind.dtype](np.empty(0, kind.dtype))
        return on_storage(x, storage, (1.0, first, arguments[1]))
    if first.__class__ in TABLES:
        return kind(array_of(first, kind.dtype))
    if not isinstance(first, Storage) and first.__class__ is not float:
        got = described(first)
        raise_error(f"bad argument #1 to '{kind.name}' (expected sizes, a table, a storage or a tensor, got {got})")
    return kind(zeros(sizes(arguments, kind.name) or (0,), kind.dtype))


def mapped(kind: type[Storage], name: str, isShared: bool, size: int) -> Storage:
    """Returns a storage of a file's elements. A shared one changes the file, which gets the size that is asked for."""
    path = system_name(name)
    try:
        if isShared:
            with open(path, "ab") as file:
                file.truncate(max(file.tell(), size * kind.dtype.itemsize))
        there = os.path.getsize(path) // kind.dtype.itemsize
        if size > there:
            raise_error(f"file <{name}> size is smaller than the required mapping size <{size * kind.dtype.itemsize}>")
        if not (n := size or there):
            return kind(np.empty(0, kind.dtype))
        return kind(
            np.memmap(path, kind.dtype, "r+", shape=(n,)).view(np.ndarray) if isShared else np.fromfile(path, kind.dtype, n)
        )
    except OSError as problem:
        raise_error(f"unable to open file <{name}> in {'read-write' if isShared else 'read-only'} mode: {problem.strerror}")


def construct_storage(kind: type[Storage], arguments: tuple[Any, ...], from_file: Any = mapped) -> Storage:
    """Returns a new storage of a number of elements, of a table's values, on a part of another storage, or of a file."""
    first = arguments[0] if arguments else None
    if first.__class__ is str and tonumber(first) is None:
        isShared, size = (*arguments[1:3], None, None)[:2]
        return from_file(kind, first, isShared is True, 0 if size is None else integer(size, kind.name))  # type: ignore[no-any-return]
    if first is None:
        return kind(np.empty(0, kind.dtype))
    if first.__class__ in TABLES:
        return kind(array_of(first, kind.dtype).ravel())
    if isinstance(first, Storage):
        if first.dtype != kind.dtype:
            raise_error(f"bad argument #1 to '{kind.name}' ({kind.name} expected, got {first.name})")
        start = integer(arguments[1]) - 1 if len(arguments) > 1 and arguments[1] is not None else 0
        n = integer(arguments[2]) if len(arguments) > 2 and arguments[2] is not None else first.vector.size - start
        if start < 0 or n < 0 or start + n > first.vector.size:
            raise_error(f"bad argument #2 to '{kind.name}' (out of range)")
        return kind(first.vector[start : start + n])
    n = integer(first, kind.name)
    if n < 0:
        raise_error(f"bad argument #1 to '{kind.name}' (the size has to be 0 or more)")
    return kind(zeros((n,), kind.dtype))


# ------------------------------------------------------------------------------------------------------ of sizes


def _split(types: Types, arguments: tuple[Any, ...]) -> tuple[Tensor | None, Generator | None, tuple[Any, ...], type[Tensor]]:
    """Returns the result, the generator, the sizes and the class of ``torch.zeros(result, 2, 3)`` and its like."""
    given = arguments
    while given and given[-1] is None:
        given = given[:-1]
    kind = types.default
    if given and given[-1].__class__ is str:
        kind = types.names.get(given[-1])  # type: ignore[assignment]
        if kind is None or not issubclass(kind, Tensor):
            raise_error(f"expected the name of a tensor's class, got '{given[-1]}'")
        given = given[:-1]
    result = given[0] if given and isinstance(given[0], Tensor) else None
    given = given if result is None else given[1:]
    generator = given[0] if given and isinstance(given[0], Generator) else None
    given = given if generator is None else given[1:]
    if given and isinstance(given[0], Tensor):
        given = tuple(map(float, shape_of(given[0])))
    return result, generator, given, kind if result is None else result.__class__


def of_sizes(fill: Callable[[Tensor, Generator | None], Any]) -> Callable[[Types], Any]:
    """Returns a maker of functions that fill a tensor of the sizes that they get, a new one or a result."""

    def made(types: Types) -> Any:
        def function(*arguments: Any) -> Tensor:
            result, generator, wanted, kind = _split(types, arguments)
            if not wanted and result is None:
                raise_error("invalid arguments: expected sizes, got no value")
            x = kind(np.empty(0, kind.dtype)) if result is None else result
            resize(x, sizes(wanted))
            fill(x, generator)
            return x

        return function

    return made


def _filled(value: float) -> Callable[[Tensor, Generator | None], None]:
    return lambda x, _: x.array.fill(value)


def _uniform(x: Tensor, generator: Generator | None) -> None:
    with drawing(generator):
        x.array[...] = random.uniform(0, 1, x.array.shape, np.float32 if x.dtype == np.float32 else np.float64)


def _normal(x: Tensor, generator: Generator | None) -> None:
    with drawing(generator):
        x.array[...] = random.normal(0, 1, x.array.shape, np.float32 if x.dtype == np.float32 else np.float64)


def _like(fill: Callable[[Tensor, Generator | None], Any]) -> tuple[Form, ...]:
    def computed(result: Tensor | None, x: Tensor) -> Tensor:
        made = x.__class__(np.empty(0, x.dtype)) if result is None else result
        resize(made, shape_of(x))
        fill(made, None)
        return made

    return forms("*T T", computed)


FORMS.update(zerosLike=_like(_filled(0)), onesLike=_like(_filled(1)))
OF_SIZES = {"zeros": of_sizes(_filled(0)), "ones": of_sizes(_filled(1)), "rand": of_sizes(_uniform), "randn": of_sizes(_normal)}

# ------------------------------------------------------------------------------------------------------ ranges


def _kept(result: Tensor | None, values: Array, types: Types) -> Tensor:
    """Stores values; a result with as many elements keeps its size."""
    if result is not None and result.array.size == values.size:
        result.array[...] = cast(values, result.dtype).reshape(result.array.shape)
        return result
    return store(result, values, types.default if result is None else result.__class__)


def _range(types: Types) -> Any:
    def computed(result: Tensor | None, first: float, last: float, step: float) -> Tensor:
        if not step:
            raise_error("bad argument #3 (step must be a non-null number)")
        if (step > 0 and last < first) or (step < 0 and last > first):
            raise_error("bad argument #2 (upper bound and larger bound incoherent with step sign)")
        length = (last - first) / step + 1
        if not math.isfinite(length):
            raise_error("bad argument #2 (the bounds have to be finite)")
        n = math.floor(length)
        return _kept(result, first + zeros_up_to(n) * step, types)

    return forms("*T n n n=1", computed)


def zeros_up_to(n: int) -> Array:
    """Returns the numbers 0 to n - 1, as doubles."""
    count((n,), 8)
    return np.arange(n, dtype=np.float64)


def _points(name: str, value: Any) -> int:
    n = integer(value, name)
    if n <= 0:
        raise_error(f"bad argument #3 to '{name}' (invalid number of points)")
    return n


def _spaced(name: str, compute: Callable[[Array], Array]) -> Callable[[Types], Any]:
    def made(types: Types) -> Any:
        def computed(result: Tensor | None, first: float, last: float, n: float) -> Tensor:
            points = _points(name, n)
            if points == 1 and first != last:
                raise_error(f"bad argument #3 to '{name}' (invalid number of points)")
            kind = types.default if result is None else result.__class__
            step = 0.0 if points == 1 else (last - first) / (points - 1)
            values = first + zeros_up_to(points) * step
            return _kept(result, compute(values).astype(kind.dtype), types)

        return forms("*T n n n=100", computed)

    return made


def _eye(types: Types) -> Any:
    def computed(result: Tensor | None, n: float, m: float | None) -> Tensor:
        rows, columns = integer(n, "eye"), integer(n if m is None else m, "eye")
        if rows <= 0 or columns <= 0:
            raise_error("bad argument #1 to 'eye' (invalid argument)")
        array = zeros((rows, columns), np.float64)
        np.fill_diagonal(array, 1)
        return store(result, array, types.default if result is None else result.__class__)

    return forms("*T n n?", computed)


def _randperm(types: Types) -> Any:
    def computed(result: Tensor | None, generator: Generator | None, n: float) -> Tensor:
        length = integer(n, "randperm")
        if length <= 0:
            raise_error("bad argument #1 to 'randperm' (must be strictly positive)")
        count((length,), 8)
        with drawing(generator):
            order = random.randperm(length) + 1
        return store(result, order, types.default if result is None else result.__class__)

    return forms("*T g n", computed)


RANGES = {
    "range": _range,
    "linspace": _spaced("linspace", lambda values: values),
    "logspace": _spaced("logspace", lambda values: np.power(10.0, values)),
    "eye": _eye,
    "randperm": _randperm,
}

# ------------------------------------------------------------------------------------------------------ diagonals


def _diag(result: Tensor | None, x: Tensor, k: float) -> Tensor:
    if len(shape_of(x)) not in (1, 2):
        raise_error("bad argument #1 to 'diag' (matrix or a vector expected)")
    offset = integer(k, "diag")
    if x.array.ndim == 2 and not -x.array.shape[0] < offset < x.array.shape[1]:
        raise_error("bad argument #2 to 'diag' (the diagonal lies outside the matrix)")
    if x.array.ndim == 1:
        side = x.array.size + abs(offset)
        array = zeros((side, side), x.dtype)
        at = np.arange(x.array.size)
        array[at + max(-offset, 0), at + max(offset, 0)] = x.array
        return store(result, array, x.__class__)
    return store(result, np.diagonal(x.array, offset).copy(), x.__class__)


def _triangle(name: str, compute: Any) -> tuple[Form, ...]:
    def computed(result: Tensor | None, x: Tensor, k: float) -> Tensor:
        if x.array.ndim != 2:
            raise_error(f"bad argument #1 to '{name}' (expected a matrix)")
        return store(result, compute(x.array, integer(k, name)), x.__class__)

    return forms("*T T n=0", computed)


FORMS.update(
    diag=forms("*T T n=0", _diag),
    tril=_triangle("tril", np.tril),
    triu=_triangle("triu", np.triu),
)

# ------------------------------------------------------------------------------------------------------ joining


def cat(types: Types) -> Any:
    """Returns ``torch.cat`` of a session."""

    def joined(*arguments: Any) -> Tensor:
        given = arguments
        while given and given[-1] is None:
            given = given[:-1]
        dimension = None
        if given and given[-1].__class__ is float:
            dimension, given = integer(given[-1], "cat"), given[:-1]
        result = None
        if given and given[-1].__class__ in TABLES:
            result = given[0] if len(given) == 2 else None
            parts = items(given[-1])
        else:
            result, parts = (given[0], list(given[1:])) if len(given) == 3 else (None, list(given))
        if not parts or not all(isinstance(part, Tensor) for part in (*parts, *([] if result is None else [result]))):
            raise_error("invalid arguments of cat: expected tensors, or a table of tensors, and a dimension")
        return _joined(result, parts, dimension)

    return joined


def _joined(result: Tensor | None, parts: list[Tensor], dimension: int | None) -> Tensor:
    kind = parts[0].__class__
    if any(part.__class__ is not kind for part in parts):
        raise_error("invalid arguments of cat: expected tensors of one type")
    most = max(len(shape_of(part)) for part in parts)
    d = (most or 1) - 1 if dimension is None else dimension - 1
    arrays = [part.array for part in parts if part.array.size]
    if not arrays:
        return store(result, np.empty(0, kind.dtype), kind)
    if not 0 <= d < 64:
        raise_error(f"bad argument to 'cat' (invalid dimension {d + 1})")
    most = max(most, d + 1)
    arrays = [array.reshape(*array.shape, *(1,) * (most - array.ndim)) for array in arrays]
    try:
        return store(result, np.concatenate(arrays, d), kind)
    except ValueError:
        raise_error("inconsistent tensor sizes: all but the dimension of cat have to be the same")
