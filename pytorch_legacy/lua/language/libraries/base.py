"""The functions that have no library: ``print``, ``pcall``, ``setmetatable`` and others."""

from __future__ import annotations

import gc
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from ..arguments import CALLBACK, MAX_CALLBACKS, MISSING, fail, integer, string, wrong_type
from ..arguments import table as table_of
from ..errors import CHUNK, LIBRARY, LuaError, frame_at, place, raise_error, type_name, value_of
from ..lexer import LuaSyntaxError
from ..operators import format_number, many, next_, next_index, tonumber
from ..table import NESTING, TABLES, Table, Userdata, border, first, metamethod, set_metatable
from ..table import rawget as raw_value
from ..table import rawset as set_raw_value

if TYPE_CHECKING:
    from ..state import State

_NO_TABLES = frozenset((type(None), bool, float, str, FunctionType))
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def type_(value: Any = MISSING, *_: Any) -> str:
    if value is MISSING:
        fail(1, "type", "value expected")
    return type_name(value)


def tonumber_(value: Any = MISSING, base: Any = None, *_: Any) -> float | None:
    radix = integer(base, 2, "tonumber", 10)
    if radix == 10:
        if value is MISSING:
            fail(1, "tonumber", "value expected")
        return tonumber(value)
    text = string(value, 1, "tonumber").strip(" \t\n\r\f\v").lower()
    if not 2 <= radix <= 36:
        fail(2, "tonumber", "base out of range")
    isNegative = text.startswith("-")
    digits = text[text[:1] in ("+", "-") :]
    if radix == 16:
        digits = digits.removeprefix("0x")
    if not digits or any(c not in _DIGITS[:radix] for c in digits):
        return None
    n = int(digits, radix)
    # strtoul: too large numbers become the largest, negative ones wrap around.
    return float(2**64 - 1 if n >= 2**64 else -n % 2**64 if isNegative and n else n)


def error(message: Any = None, level: Any = 1.0, *_: Any) -> None:
    n = integer(level, 2, "error", 1)
    if message.__class__ is str and n > 0:
        message = place(frame_at(n)) + message
    raise LuaError(message)


def assert_(*values: Any) -> Any:
    if not values:
        fail(1, "assert", "value expected")
    if values[0] is None or values[0] is False:
        raise LuaError(values[1] if len(values) > 1 else "assertion failed!")
    return values


def pcall(function: Any = MISSING, *arguments: Any) -> Any:
    if function is MISSING:
        fail(1, "pcall", "value expected")
    NESTING.callbacks += 1
    try:
        if NESTING.callbacks > MAX_CALLBACKS:
            raise_error("C stack overflow")
        found = function(*arguments) if function.__class__ is FunctionType else _called(function, arguments)
    except Exception as error:
        return False, value_of(error)
    finally:
        NESTING.callbacks -= 1
    return (True, *found) if found.__class__ is tuple else (True, found)


def _called(function: Any, arguments: tuple[Any, ...]) -> Any:
    if function.__class__ is not FunctionType and metamethod(function, "__call") is None:
        raise LuaError(f"attempt to call a {type_name(function)} value")
    return function(*arguments)


def select(n: Any = MISSING, *values: Any) -> Any:
    if n == "#":
        return float(len(values))
    i = integer(n, 1, "select")
    i = len(values) + i if i < 0 else i - 1
    if i < 0:
        fail(1, "select", "index out of range")
    return values[i:]


def rawequal(a: Any = MISSING, b: Any = MISSING, *_: Any) -> bool:
    if b is MISSING:
        fail(1 if a is MISSING else 2, "rawequal", "value expected")
    return a is b or (a.__class__ is b.__class__ and a.__class__ in (float, str) and a == b)


def rawget(table: Any = MISSING, key: Any = None, *_: Any) -> Any:
    if isinstance(table, Userdata) and table._raw is not None:
        return table._raw.rawget(table, key)
    return raw_value(table_of(table, 1, "rawget"), key)


def rawset(table: Any = MISSING, key: Any = None, value: Any = None, *_: Any) -> Any:
    if isinstance(table, Userdata) and table._raw is not None:
        table._raw.rawset(table, key, value)
    else:
        set_raw_value(table_of(table, 1, "rawset"), key, value)
    return table


def rawlen(value: Any = MISSING, *_: Any) -> float:
    if isinstance(value, str):
        return float(len(value))
    if not isinstance(value, Table):
        fail(1, "rawlen", "table or string expected")
    return float(border(value))


def setmetatable(table: Any = MISSING, metatable: Any = MISSING, *_: Any) -> Any:
    table_of(table, 1, "setmetatable")
    if metatable is not None and metatable.__class__ not in TABLES:
        fail(2, "setmetatable", "nil or table expected")
    if metamethod(table, "__metatable") is not None:
        raise_error("cannot change a protected metatable")
    set_metatable(table, metatable)
    return table


def ipairs(table: Any = MISSING, *_: Any) -> Any:
    if (handler := metamethod(table, "__ipairs")) is not None:
        return many(handler(table))[:3]
    if table is MISSING or table.__class__ in _NO_TABLES:
        wrong_type(table, 1, "ipairs", "table")
    return next_index, table, 0.0


def pairs(table: Any = MISSING, *_: Any) -> Any:
    if (handler := metamethod(table, "__pairs")) is not None:
        return many(handler(table))[:3]
    return next_, table_of(table, 1, "pairs"), None


def newproxy(metatable: Any = None, *_: Any) -> Userdata:
    if metatable.__class__ is Userdata:
        return Userdata(metatable._metatable)
    if metatable is not None and metatable.__class__ is not bool:
        fail(1, "newproxy", "boolean or proxy expected")
    return Userdata(Table() if metatable else None)


def collectgarbage(option: Any = "collect", *_: Any) -> Any:
    choice = string("collect" if option is None else option, 1, "collectgarbage")
    if choice == "count":
        return _kilobytes(), 0.0
    if choice not in ("collect", "step", "stop", "restart", "setpause", "setstepmul"):
        fail(1, "collectgarbage", f"invalid option '{choice}'")
    if choice in ("collect", "step"):
        gc.collect()
    return choice == "step" or 0.0


def gcinfo(*_: Any) -> float:
    return _kilobytes()


def _kilobytes() -> float:
    """Returns the memory of the process."""
    import resource

    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


# ------------------------------------------------------------------------------------------------------ environments


def _renamed(code: CodeType, old: str, new: str) -> CodeType:
    """Returns code whose globals are in another variable."""
    names = tuple(new if name == old else name for name in code.co_names)
    constants = tuple(_renamed(one, old, new) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_names=names, co_consts=constants)


def _environment_name(code: CodeType) -> str:
    """Returns the variable that a function, or one within it, has its globals in."""
    for name in code.co_names:
        if name == "G" or name.startswith("G_"):
            return name
    inner = (_environment_name(one) for one in code.co_consts if isinstance(one, CodeType))
    return next((name for name in inner if name), "")


def _subject(function: Any, name: str) -> tuple[CodeType | None, dict[str, Any], Any]:
    """Returns code, globals and function of an argument of ``getfenv``: a function, or a level."""
    if function.__class__ is FunctionType:
        return function.__code__, function.__globals__, function
    level = integer(function, 1, name, 1)
    if level < 0:
        fail(1, name, "level must be non-negative")
    frame = frame_at(level)
    if frame is None:
        fail(1, name, "invalid level")
    return frame.f_code, frame.f_globals, None


def _read(source: FunctionType) -> str:
    """Returns the pieces of text that a function of Lua returns, until there are no more."""
    parts = []
    while part := first(source()):
        if part.__class__ is not str:
            raise LuaError("reader function must return a string")
        parts.append(part)
    return "".join(parts)


def _printing(state: State) -> dict[str, Any]:
    def tostring(value: Any = MISSING, *_: Any) -> Any:
        kind = value.__class__
        if kind is str:
            return value
        if kind is float:
            return format_number(value)
        if value is None:
            return "nil"
        if kind is bool:
            return "true" if value else "false"
        if value is MISSING:
            fail(1, "tostring", "value expected")
        metatable = state.metatable(value)
        if metatable is not None and (handler := metatable.__dict__.get("__tostring")) is not None:
            with CALLBACK:
                return first(handler(value))
        if kind is FunctionType and value.__code__ in LIBRARY:
            return f"function: builtin: 0x{id(value):08x}"
        return f"{type_name(value)}: 0x{id(value):08x}"

    def print_(*values: Any) -> tuple[()]:
        convert = state.globals.tostring
        texts = [first(convert(value)) for value in values]
        for text in texts:
            if text.__class__ is not str and text.__class__ is not float:
                raise_error("'tostring' must return a string to 'print'")
        state.write("\t".join(text if text.__class__ is str else format_number(text) for text in texts) + "\n")
        return ()

    def getmetatable(value: Any = MISSING, *_: Any) -> Any:
        if value is MISSING:
            fail(1, "getmetatable", "value expected")
        metatable = state.metatable(value)
        if metatable is None:
            return None
        hidden = metatable.__dict__.get("__metatable")
        return metatable if hidden is None else hidden

    return {"print": print_, "tostring": tostring, "getmetatable": getmetatable}


def _protected(state: State) -> dict[str, Any]:
    def xpcall(function: Any = MISSING, handler: Any = MISSING, *arguments: Any) -> Any:
        if handler is MISSING:
            wrong_type(handler, 2, "xpcall", "function")
        try:
            with CALLBACK:
                found = _called(function, arguments)
        except Exception as error:
            return False, *_handled(error, handler)
        return (True, *found) if found.__class__ is tuple else (True, found)

    def _handled(error: Exception, handler: Any) -> tuple[Any, ...]:
        value, state.failing = value_of(error), error
        try:
            with CALLBACK:
                return many(_called(handler, (value,)))
        except Exception:
            return ("error in error handling",)
        finally:
            state.failing = None

    return {"xpcall": xpcall}


def _loading(state: State) -> dict[str, Any]:
    def loaded(text: str, name: str, environment: Any = None) -> Any:
        try:
            return state.load(text, name, environment)
        except LuaSyntaxError as problem:
            return None, str(problem)

    def loadstring(text: Any = MISSING, name: Any = None, *_: Any) -> Any:
        text = string(text, 1, "loadstring")
        return loaded(text, text if name is None else string(name, 2, "loadstring"))

    def load(source: Any = MISSING, name: Any = None, mode: Any = None, environment: Any = None, *_: Any) -> Any:
        if source.__class__ is str:
            return loaded(source, source if name is None else string(name, 2, "load"), environment)
        if source.__class__ is not FunctionType:
            wrong_type(source, 1, "load", "function")
        try:
            with CALLBACK:
                text = _read(source)
        except Exception as error:
            return None, value_of(error)
        return loaded(text, "=(load)" if name is None else string(name, 2, "load"), environment)

    def loadfile(name: Any = None, *_: Any) -> Any:
        name = string(name, 1, "loadfile")
        try:
            return loaded(state.read_file(name), f"@{name}")
        except OSError as problem:
            return None, f"cannot open {name}: {problem.strerror}"

    def dofile(name: Any = None, *_: Any) -> Any:
        name = string(name, 1, "dofile")
        try:
            text = state.read_file(name)
        except OSError as problem:
            raise LuaError(f"cannot open {name}: {problem.strerror}") from None
        try:
            function = state.load(text, f"@{name}")
        except LuaSyntaxError as problem:
            raise LuaError(str(problem)) from None
        with CALLBACK:
            return function()

    return {"loadstring": loadstring, "load": load, "loadfile": loadfile, "dofile": dofile}


def _environments(state: State) -> dict[str, Any]:
    def getfenv(function: Any = 1.0, *_: Any) -> Any:
        if function == 0.0:
            return state.globals
        code, space, _function = _subject(function, "getfenv")
        assert code is not None
        return space.get(_environment_name(code) or "G", state.globals) if CHUNK in space else state.globals

    def setfenv(function: Any = MISSING, environment: Any = MISSING, *_: Any) -> Any:
        table_of(environment, 2, "setfenv")
        if function == 0.0:
            return ()
        code, space, subject = _subject(function, "setfenv")
        if CHUNK not in space:
            raise_error("'setfenv' cannot change environment of given object")
        if subject is None:
            space["G"] = environment  # for the whole chunk, because the code of a function that runs is fixed
            return ()
        new = f"G_{len(space)}"
        space[new] = environment
        subject.__code__ = _renamed(code, _environment_name(code) or "G", new)  # type: ignore[arg-type]
        return subject

    return {"getfenv": getfenv, "setfenv": setfenv}


def library(state: State) -> dict[str, Any]:
    """Returns the functions of the library."""
    functions: dict[str, Any] = {"type": type_, "tonumber": tonumber_, "error": error, "assert": assert_}
    functions |= {"pcall": pcall}
    functions |= {"select": select, "rawequal": rawequal, "rawget": rawget, "rawset": rawset, "setmetatable": setmetatable}
    functions |= {"ipairs": ipairs, "pairs": pairs, "next": next_, "newproxy": newproxy, "rawlen": rawlen}
    functions |= {"collectgarbage": collectgarbage, "gcinfo": gcinfo, "_VERSION": "Lua 5.1"}
    return {**functions, **_printing(state), **_protected(state), **_loading(state), **_environments(state)}
