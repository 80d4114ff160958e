"""Stands for CuPy where there is no GPU: arrays in ordinary memory that behave as CuPy's do towards NumPy.

They are no NumPy arrays and never become any by themselves; operations with NumPy arrays are refused, numbers are taken.
NumPy's functions reach them through the protocols that CuPy implements, and find those alone, with those arguments alone, that
CuPy 14 has (`FUNCTIONS`, `UFUNCS`, `METHODS`). What would make the host wait for the device is counted in `waits`, memory that
is asked of the pool in `allocated`. `install` puts it where the package looks for CuPy.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

# The functions of CuPy 14 that the package may reach, with the names of their arguments.
FUNCTIONS = {
    line.split("(")[0]: line[line.index("(") + 1 : -1].split(", ")
    for line in """\
all(a, axis, out, keepdims)
any(a, axis, out, keepdims)
arange(start, stop, step, dtype)
argmax(a, axis, dtype, out, keepdims)
argmin(a, axis, dtype, out, keepdims)
argsort(a, axis, kind)
array(object, dtype, copy, order, subok, ndmin)
array_equal(a1, a2, equal_nan)
asarray(a, dtype, order, copy)
ascontiguousarray(a, dtype)
atleast_1d(arys)
atleast_2d(arys)
bincount(x, weights, minlength)
broadcast_to(array, shape)
clip(a, a_min, a_max, out)
column_stack(tup)
concatenate(tup, axis, out, dtype, casting)
copy(a, order)
copyto(dst, src, casting, where)
count_nonzero(a, axis)
cumsum(a, axis, dtype, out)
diag(v, k)
diagonal(a, offset, axis1, axis2)
dot(a, b, out)
einsum(operands, optimize)
empty(shape, dtype, order)
empty_like(prototype, dtype, order, subok, shape)
expand_dims(a, axis)
flatnonzero(a)
flip(a, axis)
full_like(a, fill_value, dtype, order, subok, shape)
max(a, axis, out, keepdims)
may_share_memory(a, b, max_work)
mean(a, axis, dtype, out, keepdims)
min(a, axis, out, keepdims)
moveaxis(a, source, destination)
ndim(a)
nonzero(a)
norm(x, ord, axis, keepdims)
ones_like(a, dtype, order, subok, shape)
outer(a, b, out)
pad(array, pad_width, mode, constant_values)
prod(a, axis, dtype, out, keepdims)
put_along_axis(arr, indices, values, axis)
ravel(a, order)
repeat(a, repeats, axis)
reshape(a, newshape, order, copy)
searchsorted(a, v, side, sorter)
shape(a)
size(a, axis)
sort(a, axis, kind)
split(ary, indices_or_sections, axis)
squeeze(a, axis)
stack(tup, axis, out, dtype, casting)
std(a, axis, dtype, out, ddof, keepdims)
sum(a, axis, dtype, out, keepdims)
swapaxes(a, axis1, axis2)
take(a, indices, axis, out)
take_along_axis(a, indices, axis)
tensordot(a, b, axes)
tile(A, reps)
transpose(a, axes)
tril(m, k)
triu(m, k)
unique(ar, return_index, return_inverse, return_counts, axis, equal_nan)
var(a, axis, dtype, out, ddof, keepdims)
vdot(a, b)
where(condition, x, y)
zeros(shape, dtype, order)
zeros_like(a, dtype, order, subok, shape)""".splitlines()
}
WAITING_FUNCTIONS = {"bincount", "flatnonzero", "nonzero", "unique"}  # the size of the result is on the device

UFUNCS = {
    "abs", "absolute", "add", "arctan", "arctan2", "bitwise_and", "bitwise_or", "bitwise_xor", "ceil", "copysign", "cos", "cosh",
    "divide", "divmod", "equal", "exp", "exp2", "expm1", "floor", "floor_divide", "fmax", "fmin", "fmod", "frexp", "greater",
    "greater_equal", "hypot", "invert", "isfinite", "isinf", "isnan", "ldexp", "left_shift", "less", "less_equal", "log", "log10",
    "log1p", "log2", "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul", "maximum", "minimum",
    "mod", "multiply", "negative", "nextafter", "not_equal", "positive", "power", "reciprocal", "remainder", "right_shift",
    "rint", "sign", "signbit", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh", "true_divide", "trunc",
}  # fmt: skip
REDUCING = {"add", "multiply"}
AT = {"add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor"}

METHODS = {
    "all": "axis out keepdims", "any": "axis out keepdims", "argmax": "axis out dtype keepdims",
    "argmin": "axis out dtype keepdims", "argsort": "axis kind", "astype": "dtype order casting subok copy",
    "clip": "min max out", "copy": "order", "cumsum": "axis dtype out", "diagonal": "offset axis1 axis2", "dot": "b out",
    "fill": "value", "flatten": "order", "max": "axis out keepdims", "mean": "axis dtype out keepdims",
    "min": "axis out keepdims", "nonzero": "", "prod": "axis dtype out keepdims", "ravel": "order", "repeat": "repeats axis",
    "reshape": "shape order", "round": "decimals out", "sort": "axis kind", "squeeze": "axis",
    "std": "axis dtype out ddof keepdims", "sum": "axis dtype out keepdims", "swapaxes": "axis1 axis2",
    "take": "indices axis out", "trace": "offset axis1 axis2 dtype out", "transpose": "axes",
    "var": "axis dtype out ddof keepdims", "view": "dtype",
}  # fmt: skip

waits = 0
allocated: list[int] = []
copiedToDevice = 0


def wait() -> None:
    global waits
    waits += 1


# ---------------------------------------------------------------------------------------------- memory


class Memory:
    """A piece of the pool, or of pinned memory."""

    def __init__(self, size: int, elements: Any = None) -> None:
        self.elements = np.empty(max(size, 1), np.uint8) if elements is None else elements
        self.ptr = self.elements.__array_interface__["data"][0]
        self.size, self.device_id = size, 0


class UnownedMemory:
    def __init__(self, ptr: int, size: int, owner: Any, device_id: int = -1) -> None:
        self.ptr, self.size, self._owner, self.device_id = ptr, size, owner, max(device_id, 0)


class MemoryPointer:
    def __init__(self, mem: Any, offset: int) -> None:
        self.mem, self.ptr, self.device_id = mem, mem.ptr + offset, mem.device_id


def alloc(size: int) -> MemoryPointer:
    allocated.append(size)
    return MemoryPointer(Memory(size), 0)


def alloc_pinned_memory(size: int) -> MemoryPointer:
    return MemoryPointer(Memory(size), 0)


# ---------------------------------------------------------------------------------------------- arrays


class Flags:
    def __init__(self, array: np.ndarray) -> None:
        self.c_contiguous, self.f_contiguous = array.flags.c_contiguous, array.flags.f_contiguous
        self.owndata = array.flags.owndata


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):
    """`elements` is a NumPy array over the same memory, which only this file may touch."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None, order: str = "C") -> None:
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        if memptr is None:
            self._hold(np.empty(shape, dtype, order), None)
            return
        low = high = 0
        for size, stride in zip(shape, strides or np.empty(shape, np.dtype(dtype)).strides, strict=True):
            low, high = low + min(0, stride * (size - 1)), high + max(0, stride * (size - 1))
        size = high - low + np.dtype(dtype).itemsize if 0 not in shape else 0
        buffer = (ctypes.c_char * size).from_address(memptr.ptr + low) if size else None
        self.elements = np.ndarray(shape, dtype, buffer, -low, strides) if size else np.empty(shape, dtype)
        self.data, self.base = memptr, None

    def _hold(self, elements: np.ndarray, base: Any) -> None:
        self.elements, self.base = elements, base
        if base is None:
            self.data = MemoryPointer(Memory(elements.nbytes, elements), 0)
        else:
            self.data = MemoryPointer(base.data.mem, elements.__array_interface__["data"][0] - base.data.mem.ptr)

    # Properties that need no elements.
    dtype = property(lambda self: self.elements.dtype)
    ndim = property(lambda self: self.elements.ndim)
    size = property(lambda self: self.elements.size)
    strides = property(lambda self: self.elements.strides)
    itemsize = property(lambda self: self.elements.itemsize)
    nbytes = property(lambda self: self.elements.nbytes)
    flags = property(lambda self: Flags(self.elements))
    device = property(lambda self: Device(self.data.device_id))
    T = property(lambda self: wrapped(self.elements.T, self))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.elements.shape

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.data.ptr, False),
            "strides": self.strides,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, **_: Any) -> Any:
        return self

    def __len__(self) -> int:
        return len(self.elements)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> ndarray:
        places = index if isinstance(index, tuple) else (index,)
        if any(isinstance(place, ndarray) and place.dtype == bool for place in places):
            wait()
        plain = tuple(place.elements if isinstance(place, ndarray) else place for place in places)
        if not any(place is ... for place in plain):
            plain = (*plain, ...)  # or one element would be a number
        return wrapped(self.elements[plain], self)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim):
            raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
        places = index if isinstance(index, tuple) else (index,)
        plain = tuple(place.elements if isinstance(place, ndarray) else place for place in places)
        self.elements[plain if isinstance(index, tuple) else plain[0]] = value.elements if isinstance(value, ndarray) else value

    # Methods that need elements on the host: they wait.
    def get(self) -> np.ndarray:
        wait()
        return self.elements.copy(order="C")

    def item(self, *place: int) -> Any:
        return self.get().item(*place)

    def tolist(self) -> Any:
        return self.get().tolist()

    def __float__(self) -> float:
        return float(self.get())

    def __int__(self) -> int:
        return int(self.get())

    def __index__(self) -> int:
        return self.get().__index__()

    def __bool__(self) -> bool:
        return bool(self.get())

    def __repr__(self) -> str:
        return repr(self.get())

    def __reduce__(self) -> Any:
        return _restored, (self.get(),)

    def __copy__(self) -> ndarray:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> ndarray:
        return self.copy()

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array.")

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(f"'ndarray' object has no attribute {name!r}")

        def method(*arguments: Any, **keywords: Any) -> Any:
            refuse_unknown(f"ndarray.{name}", keywords, METHODS[name].split())
            if name == "nonzero":
                wait()
            return called(getattr(self.elements, name), self, arguments, keywords)

        return method

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **keywords: Any) -> Any:
        if ufunc.__name__ not in UFUNCS or (method == "at" and ufunc.__name__ not in AT):
            return NotImplemented
        if method not in ("__call__", "at") and ufunc.__name__ not in REDUCING:
            raise NotImplementedError(f"`cupy_{ufunc.__name__}.{method}` is not supported yet")
        if method == "__call__":
            refuse_unknown(ufunc.__name__, keywords, ["dtype", "casting"])
        for value in (*inputs[: 1 if method == "at" else None], *(out or ())):
            if not isinstance(value, (ndarray, bool, int, float, complex, np.generic)):
                raise TypeError(f"Unsupported type {type(value)}")
        if out is not None:
            assert len(out) == 1, "The 'out' parameter must have exactly one array value"
            keywords["out"] = out[0]
        result = called(getattr(ufunc, method), None, inputs, keywords)
        return None if method == "at" else result

    def __array_function__(self, func: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        name = func.__name__
        if name not in FUNCTIONS:
            return NotImplemented
        if name in ("shape", "ndim", "size"):
            return func(arguments[0].elements)
        known = FUNCTIONS[name]
        refuse_unknown(name, keywords, known)
        if name in WAITING_FUNCTIONS:
            wait()
        if name == "asarray" and isinstance(arguments[0], ndarray):
            return arguments[0].astype(keywords.get("dtype") or arguments[0].dtype, copy=False)
        if name in ("array", "asarray", "ascontiguousarray"):
            return array(*arguments, **keywords)
        if name == "copyto" and isinstance(arguments[1], np.ndarray) and arguments[1].ndim:
            raise ValueError("non-scalar numpy.ndarray cannot be used for copyto")
        refuse_host((*arguments, *keywords.values()))
        return called(func, arguments[0] if arguments else None, arguments, keywords)


def refuse_unknown(name: str, keywords: dict[str, Any], known: list[str]) -> None:
    for keyword in keywords:
        if keyword not in known:
            raise TypeError(f"{name}() got an unexpected keyword argument {keyword!r}")


def refuse_host(values: Any) -> None:
    for value in values:
        if isinstance(value, np.ndarray) and value.ndim:
            raise TypeError(f"Unsupported type {type(value)}")
        if isinstance(value, (list, tuple)):
            refuse_host(value)


def bare(value: Any) -> Any:
    """`value` with the NumPy arrays that stand behind device arrays."""
    if isinstance(value, (list, tuple)):
        return type(value)(bare(entry) for entry in value)
    return value.elements if isinstance(value, ndarray) else value


def called(function: Callable[..., Any], owner: Any, arguments: Any, keywords: dict[str, Any]) -> Any:
    result = function(*bare(arguments), **{key: bare(value) for key, value in keywords.items()})
    if isinstance(out := keywords.get("out"), ndarray):
        return out
    bases = [value for value in (owner, *arguments) if isinstance(value, ndarray)]
    if isinstance(result, (list, tuple)):
        return type(result)(wrapped(entry, *bases) for entry in result)
    return wrapped(result, *bases)


def wrapped(elements: Any, *bases: ndarray) -> Any:
    """A device array over a NumPy array; a view of the first of `bases` whose memory it shares."""
    if not isinstance(elements, (np.ndarray, np.generic)):
        return elements
    elements = np.asarray(elements)
    array = ndarray.__new__(ndarray)
    for base in bases:
        if elements is base.elements:
            return base
        if elements.size and np.may_share_memory(elements, base.elements):
            array._hold(elements, base if base.base is None else base.base)
            return array
    array._hold(elements, None)
    return array


def _restored(elements: np.ndarray) -> ndarray:
    return array(elements)


# ---------------------------------------------------------------------------------------------- the module


def array(object: Any, dtype: Any = None, copy: bool = True, order: str = "K", subok: bool = False, ndmin: int = 0) -> ndarray:
    global copiedToDevice
    if not isinstance(object, ndarray):
        copiedToDevice += 1
    elements = np.array(bare(object), dtype, order="C", ndmin=ndmin)
    if elements.dtype.kind not in "?biufc":
        raise ValueError(f"Unsupported dtype {elements.dtype}")
    return wrapped(elements)


def asarray(a: Any, dtype: Any = None) -> ndarray:
    if isinstance(a, ndarray):
        return a if dtype is None or a.dtype == dtype else a.astype(dtype)
    if hasattr(a, "__cuda_array_interface__"):
        seen = a.__cuda_array_interface__
        memory = UnownedMemory(seen["data"][0], 0, a, 0)
        return ndarray(seen["shape"], np.dtype(seen["typestr"]), MemoryPointer(memory, 0), seen.get("strides"))
    return array(a, dtype)


def from_dlpack(value: Any) -> ndarray:
    other = value.__dlpack__(stream=get_current_stream().ptr)
    assert isinstance(other, ndarray), "the tests hand over our own arrays in place of capsules"
    return ndarray(
        other.shape, other.dtype, MemoryPointer(UnownedMemory(other.data.ptr, other.nbytes, value, 0), 0), other.strides
    )


def asnumpy(a: Any) -> np.ndarray:
    return a.get() if isinstance(a, ndarray) else np.asarray(a)


def empty(shape: Any, dtype: Any = float) -> ndarray:
    return ndarray(shape, dtype)


def zeros(shape: Any, dtype: Any = float) -> ndarray:
    return wrapped(np.zeros(shape, dtype))


def as_strided(x: ndarray, shape: Any, strides: Any) -> ndarray:
    return ndarray(shape, x.dtype, x.data, strides)


class Stream:
    """Streams nest by `with`; nothing runs on them."""

    current: list[Stream] = []

    def __init__(self, ptr: int) -> None:
        self.ptr = ptr

    def __enter__(self) -> Stream:
        Stream.current.append(self)
        return self

    def __exit__(self, *_: Any) -> None:
        Stream.current.pop()

    def synchronize(self) -> None:
        wait()


NULL = Stream(0)


def get_current_stream() -> Stream:
    return Stream.current[-1] if Stream.current else NULL


class Device:
    """There are two devices; arrays are all on the first one."""

    current = 0
    compute_capability = "90"

    def __init__(self, id: int | None = None) -> None:
        self.id = Device.current if id is None else id

    def __enter__(self) -> Device:
        self.before, Device.current = Device.current, self.id
        return self

    def __exit__(self, *_: Any) -> None:
        Device.current = self.before

    def synchronize(self) -> None:
        wait()


def install(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Makes this module what `import cupy` gives."""
    module = sys.modules[__name__]
    cuda = SimpleNamespace(
        alloc=alloc,
        alloc_pinned_memory=alloc_pinned_memory,
        get_current_stream=get_current_stream,
        Device=Device,
        MemoryPointer=MemoryPointer,
        Stream=Stream,
        UnownedMemory=UnownedMemory,
        device=SimpleNamespace(get_cublas_handle=lambda: 4711),
        runtime=SimpleNamespace(getDeviceCount=lambda: 2, getDevice=lambda: Device.current),
    )
    monkeypatch.setattr(module, "cuda", cuda, raising=False)
    monkeypatch.setattr(module, "lib", SimpleNamespace(stride_tricks=SimpleNamespace(as_strided=as_strided)), raising=False)
    monkeypatch.setitem(sys.modules, "cupy", module)
    return module
