"""The state of a Lua program: its globals, its libraries, and what its functions share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .compiler import load
from .errors import register
from .libraries import base, coroutine, debug, io, math, os, package, string, table
from .libraries.files import Console, decoded, encoded
from .table import Table, Userdata, accessors, fields

_LIBRARIES = {"coroutine": coroutine, "debug": debug, "io": io, "math": math, "os": os, "string": string, "table": table}


class State:
    """A state, which shares no table with another.

    Parameters
    ----------
    seed : float or None
        The seed of ``math.random``; None is LuaJIT's.

    Attributes
    ----------
    globals, loaded : Table
        ``_G`` and ``package.loaded``.
    metatables : dict
        The metatables of Python's classes.
    index, setindex, method : callable
        The access to fields.
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

    def __init__(self, seed: float | None = None) -> None:
        self.metatables: dict[type, Table] = {}
        self.index, self.setindex, self.method = accessors(self.metatables)
        self.globals, self.loaded = Table(), Table()
        self.random = math.Random(seed or 0.0)
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

    def read_file(self, name: str) -> str:
        """Returns the text of a file."""
        with open(encoded(name), "rb") as file:
            return decoded(file.read())

    def write(self, text: str) -> None:
        """Writes to standard output."""
        self._console.write(text)

    def flush(self) -> None:
        """Writes all that is waiting to standard output."""
        self._console.flush()
