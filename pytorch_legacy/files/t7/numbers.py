"""Numbers as Lua has them, all doubles, and as Python shall have them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

# From here on a double does not tell a whole number from its neighbours.
LARGEST_EXACT = float(1 << 53)

# Syntax of Lua's tonumber: decimal and hexadecimal numbers, and LuaJIT's names of numbers that are not finite.
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|infinity|nan)", re.ASCII | re.IGNORECASE)
_HEXADECIMAL = re.compile(r"[+-]?0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)(?:p[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_SPACE = " \t\n\v\f\r"


def plain(number: float) -> int | float:
    """An int for a whole number that a double tells from its neighbours, else the float itself (as -0.0)."""
    if number.is_integer() and -LARGEST_EXACT < number < LARGEST_EXACT:
        whole = int(number)
        return whole if whole or str(number) == "0.0" else number
    return number


def all_plain(numbers: np.ndarray[Any, Any]) -> list[int | float]:
    """`plain` of every element of a vector of doubles."""
    with np.errstate(invalid="ignore"):
        whole = (np.floor(numbers) == numbers) & (np.abs(numbers) < LARGEST_EXACT) & ((numbers != 0) | ~np.signbit(numbers))
        if not whole.any():
            return numbers.tolist()
        integers = numbers.astype(np.int64)
    if whole.all():
        return integers.tolist()
    mixed = numbers.astype(object)
    mixed[whole] = integers[whole]
    return mixed.tolist()


def pairs_plain(numbers: np.ndarray[Any, Any]) -> list[int | float]:
    """The same where keys and values of tables alternate: keys are whole."""
    found: list[int | float] = [0] * numbers.size
    for start in (0, 1):
        found[start::2] = all_plain(numbers[start::2])
    return found


def tonumber(text: str) -> float | None:
    """Returns the result of Lua's function of that name for a text; None for nil."""
    text = text.strip(_SPACE)
    try:
        if _DECIMAL.fullmatch(text):
            return float(text)
        if _HEXADECIMAL.fullmatch(text):
            return float.fromhex(text)
    except OverflowError:
        return float("-inf" if text.startswith("-") else "inf")
    return None
