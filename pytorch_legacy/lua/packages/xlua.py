"""The package ``xlua``: a bar of progress, named arguments, and functions that it adds to ``string`` and ``table``."""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, number, string
from ..language.arguments import table as checked_table
from ..language.errors import LuaError, raise_error
from ..language.libraries.files import decoded
from ..language.operators import format_number, tonumber
from ..language.table import Table, Userdata, fields, first, rawget, rawset
from .sys import colours, split
from .values import called, is_table, items, listed, table_of, truth, with_metatable

if TYPE_CHECKING:
    from ..language.state import State

_BAR = 77  # characters of the bar of progress
_COLOURS = colours()
_MOST = 64  # arguments that unpack returns
_RULE = "+" * 69


def formatTime(seconds: Any = MISSING, *_: Any) -> str:
    rest = number(seconds, 1, "formatTime")
    parts: list[str] = []
    if not math.isfinite(rest):
        return "0ms"
    for size, unit in ((86400.0, "D"), (3600.0, "h"), (60.0, "m"), (1.0, "s"), (0.001, "ms")):
        count = math.floor(rest / size) if size >= 1 else math.floor(rest * 1000)
        rest -= count * size
        if count > 0 and len(parts) < 2:
            parts.append(f"{count}{unit}")
    return "".join(parts) or "0ms"


class _Progress:
    """The bar of progress of a state."""

    def __init__(self) -> None:
        self.isDone, self.previous, self.start, self.times = True, -1, 0.0, 0

    def shown(self, current: float, goal: float) -> str:
        """Returns what is written for a step."""
        share = math.floor(current * _BAR / goal)
        text = "\r"
        if self.isDone and (self.previous == -1 or share < self.previous):
            self.isDone, self.start, text = False, time.perf_counter(), ""
        if self.isDone:
            return text
        self.previous = share
        bar = "".join("=" if i < share else ">" if i == share else "." for i in range(1, _BAR + 1))
        step = (time.perf_counter() - self.start) / (current - 1) if current != 1 else 0.0
        remaining = f"ETA: {formatTime(max(0.0, (goal - current) * step))} | Step: {formatTime(max(0.0, step))}"
        text += f" [{bar}] {' ' * 50}{chr(8) * 50}{remaining}{chr(8) * (47 + len(remaining))}"
        text += f" {format_number(current)}/{format_number(goal)} "
        if share == _BAR:
            self.isDone = True
            text += "\n"
        return text


def _usage(name: str, description: Any, example: str | None, parameters: list[Any]) -> str:
    """Returns the help of a function with named arguments."""
    colour = _COLOURS
    lines = [_RULE, f"{colour['Magenta']}{name}{colour['none']}"]
    if description is not None:
        lines += ["", str(description)]
    lines += ["", f"{colour['blue']}> {colour['none']}usage:", f"{colour['cyan']}{name}{{"]
    for one in parameters:
        key = f"{one.arg} = {one.type}"
        key = f"    {key}" if truth(one.req) else f"    [{key}]"
        end = ""
        if one.default is not None:
            end = f"  [default = {_shown(one.default)}]"
        elif one.defaulta is not None:
            end = f"  [default == {one.defaulta}]"
        lines.append(f"{key.ljust(40)}-- {one.help}{end}")
    lines.append("}" + colour["none"])
    if example is not None:
        lines += ["", f"{colour['cyan']}{example}{colour['none']}"]
    return "\n".join([*lines, _RULE])


def _shown(value: Any) -> str:
    return str(value).lower() if value.__class__ is bool else format_number(value) if value.__class__ is float else str(value)


def _named(given: list[Any], definitions: list[Any]) -> Table:
    """Returns the arguments by their names."""
    if len(given) == 1 and is_table(given[0]) and rawget(given[0], 1.0) is None:
        return given[0]  # type: ignore[no-any-return]
    found = Table()
    for value, definition in zip(given, definitions, strict=False):
        rawset(found, definition.arg, value)
    return found


def _arguments(state: State) -> dict[str, Any]:
    def unpack(arguments: Any = MISSING, name: Any = MISSING, description: Any = None, *definitions: Any) -> tuple[Any, ...]:
        given = listed(checked_table(arguments, 1, "unpack"))
        if len(definitions) > _MOST:
            raise_error(f"<xlua.unpack> cannot deal with more than {_MOST} arguments")
        parts = [checked_table(one, i, "unpack") for i, one in enumerate(definitions, 4)]
        usage = with_metatable(Table(), __tostring=lambda *_: _usage(string(name, 2, "unpack"), description, None, parts))
        if not given:
            return _refused(usage, None)
        named, found = _named(given, parts), Table()
        for i, one in enumerate(parts, 1):
            value = state.index(named, one.arg)
            if value is None and truth(one.req):
                return _refused(usage, one.arg)
            if value is None:
                value = one.default
            if value is None and one.defaulta is not None:
                value = rawget(found, one.defaulta)
            rawset(found, one.arg, value)
            rawset(found, float(i), value)
        rawset(found, "usage", usage)
        return (found, *(rawget(found, float(i)) for i in range(1, len(parts) + 1)))

    def _refused(usage: Table, missing: str | None) -> Any:
        if missing is not None:
            state.globals.print(f"{_COLOURS['Red']}missing argument: {missing}{_COLOURS['none']}")
        state.globals.print(usage)
        raise_error(f"{_COLOURS['Red']}error{_COLOURS['none']}")

    def unpack_class(made: Any = MISSING, arguments: Any = MISSING, name: Any = MISSING, *rest: Any) -> tuple[()]:
        for key, value in items(unpack(arguments, name, *rest)[0]):
            if key.__class__ is str:
                state.setindex(made, key, value)
        return ()

    def usage(name: Any = MISSING, description: Any = None, example: Any = None, *definitions: Any) -> str:
        parts = definitions
        if parts and is_table(parts[0]) and is_table(parts[0].tabled):
            parts = tuple(listed(parts[0].tabled))
        return _usage(string(name, 1, "usage"), description, example, [one for one in parts if is_table(one)])

    def envparams(default: Any = MISSING, *_: Any) -> Table:
        found = Table()
        for key, value in items(checked_table(default, 1, "envparams")):
            text = os.environb.get(key.encode("latin-1")) if key.__class__ is str else None
            if text is None:
                rawset(found, key, value)
            else:
                rawset(found, key, _converted(decoded(text), value))
        return found

    system = state.outside("xlua", {"envparams": envparams})
    return {"unpack": unpack, "unpack_class": unpack_class, "usage": usage, **system}


def _converted(text: str, like: Any) -> Any:
    """Returns a variable of the environment as a value of the type of another."""
    if like.__class__ is float:
        return tonumber(text)
    return text == "true" if like.__class__ is bool else text


def _printing(state: State) -> dict[str, Any]:
    bar = _Progress()

    def progress(current: Any = MISSING, goal: Any = MISSING, *_: Any) -> tuple[()]:
        state.write(bar.shown(number(current, 1, "progress"), number(goal, 2, "progress")))
        state.flush()
        return ()

    def text(value: Any) -> str:
        if not is_table(value):
            return str(first(state.tostring(value)))
        metatable = state.metatable(value)
        handler = metatable.__dict__.get("__tostring__") if metatable is not None else None
        if handler is not None:
            return str(called(handler, value))
        rows = []
        for key, one in items(value):
            shown = "<userdata>" if isinstance(one, Userdata) else first(state.tostring(one)).replace("\n", "\\n")
            rows.append(f"[{first(state.tostring(key))}] = {shown if len(shown) <= 40 else shown[:40] + ' ... '}")
        return "{" + ",\n ".join(rows) + "}"

    def print_(*values: Any) -> tuple[()]:
        state.write("    ".join(text(value) for value in values) + "\n")
        return ()

    def error(message: Any = None, domain: Any = None, usage: Any = None, *_: Any) -> None:
        words = first(state.tostring(message))
        words = words if domain is None else f"<{domain}> {words}"
        raise_error(
            f"{_COLOURS['Red']}{words}{_COLOURS['none']}" + ("" if usage is None else f"\n{first(state.tostring(usage))}")
        )

    return {"progress": progress, "print": print_, "error": error, "formatTime": formatTime}


def _loading(state: State) -> dict[str, Any]:
    def require(name: Any = MISSING, *_: Any) -> Any:
        try:
            return state.require(string(name, 1, "require"))
        except LuaError as problem:
            state.globals.print(problem.value)
            state.globals.print(f"warning: <{name}> could not be loaded (is it installed?)")
            return False

    def installed(name: Any = MISSING, *_: Any) -> Any:
        path = state.globals.package.path
        for form in path.split(";"):
            file = form.replace("?", string(name, 1, "installed"))
            if state.can_read(file):
                return True, file
        return rawget(state.globals.package.preload, name) is not None, path

    def trycatch(function: Any = MISSING, handler: Any = MISSING, *_: Any) -> tuple[()]:
        done = state.globals.pcall(function)
        if done[0] is False:
            called(handler, done[1])
        return ()

    def clear(name: Any = MISSING, *_: Any) -> tuple[()]:
        rawset(state.globals, string(name, 1, "clear"), None)
        return ()

    kept = {key for key, _ in items(state.globals)} | {"xlua"}

    def clearall(*_: Any) -> tuple[()]:
        for key, _value in items(state.globals):
            if key not in kept:
                rawset(state.globals, key, None)
                rawset(state.loaded, key, None)
        return ()

    return {"require": require, "installed": installed, "trycatch": trycatch, "clear": clear, "clearall": clearall}


def splice(table: Any = MISSING, start: Any = None, length: Any = None, *_: Any) -> tuple[Table, Table]:
    values = listed(checked_table(table, 1, "splice"))
    begin = int(number(1.0 if start is None else start, 2, "splice"))
    end = begin + int(number(1.0 if length is None else length, 3, "splice"))
    low, high = max(begin - 1, 0), max(end - 1, begin - 1, 0)
    return table_of(values[:low] + values[high:]), table_of(values[low:high])


def prune(table: Any = MISSING, *_: Any) -> Table:
    found: dict[Any, Any] = {}
    for value in listed(checked_table(table, 1, "prune")):
        found.setdefault((value.__class__, value), value)
    return table_of(found.values())


def library(state: State) -> Table:
    """Returns the package's table."""
    for name in ("sys", "torch"):
        state.require(name)

    def tosymbol(text: Any = MISSING, *_: Any) -> Any:
        found = called(state.load(f"return {string(text, 1, 'tosymbol')}", "=tosymbol"))
        if not truth(found):
            raise_error(f'symbol "{text}" does not exist')
        return found

    names = state.globals.__dict__
    for library, functions in (("string", {"split": split, "tosymbol": tosymbol}), ("table", {"splice": splice, "prune": prune})):
        if is_table(names.get(library)):
            names[library].__dict__.update(functions)
    made = {**_printing(state), **_arguments(state), **_loading(state)}
    names.update(xprint=made["print"], xerror=made["error"], xrequire=made["require"])
    return fields(**made)
