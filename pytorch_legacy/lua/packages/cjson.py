"""The package ``cjson``: values of Lua as JSON."""

from __future__ import annotations

import json
import math
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, string
from ..language.errors import LuaError, raise_error, type_name
from ..language.operators import format_number
from ..language.table import Table, Userdata, fields, rawget, rawset
from .values import is_table, items, table_of, truth

if TYPE_CHECKING:
    from ..language.state import State

_ESCAPES = {i: encode_basestring_ascii(chr(i))[1:-1] for i in (*range(32), 127)} | {34: '\\"', 92: "\\\\", 47: "\\/"}


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
        self.encodeDepth = self.decodeDepth = 1000
        self.convert, self.ratio, self.safe = False, 2.0, 10.0
        self.takesInvalid, self.invalidText = True, False
        self.digits = 14


class _Encoder:
    def __init__(self, settings: _Settings) -> None:
        self.settings, self.depth = settings, 0

    def text(self, value: Any) -> str:
        """Returns a value as JSON."""
        if value is None or value is self.settings.null:
            return "null"
        if value.__class__ is bool:
            return "true" if value else "false"
        if value.__class__ is float:
            return self._number(value)
        if value.__class__ is str:
            return '"' + value.translate(_ESCAPES) + '"'
        if not is_table(value):
            raise LuaError(f"Cannot serialise {type_name(value)}: type not supported")
        self.depth += 1
        if self.depth > self.settings.encodeDepth:
            raise LuaError(f"Cannot serialise, excessive depth ({self.depth})")
        found = self._table(value)
        self.depth -= 1
        return found

    def _number(self, x: float) -> str:
        if math.isfinite(x):
            return format_number(x) if self.settings.digits == 14 else f"{x:.{self.settings.digits}g}"
        if self.settings.invalidText:
            return "null"
        raise LuaError("Cannot serialise number: must not be NaN or Inf")

    def _table(self, table: Table) -> str:
        pairs, settings = items(table), self.settings
        places = [key for key, _value in pairs if key.__class__ is float and key >= 1 and key.is_integer()]
        if pairs and len(places) == len(pairs):
            last = int(max(places))
            isSparse = settings.ratio > 0 and last > len(places) * settings.ratio and last > settings.safe
            if not isSparse:
                return "[" + ",".join(self.text(rawget(table, float(i))) for i in range(1, last + 1)) + "]"
            if not settings.convert:
                raise LuaError("Cannot serialise table: excessively sparse array")
        return "{" + ",".join(f"{self._key(key)}:{self.text(value)}" for key, value in pairs) + "}"

    def _key(self, key: Any) -> str:
        if key.__class__ is str:
            return self.text(key)
        if key.__class__ is float:
            return f'"{self._number(key)}"'
        raise LuaError("Cannot serialise table: table key must be a number or string")


def _depth(text: str) -> int:
    """Returns how deep the arrays and objects of a text are nested."""
    deepest = depth = 0
    inString = isEscaped = False
    for c in text:
        if inString:
            if isEscaped:
                isEscaped = False
            elif c == "\\":
                isEscaped = True
            elif c == '"':
                inString = False
        elif c == '"':
            inString = True
        elif c in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif c in "]}":
            depth -= 1
    return deepest


def _from_json(value: Any, null: Userdata) -> Any:
    if value is None:
        return null
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("latin-1")
    if isinstance(value, list):
        return table_of(_from_json(one, null) for one in value)
    if isinstance(value, dict):
        table = Table()
        for key, one in value.items():
            rawset(table, _from_json(key, null), _from_json(one, null))
        return table
    return value


def _constant(name: str) -> float:
    return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}[name]


def _refused(name: str) -> float:
    raise ValueError(f"invalid number {name}")


def _decoded(text: str, settings: _Settings) -> Any:
    try:
        content = text.encode("latin-1").decode("utf-8")
        if len(content) > settings.decodeDepth and _depth(content) > settings.decodeDepth:
            raise LuaError(f"Found too many nested data structures ({settings.decodeDepth + 1})")
        constant = _constant if settings.takesInvalid else _refused
        return _from_json(json.loads(content, parse_int=float, parse_constant=constant), settings.null)
    except UnicodeDecodeError:
        raise LuaError("Expected value but found invalid UTF-8") from None
    except json.JSONDecodeError as problem:
        raise LuaError(f"Expected value but found invalid token at character {problem.pos + 1} ({problem.msg})") from None
    except (ValueError, RecursionError) as problem:
        raise LuaError(f"Expected value but found {problem}") from None


def _setters(settings: _Settings) -> dict[str, Any]:
    """Returns the functions that change the settings. Each returns what holds then."""

    def depth(name: str) -> Any:
        def setter(new: Any = None, *_: Any) -> float:
            if new is not None:
                if new.__class__ is not float or new < 1:
                    raise_error("bad argument #1 (expected integer between 1 and 2147483647)")
                setattr(settings, name, min(int(new), 1000))
            return float(getattr(settings, name))

        return setter

    def encode_sparse_array(convert: Any = None, ratio: Any = None, safe: Any = None, *_: Any) -> Any:
        settings.convert = settings.convert if convert is None else truth(convert)
        settings.ratio = settings.ratio if ratio is None else float(ratio)
        settings.safe = settings.safe if safe is None else float(safe)
        return settings.convert, settings.ratio, settings.safe

    def encode_number_precision(digits: Any = None, *_: Any) -> float:
        settings.digits = settings.digits if digits is None else max(1, min(int(digits), 17))
        return float(settings.digits)

    def encode_invalid_numbers(new: Any = None, *_: Any) -> bool:
        settings.invalidText = settings.invalidText if new is None else truth(new)
        return settings.invalidText

    def decode_invalid_numbers(new: Any = None, *_: Any) -> bool:
        settings.takesInvalid = settings.takesInvalid if new is None else truth(new)
        return settings.takesInvalid

    def encode_keep_buffer(new: Any = True, *_: Any) -> bool:
        return truth(new)

    made = {"encode_max_depth": depth("encodeDepth"), "decode_max_depth": depth("decodeDepth")}
    made |= {"encode_sparse_array": encode_sparse_array, "encode_number_precision": encode_number_precision}
    made |= {"encode_invalid_numbers": encode_invalid_numbers, "decode_invalid_numbers": decode_invalid_numbers}
    return {**made, "encode_keep_buffer": encode_keep_buffer}


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

    def encode(value: Any = MISSING, *_: Any) -> Any:
        if value is MISSING:
            raise_error("bad argument #1 to 'encode' (expected 1 argument)")
        return guarded(lambda one: _Encoder(settings).text(one), value)

    def decode(text: Any = MISSING, *_: Any) -> Any:
        return guarded(lambda one: _decoded(one, settings), string(text, 1, "decode"))

    def new(*_: Any) -> Table:
        return _library(null, isSafe)

    return fields(encode=encode, decode=decode, new=new, null=null, _NAME="cjson", _VERSION="2.1.0", **_setters(settings))
