"""Values that cross between modules in Python and programs in Lua.

| Lua | Python |
|---|---|
| number | float; a whole one is an int |
| string, which is bytes | str, of UTF-8 |
| tensor | array, in place |
| table 1 to n | list |
| other table | dict |
| module, criterion, node | itself |
| class | the class |
| function | a function that takes and returns what Python has |

Values of other kinds do not cross, so that a script gets no function or module of Python.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.arrays.types import getdefaulttensortype, setdefaulttensortype
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.files.stored import Stored
from pytorch_legacy.objects.counting import countingFromOne

from ..language.errors import raise_error
from ..language.table import TABLES, Table, Userdata
from ..tensors import Storage, Tensor, wrap
from .homes import Homes, content

if TYPE_CHECKING:
    from ..language.state import State
    from .classes import Classes
    from .definitions import Definitions
    from .packages import Packages

_WHOLE = 2.0**53


class Object(Userdata):
    """A module, criterion, node or another object of the package, as Lua has it. A session has a subclass of each class.

    Attributes
    ----------
    python : Stored
        The object.
    border : Border
        Of the class: that of the session.
    """

    __slots__ = ("python",)
    border: ClassVar[Border]

    def __init__(self, python: Any) -> None:
        self.python = python


class ScriptFunction:
    """A function of Lua as Python calls it.

    Attributes
    ----------
    function : callable
        Lua's.
    border : Border
        Where values cross.
    """

    __slots__ = ("border", "function")

    def __init__(self, function: Callable[..., Any], border: Border) -> None:
        self.function, self.border = function, border

    def __repr__(self) -> str:
        return "a function of Lua"

    def __call__(self, *arguments: Any) -> Any:
        return self.border.run(self.function, *arguments)

    def __deepcopy__(self, memo: dict[Any, Any]) -> ScriptFunction:
        return self


class Border:
    """Converts values of a session.

    Parameters
    ----------
    state : State
        The session's state, with ``state.types``.

    Attributes
    ----------
    classes : Classes
        The classes that scripts see.
    homes : Homes
        The fields that Lua holds.
    packages, definitions : Packages, Definitions
        The tables of classes, and the classes of scripts.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.classes: Classes
        self.packages: Packages
        self.definitions: Definitions
        self.homes = Homes(self.entry, self.python)
        self._objects: WeakValueDictionary[int, Object] = WeakValueDictionary()
        self._caches: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()

    # ------------------------------------------------------------------------------------------ to Lua

    def lua(self, value: Any) -> Any:
        """Returns a value of Python as Lua has it. Lists and dicts are copied."""
        kind = value.__class__
        if value is None or kind is bool or kind is float:
            return value
        if kind is str:
            return encoded(value)
        if kind is np.ndarray:
            return self.tensor(value)
        if isinstance(value, Stored):
            return self.object(value)
        if kind in (list, tuple):
            return self._sequence(value)
        if kind is dict:
            return self._named(value)
        return self._other(value)

    def _other(self, value: Any) -> Any:
        if isinstance(value, np.ndarray) and not isinstance(value, Recorded):
            return self.tensor(value)
        if is_tensor(value):
            raise UnsupportedError("pl.lua: layers that are written in Lua compute with arrays of NumPy")
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        if isinstance(value, (int, float, np.number)):
            return float(value)
        if isinstance(value, (Table, Userdata)):
            return value
        if isinstance(value, ScriptFunction):
            return value.function
        if isinstance(value, type) and issubclass(value, Stored):
            return self.classes.of(value).table
        if isinstance(value, (list, tuple)):
            return self._sequence(value)
        if isinstance(value, dict):
            return self._named(value)
        if isinstance(value, FunctionType) and hasattr(value, "luaFunction"):
            return value.luaFunction
        return None

    def _sequence(self, values: Any) -> Table:
        table = Table()
        for i, value in enumerate(values, 1):
            if (found := self.lua(value)) is not None:
                dict.__setitem__(table, i, found)
        return table

    def _named(self, values: Any) -> Table:
        table = Table()
        for key, value in values.items():
            found = self.lua(value)
            if found is None:
                continue
            if key.__class__ is str:
                table.__dict__[encoded(key)] = found
            elif isinstance(key, (int, float)):
                dict.__setitem__(table, float(key), found)
        return table

    def tensor(self, array: Any) -> Any:
        """Returns the tensor that shows an array, or the number in an array without dimensions."""
        if not array.ndim:
            return float(array)
        found = self.homes.known(array)
        if found is None:
            found = wrap(self.state.types, array)
            self.homes.note(array, found)
        return found

    def object(self, thing: Any) -> Object:
        """Returns the object as which Lua has a module: one for each as long as Lua holds it."""
        found = self._objects.get(id(thing))
        if found is None or found.python is not thing:
            found = self._objects[id(thing)] = self.classes.of(thing.__class__).kind_for(thing)(thing)
        return found

    def renew(self, thing: Any) -> None:
        """A module has got, or lost, methods of its own."""
        found = self._objects.get(id(thing))
        if found is not None:
            found.__class__ = self.classes.of(thing.__class__).kind_for(thing)

    def entry(self, value: Any, holder: Any, key: Any, first: int = 0) -> Any:
        """Returns a field of an object, or an entry of a list or dict, as Lua has it: the tensor or table that shows it.

        In the table of a dict the key 0 is `first`.
        """
        kind = value.__class__
        if kind is np.ndarray and value.ndim:
            held = self.homes.find(holder, key, value)
            if held is None and (held := self.homes.known(value)) is None:
                held = wrap(self.state.types, value)
                self.homes.note(value, held)
                self.homes.add_tensor(holder, key, held, value)
            return held
        if kind is dict and not all(name.__class__ in (str, int, float) for name in value):
            return None  # the links of a graph, which are Python's
        if kind is list or kind is dict:
            held = self.homes.find(holder, key, value)
            if held is None:
                if (held := self.homes.showing(value)) is None:
                    held = Table()
                    self.homes.fill(held, value, first)
                self.homes.add_table(holder, key, held, value, first)
            return held
        return self.lua(value)

    # ------------------------------------------------------------------------------------------ to Python

    def python(self, value: Any) -> Any:
        """Returns a value of Lua as Python has it."""
        kind = value.__class__
        if kind is float:
            return int(value) if value.is_integer() and -_WHOLE < value < _WHOLE else value
        if value is None or kind is bool:
            return value
        if kind is str:
            return decoded(value)
        if isinstance(value, Tensor):
            array = value.array
            self.homes.note(array, value)
            return array
        if isinstance(value, Object):
            return value.python
        if kind in TABLES:
            return self._table(value, {})
        if kind is FunctionType:
            return ScriptFunction(value, self)
        return [int(one) for one in value.vector] if isinstance(value, Storage) else value

    def _table(self, table: Any, seen: dict[int, Any]) -> Any:
        if id(table) in seen:
            return seen[id(table)]
        if (known := self.classes.python_of(table)) is not None:
            return known
        if (shown := self.homes.shown(table)) is not None:
            return shown
        found = content(table)
        seen[id(table)] = new = found.__class__()
        if found.__class__ is list:
            new.extend(self._table(one, seen) if one.__class__ in TABLES else self.python(one) for one in found)
        else:
            for key, one in found.items():
                name = decoded(key) if key.__class__ is str else key
                new[name] = self._table(one, seen) if one.__class__ in TABLES else self.python(one)
        return new

    def cache(self, table: Any) -> dict[Any, Any]:
        """Returns the dict that stands for a ``tensorCache``: what several conversions share."""
        found: dict[Any, Any] = self._caches.setdefault(table, {})
        return found

    # ------------------------------------------------------------------------------------------ calls

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function of Lua from Python, with values of Python."""
        self.homes.leave()
        found = function(*[self.lua(argument) for argument in arguments])
        self.homes.enter()
        if found.__class__ is tuple:
            return tuple(self.python(one) for one in found) if len(found) != 1 else self.python(found[0])
        return self.python(found)

    def construct(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """As `call`, for a constructor: new objects are of the session's default type."""
        before = getdefaulttensortype()
        setdefaulttensortype(self.state.types.default.name)
        try:
            return self.call(function, *arguments)
        finally:
            setdefaulttensortype(before)

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Calls a function of Python from Lua, with values of Python. Passes count from one meanwhile."""
        self.homes.enter()
        with countingFromOne():
            found = function(*arguments)
        self.homes.leave(arguments)
        return found


def encoded(text: str) -> str:
    """Returns a text as Lua has it: one character a byte."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def decoded(text: str) -> str:
    """Returns a string of Lua as a text."""
    return text if text.isascii() else text.encode("latin-1").decode("utf-8", "surrogateescape")


def wrong_self(value: Any, name: str, typename: str) -> None:
    """Raises the error of a method that is called with something else than an object of its class."""
    raise_error(f"bad argument #1 to '{name}' ({typename} expected, got {value.__class__.__name__.lower()})")
