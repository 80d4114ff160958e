"""``string.format``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ..arguments import MISSING, fail, number, string
from ..errors import raise_error
from ..operators import format_number

_DIRECTIVE = re.compile(r"%([-+ #0]*)(\d*)(?:\.(\d*))?(.?)", re.DOTALL)
_KINDS = tuple("%diuoxXcsqeEfgGaA")
_LEAST = -(2**63)  # C's result for a number that has no place in an integer
_QUOTED = {'"': '\\"', "\\": "\\\\", "\n": "\\\n", "\r": "\\r", "\0": "\\0"}


@lru_cache(maxsize=500)
def _directives(form: str) -> tuple[tuple[str, str, str], ...]:
    """Returns the parts of a format: the text before a directive, its kind, and its layout."""
    found, place = [], 0
    for match in _DIRECTIVE.finditer(form):
        flags, width, precision, kind = match.groups()
        if len(width) > 2 or len(precision or "") > 2:
            raise_error("invalid format (width or precision too long)")
        if kind not in _KINDS or len(flags) > 5 or (kind == "%" and len(match[0]) > 2):
            raise_error(f"invalid option '%{kind}' to 'format'")
        found.append((form[place : match.start()], kind, f"{flags}{width}" + ("" if precision is None else f".{precision}")))
        place = match.end()
    return (*found, (form[place:], "", ""))


def formatted(form: str, values: tuple[Any, ...], tostring: Callable[..., Any]) -> str:
    """Returns values, written in a format.

    Parameters
    ----------
    form : str
        The format.
    values : tuple
        Values of Lua.
    tostring : callable
        Lua's function, for ``%s``.
    """
    parts, count = [], 0
    for text, kind, layout in _directives(form):
        parts.append(text)
        if kind == "%":
            parts.append("%")
        elif kind:
            value = values[count] if count < len(values) else MISSING
            count += 1
            parts.append(_written(kind, layout, value, count + 1, tostring))
    return "".join(parts)


def _written(kind: str, layout: str, value: Any, position: int, tostring: Callable[..., Any]) -> str:
    if kind == "q":
        return '"' + "".join(_QUOTED.get(c, c) for c in string(value, position, "format")) + '"'
    if kind == "s":
        if value is MISSING:
            fail(position, "format", "string expected, got no value")
        text = value if value.__class__ is str else tostring(value)
        return f"%{layout}s" % text
    x = number(value, position, "format")
    if kind == "c":
        return f"%{layout.split('.')[0].replace('0', '')}s" % chr(int(x) % 256)
    if kind in "diuoxX":
        return _integer(kind, layout, x)
    if not math.isfinite(x):
        return f"%{layout.split('.')[0].replace('0', '')}s" % (format_number(x).upper() if kind.isupper() else format_number(x))
    if kind in "aA":
        text = _hexadecimal(x, layout)
        return f"%{layout.split('.')[0].lstrip('+ #')}s" % (text.upper() if kind == "A" else text)
    return f"%{layout}{kind}" % x


def _integer(kind: str, layout: str, x: float) -> str:
    n = int(x) if x - x == 0 and x >= _LEAST else _LEAST
    if kind in "di":
        return f"%{layout}d" % (n if n < -_LEAST else _LEAST)
    n %= 2**64
    text = f"%{layout}{'d' if kind == 'u' else kind}" % n
    return text.replace("0o", "0", 1) if kind == "o" else text


def _hexadecimal(x: float, layout: str) -> str:
    """Returns a number as ``%a`` writes it."""
    sign = "-" if math.copysign(1, x) < 0 else "+" if "+" in layout else ""
    digits, exponent = abs(x).hex()[2:].split("p")
    whole, _, fraction = digits.partition(".")
    if "." not in layout:
        fraction = fraction.rstrip("0")
    else:
        count = int(layout.split(".")[1] or 0)
        if count < len(fraction):
            scaled, unit = int(whole + fraction, 16), 16 ** (len(fraction) - count)
            rounded = round(scaled / unit) if scaled < 2**53 else scaled // unit
            text = f"{rounded:x}".rjust(count + 1, "0")
            whole, fraction = text[: len(text) - count], text[len(text) - count :]
        else:
            fraction = fraction.ljust(count, "0")
    return f"{sign}0x{whole}{'.' if fraction else ''}{fraction}p{exponent}"
