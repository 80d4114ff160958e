"""Calls the array functions of libTHNN, ``THNN_arrayCopy`` and the like, which take arrays of any element type."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import DtypeError, ShapeError
from .library import SIGNATURES, USES, check, ffi, lib

TYPES: dict[np.dtype[Any], int] = {
    np.dtype(np.float32): 0,
    np.dtype(np.float64): 1,
    np.dtype(np.int64): 2,
    np.dtype(np.uint8): 3,
    np.dtype(np.bool_): 3,
}
"""The numbers of THNNType. A truth value is a byte."""


def describe(array: Any, descriptor: Any = None) -> Any:
    """A descriptor of the array, which must outlive it; `descriptor` itself, if it is given."""
    made = ffi.new("THNNArray *") if descriptor is None else descriptor
    number = TYPES.get(array.dtype)
    if number is None:
        raise DtypeError(f"expected an array of {', '.join(map(str, TYPES))}, got {array.dtype}")
    size = array.itemsize
    shape, strides = (array.shape, array.strides) if array.ndim else ((1,), (size,))
    if len(shape) > 8 or any(stride % size for stride in strides):
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


__all__ = ["SIGNATURES", "TYPES", "USES", "call", "describe"]
