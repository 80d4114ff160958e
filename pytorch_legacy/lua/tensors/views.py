"""Sizes, and tensors that show the memory of others: parts, transposed and repeated ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..language.arguments import MISSING
from ..language.errors import raise_error
from ..language.table import TABLES, Table, rawset, sequence
from .signatures import described
from .tensor import Array, Storage, Tensor
from .values import (
    axis,
    count,
    integer,
    items,
    offset_of,
    resize,
    shape_of,
    size_storage,
    sizes,
    store,
    table_of,
    text,
)


def fail(number: int, name: str, message: str = "out of range") -> Any:
    """Raises the error of an argument, in Torch7's words."""
    raise_error(f"bad argument #{number} to '{name}' ({message})")


def tensor(value: Any, number: int, name: str) -> Tensor:
    """Returns an argument that has to be a tensor."""
    if not isinstance(value, Tensor):
        got = "no value" if value is MISSING else described(value)
        fail(number, name, f"Tensor expected, got {got}")
    return value  # type: ignore[no-any-return]


def _dimension(x: Tensor, value: Any, number: int, name: str) -> int:
    d = integer(value, name)
    if not 1 <= d <= len(shape_of(x)):
        fail(number, name, f"dimension {d} out of range of {len(shape_of(x))}D tensor")
    return d - 1


# ------------------------------------------------------------------------------------------------------ sizes


def size(x: Any = MISSING, dimension: Any = None, *_: Any) -> Any:
    x = tensor(x, 1, "size")
    if dimension is None:
        return size_storage(x.types, shape_of(x))
    return float(x.array.shape[_dimension(x, dimension, 2, "size")])


def _strides(x: Tensor) -> tuple[int, ...]:
    return tuple(step // x.dtype.itemsize for step in x.array.strides) if shape_of(x) else ()


def stride(x: Any = MISSING, dimension: Any = None, *_: Any) -> Any:
    x = tensor(x, 1, "stride")
    if dimension is None:
        return size_storage(x.types, _strides(x))
    return float(_strides(x)[_dimension(x, dimension, 2, "stride")])


def dim(x: Any = MISSING, *_: Any) -> float:
    return float(len(shape_of(tensor(x, 1, "dim"))))


def nElement(x: Any = MISSING, *_: Any) -> float:
    return float(tensor(x, 1, "nElement").array.size)


def storage(x: Any = MISSING, *_: Any) -> Storage | None:
    x = tensor(x, 1, "storage")
    if not x.hasStorage:
        return None
    found = x.storage
    found.isShared = True  # a script may let it grow, and the tensor has to follow
    return found


def storageOffset(x: Any = MISSING, *_: Any) -> float:
    return offset_of(tensor(x, 1, "storageOffset")) + 1.0


def elementSize(x: Any = MISSING, *_: Any) -> float:
    return float(tensor(x, 1, "elementSize").dtype.itemsize)


def isContiguous(x: Any = MISSING, *_: Any) -> bool:
    return bool(tensor(x, 1, "isContiguous").array.flags.c_contiguous)


def isSize(x: Any = MISSING, sizes: Any = None, *_: Any) -> bool:
    return isinstance(sizes, Storage) and shape_of(tensor(x, 1, "isSize")) == tuple(sizes.vector)


def isSameSizeAs(x: Any = MISSING, other: Any = MISSING, *_: Any) -> bool:
    return shape_of(tensor(x, 1, "isSameSizeAs")) == shape_of(tensor(other, 2, "isSameSizeAs"))


def isSetTo(x: Any = MISSING, other: Any = MISSING, *_: Any) -> bool:
    x, other = tensor(x, 1, "isSetTo"), tensor(other, 2, "isSetTo")
    if not x.array.size or x.storage is not other.storage:
        return False
    return shape_of(x) == shape_of(other) and offset_of(x) == offset_of(other) and _strides(x) == _strides(other)


# ------------------------------------------------------------------------------------------------------ changes of size


def resize_(x: Any = MISSING, *wanted: Any) -> Tensor:
    x = tensor(x, 1, "resize")
    shape = sizes(wanted)
    if len(wanted) > 1 and isinstance(wanted[0], Storage) and isinstance(wanted[1], Storage):
        return _lie(x, x.storage, offset_of(x), shape, _given_strides(shape, wanted[1].vector))
    return resize(x, shape)


def resizeAs(x: Any = MISSING, other: Any = MISSING, *_: Any) -> Tensor:
    return resize(tensor(x, 1, "resizeAs"), shape_of(tensor(other, 2, "resizeAs")))


def _given_strides(shape: tuple[int, ...], given: Any) -> tuple[int, ...]:
    """Returns strides; a negative one stands for that of a tensor without gaps."""
    found: list[int] = []
    step = 1
    for i in range(len(shape) - 1, -1, -1):
        own = int(given[i]) if i < len(given) else -1
        found.append(own if own >= 0 else step)
        step = shape[i] * found[-1]
    return tuple(reversed(found))


def _lie(x: Tensor, storage: Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
    """Puts a tensor on a storage, which grows where it is too short."""
    if offset < 0:
        fail(2, "set", "invalid storage offset")
    if not shape:
        x.place(storage, 0, (0,), (1,))
        return x
    need = offset + 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    count(shape, x.dtype.itemsize)
    if need > storage.vector.size:
        storage.resize(need)
    x.place(storage, offset, shape, strides)
    return x


def on_storage(x: Tensor, storage: Storage, rest: tuple[Any, ...]) -> Tensor:
    """Puts a tensor on a storage: ``offset, size, stride, size, stride ...`` or ``offset, sizes, strides``."""
    if storage.dtype != x.dtype:
        fail(2, "set", f"{x.name.replace('Tensor', 'Storage')} expected, got {storage.name}")
    offset = integer(rest[0], "set") - 1 if rest and rest[0] is not None else 0
    rest = rest[1:]
    strides: Any = ()
    if rest and isinstance(rest[0], Storage):
        shape = tuple(int(n) for n in rest[0].vector)
        strides = rest[1].vector if len(rest) > 1 and isinstance(rest[1], Storage) else ()
    elif rest:
        numbers = [-1 if one is None else integer(one, "set") for one in rest]
        shape, strides = tuple(numbers[0::2]), numbers[1::2]
    else:
        shape = (storage.vector.size - offset,)
    shape = tuple(shape[: next((i for i, n in enumerate(shape) if n <= 0), len(shape))])
    return _lie(x, storage, offset, shape, _given_strides(shape, strides))


def set_(x: Any = MISSING, source: Any = None, *rest: Any) -> Tensor:
    x = tensor(x, 1, "set")
    if source is None:
        x.set_array(np.empty(0, x.dtype))
        return x
    if isinstance(source, Storage):
        return on_storage(x, source, rest)
    if source.__class__ is not x.__class__:
        fail(2, "set", f"{x.name} expected, got {described(source)}")
    return _show(x, source, source.array)


def _show(x: Tensor, source: Tensor, array: Array) -> Tensor:
    """Makes a tensor show a part of another one's array."""
    if source.array.size:
        x.lie_on(source.storage, array)
    else:
        x.set_array(array)
    return x


# ------------------------------------------------------------------------------------------------------ parts


def narrow(x: Any = MISSING, dimension: Any = None, first: Any = None, length: Any = None, *_: Any) -> Tensor:
    x = tensor(x, 1, "narrow")
    array = x.array
    d, i, n = integer(dimension, "narrow") - 1, integer(first, "narrow") - 1, integer(length, "narrow")
    if not 0 <= d < array.ndim:
        fail(2, "narrow")
    if not 0 <= i < array.shape[d]:
        fail(3, "narrow")
    if not 0 < n <= array.shape[d] - i:
        fail(4, "narrow")
    return x.view(array[(slice(None),) * d + (slice(i, i + n),)])


def select(x: Any = MISSING, dimension: Any = None, number: Any = None, *_: Any) -> Any:
    x = tensor(x, 1, "select")
    array = x.array
    d, i = integer(dimension, "select") - 1, integer(number, "select") - 1
    if array.ndim == 1:
        d = 0  # a vector has one element of a number, whatever the dimension, as in Torch7
    if not 0 <= d < array.ndim:
        fail(2, "select")
    if not 0 <= i < array.shape[d]:
        fail(3, "select")
    if array.ndim == 1:
        return float(array[i])
    return x.view(array[(slice(None),) * d + (i,)])


def sub(x: Any = MISSING, *bounds: Any) -> Tensor:
    x = tensor(x, 1, "sub")
    array = x.array
    if len(bounds) > 2 * array.ndim:
        fail(2 * array.ndim + 2, "sub", "too many bounds")
    parts = []
    for k in range(0, len(bounds), 2):
        n = array.shape[k // 2]
        a, b = integer(bounds[k], "sub"), integer(bounds[k + 1] if k + 1 < len(bounds) else -1.0, "sub")
        a, b = a if a >= 0 else n + a + 1, b if b >= 0 else n + b + 1
        if not 1 <= a <= n or not a <= b <= n:
            fail(k + 2, "sub")
        parts.append(slice(a - 1, b))
    return x.view(array[tuple(parts)])


def transpose(x: Any = MISSING, a: Any = None, b: Any = None, *_: Any) -> Tensor:
    x = tensor(x, 1, "transpose")
    i, j = _dimension(x, a, 2, "transpose"), _dimension(x, b, 3, "transpose")
    return x.view(x.array.swapaxes(i, j))


def t(x: Any = MISSING, *_: Any) -> Tensor:
    x = tensor(x, 1, "t")
    if x.array.ndim != 2:
        raise_error("Tensor must have 2 dimensions")
    return x.view(x.array.T)


def permute(x: Any = MISSING, *order: Any) -> Tensor:
    x = tensor(x, 1, "permute")
    axes = [integer(one, "permute") - 1 for one in (items(order[0]) if order and order[0].__class__ in TABLES else order)]
    if len(axes) != len(shape_of(x)):
        raise_error("Invalid permutation")
    if not axes or sorted(axes) != list(range(len(axes))):
        raise_error("Invalid permutation")
    return x.view(x.array.transpose(axes))


def unfold(x: Any = MISSING, dimension: Any = None, length: Any = None, step: Any = None, *_: Any) -> Tensor:
    x = tensor(x, 1, "unfold")
    d, n, k = _dimension(x, dimension, 2, "unfold"), integer(length, "unfold"), integer(step, "unfold")
    if not 0 < n <= x.array.shape[d]:
        fail(3, "unfold")
    if k <= 0:
        fail(4, "unfold", "invalid step")
    windows = np.lib.stride_tricks.sliding_window_view(x.array, n, d, writeable=True)
    return x.view(windows[(slice(None),) * d + (slice(None, None, k),)])


def squeeze(*arguments: Any) -> Any:
    given = list(arguments)
    while given and given[-1] is None:
        given.pop()
    result = tensor(given.pop(0), 1, "squeeze") if len(given) > 1 and isinstance(given[1], Tensor) else None
    x = tensor(given[0] if given else MISSING, 1, "squeeze")
    array = x.array
    if len(given) > 1:
        d = _dimension(x, given[1], 2, "squeeze")
        shown = array.squeeze(d) if array.shape[d] == 1 and array.ndim > 1 else array
        if array.shape == (1,):
            return float(array[0])
    else:
        shown = array.squeeze()
        if array.size == 1:
            return float(array.item())
    return x.view(shown) if result is None else _show(result, x, shown)


# ------------------------------------------------------------------------------------------------------ other sizes


def _two(arguments: tuple[Any, ...], name: str) -> tuple[Tensor | None, Tensor, tuple[Any, ...]]:
    """Returns result, source and the rest of ``x:name(...)`` and ``result:name(x, ...)``."""
    first = tensor(arguments[0] if arguments else MISSING, 1, name)
    if len(arguments) > 1 and isinstance(arguments[1], Tensor):
        return first, arguments[1], arguments[2:]
    return None, first, arguments[1:]


def _inferred(shape: tuple[int, ...], total: int, name: str) -> tuple[int, ...]:
    """Returns sizes where -1 stands for whatever is left."""
    if -1 in shape:
        rest = count([n for n in shape if n != -1]) if len(shape) > 1 else 1
        if shape.count(-1) > 1 or not rest or total % rest:
            raise_error(f"{name}: {total} elements cannot have the sizes {text(shape)}")
        shape = tuple(total // rest if n == -1 else n for n in shape)
    return shape


def _wanted(values: tuple[Any, ...], name: str) -> tuple[int, ...]:
    if values and isinstance(values[0], Storage):
        return tuple(int(n) for n in values[0].vector)
    if values and values[0].__class__ in TABLES:
        values = tuple(items(values[0]))
    return tuple(integer(n, name) for n in values if n is not None)


def view(*arguments: Any) -> Tensor:
    result, x, rest = _two(arguments, "view")
    return _viewed(result, x, _inferred(_wanted(rest, "view"), x.array.size, "view"))


def _viewed(result: Tensor | None, x: Tensor, shape: tuple[int, ...]) -> Tensor:
    if not x.array.flags.c_contiguous:
        raise_error("expecting a contiguous tensor")
    if any(n <= 0 for n in shape) or count(shape) != x.array.size:
        was, wanted = ("x".join(map(str, sizes)) for sizes in (shape_of(x), shape))
        raise_error(f"Wrong size for view. Input size: {was}. Output size: {wanted}")
    shown = x.array.reshape(shape or (0,))
    return x.view(shown) if result is None else _show(result, x, shown)


def viewAs(*arguments: Any) -> Tensor:
    return _viewed(*_sized_as(arguments, "viewAs"))


def _sized_as(arguments: tuple[Any, ...], name: str) -> tuple[Tensor | None, Tensor, tuple[int, ...]]:
    """Returns the result, the source and the shape of ``name([result,] source, other)``, whose other tensor has the shape."""
    first = tensor(arguments[0] if arguments else MISSING, 1, name)
    second = tensor(arguments[1] if len(arguments) > 1 else MISSING, 2, name)
    if len(arguments) > 2 and isinstance(arguments[2], Tensor):
        return first, second, shape_of(arguments[2])
    return None, first, shape_of(second)


def reshape(*arguments: Any) -> Tensor:
    result, x, rest = _two(arguments, "reshape")
    shape = _inferred(_wanted(rest, "reshape"), x.array.size, "reshape")
    if any(n <= 0 for n in shape) or count(shape) != x.array.size:
        raise_error("bad argument #2 to 'reshape' (number of elements must match)")
    return store(result, x.array.reshape(shape or (0,)).copy(), x.__class__)


def expand(*arguments: Any) -> Tensor:
    result, x, rest = _two(arguments, "expand")
    return _expanded(result, x, _wanted(rest, "expand"))


def _expanded(result: Tensor | None, x: Tensor, shape: tuple[int, ...]) -> Tensor:
    own = shape_of(x)
    if len(shape) != len(own) or not own:
        raise_error("the number of dimensions provided must equal tensor.dim()")
    shape = tuple(n if m == -1 else m for n, m in zip(own, shape, strict=True))
    for n, m in zip(own, shape, strict=True):
        if n != m and (n != 1 or m <= 0):
            raise_error("incorrect size: only supporting singleton expansion (size=1)")
    count(shape, x.dtype.itemsize)
    strides = tuple(0 if n != m else step for n, m, step in zip(own, shape, x.array.strides, strict=True))
    shown = np.lib.stride_tricks.as_strided(x.array, shape, strides)
    return x.view(shown) if result is None else _show(result, x, shown)


def expandAs(*arguments: Any) -> Tensor:
    return _expanded(*_sized_as(arguments, "expandAs"))


def repeatTensor(*arguments: Any) -> Tensor:
    result, x, rest = _two(arguments, "repeatTensor")
    times = _wanted(rest, "repeatTensor")
    if len(times) < len(shape_of(x)):
        raise_error("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    own = (1,) * (len(times) - len(shape_of(x))) + shape_of(x)
    if any(n <= 0 for n in times):
        fail(2, "repeatTensor", "the numbers of times have to be positive")
    count([n * m for n, m in zip(own, times, strict=True)], x.dtype.itemsize)
    return store(result, np.tile(x.array, times), x.__class__)


# ------------------------------------------------------------------------------------------------------ pieces


def _parts(x: Tensor, step: int, d: int) -> list[Tensor]:
    edges = range(0, x.array.shape[d], step)
    return [x.view(x.array[(slice(None),) * d + (slice(i, i + step),)]) for i in edges]


def _pieces(name: str, arguments: tuple[Any, ...], isCount: bool) -> Table:
    result = arguments[0] if arguments and arguments[0].__class__ in TABLES else None
    given = arguments if result is None else arguments[1:]
    x = tensor(given[0] if given else MISSING, 1, name)
    n = integer(given[1] if len(given) > 1 else None, name)
    d = axis(x, given[2] if len(given) > 2 and given[2] is not None else 1.0, name)
    if n <= 0:
        fail(2, name, "the number has to be positive")
    parts = _parts(x, -(-x.array.shape[d] // n) if isCount else n, d)
    if result is None:
        return sequence(*parts)
    for i in range(1, len(items(result)) + 1):
        rawset(result, float(i), None)
    for i, part in enumerate(parts):
        rawset(result, float(i + 1), part)
    return result  # type: ignore[no-any-return]


def split(*arguments: Any) -> Table:
    return _pieces("split", arguments, False)


def chunk(*arguments: Any) -> Table:
    return _pieces("chunk", arguments, True)


def totable(x: Any = MISSING, *_: Any) -> Table:
    if isinstance(x, Storage):
        return sequence(*map(float, x.vector.tolist()))
    found: Table = table_of(tensor(x, 1, "totable").array.tolist())
    return found


METHODS: dict[str, Any] = {
    **{"size": size, "stride": stride, "dim": dim, "nDimension": dim, "nElement": nElement, "numel": nElement},
    **{"storage": storage, "storageOffset": storageOffset, "elementSize": elementSize, "isContiguous": isContiguous},
    **{"isSize": isSize, "isSameSizeAs": isSameSizeAs, "isSetTo": isSetTo, "resize": resize_, "resizeAs": resizeAs},
    **{"set": set_, "narrow": narrow, "select": select, "sub": sub, "transpose": transpose, "t": t, "permute": permute},
    **{"unfold": unfold, "squeeze": squeeze, "view": view, "viewAs": viewAs, "reshape": reshape, "expand": expand},
    **{"expandAs": expandAs, "repeatTensor": repeatTensor, "split": split, "chunk": chunk, "totable": totable},
}
FUNCTIONS = (
    *("nDimension", "nElement", "numel", "transpose", "t", "squeeze", "view", "viewAs", "reshape", "expand", "expandAs"),
    *("repeatTensor", "split", "chunk", "totable", "permute", "isContiguous", "isSameSizeAs"),
)
"""Methods that are functions of ``torch``, too."""
