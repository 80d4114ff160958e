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
from threading import get_ident
from typing import Any, TypeGuard

import numpy as np

from pytorch_legacy.errors import DtypeError

Array = np.ndarray[Any, Any]


class Recorded:
    """The base of arrays in a pass that is recorded (pytorch_legacy.recording): a third kind beside NumPy's and CuPy's."""

    __slots__ = ()


recorders: dict[int, Any] = {}
"""The recorders of passes under way, by the number of the thread."""


def recorder() -> Any:
    """Returns the recorder of this thread's passes, or None."""
    return recorders.get(get_ident()) if recorders else None


_ON_CUDA = (2, 13)  # kDLCUDA and kDLCUDAManaged of DLPack


def cupy() -> Any:
    """The module CuPy; ImportError where there is none."""
    return sys.modules.get("cupy") or import_module("cupy")


def on_device(value: Any) -> bool:
    """Returns True for a CuPy array."""
    module = sys.modules.get("cupy")
    return module is not None and isinstance(value, module.ndarray)


def on_host(value: Any) -> TypeGuard[Array]:
    """Returns True for a NumPy array, but not for a masked array or a matrix, whose arithmetic differs."""
    if type(value) is np.ndarray:
        return True
    if not isinstance(value, np.ndarray) or isinstance(value, np.matrix):
        return False
    # Importing numpy.ma takes time; a masked array can only exist if it was imported.
    masked = sys.modules.get("numpy.ma")
    return masked is None or not isinstance(value, masked.MaskedArray)


def is_tensor(value: Any) -> TypeGuard[Array]:
    """Returns True for an array of the host, of a device, or of a pass that is recorded."""
    return on_host(value) or isinstance(value, Recorded) or on_device(value)


def to_device(array: Array, device: bool, dtype: Any = None) -> Array:
    """The array on the device, or on the host, converted to `dtype`: itself, if it is there already."""
    if on_device(array):
        array = array if device else cupy().asnumpy(array)
        return array if dtype is None else array.astype(dtype, copy=False)
    array = array if dtype is None else array.astype(dtype, copy=False)
    return cupy().asarray(array) if device else array


def handed_over(value: Any, device: bool) -> Any:
    """The array of another library as NumPy's, or on a CUDA device as CuPy's. What hands nothing over stays as it is.

    Raises
    ------
    DtypeError
        If the array is one that cannot be handed over.
    """
    if not hasattr(value, "__dlpack_device__"):
        return cupy().asarray(value) if device and hasattr(value, "__cuda_array_interface__") else value
    kind = f"a {type(value).__name__}"
    if getattr(value, "requires_grad", False) is True:
        raise DtypeError(f"got {kind} that requires a gradient; pass x.detach()")
    try:
        onDevice = value.__dlpack_device__()[0] in _ON_CUDA
        if onDevice and device:
            return cupy().from_dlpack(value)
        if not onDevice:
            return np.from_dlpack(value)
    except Exception as error:  # each library has its own
        what = f"{kind} of {getattr(value, 'dtype', 'a kind')} that NumPy cannot read: {' '.join(str(error).split()).rstrip('.')}"
        raise DtypeError(f"got {what}; pass x.float() of a dense tensor in the memory of the host") from None
    raise DtypeError(f"got {kind} on a GPU; pass x.cpu(), or move the module with .cuda()")


def buffer(array: Any, shape: tuple[int, ...], dtype: Any, device: bool) -> Array:
    """`array` if it can serve as a contiguous buffer of that shape and dtype, on the device or on the host; else a new one."""
    if recorders and (active := recorder()) is not None:
        return active.buffer(array, shape, dtype)  # type: ignore[no-any-return]
    fits = is_tensor(array) and array.shape == shape and array.dtype == dtype and on_device(array) == device
    if fits and array.flags.c_contiguous and (device or array.flags.carray):
        return array
    new: Array = (cupy() if device else np).empty(shape, dtype)
    return new


def is_writable(array: Array) -> bool:
    """May the array be written to? All of a device may."""
    return on_device(array) or array.flags.writeable


def overlaps_itself(array: Array) -> bool:
    """May two elements lie at one address, as in an expanded view or in windows that overlap? The test is that of C (check.c)."""
    if array.flags.c_contiguous or not array.size:
        return False
    covered = 0
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape, strict=True) if size > 1):
        if stride < covered + array.itemsize:
            return True
        covered += stride * (size - 1)
    return False


def is_aligned(array: Array) -> bool:
    """Returns True if the elements are at multiples of their size, as those of a device are."""
    return on_device(array) or array.flags.aligned


def strided(whole: Array, shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """A view of `whole` with other sizes and strides (in bytes)."""
    if isinstance(whole, Recorded):
        return whole.strided(shape, strides)  # type: ignore[attr-defined,no-any-return]
    view: Callable[..., Array] = (cupy() if on_device(whole) else np).lib.stride_tricks.as_strided
    return view(whole, shape, strides)


def take(array: Array, indices: Array, axis: int, out: Array) -> Array:
    """``array.take(indices, axis)``, in `out`. No index is out of range."""
    if type(out) is not np.ndarray:
        return np.take(array, indices, axis, out=out)
    return np.take(array, indices, axis, out=out, mode="clip")  # this mode needs no buffer


def address(array: Array) -> int:
    """Returns the address of the first element."""
    if isinstance(array, Recorded):
        array = array.hidden  # type: ignore[attr-defined]
    return int(array.data.ptr) if on_device(array) else int(array.__array_interface__["data"][0])  # type: ignore[attr-defined]
