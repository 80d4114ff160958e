"""Parts of ``torch`` that compute nothing: timers, options of the command line, the number of threads."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, number, string
from ..language.errors import LuaError, raise_error, register, type_name
from ..language.operators import format_number, tonumber
from ..language.table import TABLES, Table, Userdata, border, fields, rawget, rawset
from .registry import constructor_of, native, new_class, object_maker
from .tensor import Types

if TYPE_CHECKING:
    from ..language.state import State


def _clock() -> tuple[float, float, float]:
    spent = os.times()
    return time.perf_counter(), spent.user, spent.system


class Timer(Userdata):
    """A timer of ``torch.Timer()``.

    Attributes
    ----------
    start, before : tuple of float
        The clocks when it was started last, and the time that was spent until then: real, of the user, of the system.
    isRunning : bool
        False after ``stop``.
    """

    __slots__ = ("before", "isRunning", "start")

    def __init__(self) -> None:
        self.start, self.before, self.isRunning = _clock(), (0.0, 0.0, 0.0), True

    def spent(self) -> tuple[float, float, float]:
        """Returns the time that was spent."""
        if not self.isRunning:
            return self.before
        real, user, system = (b + now - start for b, now, start in zip(self.before, _clock(), self.start, strict=True))
        return real, user, system


def _timer(types: Types) -> Table:
    """Returns ``torch.Timer``."""

    def own(timer: Any) -> Timer:
        if not isinstance(timer, Timer):
            raise_error("bad argument #1 (torch.Timer expected)")
        return timer

    def reset(timer: Any = None, *_: Any) -> Any:
        Timer.__init__(own(timer))
        return timer

    def stop(timer: Any = None, *_: Any) -> Any:
        timer = own(timer)
        timer.before, timer.isRunning = timer.spent(), False
        return timer

    def resume(timer: Any = None, *_: Any) -> Any:
        timer = own(timer)
        if not timer.isRunning:
            timer.start, timer.isRunning = _clock(), True
        return timer

    def read(timer: Any = None, *_: Any) -> Table:
        real, user, system = own(timer).spent()
        return fields(real=real, user=user, sys=system)

    made = native(types, Timer, "torch.Timer", {"reset": reset, "stop": stop, "resume": resume, "time": read})
    return constructor_of(made._metatable, lambda *_: made())


# ------------------------------------------------------------------------------------------------------ command line


def _bare(key: str) -> str:
    return key.lstrip("-")


class _Line:
    """An option or an argument of a command line."""

    def __init__(self, key: str, text: str, kind: str | None, default: Any = None) -> None:
        self.key, self.text, self.kind, self.default = key, text, kind, default

    def shown(self, width: int) -> str:
        """Returns its line of the help."""
        name = self.key if self.default is not None else f"<{_bare(self.key)}>"
        default = "" if self.default is None else f" [{_shown(self.default)}]"
        return f"  {name.ljust(width)} {self.text}{default}"


def _shown(value: Any) -> str:
    return str(value).lower() if value.__class__ is bool else format_number(value) if value.__class__ is float else str(value)


class CommandLine:
    """The options, arguments and texts of the help of a ``torch.CmdLine``, whose fields scripts may read and change.

    Parameters
    ----------
    table : Table
        The object of Lua.
    """

    def __init__(self, table: Table) -> None:
        options = _listed(table, "options").__dict__.items()
        self.options = {key: _entry(one) for key, one in options if one is not None}
        self.arguments = [_entry(one) for one in _values(_listed(table, "arguments"))]
        lines = _values(_listed(table, "helplines"))
        self.lines = [_entry(one) if one.__class__ in TABLES else _shown(one) for one in lines]
        self.date, self.isSilent = table.dateformat, table.silentio is True
        self.separators = (_shown(table.argseparator), _shown(table.keyseparator))

    def help(self, program: str | None) -> str:
        """Returns the help."""
        names = "".join(f" <{_bare(one.key)}>" for one in self.arguments)
        found = [f"Usage: {'' if program is None else f'{program} '}[options]{names}"]
        known = [line for line in self.lines if isinstance(line, _Line)]
        width = max([len(line.key if line.default is not None else f"<{_bare(line.key)}>") for line in known], default=0)
        found += [line if isinstance(line, str) else line.shown(width) for line in self.lines]
        return "".join(f"{line}\n" for line in found)


def _listed(table: Table, name: str) -> Table:
    """Returns a table in a field of a command line."""
    found = rawget(table, name)
    if found.__class__ not in TABLES:
        raise_error(f"torch.CmdLine: {name}: expected a table, got {type_name(found)}")
    return found  # type: ignore[no-any-return]


def _values(table: Table) -> list[Any]:
    return [rawget(table, float(i)) for i in range(1, border(table) + 1)]


def _entry(value: Any) -> _Line:
    """Returns an option or argument of its table."""
    if value.__class__ not in TABLES or value.key.__class__ is not str:
        raise_error("torch.CmdLine: expected a table with a key")
    return _Line(value.key, "" if value.help is None else _shown(value.help), value.type, value.default)


def _own(cmd: Any) -> Table:
    if cmd.__class__ not in TABLES or cmd.__class__ is Table:
        raise_error("bad argument #1 (torch.CmdLine expected)")
    return cmd  # type: ignore[no-any-return]


def _line(cmd: Any) -> CommandLine:
    return CommandLine(_own(cmd))


def _append(cmd: Any, name: str, value: Any) -> None:
    table = _listed(_own(cmd), name)
    rawset(table, border(table) + 1.0, value)


def _declaring() -> dict[str, Any]:
    """Returns the methods of a ``torch.CmdLine`` that say what it takes."""

    def text(cmd: Any = MISSING, words: Any = None, *_: Any) -> tuple[()]:
        _append(cmd, "helplines", "" if words is None else string(words, 2, "text"))
        return ()

    def option(
        cmd: Any = MISSING, key: Any = MISSING, default: Any = None, words: Any = None, kind: Any = None, *_: Any
    ) -> tuple[()]:
        key = string(key, 2, "option")
        if default is None:
            raise_error(f"option {key} has no default value")
        kind = type_name(default) if kind is None else kind
        if type_name(default) != kind:
            raise_error(f"option {key} has wrong default type value")
        entry = fields(key=key, default=default, help=words, type=kind)
        rawset(_listed(_own(cmd), "options"), key, entry)
        _append(cmd, "helplines", entry)
        return ()

    def argument(cmd: Any = MISSING, key: Any = MISSING, words: Any = None, kind: Any = None, *_: Any) -> tuple[()]:
        entry = fields(key=string(key, 2, "argument"), help=words, type=kind)
        for name in ("arguments", "helplines"):
            _append(cmd, name, entry)
        return ()

    def silent(cmd: Any = MISSING, *_: Any) -> tuple[()]:
        rawset(_own(cmd), "silentio", True)
        return ()

    def addTime(cmd: Any = MISSING, name: Any = None, form: Any = None, *_: Any) -> tuple[()]:
        form = "%Y-%m-%d %H:%M:%S" if form is None else string(form, 3, "addTime")
        rawset(_own(cmd), "dateformat", form + ("" if name is None else f"[{name}]: "))
        return ()

    return {"text": text, "option": option, "argument": argument, "silent": silent, "addTime": addTime}


def _reading(state: State) -> dict[str, Any]:
    """Returns the methods of a ``torch.CmdLine`` that read a line and print the help."""

    def help_(cmd: Any = MISSING, given: Any = None, *_: Any) -> tuple[()]:
        program = rawget(given, 0.0) if given.__class__ in TABLES else None
        state.write(_line(cmd).help(program))
        return ()

    def fail(cmd: Any = MISSING, message: Any = "", *_: Any) -> None:
        state.write(f"\n{message}\n\n{_line(cmd).help(None)}")
        state.exit(1)

    def default(cmd: Any = MISSING, *_: Any) -> Table:
        found = Table()
        for one in _line(cmd).options.values():
            rawset(found, _bare(one.key), one.default)
        return found

    def parse(cmd: Any = MISSING, given: Any = MISSING, *_: Any) -> Table:
        line = _line(cmd)
        if given.__class__ not in TABLES:
            raise_error("bad argument #2 to 'parse' (expected the table arg)")
        words = [rawget(given, float(i)) for i in range(1, border(given) + 1)]
        found = default(cmd)
        i = count = 0
        while i < len(words):
            word = words[i]
            if word in ("-help", "-h", "--help"):
                help_(cmd, given)
                state.exit(0)
            if word in line.options:
                i += _read_option(line.options[word], words[i + 1 :], found, lambda message: fail(cmd, message))
                continue
            if count >= len(line.arguments):
                kind = "unknown option" if word.__class__ is str and word.startswith("-") else "invalid argument:"
                fail(cmd, f"{kind} {_shown(word)}")
            expected = line.arguments[count]
            if expected.kind and type_name(word) != expected.kind:
                fail(cmd, f"invalid argument type for argument {expected.key} (should be {expected.kind})")
            rawset(found, _bare(expected.key), word)
            count, i = count + 1, i + 1
        if count != len(line.arguments):
            fail(cmd, "not enough arguments")
        return found

    return {"help": help_, "error": fail, "default": default, "parse": parse}


def _command_line(state: State, types: Types) -> Table:
    """Returns ``torch.CmdLine``."""

    def begin(cmd: Any = MISSING, argumentSeparator: Any = None, keySeparator: Any = None, *rest: Any) -> tuple[()]:
        values = {"argseparator": argumentSeparator or ",", "keyseparator": keySeparator or "=", "silentio": False}
        values |= {name: Table() for name in ("options", "arguments", "helplines")}
        for name, value in values.items():
            rawset(_own(cmd), name, value)
        return ()

    def string_(cmd: Any = MISSING, prefix: Any = None, params: Any = MISSING, ignore: Any = None, *_: Any) -> str:
        line = _line(cmd)
        if params.__class__ not in TABLES or not (ignore is None or ignore.__class__ in TABLES):
            raise_error("bad argument to 'string' (expected the tables of parameters and of those to ignore)")
        joint, mark = line.separators
        ignored = set() if ignore is None else {key for key, value in ignore.__dict__.items() if value}
        names = [_bare(one.key) for one in line.arguments]
        places = dict.fromkeys(names, "")
        options = []
        for key, value in params.__dict__.items():
            if value is None or key in ignored:
                continue
            shown = ("t" if value else "f") if value.__class__ is bool else _shown(value)
            if (known := line.options.get(f"-{key}")) is not None:
                if value != known.default:
                    options.append(f"{key}{mark}{shown}")
            elif key in places:
                places[key] = f"{key}{mark}{shown}"
        parts = [places[name] for name in names if places[name]] + sorted(options)
        return joint.join([*([prefix] if prefix else []), *parts])

    def log(cmd: Any = MISSING, file: Any = MISSING, params: Any = None, *_: Any) -> tuple[()]:
        return _log(state, _line(cmd), file, params)

    metatable = new_class(types, "torch.CmdLine", None)
    methods = {**_declaring(), **_reading(state), "string": string_, "log": log}
    register(methods)
    metatable.__dict__.update(methods, __init=begin)
    return constructor_of(metatable, object_maker(metatable))


def _read_option(line: _Line, rest: list[Any], found: Table, fail: Any) -> int:
    """Reads the value of an option. Returns how many words it takes."""
    if line.kind == "boolean":
        rawset(found, _bare(line.key), not line.default)
        return 1
    if not rest:
        fail(f"missing argument for option {line.key}")
    value = rest[0]
    if line.kind == "number":
        value = tonumber(value)
    elif line.kind != "string":
        fail(f"unknown required option type {line.kind}")
    elif value.__class__ is float:
        value = format_number(value)
    if value is None:
        fail(f"invalid type for option {line.key} (should be {line.kind})")
    rawset(found, _bare(line.key), value)
    return 2


def _log(state: State, line: CommandLine, name: Any, params: Any) -> tuple[()]:
    """Writes what is printed from now on into a file, too."""
    io, names = state.globals.io, state.globals.__dict__
    opened = state.index(io, "open")(name, "w") if name.__class__ is str else name
    if opened.__class__ is tuple:
        raise LuaError(opened[1])
    printed = names["print"]
    write, flush = state.index(opened, "write"), state.index(opened, "flush")
    if write is None or flush is None:
        raise_error(f"bad argument #2 to 'log' (expected a file or the name of a file, got {type_name(name)})")

    def print_(*values: Any) -> tuple[()]:
        if not line.isSilent:
            printed(*values)
        head = [time.strftime(line.date)] if line.date else []
        write(opened, " ".join([*head, *(state.tostring(value) for value in values), "\n"]))
        flush(opened)
        return ()

    names["print"] = print_
    print_(f"[program started on {time.strftime('%a %b %e %H:%M:%S %Y')}]")
    print_("[command line arguments]")
    if params.__class__ in TABLES:
        for key, value in params.__dict__.items():
            print_(key, value)
    print_("[----------------------]")
    return ()


# ------------------------------------------------------------------------------------------------------ the rest


def functions(state: State, types: Types, torch: Table) -> dict[str, Any]:
    """Returns the fields of ``torch`` that this module has."""
    threads = 1.0

    def setnumthreads(n: Any = MISSING, *_: Any) -> tuple[()]:
        nonlocal threads
        if n.__class__ is not float:
            raise_error("bad argument #1 to 'setnumthreads' (number expected)")
        threads = n
        return ()

    def getnumthreads(*_: Any) -> float:
        return threads

    def getnumcores(*_: Any) -> float:
        return float(os.cpu_count() or 1)

    def setheaptracking(isOn: Any = None, *_: Any) -> tuple[()]:
        torch.__dict__["_heaptracking"] = bool(isOn)
        return ()

    def tic(*_: Any) -> float:
        return time.time()

    def toc(start: Any = 0.0, *_: Any) -> float:
        return time.time() - number(start, 1, "toc")

    def isatty(file: Any = None, *_: Any) -> bool:
        return False

    made: dict[str, Any] = {"setnumthreads": setnumthreads, "getnumthreads": getnumthreads, "getnumcores": getnumcores}
    made |= {"setheaptracking": setheaptracking, "tic": tic, "toc": toc, "isatty": isatty}
    return made | {"Timer": _timer(types), "CmdLine": _command_line(state, types)}
