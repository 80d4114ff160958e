"""The package ``cjson``: values of Lua as JSON."""

from __future__ import annotations

import json
import math
import re
from itertools import accumulate
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING
from ..language.errors import LuaError, raise_error, type_name
from ..language.operators import format_number
from ..language.table import Table, Userdata, fields, rawget
from .functions import functions
from .values import filled, is_table, items, table_of, truth

if TYPE_CHECKING:
    from ..language.state import State

_ESCAPES = {i: encode_basestring_ascii(chr(i))[1:-1] for i in (*range(32), 127)} | {34: '\\"', 92: "\\\\", 47: "\\/"}
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|([\[{])|([\]}])', re.DOTALL)
_CONSTANTS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_MAX_DEPTH = 1000  # tables within each other, which Python's own JSON reads and writes


class _Settings:
    """The settings that ``cjson.encode_max_depth`` and its kin change.

    Attributes
    ----------
    null : Userdata
        ``cjson.null``, which stands for null in tables.
    convert, ratio, safe : bool or float
        If sparse arrays become objects; from which ratio of places to values, and up to which place, an array is not sparse.
    """

    def __init__(self, null: Userdata) -> None:
        self.null = null
        self.encodeDepth = self.decodeDepth = _MAX_DEPTH
        self.convert, self.ratio, self.safe = False, 2.0, 10.0
        self.takesInvalid, self.invalidText = True, False
        self.digits = 14

    def setters(self) -> dict[str, Any]:
        """Returns the functions that change the settings. Each returns what holds then."""

        def set_depth(name: str) -> Any:
            def setter(new: Any) -> int:
                if new is not None:
                    if new.__class__ is not float or not new >= 1:
                        raise_error("bad argument #1 (expected integer between 1 and 2147483647)")
                    setattr(self, name, int(min(new, _MAX_DEPTH)))
                return getattr(self, name)  # type: ignore[no-any-return]

            return "any", setter

        def set_truth(name: str) -> Any:
            def setter(new: Any) -> bool:
                setattr(self, name, getattr(self, name) if new is None else truth(new))
                return getattr(self, name)  # type: ignore[no-any-return]

            return "any", setter

        def set_sparse(convert: Any, ratio: float | None, safe: float | None) -> Any:
            self.convert = self.convert if convert is None else truth(convert)
            self.ratio, self.safe = self.ratio if ratio is None else ratio, self.safe if safe is None else safe
            return self.convert, self.ratio, self.safe

        def set_digits(digits: int | None) -> int:
            self.digits = self.digits if digits is None else max(1, min(digits, 17))
            return self.digits

        return {
            **{"encode_max_depth": set_depth("encodeDepth"), "decode_max_depth": set_depth("decodeDepth")},
            **{"encode_sparse_array": ("any number? number?", set_sparse), "encode_number_precision": ("whole?", set_digits)},
            **{"encode_invalid_numbers": set_truth("invalidText"), "decode_invalid_numbers": set_truth("takesInvalid")},
            "encode_keep_buffer": ("any", lambda new: new is None or truth(new)),
        }

    def text(self, value: Any, depth: int = 0) -> str:
        """Returns a value as JSON."""
        if value is None or value is self.null:
            return "null"
        if value.__class__ is bool:
            return "true" if value else "false"
        if value.__class__ is float:
            return self._number(value)
        if value.__class__ is str:
            return '"' + value.translate(_ESCAPES) + '"'
        if not is_table(value):
            raise LuaError(f"Cannot serialise {type_name(value)}: type not supported")
        if depth + 1 > self.encodeDepth:
            raise LuaError(f"Cannot serialise, excessive depth ({depth + 1})")
        return self._table(value, depth + 1)

    def _number(self, x: float) -> str:
        if math.isfinite(x):
            return format_number(x) if self.digits == 14 else f"{x:.{self.digits}g}"
        if self.invalidText:
            return "null"
        raise LuaError("Cannot serialise number: must not be NaN or Inf")

    def _table(self, table: Table, depth: int) -> str:
        pairs = items(table)
        if pairs and all(key.__class__ is float and key >= 1 and key.is_integer() for key, _value in pairs):
            last = int(max(key for key, _value in pairs))
            if self.ratio <= 0 or last <= len(pairs) * self.ratio or last <= self.safe:
                return "[" + ",".join(self.text(rawget(table, float(i)), depth) for i in range(1, last + 1)) + "]"
            if not self.convert:
                raise LuaError("Cannot serialise table: excessively sparse array")
        return "{" + ",".join(f"{self._key(key)}:{self.text(value, depth)}" for key, value in pairs) + "}"

    def _key(self, key: Any) -> str:
        if key.__class__ is str:
            return self.text(key)
        if key.__class__ is float:
            return f'"{self._number(key)}"'
        raise LuaError("Cannot serialise table: table key must be a number or string")

    def value(self, text: str) -> Any:
        """Returns the value of a JSON text."""
        try:
            content = text.encode("latin-1").decode("utf-8")
            if len(content) > self.decodeDepth and _depth(content) > self.decodeDepth:
                raise LuaError(f"Found too many nested data structures ({self.decodeDepth + 1})")
            return self._of_json(json.loads(content, parse_int=float, parse_constant=self._constant))
        except UnicodeDecodeError:
            raise LuaError("Expected value but found invalid UTF-8") from None
        except json.JSONDecodeError as problem:
            raise LuaError(f"Expected value but found invalid token at character {problem.pos + 1} ({problem.msg})") from None
        except (ValueError, RecursionError) as problem:
            raise LuaError(f"Expected value but found {problem}") from None

    def _constant(self, name: str) -> float:
        if not self.takesInvalid:
            raise ValueError(f"invalid number {name}")
        return _CONSTANTS[name]

    def _of_json(self, value: Any) -> Any:
        if isinstance(value, str):
            return value.encode("utf-8", "surrogatepass").decode("latin-1")
        if isinstance(value, list):
            return table_of(map(self._of_json, value))
        if isinstance(value, dict):
            return filled((self._of_json(key), self._of_json(one)) for key, one in value.items())
        return self.null if value is None else value


def _depth(text: str) -> int:
    """Returns how deep the arrays and objects of a text are nested."""
    steps = (1 if match[1] else -1 if match[2] else 0 for match in _BRACKETS.finditer(text))
    return max(accumulate(steps), default=0)


def library(state: State) -> Table:
    """Returns the package's table."""
    return _library(Userdata(), isSafe=False)


def safe_library(state: State) -> Table:
    """Returns ``cjson.safe``, whose functions return nil and a message instead of an error."""
    return _library(state.require("cjson").__dict__["null"], isSafe=True)


def _library(null: Userdata, isSafe: bool) -> Table:
    settings = _Settings(null)

    def guarded(act: Any, value: Any) -> Any:
        try:
            return act(value)
        except LuaError as problem:
            if isSafe:
                return None, problem.value
            raise_error(problem.value)

    def encode(*given: Any) -> Any:
        if not given or given[0] is MISSING:
            raise_error("bad argument #1 to 'encode' (expected 1 argument)")
        return guarded(settings.text, given[0])

    made = {
        "encode": ("*any", encode),
        "decode": ("string", lambda text: guarded(settings.value, text)),
        "new": ("*any", lambda *_: _library(null, isSafe)),
    }
    return fields(**functions({**made, **settings.setters()}), null=null, _NAME="cjson", _VERSION="2.1.0")
