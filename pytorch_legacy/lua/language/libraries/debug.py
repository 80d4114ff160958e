"""The library ``debug``, as far as a compiled program knows about itself."""

from __future__ import annotations

from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from ..arguments import MISSING, fail, integer, string, wrong_type
from ..errors import CHUNK, current_traceback, frame_at, traceback_of
from ..table import TABLES, Table, Userdata, set_metatable

if TYPE_CHECKING:
    from ..nodes import Chunk
    from ..state import State


def _about(code: CodeType, chunk: Chunk | None, found: Table, function: Any) -> None:
    """Fills the table of ``getinfo`` with what is known of a function."""
    if chunk is None:
        found.__dict__.update(source="=[C]", short_src="[C]", what="C", linedefined=-1.0, lastlinedefined=-1.0, currentline=-1.0)
        found.__dict__.update(nups=0.0)
    else:
        isMain = code.co_name == "chunk_"
        first, last = (0, 0) if isMain else chunk.lines.get(code.co_name, (0, 0))
        found.__dict__.update(source=chunk.source, short_src=chunk.name, what="main" if isMain else "Lua")
        found.__dict__.update(linedefined=float(first), lastlinedefined=float(last), currentline=-1.0)
        found.__dict__.update(nups=float(len(_outer_names(code))))
    if function is not None:
        found.__dict__["func"] = function


def _outer_names(code: CodeType) -> list[str]:
    """Returns the Python names of the outer variables of a function."""
    bound = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    return [*code.co_freevars, *bound]


def _outer_value(function: FunctionType, name: str) -> tuple[Any, Any]:
    """Returns the value of an outer variable, and the list or cell that has it."""
    if function.__kwdefaults__ and name in function.__kwdefaults__:
        value = function.__kwdefaults__[name]
        return (value[0], value) if value.__class__ is list else (value, function.__kwdefaults__)
    cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]
    return cell.cell_contents, cell


def _called_name(frame: FrameType, chunk: Chunk | None) -> tuple[str, str] | None:
    name = chunk.functions.get(frame.f_code.co_name) if chunk is not None else None
    return (name.replace(":", ".").rpartition(".")[2], "method" if ":" in name else "global") if name else None


def _outer_name(function: Any, number: Any, caller: str) -> str:
    """Returns the Python name of an outer variable by its number, "" if there is none."""
    i = integer(number, 2, caller)
    if function.__class__ is not FunctionType:
        wrong_type(function, 1, caller, "function")
    names = _outer_names(function.__code__) if CHUNK in function.__globals__ else []
    return names[i - 1] if 1 <= i <= len(names) else ""


def getupvalue(function: Any = MISSING, number: Any = MISSING, *_: Any) -> Any:
    name = _outer_name(function, number, "getupvalue")
    return (name.rpartition("_")[0], _outer_value(function, name)[0]) if name else ()


def setupvalue(function: Any = MISSING, number: Any = MISSING, value: Any = None, *_: Any) -> Any:
    name = _outer_name(function, number, "setupvalue")
    if not name:
        return ()
    _, box = _outer_value(function, name)
    if box.__class__ is list:
        box[0] = value
    elif box.__class__ is dict:
        box[name] = value
    else:
        box.cell_contents = value
    return name.rpartition("_")[0]


def setmetatable(value: Any = MISSING, metatable: Any = None, *_: Any) -> bool:
    if metatable is not None and metatable.__class__ not in TABLES:
        wrong_type(metatable, 2, "setmetatable", "nil or table")
    if value.__class__ not in TABLES and value.__class__ is not Userdata:
        wrong_type(value, 1, "setmetatable", "table")
    set_metatable(value, metatable)
    return True


def nothing(*_: Any) -> tuple[()]:
    return ()


def library(state: State) -> dict[str, Any]:
    """Returns the functions of the library."""

    def traceback(message: Any = None, level: Any = 1.0, *_: Any) -> Any:
        if message is not None and message.__class__ not in (str, float):
            return message
        text = "" if message is None else f"{string(message, 1, 'traceback')}\n"
        if state.failing is not None:
            return text + traceback_of(state.failing)
        return text + current_traceback(max(integer(level, 2, "traceback", 1), 0))

    def getinfo(function: Any = MISSING, what: Any = None, *_: Any) -> Any:
        options = string("flnSu" if what is None else what, 2, "getinfo")
        if any(c not in "flnSuL" for c in options):
            fail(2, "getinfo", "invalid option")
        found = Table()
        if function.__class__ is FunctionType:
            _about(function.__code__, function.__globals__.get(CHUNK), found, function)
            return found
        if function.__class__ is not float:
            wrong_type(function, 1, "getinfo", "function or level")
        level = integer(function, 1, "getinfo")
        frame = frame_at(level) if level >= 0 else None
        if frame is None:
            return None
        chunk = frame.f_globals.get(CHUNK)
        _about(frame.f_code, chunk, found, None)
        if chunk is not None:
            found.__dict__["currentline"] = float(frame.f_lineno)
        name = _called_name(frame, chunk)
        found.__dict__["namewhat"] = name[1] if name else ""
        if name:
            found.__dict__["name"] = name[0]
        return found

    def getmetatable(value: Any = None, *_: Any) -> Any:
        return state.metatable(value)

    def getregistry(*_: Any) -> Table:
        return registry

    registry = Table()
    functions: dict[str, Any] = {"traceback": traceback, "getinfo": getinfo, "getupvalue": getupvalue, "setupvalue": setupvalue}
    functions.update(getmetatable=getmetatable, setmetatable=setmetatable, getregistry=getregistry)
    return {**functions, "sethook": nothing, "gethook": nothing, "getlocal": nothing, "setlocal": nothing, "debug": nothing}
