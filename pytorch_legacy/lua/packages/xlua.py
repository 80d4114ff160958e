"""The package ``xlua``: a bar of progress, named arguments, and functions that it adds to ``string`` and ``table``."""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING, Any

from ..language.errors import LuaError, raise_error
from ..language.libraries.files import decoded, encoded
from ..language.operators import format_number, tonumber
from ..language.table import Table, Userdata, fields, first, rawget, rawset
from . import options
from .functions import functions
from .sys import colours
from .values import called, is_table, items, listed, split_by_pattern, truth, with_metatable

if TYPE_CHECKING:
    from ..language.state import State

_BAR = 77  # characters of the bar of progress
_COLOURS = colours()
_MOST = 64  # arguments that unpack returns
_RULE = "+" * 69


def _time(rest: float) -> str:
    """Returns a time of seconds as text, in its two largest units."""
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
        remaining = f"ETA: {_time(max(0.0, (goal - current) * step))} | Step: {_time(max(0.0, step))}"
        text += f" [{bar}] {' ' * 50}{chr(8) * 50}{remaining}{chr(8) * (47 + len(remaining))}"
        text += f" {format_number(current)}/{format_number(goal)} "
        if share == _BAR:
            self.isDone = True
            text += "\n"
        return text


def _usage(name: str, description: Any, example: str | None, parameters: tuple[Any, ...]) -> str:
    """Returns the help of a function with named arguments."""
    colour = _COLOURS
    lines = [_RULE, f"{colour['Magenta']}{name}{colour['none']}"]
    if description is not None:
        lines += ["", str(description)]
    lines += ["", f"{colour['blue']}> {colour['none']}usage:", f"{colour['cyan']}{name}{{"]
    for one in parameters:
        key = f"{_shown(one.arg)} = {_shown(one.type)}"
        key = f"    {key}" if truth(one.req) else f"    [{key}]"
        end = ""
        if one.default is not None:
            end = f"  [default = {_shown(one.default)}]"
        elif one.defaulta is not None:
            end = f"  [default == {_shown(one.defaulta)}]"
        lines.append(f"{key.ljust(40)}-- {_shown(one.help)}{end}")
    lines.append("}" + colour["none"])
    if example is not None:
        lines += ["", f"{colour['cyan']}{example}{colour['none']}"]
    return "\n".join([*lines, _RULE])


def _shown(value: Any) -> str:
    if value is None or value.__class__ is bool:
        return "nil" if value is None else str(value).lower()
    return format_number(value) if value.__class__ is float else str(value)


def _named(given: list[Any], definitions: tuple[Table, ...]) -> Table:
    """Returns the arguments by their names."""
    if len(given) == 1 and is_table(given[0]) and rawget(given[0], 1.0) is None:
        return given[0]  # type: ignore[no-any-return]
    found = Table()
    for value, definition in zip(given, definitions, strict=False):
        rawset(found, definition.arg, value)
    return found


def _arguments(state: State) -> dict[str, Any]:
    def refused(usage: Table, missing: Any = None) -> Any:
        if missing is not None:
            state.globals.print(f"{_COLOURS['Red']}missing argument: {_shown(missing)}{_COLOURS['none']}")
        state.globals.print(usage)
        raise_error(f"{_COLOURS['Red']}error{_COLOURS['none']}")

    def unpack(given: list[Any], name: str, description: Any, *parts: Table) -> tuple[Any, ...]:
        if len(parts) > _MOST:
            raise_error(f"<xlua.unpack> cannot deal with more than {_MOST} arguments")
        usage = with_metatable(Table(), __tostring=lambda *_: _usage(name, description, None, parts))
        if not given:
            return refused(usage)  # type: ignore[no-any-return]
        named, found = _named(given, parts), Table()
        for i, one in enumerate(parts, 1):
            value = state.index(named, one.arg)
            if value is None and truth(one.req):
                return refused(usage, one.arg)  # type: ignore[no-any-return]
            value = one.default if value is None else value
            value = rawget(found, one.defaulta) if value is None and one.defaulta is not None else value
            rawset(found, one.arg, value)
            rawset(found, float(i), value)
        rawset(found, "usage", usage)
        return (found, *(rawget(found, float(i)) for i in range(1, len(parts) + 1)))

    def unpack_class(made: Any, *given: Any) -> tuple[()]:
        for key, value in items(unpack(*given)[0]):
            if key.__class__ is str:
                state.setindex(made, key, value)
        return ()

    def usage(name: str, description: Any, example: Any, *parts: Any) -> str:
        if parts and is_table(parts[0]) and is_table(parts[0].tabled):
            parts = tuple(listed(parts[0].tabled))
        return _usage(name, description, example, tuple(one for one in parts if is_table(one)))

    return {
        "unpack": ("list string any *table", unpack),
        "unpack_class": ("any list string any *table", unpack_class),
        "usage": ("string any any *any", usage),
    }


def _environment(pairs: list[tuple[Any, Any]]) -> Table:
    """Returns options, with the values of the variables of the environment that have their names."""
    found = Table()
    for key, value in pairs:
        text = os.environb.get(encoded(key)) if key.__class__ is str else None
        rawset(found, key, value if text is None else _converted(decoded(text), value))
    return found


def _converted(text: str, like: Any) -> Any:
    """Returns a variable of the environment as a value of the type of another."""
    if like.__class__ is float:
        return tonumber(text)
    return text == "true" if like.__class__ is bool else text


def _printing(state: State) -> dict[str, Any]:
    bar = _Progress()

    def progress(current: float, goal: float) -> tuple[()]:
        if not (math.isfinite(current) and 0 < goal < math.inf):
            raise_error(f"xlua.progress: expected a step and a goal above 0, got {current:g} and {goal:g}")
        state.write(bar.shown(current, goal))
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

    def error(message: Any, domain: Any, usage: Any) -> None:
        words, end = first(state.tostring(message)), "" if usage is None else f"\n{first(state.tostring(usage))}"
        words = words if domain is None else f"<{first(state.tostring(domain))}> {words}"
        raise_error(f"{_COLOURS['Red']}{words}{_COLOURS['none']}{end}")

    return {
        **{"progress": ("number number", progress), "print": ("*any", print_), "error": ("any any any", error)},
        "formatTime": ("number", _time),
    }


def _loading(state: State) -> dict[str, Any]:
    kept = {key for key, _ in items(state.globals)} | {"xlua"}

    def require(name: str) -> Any:
        try:
            return state.require(name)
        except LuaError as problem:
            state.globals.print(problem.value)
            state.globals.print(f"warning: <{name}> could not be loaded (is it installed?)")
            return False

    def installed(name: str) -> Any:
        path = state.globals.package.path
        found = next((file for form in path.split(";") if state.can_read(file := form.replace("?", name))), None)
        return (rawget(state.globals.package.preload, name) is not None, path) if found is None else (True, found)

    def trycatch(function: Any, handler: Any) -> tuple[()]:
        done = state.globals.pcall(function)
        if done[0] is False:
            called(handler, done[1])
        return ()

    def clear(name: str) -> tuple[()]:
        rawset(state.globals, name, None)
        return ()

    def clearall() -> tuple[()]:
        for key, _value in items(state.globals):
            if key not in kept:
                rawset(state.globals, key, None)
                rawset(state.loaded, key, None)
        return ()

    return {
        **{"require": ("string", require), "installed": ("string", installed), "trycatch": ("function function", trycatch)},
        **{"clear": ("string", clear), "clearall": ("", clearall)},
    }


def _splice(values: list[Any], start: int, length: int) -> tuple[list[Any], list[Any]]:
    low, high = max(start - 1, 0), max(start + length - 1, start - 1, 0)
    return values[:low] + values[high:], values[low:high]


def _prune(values: list[Any]) -> list[Any]:
    return [value for _class, value in dict.fromkeys((value.__class__, value) for value in values)]


def library(state: State) -> Table:
    """Returns the package's table."""
    for name in ("sys", "torch"):
        state.require(name)

    def symbol(text: str) -> Any:
        found = called(state.load(f"return {text}", "=tosymbol"))
        if not truth(found):
            raise_error(f'symbol "{text}" does not exist')
        return found

    names = state.globals.__dict__
    for library, added in (
        ("string", {"split": ("string string", split_by_pattern), "tosymbol": ("string", symbol)}),
        ("table", {"splice": ("list whole=1 whole=1", _splice), "prune": ("list", _prune)}),
    ):
        if is_table(names.get(library)):
            names[library].__dict__.update(functions(added))
    made = functions({**_printing(state), **_arguments(state), **_loading(state)}) | options.functions(state)
    made |= state.outside("xlua", functions({"envparams": ("pairs", _environment)}))
    names.update(xprint=made["print"], xerror=made["error"], xrequire=made["require"])
    return fields(**made)


def dok(state: State) -> Table:
    """Returns the table of the package ``dok``, whose functions xlua has, too."""
    xlua = state.require("xlua")
    return fields(unpack=xlua.unpack, usage=xlua.usage, error=xlua.error)
