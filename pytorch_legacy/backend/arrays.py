"""Calls the array functions of libTHNN, ``THNN_arrayCopy`` and the like, which take arrays of any element type.

Arrays of CuPy go to their twins in libTHCUNN.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..arrays import cupy, on_device
from ..errors import DtypeError, ShapeError
from . import cuda
from .binding import data_address
from .library import NULL, SIGNATURES, USES, check, ffi, lib

TYPES: dict[np.dtype[Any], int] = {
    np.dtype(np.float32): 0,
    np.dtype(np.float64): 1,
    np.dtype(np.int64): 2,
    np.dtype(np.uint8): 3,
    np.dtype(np.bool_): 3,
}
"""The numbers of THNNType. A truth value is a byte."""

MOST_DIMS = 8
MOST_ARRAYS = 4  # the most arrays of a call


class Repeated(NamedTuple):
    """An array of NumPy that is an argument of another shape, to which it is broadcast."""

    array: Any
    shape: tuple[int, ...]


_LAYOUT = struct.Struct("8q8qiIii")


@lru_cache(4096)
def _layout(dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...], isWritable: bool) -> bytes:
    """Returns a THNNArray behind its first field, the address."""
    number, size, rank = TYPES.get(dtype), dtype.itemsize, len(shape)
    if number is None:
        raise DtypeError(f"expected an array of {', '.join(map(str, TYPES))}, got {dtype}")
    if rank > MOST_DIMS or any(stride % size for stride in strides):
        raise ShapeError(f"expected at most 8 dimensions, and strides of whole elements, got {shape}, {strides}")
    if not rank:
        shape, strides, rank = (1,), (size,), 1
    rest = (0,) * (MOST_DIMS - rank)
    return _LAYOUT.pack(*shape, *rest, *[stride // size for stride in strides], *rest, rank, not isWritable, number, 0)


@lru_cache(4096)
def _repeatedLayout(dtype: Any, shape: tuple[int, ...], strides: tuple[int, ...], wanted: tuple[int, ...]) -> bytes:
    """Returns the same for an array that is broadcast to the shape `wanted`."""
    repeated = np.lib.stride_tricks.as_strided(np.empty((), dtype), shape, strides)
    return _layout(dtype, wanted, np.broadcast_to(repeated, wanted).strides, False)


class _Descriptors:
    """The descriptors of the arrays of a call. Each serves one call at a time."""

    __slots__ = ("addresses", "layouts", "memory", "values")

    def __init__(self) -> None:
        self.values = [ffi.new("THNNArray *") for _ in range(MOST_ARRAYS)]
        self.memory = [ffi.buffer(one) for one in self.values]
        self.addresses = [ffi.cast("uintptr_t *", one) for one in self.values]  # the addresses of `data`, the first field
        self.layouts: list[Any] = [None] * MOST_ARRAYS

    def fill(self, place: int, array: Any, layout: bytes) -> Any:
        """Returns a descriptor of the array, which must outlive it."""
        if self.layouts[place] is not layout:
            self.memory[place][8:] = layout
            self.layouts[place] = layout
        self.addresses[place][0] = data_address(array)
        return self.values[place]


_waiting: list[_Descriptors] = []
_functions: dict[str, Any] = {}


def call(name: str, *arguments: Any) -> None:
    """Calls the function of that name, without ``THNN_``, with arrays of NumPy, numbers and texts, but for the state."""
    try:
        descriptors = _waiting.pop()
    except IndexError:
        descriptors = _Descriptors()
    values = []
    place = 0
    for one in arguments:
        if isinstance(one, np.ndarray):
            layout = _layout(one.dtype, one.shape, one.strides, one.flags.writeable)
            one = descriptors.fill(place, one, layout)
            place += 1
        elif type(one) is Repeated:
            array = one.array
            one = descriptors.fill(place, array, _repeatedLayout(array.dtype, array.shape, array.strides, one.shape))
            place += 1
        elif isinstance(one, str):
            one = ffi.from_buffer(one.encode() + b"\0")
        values.append(one)
    function = _functions.get(name)
    if function is None:
        function = _functions[name] = getattr(lib, f"THNN_{name}")
    status = function(NULL, *values)
    _waiting.append(descriptors)
    if status:
        check(status, name)


def call_on_device(name: str, *arguments: Any, shape: tuple[int, ...] | None = None) -> bool:
    """Calls the twin in libTHCUNN with arrays of CuPy and numbers, on the current stream.

    Parameters
    ----------
    name : str
        The function's name without ``THNN_``, as in "arrayApply".
    *arguments
        Its arguments but for the state.
    shape : tuple of int, optional
        Shape to which all arrays are broadcast; by default each has its own shape.

    Returns
    -------
    bool
        False if the twin does not take these arrays (another element type, more than 8 dimensions, another device, shapes that
        do not fit), or if the library has none. Then nothing was done.
    """
    device = cupy().cuda.runtime.getDevice()
    values = []
    for one in arguments:
        if on_device(one):
            described = _describe_on_device(one, one.shape if shape is None else shape)
            if described is None or one.data.device_id != device:
                return False
            values.append(described)
        else:
            values.append(one)
    return cuda.call_array(name, *values)


def _describe_on_device(array: Any, shape: tuple[int, ...]) -> Any:
    """A descriptor of an array of CuPy, broadcast to the shape; None if the array functions do not know such an array."""
    rank, number, size = len(shape), TYPES.get(array.dtype), array.itemsize
    first = rank - array.ndim
    if number is None or rank > MOST_DIMS or first < 0:
        return None
    made = ffi.new("THNNArray *")
    made.data = ffi.cast("void *", array.data.ptr)
    made.nDimension, made.type = rank or 1, number
    made.size[0], made.stride[0] = 1, 1  # the sizes of a single number
    for d, extent in enumerate(shape):
        own, stride = (1, 0) if d < first else (array.shape[d - first], array.strides[d - first])
        if own not in (1, extent) or stride % size:
            return None
        made.size[d], made.stride[d] = extent, stride // size if own == extent else 0
    return made


__all__ = ["SIGNATURES", "TYPES", "USES", "Repeated", "call", "call_on_device"]
