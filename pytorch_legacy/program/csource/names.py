"""Words of generated C: identifiers, numbers, literals and comments."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from pytorch_legacy.program.listing import Number, Size

_KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast consteval
constexpr constinit continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum
explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename typeof
typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq
"""
_MACROS = "EOF INFINITY NAN NULL assert errno linux main std stderr stdin stdout tm unix"
_TAKEN = {*_KEYWORDS.split(), *_MACROS.split()}


def identifier(text: str) -> str:
    """Returns a name of C and C++ for a text, such as the name of a file: "my-net.2" gives "my_net_2"."""
    found = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")
    if not found or found[0].isdigit():
        found = f"net_{found}".rstrip("_")
    return f"{found}_net" if found in _TAKEN else found


def number(value: Number) -> str:
    """Returns a number of a list: ``n * 64 + 3`` for a + b n."""
    if not isinstance(value, Size) or value.b == 0:
        whole = int(value.a if isinstance(value, Size) else value)
        return str(whole) if abs(whole) < 2**31 else f"INT64_C({whole})"
    step = "n" if abs(value.b) == 1 else f"n * {number(abs(value.b))}"
    if value.b < 0:
        return f"{number(value.a)} - {step}" if value.a else f"-{step}"
    return f"{step} {'+' if value.a > 0 else '-'} {number(abs(value.a))}" if value.a else step


def real(value: float) -> str:
    """Returns a double as C writes it."""
    if math.isfinite(value):
        text = repr(float(value))
        return text.removesuffix(".0") if abs(value) < 1000 and text != "-0.0" else text
    sign = "-" if math.copysign(1, value) < 0 else ""
    return f"{sign}NAN" if math.isnan(value) else f"{sign}INFINITY"


def string(text: str) -> str:
    """Returns a string literal of at most 1,000 bytes, as programs have."""
    each = []
    for byte in text.encode()[:1000]:
        isPlain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        each.append(chr(byte) if isPlain else f"\\{byte:03o}")
    return f'"{"".join(each)}"'


def comment(text: str) -> str:
    """Returns a text that may stand within a comment."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return printable.replace("*/", "* /").replace("/*", "/ *").rstrip("\\")


def total(shape: Any) -> Number:
    """Returns how many elements an array has, or None if that is no a + b n."""
    result: Number = 1
    for size in shape:
        result = times(result, size)
        if result is None:
            return None
    return result


def times(one: Number, other: Number) -> Number:
    """Returns the product of two numbers, or None if it is no a + b n."""
    if not isinstance(one, Size):
        one, other = other, one
    if not isinstance(one, Size):
        return int(one) * int(other)
    return None if isinstance(other, Size) else Size(one.a * int(other), one.b * int(other))


def plus(one: Number, other: Number) -> Number:
    """Returns the sum of two numbers."""
    both = [value if isinstance(value, Size) else Size(int(value), 0) for value in (one, other)]
    found = Size(both[0].a + both[1].a, both[0].b + both[1].b)
    return found if found.b else found.a


def over(value: Number, divisor: int) -> Number:
    """Returns a number divided by a divisor of it."""
    return Size(value.a // divisor, value.b // divisor) if isinstance(value, Size) else int(value) // divisor


def dense_strides(shape: Any) -> list[Number]:
    """Returns the strides of a dense array in elements. One that is no a + b n is None."""
    strides: list[Number] = []
    step: Number = 1
    for size in reversed(shape):
        strides.append(step)
        step = None if step is None else times(step, size)
    return strides[::-1]


def shape_text(shape: Any) -> str:
    """Returns a shape as comments write it."""
    return " x ".join(f"({number(size)})" if isinstance(size, Size) and size.a else number(size) for size in shape)


class Kind:
    """An element type: its name in C, and those of the tensor, of its constructors, of THNNType, and in a text."""

    def __init__(self, type: str, tensor: str, function: str, constant: str, plural: str) -> None:
        self.type, self.tensor, self.function, self.constant, self.plural = type, tensor, function, constant, plural


KINDS: dict[Any, Kind] = {
    np.dtype(np.float32): Kind("float", "THFloatTensor", "floats", "THNN_FLOAT", "floats"),
    np.dtype(np.float64): Kind("double", "THDoubleTensor", "doubles", "THNN_DOUBLE", "doubles"),
    np.dtype(np.int64): Kind("int64_t", "THLongTensor", "longs", "THNN_LONG", "int64_t"),
    np.dtype(np.uint8): Kind("uint8_t", "THByteTensor", "bytes", "THNN_BYTE", "bytes"),
    np.dtype(np.bool_): Kind("uint8_t", "THByteTensor", "bytes", "THNN_BYTE", "bytes, 0 or 1"),
}
