"""Arrays of the host and of a CUDA device: NumPy's and CuPy's.

Layers that are made of array operations run on both by the same lines. NumPy's functions hand over to CuPy's where an
argument is a CuPy array, and those that make arrays where ``like`` is one: ``np.zeros(shape, dtype, like=input)``. (CuPy
knows it in empty, zeros, arange, array, asarray and ascontiguousarray; for the rest, ``np.full_like(input, 1, shape=...)``.)
What remains to be asked stands here. CuPy is imported when the first module moves to a device, never before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeGuard

import numpy as np

Array = np.ndarray[Any, Any]

_ON_CUDA = (2, 13)  # kDLCUDA and kDLCUDAManaged of DLPack


def cupy() -> Any:
    """The module CuPy; ImportError where there is none."""
    return sys.modules.get("cupy") or import_module("cupy")


def on_device(value: Any) -> bool:
    """Is this a CuPy array?"""
    module = sys.modules.get("cupy")
    return module is not None and isinstance(value, module.ndarray)


def on_host(value: Any) -> TypeGuard[Array]:
    """Is this a NumPy array? One with a mask, or a matrix, is not: its arithmetic is another."""
    return type(value) is np.ndarray or (isinstance(value, np.ndarray) and not isinstance(value, (np.ma.MaskedArray, np.matrix)))


def is_tensor(value: Any) -> TypeGuard[Array]:
    """Is this an array, of the host or of a device?"""
    return on_host(value) or on_device(value)


def placed(array: Array, device: bool, dtype: Any = None) -> Array:
    """The array on the device, or on the host, converted to `dtype`: itself, if it is there already."""
    if on_device(array):
        array = array if device else cupy().asnumpy(array)
        return array if dtype is None else array.astype(dtype, copy=False)
    array = array if dtype is None else array.astype(dtype, copy=False)
    return cupy().asarray(array) if device else array


def to_host(value: Any) -> Any:
    """What holds no device arrays: `value`, with those in it, in tables too, copied to the host."""
    if isinstance(value, list):
        return [to_host(entry) for entry in value]
    if isinstance(value, dict):
        return {key: to_host(entry) for key, entry in value.items()}
    return placed(value, False) if on_device(value) else value


def entered(value: Any) -> Any:
    """`value`, and what is in its tables, with arrays that other libraries hold on a CUDA device seen as CuPy arrays.

    They say so by DLPack, which also puts the streams in order, or by ``__cuda_array_interface__``. Nothing is copied.
    """
    if isinstance(value, (np.ndarray, int, float, str, type(None))) or on_device(value):
        return value
    if isinstance(value, (list, tuple)):
        return [entered(entry) for entry in value]
    if isinstance(value, dict):
        return {key: entered(entry) for key, entry in value.items()}
    if hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] in _ON_CUDA:
        return cupy().from_dlpack(value)
    return cupy().asarray(value) if hasattr(value, "__cuda_array_interface__") else value


def tables(value: Any) -> Any:
    """`value` with lists in the place of tuples: both are what Lua calls a table. A list without tuples stays itself."""
    if isinstance(value, tuple):
        return [tables(entry) for entry in value]
    if isinstance(value, list):
        entries = [tables(entry) if isinstance(entry, (tuple, list, dict)) else entry for entry in value]
        return entries if any(new is not old for new, old in zip(entries, value, strict=True)) else value
    if isinstance(value, dict):
        pairs = {key: tables(entry) for key, entry in value.items()}
        return pairs if any(pairs[key] is not entry for key, entry in value.items()) else value
    return value


def buffer(array: Any, shape: tuple[int, ...], dtype: Any, device: bool) -> Array:
    """`array` if it can serve as a contiguous buffer of that shape and dtype, on the device or on the host; else a new one."""
    fits = is_tensor(array) and array.shape == shape and array.dtype == dtype and on_device(array) == device
    if fits and array.flags.c_contiguous and (device or array.flags.carray):
        return array
    new: Array = (cupy() if device else np).empty(shape, dtype)
    return new


def overlap(one: Any, other: Any) -> bool:
    """May arrays of `one` share memory with arrays of `other`? Both are arrays, or tables of them."""
    if type(one) is np.ndarray and type(other) is np.ndarray:
        if one.base is None is other.base:
            return one is other
        return np.may_share_memory(one, other, 1)  # type: ignore[arg-type]  # some work: windows may interlock
    if isinstance(one, (list, tuple, dict)):
        return any(overlap(other, entry) for entry in (one.values() if isinstance(one, dict) else one))
    if isinstance(other, (list, tuple, dict)):
        return overlap(other, one)
    both = is_tensor(one) and is_tensor(other) and on_device(one) == on_device(other)
    return both and np.may_share_memory(one, other)


def is_writable(array: Array) -> bool:
    """May the array be written to? All of a device may."""
    return on_device(array) or array.flags.writeable


def is_aligned(array: Array) -> bool:
    """Do the elements lie at multiples of their size? Those of a device do."""
    return on_device(array) or array.flags.aligned


def strided(whole: Array, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """A view of `whole` with other sizes and strides (in bytes)."""
    view: Callable[..., Array] = (cupy() if on_device(whole) else np).lib.stride_tricks.as_strided
    return view(whole, shape, strides)


def taken(array: Array, indices: Array, axis: int, out: Array) -> Array:
    """``array.take(indices, axis)``, in `out`. No index is out of range."""
    if on_device(out):
        return np.take(array, indices, axis, out=out)
    return np.take(array, indices, axis, out=out, mode="clip")  # which needs no buffer


def address(array: Array) -> int:
    """Where the first element lies."""
    return int(array.data.ptr) if on_device(array) else int(array.__array_interface__["data"][0])  # type: ignore[attr-defined]


def misplaced(where: str, value: Any, dtype: Any, device: bool) -> str:
    """What to say of a value that is no array, or one of the host where the device's are expected, or the other way round."""
    text = f"{where}: expected a {'CuPy' if device else 'NumPy'} array of {dtype}, got "
    if not is_tensor(value):
        return text + type(value).__name__
    if device:
        return text + f"a NumPy array of {value.dtype}; move it with cupy.asarray(...), or the module to the host with .float()"
    return text + f"a CuPy array of {value.dtype}; move the module with .cuda(), or the array to the host with .get()"
