"""Torch7's packages for Python programs that `pytorch-legacy lua --to-python` writes, and for those that are written like them.

Values are the very ones of Lua programs, so that each operation means the same: tensors with Torch7's methods, in place where
they are, tables that count from one, modules whose passes take and give tensors.

>>> from pytorch_legacy.lua.torch7 import Table, nn, torch
>>> x = torch.Tensor(2, 3).fill(1)
>>> x.narrow(2, 1, 2).add(torch.Tensor(Table(Table(1, 2), Table(3, 4))))[2][1]
4
>>> net = nn.Sequential().add(nn.Linear(3, 4)).add(nn.Max(2))
>>> net.forward(x).size(1), net.get(2).dimension, net.get(2).missing
(2, 2, None)

A class of Python that is derived from one of a package is a class of Torch7's, as ``torch.class`` makes one:

>>> class Twice(nn.Module):
...     _typename = "nn.Twice"
...
...     def updateOutput(self, input):
...         self.output = input * 2
...         return self.output
>>> nn.Sequential().add(Twice()).forward(x)[2][3]
2

A function returns one value, or a tuple if it has none or several. A number that is whole comes back as an int. Strings have one
character a byte. `begin` starts a program anew, and `python` returns the network of `pytorch_legacy.nn` behind one.
"""

from __future__ import annotations

import importlib.util
import math as _math
import sys as _sys
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from pytorch_legacy.files.stored import Stored

from .classes import Object, border_of
from .language import operators
from .language.table import TABLES, MetaTable, sequence
from .language.table import Table as LuaTable
from .language.table import rawget as _rawget
from .language.table import rawset as _rawset
from .session import Session, to_python
from .tensors import wrap
from .tensors.registry import namespace

__all__ = ["Function", "Table", "Text", "Value", "begin", "python"]

_EXACT = 2.0**53
_UNBOUND = frozenset(("new",))
"""Functions of objects that get no self: ``x.new(2)`` is Lua's ``x.new(2)``."""
_LUA_NAMES = {"__init__": "__init", "__repr__": "__tostring__"}
"""Methods that Python calls otherwise."""
_PYTHON_NAMES = {"assert_": "assert"}


def _arithmetic(function: Callable[[Any, Any], Any]) -> tuple[Callable[[Any, Any], Any], ...]:
    """Returns the methods of an operator, with a string on the left and on the right."""

    def left(a: Any, b: Any) -> Any:
        own = program()
        return own.call(function, own.lua(a), own.lua(b))

    return left, lambda b, a: left(a, b)


class Text(str):
    """A string that comes from Lua, or shows a number. In arithmetic it is that number, as in Lua, and not text to repeat."""

    __slots__ = ()
    __add__, __radd__ = _arithmetic(operators.add)
    __sub__, __rsub__ = _arithmetic(operators.sub)
    __mul__, __rmul__ = _arithmetic(operators.mul)
    __truediv__, __rtruediv__ = _arithmetic(operators.div)
    __mod__, __rmod__ = _arithmetic(operators.mod)
    __pow__, __rpow__ = _arithmetic(operators.pow_)

    def __neg__(self) -> Any:
        return self * -1


class Program:
    """A program that runs: the state of a session, and the classes that show its classes."""

    def __init__(self, session: Session, folder: Path | None = None) -> None:
        self.session, self.state = session, session._state
        self.classes: dict[int, Any] = {}
        script = getattr(_sys.modules.get("__main__"), "__file__", None)
        self.folder = folder or (Path(script).parent if script else Path())
        self.state.require("torch")

    # ------------------------------------------------------------------------------------------ values

    def lua(self, value: Any) -> Any:
        """Returns a value as Lua has it."""
        kind = value.__class__
        if value is None or kind is bool or kind is float or kind is str:
            return value
        if kind is Text:
            return str(value)
        if kind is int or isinstance(value, (int, float, np.number)):
            return float(value)
        if isinstance(value, (Value, Function)):
            return raw(value)
        if isinstance(value, Class):
            return value._table
        if callable(value):
            return self.function(value)
        if isinstance(value, np.ndarray):
            return wrap(self.state.types, value)
        if isinstance(value, list):
            return raw(Table(*value))
        if value == ():
            return None  # the value of a function without a result
        if isinstance(value, Mapping):
            return raw(Table(value))
        raise TypeError(
            f"pl.lua.torch7: expected None, a bool, number, string, table, tensor or function, got {type(value).__name__}"
        )

    def shown(self, value: Any) -> Any:
        """Returns a value of Lua as programs in Python have it."""
        kind = value.__class__
        if kind is float:
            isWhole = value.is_integer() and -_EXACT < value < _EXACT and (value != 0 or _math.copysign(1, value) > 0)
            return int(value) if isWhole else value
        if kind is str:
            return Text(value)
        if value is None or kind is bool:
            return value
        if kind is FunctionType:
            return Function(value)
        if isinstance(value, Object):
            return self._class_with(border_of(self.state).classes.of(value.python.__class__).table)._showing(value)
        if kind in TABLES:
            return self._table(value)
        return Value._showing(value)

    def _table(self, value: Any) -> Any:
        if (cls := self.classes.get(id(value))) is not None:
            return cls
        if self.state.border is not None and self.state.border.classes.with_table(value) is not None:
            return self._class_with(value)
        cls = self.classes.get(id(value._metatable)) if value.__class__ is not LuaTable else None
        return (cls or Table)._showing(value)

    def results(self, found: Any) -> Any:
        """Returns what a function of Lua returned: a value, or a tuple of none or several."""
        if found.__class__ is tuple:
            return self.shown(found[0]) if len(found) == 1 else tuple(map(self.shown, found))
        return self.shown(found)

    def call(self, function: Any, *arguments: Any) -> Any:
        """Calls a function of Lua with values of Lua. Arithmetic warns of nothing, as in C."""
        with np.errstate(all="ignore"):
            return self.results(function(*arguments))

    def function(self, function: Any) -> Any:
        """Returns a function of Python as one of Lua, which takes any number of arguments."""
        made = getattr(function, "_lua", None)
        if made is None or made.program is not self:
            code = getattr(function, "__code__", None)
            count = None if code is None or code.co_flags & 4 else code.co_argcount - hasattr(function, "__self__")

            def called(*arguments: Any) -> Any:
                given = [*map(self.shown, arguments)]
                if count is not None:
                    given = given[:count] + [None] * (count - len(given))
                found = function(*given)
                return tuple(map(self.lua, found)) if found.__class__ is tuple else self.lua(found)

            made = called
            made.python, made.program = function, self  # type: ignore[attr-defined]
            if isinstance(function, FunctionType):
                function._lua = made  # type: ignore[attr-defined]
        return made

    # ------------------------------------------------------------------------------------------ fields

    def field(self, value: Any, key: Any, isBound: bool = True) -> Any:
        """Returns a field. A method of an object, which is not its own field, is bound to it."""
        found = self.state.index(value, key)
        if found.__class__ is not FunctionType or not isBound or key in _UNBOUND:
            return self.shown(found)
        if value.__class__ in TABLES and (value.__class__ is LuaTable or _rawget(value, key) is not None):
            return self.shown(found)
        return lambda *arguments: self.call(found, value, *map(self.lua, arguments))

    def method(self, value: Any, name: str) -> Any:
        """Returns the method that ``value:name()`` calls, bound."""
        own = self.lua(value)
        found = self.state.method(own, name)
        return lambda *arguments: self.call(found, own, *map(self.lua, arguments))

    def set(self, value: Any, key: Any, new: Any) -> None:
        self.state.setindex(value, self.lua(key), self.lua(new))

    # ------------------------------------------------------------------------------------------ classes

    def _class_with(self, table: Any) -> Any:
        """Returns the class that shows a class of the package."""
        found = self.classes.get(id(table))
        if found is None:
            own = border_of(self.state).classes.with_table(table)
            assert own is not None
            above = next((one for one in own.python.__mro__[1:] if one is not Stored and issubclass(one, Stored)), None)
            base = Object_ if above is None else self._class_with(border_of(self.state).classes.of(above).table)
            names = {name for name in dir(own.python) if name[:1] != "_" and callable(getattr(own.python, name, None))}
            space: dict[str, Any] = {name: _Inherited(table, name) for name in names - _UNBOUND}
            space |= {"__init__": _Inherited(table, "__init"), "__slots__": ()}
            found = self.classes[id(table)] = type.__new__(Class, own.python.__name__, (base,), space)
            type.__setattr__(found, "_table", table)
        return found

    def define(self, cls: Any, name: str, package: Any) -> None:
        """Makes the class of Torch7 that a class of Python stands for."""
        parent = next((one for one in cls.__mro__[1:] if isinstance(one, Class) and one._table is not None), None)
        arguments: list[Any] = [name]
        if parent is not None:
            arguments.append(self.state.index(parent._table, "__typename"))
        if package is not None:
            arguments.append(self.lua(package))
        table = operators.first(self.state.globals.torch.__dict__["class"](*arguments))
        if self.state.border is None or self.state.border.classes.with_table(table) is None:
            self.classes[id(table)] = cls  # the metatable of its objects; the class is in its package
            holder, short = (arguments[-1], name) if package is not None else namespace(self.state, name)
            table = _rawget(holder, short.rpartition(".")[2])
        type.__setattr__(cls, "_table", table)
        self.classes[id(table)] = cls
        for key, value in [*vars(cls).items()]:
            if isinstance(value, FunctionType):
                self.state.setindex(table, _LUA_NAMES.get(key, key), self.function(value))

    def global_(self, name: str) -> Any:
        """Returns a package or a function of Lua by its name; None if there is none."""
        found = _rawget(self.state.globals, name)
        if found is None and _rawget(self.state.globals.package.preload, name) is not None:
            found = self.state.require(name)
        if found.__class__ is LuaTable or found.__class__ is MetaTable:
            return Package._showing(found)
        return self.shown(found)

    def run(self, file: Path) -> Any:
        """Runs a file of the program. Returns its result."""
        spec = importlib.util.spec_from_file_location(file.stem, file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, "result", None)


class _Inherited:
    """A method of a class of the package, for ``super()`` and for calls with an object."""

    def __init__(self, table: Any, name: str) -> None:
        self.table, self.name = table, name

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        function = program().state.index(self.table, self.name)
        if owner is None:
            return program().shown(function)
        return lambda *arguments: program().call(function, raw(owner), *map(program().lua, arguments))


def raw(value: Any) -> Any:
    """Returns what Lua has of a `Value` or `Function`."""
    return object.__getattribute__(value, "_raw")


class Class(type):
    """The class of classes, which are Torch7's: called, they make objects.

    ``_typename`` is the name in Torch7, such as "package.Name", and ``_package`` the table that gets the class, if it is none of
    the packages that are there.
    """

    _table: Any = None

    def __new__(mcs, own: str, bases: Any, space: Any) -> Any:
        cls = type.__new__(mcs, own, bases, {"__slots__": (), **space})
        if own not in _BASES:
            type.__setattr__(cls, "_table", None)
            program().define(cls, space.get("_typename", own), space.get("_package"))
        return cls

    def __call__(cls, *arguments: Any, **fields: Any) -> Any:
        if cls._table is None:
            return cls._make(*arguments, **fields)
        return program().call(cls._table, *map(program().lua, arguments))

    def __getattr__(cls, name: str) -> Any:
        if cls._table is None or (name[:2] == "__" and name[-2:] == "__"):
            raise AttributeError(name)
        return program().field(cls._table, name, False)

    def __setattr__(cls, name: str, value: Any) -> None:
        if isinstance(value, FunctionType):
            type.__setattr__(cls, name, value)
        cls[_LUA_NAMES.get(name, name)] = value

    def __getitem__(cls, key: Any) -> Any:
        return program().field(cls._table, program().lua(key), False)

    def __setitem__(cls, key: Any, value: Any) -> None:
        program().set(cls._table, key, value)

    def _showing(cls, value: Any) -> Any:
        made: Any = object.__new__(cls)  # type: ignore[arg-type]
        object.__setattr__(made, "_raw", value)
        return made


_BASES = ("Value", "Table", "Package", "Object_")


class Value(metaclass=Class):
    """A value that Lua has, such as a tensor or a module. Fields that are missing are None."""

    __slots__ = ("__weakref__", "_raw")

    if TYPE_CHECKING:

        def __init__(self, *items: Any, **fields: Any) -> None: ...

    @classmethod
    def _make(cls, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"{cls.__name__}: expected Table or a class of a package")

    def __getattribute__(self, name: str) -> Any:
        if name[:2] == "__" and name[-2:] == "__":
            return object.__getattribute__(self, name)
        return program().field(raw(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        program().set(raw(self), name, value)

    def __getitem__(self, key: Any) -> Any:
        return program().field(raw(self), program().lua(key), False)

    def __setitem__(self, key: Any, value: Any) -> None:
        program().set(raw(self), key, value)

    def __call__(self, *arguments: Any) -> Any:
        return program().call(raw(self), *map(program().lua, arguments))

    def __len__(self) -> int:
        return int(operators.length(raw(self)))

    def __eq__(self, other: object) -> bool:
        return operators.eq(raw(self), program().lua(other))

    def __hash__(self) -> int:
        return hash(raw(self))

    def __bool__(self) -> bool:
        return True

    __iter__ = None
    __contains__ = None

    def __str__(self) -> str:
        return str(program().state.tostring(raw(self)))

    __repr__ = __str__

    def __neg__(self) -> Any:
        return program().call(operators.neg, raw(self))


def _operator(function: Callable[..., Any], isReflected: bool = False) -> Any:
    def operator(self: Any, other: Any) -> Any:
        pair = raw(self), program().lua(other)
        return program().call(function, *(reversed(pair) if isReflected else pair))

    return operator


_OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "mod": "mod", "pow": "pow_"}
for _name, _function in _OPERATORS.items():
    type.__setattr__(Value, f"__{_name}__", _operator(getattr(operators, _function)))
    type.__setattr__(Value, f"__r{_name}__", _operator(getattr(operators, _function), True))
for _name in ("lt", "le", "gt", "ge"):
    type.__setattr__(Value, f"__{_name}__", _operator(getattr(operators, _name)))


class Table(Value):
    """A table of Lua: ``Table(1, 2, name=3)`` is ``{1, 2, name = 3}``.

    ``Table({key: value})`` is ``{[key] = value}``, and so is ``Table([(key, value)])``, in which True and 1 are two keys.
    """

    __slots__ = ()

    @classmethod
    def _make(cls, /, *items: Any, **fields: Any) -> Any:
        lua = program().lua
        entries: Any = ()
        if len(items) == 1 and isinstance(items[0], (Mapping, list)):
            entries, items = items[0].items() if isinstance(items[0], Mapping) else items[0], ()
        made = sequence(*map(lua, items))
        for key, value in (*entries, *fields.items()):
            _rawset(made, lua(key), lua(value))
        return cls._showing(made)


class Package(Value):
    """A package, such as ``torch``. Its functions are no methods."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name[:2] == "__" and name[-2:] == "__":
            return object.__getattribute__(self, name)
        return program().field(raw(self), name, False)


class Object_(Value):
    """The base of classes."""

    __slots__ = ()


class Function:
    """A function as Lua has it, which takes any number of arguments: those that are missing are None."""

    __slots__ = ("_raw",)

    def __init__(self, function: Any) -> None:
        self._raw = function

    def __call__(self, *arguments: Any) -> Any:
        return program().call(self._raw, *map(program().lua, arguments))

    def __eq__(self, other: object) -> bool:
        return callable(other) and self._raw is program().lua(other)

    def __hash__(self) -> int:
        return hash(self._raw)

    def __str__(self) -> str:
        return str(program().state.tostring(self._raw))

    __repr__ = __str__


_programs: list[Program] = []


def program() -> Program:
    """Returns the program that runs."""
    if not _programs:
        begin()
    return _programs[-1]


def begin(session: Session | None = None, folder: str | PathLike[str] | None = None) -> None:
    """Starts a program anew: packages, classes and globals are those of a new session, or of this one.

    Parameters
    ----------
    session : Session, optional
        The session whose packages and globals the program has. A new one has those that Torch7's ``th`` loaded, and ``arg``.
    folder : path-like, optional
        Where `require` finds the other files of the program; that of the script by default.
    """
    if session is None:
        session = Session(requires=["trepl"])
        session.globals["arg"] = dict(enumerate(_sys.argv))
    _programs[:] = [Program(session, None if folder is None else Path(folder))]


def python(value: Any) -> Any:
    """Returns a value as Python has it: a module of `pytorch_legacy.nn`, an array, a mapping; a tuple entry by entry."""
    if isinstance(value, tuple):
        return tuple(map(python, value))
    state = program().state
    if state.border is not None:
        state.border.homes.enter()
    return to_python(program().lua(value), state)


def pairs(value: Any) -> Iterator[Any]:
    """Returns the keys and values of a table."""
    return _each("pairs", value)


def ipairs(value: Any) -> Iterator[Any]:
    """Returns the indices of a table and its values, from 1 to the first that is missing."""
    return _each("ipairs", value)


def _each(name: str, value: Any) -> Iterator[Any]:
    own = program()
    found = operators.many(own.state.globals.__dict__[name](own.lua(value)))
    for key, entry in operators.each(2, *found):
        yield own.shown(key), own.shown(entry)


def require(name: str) -> Any:
    """Returns a package, or the result of a file of the program, which runs once."""
    own = program()
    name = own.lua(name)
    loaded, preload = own.state.loaded, own.state.globals.package.preload
    place = own.folder.joinpath(*name.split("."))
    file = next((file for file in (place.with_suffix(".py"), place / "init.py") if file.is_file()), None)
    if _rawget(loaded, name) is None and _rawget(preload, name) is None and file is not None:
        _rawset(loaded, name, True)
        found = own.lua(own.run(file))
        _rawset(loaded, name, True if found is None else found)
    found = own.state.require(name)
    return Package._showing(found) if _rawget(preload, name) is not None and found.__class__ in TABLES else own.shown(found)


def dofile(name: str) -> Any:
    """Runs a file of the program. Returns its result."""
    own = program()
    return own.run((own.folder / name).with_suffix(".py"))


def assert_(value: Any = None, *message: Any) -> Any:
    """Raises an error with a message if a value is nil or false. Returns its arguments."""
    if value is None or value is False:
        own = program()
        own.state.globals.__dict__["assert"](value, *map(own.lua, message))
    return (value, *message) if message else value


def unpack(value: Any, start: Any = 1, end: Any = None) -> tuple[Any, ...]:
    """Returns the entries of a table, always as a tuple."""
    own = program()
    found = own.state.globals.__dict__["unpack"](own.lua(value), own.lua(start), own.lua(end))
    return tuple(map(own.shown, operators.many(found)))


def __getattr__(name: str) -> Any:
    if name[:2] == "__":
        raise AttributeError(name)
    found = program().global_(_PYTHON_NAMES.get(name, name))
    if found is None and name == "G":
        return Package._showing(program().state.globals)
    if found is None and name == "arg":
        return Table([(0, _sys.argv[0]), *enumerate(_sys.argv[1:], 1)])
    if found is None:
        raise AttributeError(f"pl.lua.torch7: there is no package or function {name!r}")
    return found
