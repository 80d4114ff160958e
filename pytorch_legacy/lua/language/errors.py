"""Errors in Lua's words, and the places where they happen.

Nothing is recorded while a program runs. Each node of a compiled function has as its column the number of a Lua expression.
If an instruction fails, Python knows its column, hence the expression, and the message names the variable:
``t.lua:9: attempt to index local 'x' (a nil value)``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import islice
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import TYPE_CHECKING, Any, NoReturn

from . import tree

if TYPE_CHECKING:
    from .nodes import Chunk

CHUNK = "chunk of Lua"  # the key of a chunk among the globals of its functions
LIBRARY: dict[CodeType, str] = {}
"""The names of library functions by their code. `register` adds to it."""
_MAX_NAME = 60  # characters of a source in a message
_MAX_LEVEL = 2**31  # functions that call each other; levels are an int of C in Lua


class LuaError(Exception):
    """An error of a script.

    Attributes
    ----------
    value : object
        The error value: mostly a str, but ``error`` takes any value.
    traceback : str
        The Lua functions that were active, the last one first, or "".
    """

    def __init__(self, value: Any, traceback: str = "") -> None:
        super().__init__(value)
        self.value, self.traceback = value, traceback

    def __str__(self) -> str:
        text = self.value if isinstance(self.value, str) else f"(error object is a {type_name(self.value)} value)"
        return f"{text}\n{self.traceback}" if self.traceback else text


class Fault(Exception):
    """An operator got a value that it has no meaning for.

    Attributes
    ----------
    action : str
        "index", "call", "compare", "concatenate", "get length of" or "perform arithmetic on".
    operands : tuple
        The values.
    """

    def __init__(self, action: str, *operands: Any) -> None:
        super().__init__(action)
        self.action, self.operands = action, operands


# ------------------------------------------------------------------------------------------------------ names

_NAMES = {"float": "number", "str": "string", "bool": "boolean", "NoneType": "nil", "function": "function"}
_NAMES.update(dict.fromkeys(("Table", "MetaTable", "GuardedTable", "Object"), "table"))
_NAMES.update(dict.fromkeys(("GreenletCoroutine", "ThreadCoroutine"), "thread"))


def type_name(value: Any) -> str:
    """Returns what ``type(value)`` is in Lua."""
    return _NAMES.get(value.__class__.__name__, "userdata")


def short_name(source: str) -> str:
    """Returns a chunk's name as messages have it: without @ or =, or ``[string "..."]``."""
    if source[:1] in ("@", "="):
        return source[1:]
    line = source.split("\n")[0]
    isCut = len(line) < len(source) or len(line) > _MAX_NAME
    return f'[string "{line[:_MAX_NAME]}{"..." if isCut else ""}"]'


# ------------------------------------------------------------------------------------------------------ frames


def register(functions: dict[str, Any]) -> None:
    """Lua counts these functions among its own, by these names. The first name of a function is the one that tracebacks show.

    Closures of one ``def`` share its code, by which tracebacks know a function. Each of another name gets a code of its own.
    """
    for name, function in functions.items():
        if not isinstance(function, FunctionType):
            continue
        known = LIBRARY.get(function.__code__)
        if known is None or known != function.__name__:
            if known not in (None, name):
                function.__code__ = function.__code__.replace(co_name=name)
            function.__name__ = name
            LIBRARY.setdefault(function.__code__, name)


def chunk_of(frame: FrameType) -> Chunk | None:
    """Returns the chunk that a frame runs, None if it is no function of Lua."""
    return frame.f_globals.get(CHUNK)


def levels(frame: FrameType | None) -> Iterator[FrameType]:
    """Yields the frame of each function that Lua counts: its own, and those of libraries."""
    while frame is not None:
        if frame.f_code in LIBRARY or chunk_of(frame) is not None:
            yield frame
        frame = frame.f_back


def frame_at(level: int) -> FrameType | None:
    """Returns the frame of a level: 0 is the library function that runs, 1 the function that called it."""
    return next(islice(levels(sys._getframe(1)), level, None), None) if 0 <= level < _MAX_LEVEL else None


def place(frame: FrameType | None) -> str:
    """Returns ``file:line: `` of a frame of Lua, and "" of another."""
    chunk = chunk_of(frame) if frame is not None else None
    return f"{chunk.name}:{frame.f_lineno}: " if frame is not None and chunk is not None else ""


def calling_place() -> str:
    """Returns ``file:line: `` of the line of Lua that runs, or that calls the library function that runs."""
    found = levels(sys._getframe(1))
    frame = next(found, None)
    return place(next(found, None) if frame is not None and frame.f_code in LIBRARY else frame)


def raise_error(message: str) -> NoReturn:
    """Raises an error at the line of Lua that runs, or that calls the library function that runs."""
    raise LuaError(calling_place() + message)


def function_name(code: CodeType, chunk: Chunk) -> str:
    """Returns how a traceback calls a function."""
    name = chunk.functions.get(code.co_name)
    if code.co_name == "chunk_":
        return "in main chunk"
    return f"in function '{name}'" if name else f"in function <{chunk.name}:{code.co_firstlineno}>"


def _lines(frames: list[tuple[FrameType, int]]) -> str:
    """Returns a traceback of frames with their lines, the innermost first."""
    found = ["stack traceback:"]
    for frame, line in frames:
        if (chunk := chunk_of(frame)) is not None:
            found.append(f"\t{chunk.name}:{line}: {function_name(frame.f_code, chunk)}")
        elif name := LIBRARY.get(frame.f_code):
            found.append(f"\t[C]: in function '{name}'")
    if len(found) > 23:
        found[12:-10] = ["\t..."]
    return "\n".join(found)


def traceback_of(error: BaseException) -> str:
    """Returns the Lua functions that an exception left, and those that are active."""
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append((trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    outer = frames[0][0].f_back if frames else None
    return _lines([*reversed(frames), *active(outer)])


def active(frame: FrameType | None) -> list[tuple[FrameType, int]]:
    """Returns a frame and those that called it, with their lines."""
    found = []
    while frame is not None:
        found.append((frame, frame.f_lineno))
        frame = frame.f_back
    return found


def current_traceback(level: int) -> str:
    """Returns the Lua functions that are active, from a level on."""
    frame = frame_at(level)
    return _lines(active(frame))


# ------------------------------------------------------------------------------------------------------ messages


def value_of(error: Exception) -> Any:
    """Returns the error value of whatever a Lua function raised."""
    if isinstance(error, LuaError):
        return error.value
    where, node, code, isInner = _failing(error.__traceback__)
    if isinstance(error, RecursionError):
        return f"{where}stack overflow"
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, Fault):
        if error.action == "call":
            return f"{where}attempt to call {_value(_called(node, code), type_name(error.operands[0]))}"
        return where + _text(error, node, code)
    if isinstance(error, TypeError) and isInner and (match := re.match(r"'(\w+)' object is not callable", str(error))):
        kind = _NAMES.get(match[1], "userdata")
        return f"{where}attempt to call {_value(_called(node, code), kind)}"
    return f"{where}{type(error).__name__}: {error}"


def is_of_lua(error: Exception) -> bool:
    """True if the script itself is wrong, and not a function of Python that it calls."""
    if isinstance(error, TypeError):
        return _failing(error.__traceback__)[3]
    return isinstance(error, (LuaError, Fault, RecursionError))


def _failing(trace: TracebackType | None) -> tuple[str, tree.Node | None, CodeType | None, bool]:
    """Returns the place, the expression and the code of the last function of Lua that failed, and if no other was within it."""
    last = None
    while trace is not None:
        if chunk_of(trace.tb_frame) is not None:
            last = trace
        trace = trace.tb_next
    if last is None:
        return "", None, None, False
    chunk, code = chunk_of(last.tb_frame), last.tb_frame.f_code
    assert chunk is not None
    return f"{chunk.name}:{last.tb_lineno}: ", _node(chunk, code, last.tb_lasti), code, last.tb_next is None


def _node(chunk: Chunk, code: CodeType, instruction: int) -> tree.Node | None:
    """Returns the expression that an instruction belongs to."""
    positions = next(islice(code.co_positions(), instruction // 2, None), None)
    column = positions[2] if positions else None
    return chunk.nodes[column] if column is not None and column < len(chunk.nodes) else None


def is_method_call() -> bool:
    """True if a function of Lua has called the library function that runs as a method."""
    frame = frame_at(1)
    chunk = chunk_of(frame) if frame is not None else None
    return frame is not None and chunk is not None and isinstance(_node(chunk, frame.f_code, frame.f_lasti), tree.MethodCall)


def _text(fault: Fault, node: tree.Node | None, code: CodeType | None) -> str:
    action, operands = fault.action, fault.operands
    kinds = [type_name(operand) for operand in operands]
    if action == "compare":
        a, b = kinds
        return f"attempt to compare two {a} values" if a == b else f"attempt to compare {a} with {b}"
    part, kind = None, kinds[0]
    if isinstance(node, tree.Binary):
        number = _culprit(action, operands)
        kind = kinds[number]
        parts = _joined(node) if action == "concatenate" and len(operands) == 2 else [node.left, node.right]
        part = parts[number] if len(parts) == 2 else None
    elif isinstance(node, tree.Unary):
        part = node.operand
    elif isinstance(node, (tree.Index, tree.MethodCall)):
        part = node.table
    elif len(operands) == 2:
        kind = kinds[_culprit(action, operands)]
    return f"attempt to {action} {_value(_described(part, code), kind)}"


def _joined(node: tree.Node) -> list[tree.Node]:
    found = []
    while isinstance(node, tree.Binary) and node.operator == "..":
        found.append(node.left)
        node = node.right
    return [*found, node]


def _culprit(action: str, operands: tuple[Any, ...]) -> int:
    """Returns the number of the operand that cannot be computed with."""
    from .operators import tonumber

    if action == "concatenate":
        return 0 if operands[0].__class__ not in (str, float) else 1
    return 0 if len(operands) < 2 or tonumber(operands[0]) is None else 1


def _value(description: str, kind: str) -> str:
    return f"{description} (a {kind} value)" if description else f"a {kind} value"


def _called(node: tree.Node | None, code: CodeType | None) -> str:
    if isinstance(node, tree.MethodCall):
        return f"method '{node.name}'"
    return _described(node.function, code) if isinstance(node, tree.Call) else ""


def _described(node: tree.Node | None, code: CodeType | None) -> str:
    """Returns ``local 'x'``, or "" for an expression without a name."""
    if isinstance(node, tree.Local):
        isOuter = code is not None and (node.variable.python in code.co_freevars or _isBound(node.variable, code))
        return f"{'upvalue' if isOuter else 'local'} '{node.variable.name}'"
    if isinstance(node, tree.Global):
        return f"global '{node.name}'"
    if isinstance(node, tree.Index) and isinstance(node.key, tree.Constant) and isinstance(node.key.value, str):
        return f"field '{node.key.value}'"
    return "field '?'" if isinstance(node, tree.Index) else ""


def _isBound(variable: tree.Variable, code: CodeType) -> bool:
    """True if a function got an outer variable as a parameter by keyword."""
    count = code.co_argcount
    return variable.python in code.co_varnames[count : count + code.co_kwonlyargcount]
