"""The state of a Lua program: its globals, its libraries, and what its functions share."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from errno import EACCES
from types import FunctionType
from typing import Any, NoReturn

from .compiler import load
from .errors import raise_error, register
from .libraries import base, coroutine, debug, io, math, package, string, table
from .libraries import os as os_library
from .libraries.files import Console, decoded, system_name
from .table import Table, Userdata, accessors, fields

_LIBRARIES = {"coroutine": coroutine, "debug": debug, "io": io, "math": math, "os": os_library, "string": string, "table": table}


class State:
    """A state, which shares no table with another.

    Parameters
    ----------
    seed : float or None
        The seed of ``math.random``; None is LuaJIT's.
    folders : sequence of bytes or None, default: None
        In a sandbox, the folders whose Lua files the program may run. None is no sandbox.

    Attributes
    ----------
    globals, loaded : Table
        ``_G`` and ``package.loaded``.
    metatables : dict
        The metatables of Python's classes.
    index, setindex, method : callable
        The access to fields.
    folders : list of bytes or None
        The absolute paths of the folders of a sandbox, None outside of a sandbox.
    failing : Exception or None
        The error that a handler of ``xpcall`` is called for.
    sibling : callable or None
        A function without arguments that returns another state with the same packages, which shares no table with this one.
    types : object
        The classes of tensors, once ``torch`` is there, None before.
    border : object
        Where modules cross between Lua and Python, once ``nn`` is there, None before.
    pictures : object
        Where packages write the pictures and plots that programs show.
    """

    def __init__(self, seed: float | None = None, folders: Sequence[bytes] | None = None) -> None:
        self.metatables: dict[type, Table] = {}
        self.index, self.setindex, self.method = accessors(self.metatables)
        self.globals, self.loaded = Table(), Table()
        self.random = math.Random(seed or 0.0)
        self.folders = None if folders is None else [os.path.realpath(folder) for folder in folders]
        self.failing: Exception | None = None
        self.sibling: Callable[[], State] | None = None
        self.types: Any = None
        self.border: Any = None
        self.pictures: Any = None
        self._console = Console("stdout")
        self._open()

    def _open(self) -> None:
        names = self.globals.__dict__
        names.update(base.library(self), _G=self.globals)
        register(names)
        self.tostring = names["tostring"]
        for name, module in _LIBRARIES.items():
            functions = module.library(self)
            register(functions)
            self.loaded.__dict__[name] = names[name] = fields(**functions)
        register(io.METHODS)
        packages = package.library(self)
        register(packages)
        register(packages["package"].__dict__)
        names.update(packages)
        self._require = packages["require"]
        names["unpack"] = names["table"].__dict__["unpack"]
        self.loaded.__dict__.update(_G=self.globals, package=packages["package"])
        self.metatables[str] = fields(__index=names["string"])

    def metatable(self, value: Any) -> Table | None:
        """Returns the metatable of any value."""
        if isinstance(value, (Table, Userdata)):
            return value._metatable
        return self.metatables.get(value.__class__)

    def add_package(self, name: str, library: Callable[[State], Table]) -> None:
        """``require`` finds a package, whose table becomes a global when it is opened."""

        def open_package(*_: Any) -> Table:
            table = library(self)
            self.globals.__dict__[name] = table
            return table

        self.globals.package.preload.__dict__[name] = open_package

    def require(self, name: str) -> Any:
        """Returns a package."""
        return self._require(name)

    def load(self, text: str, name: str, environment: Table | None = None) -> Any:
        """Returns the function of a source, whose name begins with @ for a file. Raises LuaSyntaxError."""
        shared = {"index": self.index, "setindex": self.setindex, "method": self.method, "strings": self.metatables[str]}
        return load(text, name, self.globals if environment is None else environment, shared)

    def outside(self, library: str, functions: dict[str, Any], harmless: Sequence[str] = ()) -> dict[str, Any]:
        """Returns functions that reach files, processes or the environment. In a sandbox each of them raises an error instead.

        Those with the names `harmless` stay what they are.
        """
        if self.folders is None:
            return functions
        return {name: one if name in harmless else _refusal(library, name) for name, one in functions.items()}

    def exit(self, status: int) -> NoReturn:
        """Ends the program. In a sandbox it raises an error, because the process belongs to the host."""
        if self.folders is not None:
            raise_error(f"a sandbox does not end the process (exit status {status})")
        raise SystemExit(status)

    def can_read(self, path: str) -> bool:
        """Returns True if a Lua file exists and the program may read it."""
        return (self.folders is None or self._is_open(path)) and os.path.isfile(system_name(path))

    def _is_open(self, path: str) -> bool:
        """Returns True if a path is that of a Lua file in a folder of the sandbox. A link counts as what it leads to."""
        assert self.folders is not None
        real = os.path.realpath(system_name(path))
        return real.endswith(b".lua") and any(real.startswith(os.path.join(folder, b"")) for folder in self.folders)

    def read_file(self, name: str) -> str:
        """Returns the text of a Lua file."""
        if self.folders is not None and not self._is_open(name):
            raise PermissionError(EACCES, "a sandbox runs files NAME.lua of the script's own folders only")
        with open(system_name(name), "rb") as file:
            return decoded(file.read())

    def write(self, text: str) -> None:
        """Writes to standard output."""
        self._console.write(text)

    def flush(self) -> None:
        """Writes all that is waiting to standard output."""
        self._console.flush()


def _refusal(library: str, name: str) -> FunctionType:
    """Returns the function that stands in a sandbox for one that reaches files, processes or the environment."""

    def refuse(*_: Any) -> NoReturn:
        raise_error(f"a sandbox has no {library}.{name}")

    code = refuse.__code__.replace(co_name=name)  # tracebacks name functions by their code
    return FunctionType(code, refuse.__globals__, name, None, refuse.__closure__)
