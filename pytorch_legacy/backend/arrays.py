"""Calls the array functions of libTHNN, ``THNN_arrayCopy`` and the like, which take arrays of any element type.

Arrays of CuPy go to their twins in libTHCUNN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import cupy, on_device
from ..errors import DtypeError, ShapeError
from . import cuda
from .library import SIGNATURES, USES, check, ffi, lib

TYPES: dict[np.dtype[Any], int] = {
    np.dtype(np.float32): 0,
    np.dtype(np.float64): 1,
    np.dtype(np.int64): 2,
    np.dtype(np.uint8): 3,
    np.dtype(np.bool_): 3,
}
"""The numbers of THNNType. A truth value is a byte."""

MOST_DIMS = 8


def describe(array: Any, descriptor: Any = None) -> Any:
    """A descriptor of the array, which must outlive it; `descriptor` itself, if it is given."""
    made = ffi.new("THNNArray *") if descriptor is None else descriptor
    number = TYPES.get(array.dtype)
    if number is None:
        raise DtypeError(f"expected an array of {', '.join(map(str, TYPES))}, got {array.dtype}")
    size = array.itemsize
    shape, strides = (array.shape, array.strides) if array.ndim else ((1,), (size,))
    if len(shape) > MOST_DIMS or any(stride % size for stride in strides):
        raise ShapeError(f"expected at most 8 dimensions, and strides of whole elements, got {array.shape}, {array.strides}")
    made.data = ffi.cast("void *", array.__array_interface__["data"][0])
    made.nDimension, made.type = len(shape), number
    made.flags = 0 if array.flags.writeable else 1
    for d, (extent, stride) in enumerate(zip(shape, strides, strict=True)):
        made.size[d], made.stride[d] = extent, stride // size
    return made


def call(name: str, *arguments: Any) -> None:
    """Calls the function of that name, without ``THNN_``, with arrays of NumPy, numbers and texts, but for the state."""
    values = [
        describe(one) if isinstance(one, np.ndarray) else one.encode() if isinstance(one, str) else one for one in arguments
    ]
    values = [ffi.from_buffer(one + b"\0") if isinstance(one, bytes) else one for one in values]
    if status := getattr(lib, f"THNN_{name}")(ffi.NULL, *values):
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
        What all arrays are broadcast to; by default each has its own shape.

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


__all__ = ["SIGNATURES", "TYPES", "USES", "call", "call_on_device", "describe"]
