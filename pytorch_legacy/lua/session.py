"""Sessions: programs of Lua that are run from Python, and the border that values cross.

A string of Lua is bytes, in Python a str of UTF-8. A number is a float. A table appears as a `View`, a function as a `Function`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from os import PathLike, fsdecode, fsencode
from os.path import dirname, realpath
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from pytorch_legacy.files.stored import Stored
from pytorch_legacy.random import manualSeed

from . import packages
from .classes import Object, ScriptFactory, add_packages, border_of
from .language import LuaError, LuaSyntaxError, State, Table
from .language.errors import is_of_lua, traceback_of, value_of
from .language.operators import many
from .language.table import key_of, keys, rawget, sequence
from .packages.showing import Pictures
from .tensors import Storage, Tensor, library, wrap

RECURSION = 50_000
"""Calls within each other before a stack overflow. Compiled functions call each other without the stack of C."""


def _encoded(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def _decoded(text: str) -> str:
    return text.encode("latin-1").decode("utf-8", "surrogateescape")


class View(MutableMapping[Any, Any]):
    """A table of Lua as a mapping of Python.

    Two views of one table are equal. Keys and values are converted as they are read and written. None removes a key.

    Parameters
    ----------
    table : Table
        The table.
    state : State
        Where it belongs.
    """

    def __init__(self, table: Table, state: State | None = None) -> None:
        self._table = table
        self._state = state or State()

    def __getitem__(self, key: Any) -> Any:
        value = self._state.index(self._table, to_lua(key, self._state))
        if value is None:
            raise KeyError(key)
        return to_python(value, self._state)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._state.setindex(self._table, to_lua(key, self._state), to_lua(value, self._state))

    def __delitem__(self, key: Any) -> None:
        self[key]
        self[key] = None

    def __iter__(self) -> Iterator[Any]:
        for raw in keys(self._table):
            if rawget(self._table, raw if isinstance(raw, str) else key_of(raw)) is not None:
                yield to_python(key_of(raw), self._state)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        return self._table is other._table if isinstance(other, View) else dict(self) == other

    def __hash__(self) -> int:
        return hash(self._table)

    def __repr__(self) -> str:
        return f"<Lua {self._table!r}, {len(self)} keys>"


class Function:
    """A function of Lua that Python calls.

    It returns None for no result, a value for one, and a tuple for several.
    """

    def __init__(self, function: Callable[..., Any], state: State) -> None:
        self._function, self._state = function, state

    def __call__(self, *arguments: Any) -> Any:
        state = self._state
        with _running(state):
            found = self._function(*(to_lua(argument, state) for argument in arguments))
        values = tuple(to_python(value, state) for value in many(found))
        return values if len(values) > 1 else values[0] if values else None

    def __repr__(self) -> str:
        return f"<Lua function {self._state.tostring(self._function)}>"


def view(table: Any) -> View:
    """Returns a table of Lua as a mapping.

    Parameters
    ----------
    table : Table or View
        The table.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> options = pl.lua.Session().execute("return {size = 3, name = 'net'}")
    >>> dict(pl.lua.view(options))
    {'size': 3.0, 'name': 'net'}
    """
    if isinstance(table, View):
        return table
    if not isinstance(table, Table):
        raise TypeError(f"view: expected a table of Lua, got {type(table).__name__}")
    return View(table)


def to_lua(value: Any, state: State) -> Any:
    """Returns a value of Python as Lua has it. Dicts and lists are copied to tables."""
    if value is None or isinstance(value, (bool, Table)):
        return value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, (int, float, np.number)):
        return float(value)
    if isinstance(value, str):
        return _encoded(value)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, View):
        return value._table
    if isinstance(value, Function):
        return value._function
    if isinstance(value, np.ndarray):
        state.require("torch")
        return wrap(state.types, value)
    if isinstance(value, Stored) or (isinstance(value, type) and issubclass(value, Stored)):
        state.require("nn")
        return border_of(state).lua(value)
    if isinstance(value, Mapping):
        table = Table()
        for key, one in value.items():
            state.setindex(table, to_lua(key, state), to_lua(one, state))
        return table
    if isinstance(value, (list, tuple)):
        return sequence(*(to_lua(one, state) for one in value))
    if callable(value):
        return _wrapped(value, state)
    raise TypeError(f"pl.lua: expected None, a bool, number, string, list, dict, function or table, got {type(value).__name__}")


def _wrapped(function: Callable[..., Any], state: State) -> Callable[..., Any]:
    """Returns a function of Lua that calls one of Python."""

    def called(*arguments: Any) -> Any:
        found = function(*(to_python(argument, state) for argument in arguments))
        if isinstance(found, tuple):
            return tuple(to_lua(one, state) for one in found)
        return to_lua(found, state)

    return called


def to_python(value: Any, state: State) -> Any:
    """Returns a value of Lua as Python has it."""
    if isinstance(value, str):
        return _decoded(value)
    if isinstance(value, Table):
        found = None if state.border is None else state.border.classes.python_of(value)
        return View(value, state) if found is None else found
    if isinstance(value, Object):
        return value.python
    if isinstance(value, Tensor):
        return value.array
    if isinstance(value, Storage):
        return value.vector
    return Function(value, state) if isinstance(value, FunctionType) else value


@contextmanager
def _running(state: State) -> Iterator[None]:
    """Lua runs: what it holds of modules is what they are now."""
    with _errors():
        if state.border is None:
            yield
            return
        state.border.homes.leave()
        yield
        state.border.homes.enter()


@contextmanager
def _errors() -> Iterator[None]:
    """Errors leave as `LuaError` with their traceback; deep recursion is allowed. Arithmetic warns of nothing, as in C."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION))
    try:
        with np.errstate(all="ignore"):
            yield
    except LuaSyntaxError as error:
        raise LuaError(str(error)) from None
    except Exception as error:
        value, trace = value_of(error), getattr(error, "traceback", "") or traceback_of(error)
        cause = error.__cause__ if isinstance(error, LuaError) else None if is_of_lua(error) else error
        raise LuaError(_decoded(value) if isinstance(value, str) else value, _decoded(trace)) from cause
    finally:
        sys.setrecursionlimit(limit)


def _state(seed: float | None, stubs: Sequence[str], pictures: Pictures, folders: Sequence[bytes] | None) -> State:
    """Returns a state in which ``require`` finds all packages."""
    state = State(seed, folders)
    state.add_package("torch", library)
    add_packages(state)
    packages.add_packages(state)
    packages.add_stubs(state, stubs)
    state.pictures = pictures

    def sibling() -> State:
        other = _state(None, stubs, pictures, state.folders)
        other.globals.package.__dict__["path"] = state.globals.package.path
        return other

    state.sibling = sibling
    return state


class Session:
    """A Lua program that is run from Python. Files and pieces of code share their globals.

    Parameters
    ----------
    path : sequence of path-like, default: ["."]
        Folders in which ``require`` looks for ``NAME.lua`` and ``NAME/init.lua``.
    seed : float or None, default: None
        The seed of ``math.random`` and of Torch7's generator, the package's. Without one ``math.random`` begins as LuaJIT's, and
        Torch7's generator goes on where it is.
    requires : sequence of str, default: ()
        Packages that scripts find as if they had required them.
    globals : mapping, optional
        Globals that scripts find.
    stubs : sequence of str, default: ()
        Further packages that ``require`` finds. Each field of such a package is the package itself, and calls return it.
    pictures : path-like, optional
        The folder for pictures and plots that scripts show. None writes none.
    sandbox : bool, default: False
        Take away files, processes and the environment. The program then runs ``.lua`` files of `path`, and of the folder of a
        file that `run` runs, and reaches nothing else. No limit is set to time and memory: ``pytorch-legacy lua --sandbox`` does.

    Attributes
    ----------
    globals : View
        The globals, as a mapping that reads and writes.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> session = pl.lua.Session()
    >>> session.globals["opt"] = {"hidden": 20}
    >>> session.execute("function area(n) return n * opt.hidden, 'cells' end")
    >>> session.globals["area"](2)
    (40.0, 'cells')
    """

    def __init__(
        self,
        path: Sequence[str | PathLike[str]] = (".",),
        seed: float | None = None,
        requires: Sequence[str] = (),
        globals: Mapping[str, Any] | None = None,
        stubs: Sequence[str] = (),
        pictures: str | PathLike[str] | None = None,
        sandbox: bool = False,
    ) -> None:
        if sandbox and pictures is not None:
            raise ValueError("Session: expected either a sandbox or a folder for pictures, got both; a sandbox writes no files")
        if seed is not None:
            manualSeed(int(seed))
        folders = [fsencode(folder) for folder in path]
        self._state = _state(seed, stubs, Pictures(pictures), folders if sandbox else None)
        self.globals = View(self._state.globals, self._state)
        forms = [f"{folder.decode('latin-1')}/{form}" for folder in folders for form in ("?.lua", "?/init.lua")]
        self._state.globals.package.__dict__["path"] = ";".join(forms)
        for name in requires:
            self._state.require(name)
        self.globals.update(globals or {})

    def run(self, file: str | PathLike[str], *arguments: Any) -> Any:
        """Runs a file. Returns its results: None, a value, or a tuple of several.

        Parameters
        ----------
        file : path-like
            The file.
        *arguments : object
            Its ``...``, and the global ``arg``.
        """
        state, name = self._state, fsencode(file).decode("latin-1")
        if state.folders is not None:
            state.folders.append(realpath(dirname(fsencode(file)) or b"."))
        values = [to_lua(argument, state) for argument in arguments]
        table = sequence(*values)
        dict.__setitem__(table, 0, name)
        state.globals.__dict__["arg"] = table
        with _errors():
            try:
                text = Path(fsdecode(file)).read_bytes().decode("latin-1")
            except OSError as problem:
                raise LuaError(f"cannot open {name}: {problem.strerror}") from problem
            function = state.load(text, f"@{name}")
        return Function(function, state)(*arguments)

    def execute(self, code: str, name: str = "=execute") -> Any:
        """Runs code. Returns its results: None, a value, or a tuple of several.

        Parameters
        ----------
        code : str
            The text.
        name : str, default: "=execute"
            Its name in messages of errors, after a ``=``.
        """
        with _errors():
            function = self._state.load(_encoded(code), _encoded(name))
        return Function(function, self._state)()


def run(
    file: str | PathLike[str],
    *arguments: Any,
    requires: Sequence[str] = (),
    path: Sequence[str | PathLike[str]] = (".",),
    globals: Mapping[str, Any] | None = None,
    seed: float | None = None,
    stubs: Sequence[str] = (),
    sandbox: bool = False,
) -> Any:
    """Runs a file of Lua in a session of its own. Returns its results: None, a value, or a tuple of several.

    It finds what Torch7's console ``th`` loaded (the package ``trepl``): the globals torch, paths, sys, xlua and those of pl, and
    a ``print`` that shows tables.

    Parameters
    ----------
    file : path-like
        The file.
    *arguments : object
        Its ``...``.
    requires : sequence of str, default: ()
        Packages that are there from the beginning, as the scripts of a training program found them.
    path : sequence of path-like, default: ["."]
        Folders in which ``require`` looks.
    globals : mapping, optional
        Globals that the file finds.
    seed : float or None, default: None
        The seed of ``math.random`` and of Torch7's generator. Without one ``math.random`` begins as LuaJIT's, and
        Torch7's generator goes on where it is.
    stubs : sequence of str, default: ()
        Further packages that ``require`` finds, which are empty.
    sandbox : bool, default: False
        Take away files, processes and the environment, as in `Session`.
    """
    return Session(path, seed, ["trepl", *requires], globals, stubs, sandbox=sandbox).run(file, *arguments)


def factory(files: Sequence[str | PathLike[str]]) -> ScriptFactory:
    """Returns what makes the objects of a .t7 file, for `pytorch_legacy.load`: Lua files define their classes, in a sandbox."""
    session = Session(requires=["trepl", "nn"], sandbox=True)
    for file in files:
        session.run(file)
    return ScriptFactory(border_of(session._state))
