"""Texts of error messages: descriptions of the values that were given, and how to convert them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .arrays import is_tensor, on_device

_CONVERSIONS = {np.dtype(np.float32): ".float()", np.dtype(np.float64): ".double()"}
_CONVERSIONS_ON_DEVICE = {
    np.dtype(np.float16): ".half()",
    np.dtype(np.float32): ".cuda()",
    np.dtype(np.float64): '.type("torch.CudaDoubleTensor")',
}


def sizes(shape: Sequence[int]) -> str:
    """Returns a shape as error messages show it, here and in the C library: "2 x 3 x 4"."""
    return " x ".join(map(str, shape)) or "no dimensions"


def text_shape(shape: Sequence[int]) -> str:
    """Returns a shape as it is written on a command line: "2x3x4"."""
    return "x".join(map(str, shape)) or "()"


def described(value: Any) -> str:
    """Returns the description of a value in an error message."""
    if is_tensor(value):
        return f"a {value.dtype} {'CuPy ' if on_device(value) else ''}array of {sizes(value.shape)}"
    if isinstance(value, (list, tuple)) and value and areNumbers(value):
        what = "row" if isinstance(value[0], (list, tuple)) else "number"
        return f"a {type(value).__name__} of {len(value)} {what}{'s' * (len(value) > 1)}{' of numbers' * (what == 'row')}"
    if isinstance(value, (list, tuple, dict)):
        return f"a table of {len(value)}"
    return "None" if value is None else f"{type(value).__name__} {' '.join(repr(value).split()):.40}"


def areNumbers(value: Any) -> bool:
    """Returns True if the value is a number, a list of numbers, or a list of such lists. Only first entries are examined."""
    while isinstance(value, (list, tuple)) and value:
        value = value[0]
    return isinstance(value, (int, float, np.number)) or (is_tensor(value) and not value.ndim)


def mismatch(where: str, value: Any, dtype: Any, device: bool = False) -> str:
    """Returns the message for a value that is no array of `dtype`, on the host or on a device. It shows the conversion."""
    library = "cupy" if device else "np"
    text = f"{where}: expected a {f'CuPy array of {dtype}' if device else f'{dtype} array'}, got "
    if not is_tensor(value):
        return text + described(value) + _made(value, library, dtype)
    if device and not on_device(value):
        return text + f"a NumPy array of {value.dtype}; move it with cupy.asarray(x), or the module to the host with .float()"
    if on_device(value) and not device:
        return text + f"a CuPy array of {value.dtype}; move the module with .cuda(), or the array to the host with x.get()"
    text = f"{where}: expected {dtype}, got {value.dtype}"
    if value.dtype.kind not in "biuf":
        return text
    if not value.dtype.isnative:
        text += ", whose bytes stand in the order of other machines"
    conversion = (_CONVERSIONS_ON_DEVICE if device else _CONVERSIONS).get(value.dtype) if np.dtype(dtype).kind == "f" else None
    return f"{text}; pass x.astype({library}.{dtype})" + (f", or convert the module: {conversion}" if conversion else "")


def _made(value: Any, library: str, dtype: Any) -> str:
    """Returns how to make an array of another value, or "" if that is not known."""
    if isinstance(value, np.ma.MaskedArray):
        return "; pass x.filled(0), or with another number for what the mask hides"
    if isinstance(value, np.matrix):
        return "; pass x.A"
    if hasattr(value, "__dlpack__"):  # forward() and backward() have converted their own arguments before
        return f"; pass {library}.from_dlpack(x)"
    return f"; pass {library}.array(x, {library}.{dtype})" if areNumbers(value) else ""
