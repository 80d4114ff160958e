"""The classes of this package as Lua's: constructors, methods that scripts call and replace, and classes that scripts derive.

A script sees a class as a table: ``nn.Linear(3, 4)`` makes an object, ``nn.Linear.updateOutput`` is a method, and
``function nn.Linear:reset()`` replaces one. A method that a script replaces is replaced in its session alone: objects that the
session makes are of a class of Python derived from ours, with the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from types import FunctionType, new_class
from typing import Any
from weakref import WeakSet

from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.files.lua import ScriptMethod
from pytorch_legacy.files.stored import Stored
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import Object as PythonObject
from pytorch_legacy.objects.conversion import Converted
from pytorch_legacy.objects.counting import add_counting, countingAsCalled, isCountingFromOne

from .. import counting
from ..language import operators
from ..language.errors import raise_error
from ..language.table import TABLES, Table, fields, set_metatable
from ..tensors import Tensor
from .border import Border, Object
from .errors import failing

PYTHON_NAMES = {
    **{"__init": "__init__", "__tostring": "__repr__", "__tostring__": "__repr__"},
    **{"__call": "__call__", "__len": "__len__"},
    **{name: name for name in ("_updateGradInput", "_accGradParameters")},
}
"""Methods that Torch7 and Python call otherwise, and those that begin with an underscore in both."""
LUA_NAMES = {python: lua for lua, python in PYTHON_NAMES.items()}
_CONVERSIONS = frozenset(("type", "float", "double", "half", "cuda"))
_ON_HOST = {
    "torch.CudaTensor": "torch.FloatTensor",
    "torch.CudaDoubleTensor": "torch.DoubleTensor",
    "torch.CudaHalfTensor": "torch.HalfTensor",
}
"""The types of tensors on a device, and what they are here: tensors of scripts lie on the host."""
_SPECIAL = frozenset(PYTHON_NAMES.values())


class Class:
    """A class as the scripts of a session see it.

    Attributes
    ----------
    python : type
        The class of Python.
    table : Table
        What scripts call and index: ``nn.Linear``.
    methods : Table
        The functions of Lua by their names: those that scripts asked for or defined, of bases too.
    own : dict
        What scripts defined on this class.
    added : dict
        Functions that it has in Lua alone.
    """

    def __init__(self, python: Any, classes: Classes) -> None:
        self.python, self.classes = python, classes
        self.table, self.methods = Table(), Table()
        self.own: dict[Any, Any] = {}
        self.added: dict[str, Any] = {}
        self.isOfScript = False
        self._kinds: dict[bool, Any] = {}

    @property
    def typename(self) -> str:
        return str(self.python._typename)

    def kind_for(self, thing: Any) -> type[Object]:
        """Returns the class of what Lua holds of an object. If the object has methods of its own, they come first."""
        replaced = "_luaMethods" in thing.__dict__
        if replaced not in self._kinds:
            metatable = self.classes.metatable(self)
            space = {
                "__slots__": (),
                "border": self.classes.border,
                "_metatable": metatable,
                "_raw": self.classes.fields,
                "_methods": None if replaced else self.methods,
            }
            self._kinds[replaced] = type("Object", (Object,), space)
        return self._kinds[replaced]  # type: ignore[no-any-return]

    def find(self, name: Any) -> Any:
        """Returns a method, or another value of the class, as Lua has it; None if there is none."""
        if name.__class__ is not str:
            return self._defined(name)
        found = self.methods.__dict__.get(name)
        if found is None and (found := self._search(name)) is not None:
            self.methods.__dict__[name] = found
        return found

    def _defined(self, name: Any) -> Any:
        for base in self.classes.bases(self.python):
            if name in base.own:
                return base.own[name]
        return None

    def _search(self, name: str) -> Any:
        if name == "__typename":
            return self.typename
        if name == "__index":
            return self.table
        if name == "new":
            return self._constructor()
        for cls in self.python.__mro__:
            base = self.classes.known(cls)
            if base is not None and name in base.own:
                return base.own[name]
            if base is not None and name in base.added:
                return base.added[name]
            attribute = PYTHON_NAMES.get(name, name)
            if attribute in vars(cls) and is_open(cls, name):
                return self._shown(cls, vars(cls)[attribute], attribute)
        return None

    def _constructor(self) -> Callable[..., Any]:
        def new(*arguments: Any) -> Any:
            if arguments and arguments[0].__class__ is self.table.__class__ and arguments[0] is self.table:
                arguments = arguments[1:]
            return self.make(arguments)

        return new

    def _shown(self, cls: Any, member: Any, name: str) -> Any:
        if isinstance(member, FunctionType):
            return method(self.classes.border, cls, member, name, self.python)
        if isinstance(member, (classmethod, staticmethod)):
            return class_method(self.classes.border, member.__get__(None, self.python), name)
        if isinstance(member, property):
            return None  # a field of objects
        return self.classes.border.lua(member)

    def define(self, name: Any, value: Any) -> None:
        """A script sets a method, or another value, of the class."""
        if value is None:
            self.own.pop(name, None)
        else:
            self.own[name] = value
        self.classes.refresh(self, name)

    def make(self, arguments: tuple[Any, ...]) -> Any:
        """Returns a new object, as Lua has it."""
        classes = self.classes
        cls = classes.session_class(self.python)
        if (init := classes.script_value(cls, "__init")) is not None:
            thing = cls.__new__(cls)
            if issubclass(cls, PythonObject):
                thing._dtype = classes.border.state.types.default.dtype
            classes.made.add(thing)
            made = classes.border.object(thing)
            classes.making.append(made)
            try:
                init(made, *arguments)
            finally:
                classes.making.pop()
            return made
        border = classes.border
        with failing(border, None):
            thing = border.construct(counting.construct, cls, [border.python(on_host(one)) for one in arguments])
        classes.made.add(thing)
        return border.object(thing)


def is_open(cls: type, name: str) -> bool:
    """True if scripts reach the attribute of a class: names without underscores of classes of this package, and those that
    Torch7 writes with them."""
    if not issubclass(cls, Stored) or (cls is Stored and name not in vars(Stored)):
        return False
    return name in PYTHON_NAMES if name[:1] == "_" else cls.__module__.startswith("pytorch_legacy.")


def on_host(argument: Any) -> Any:
    """Returns an argument that may name a type: a type of a device becomes that of the host."""
    return _ON_HOST.get(argument, argument) if argument.__class__ is str else argument


def _single(function: Any) -> Any:
    """Returns a function of which only the first result counts."""
    return (lambda *given: operators.first(function(*given))) if callable(function) else function


def _taking(border: Border, name: str) -> Callable[[Any], Any]:
    """Returns the function that takes an argument of a method to Python."""
    if name == "__init__":
        return lambda one: border.python(on_host(one))
    if name == "replace":
        return lambda one: _single(border.python(one))
    if name in _CONVERSIONS:
        return lambda one: border.cache(one) if one.__class__ is Table else border.python(on_host(one))
    return border.python


def method(border: Border, cls: Any, function: Callable[..., Any], name: str, owner: Any) -> Callable[..., Any]:
    """Returns a method of Python as a function of Lua, whose first argument is the object.

    The function stands in a class that is the owner or one of its bases.
    """
    python, counted, construct = _taking(border, name), counting.invoke, name == "__init__"
    if function is Converted.cuda:
        function = Converted.float

    def call(self: Any = None, *arguments: Any) -> Any:
        if construct and self.__class__ in TABLES and border.classes.python_of(self) is not None and border.classes.making:
            self = border.classes.making[-1]  # parent:__init(), whose fields objects find in their class
        if not isinstance(self, Object):
            raise_error(f"calling '{LUA_NAMES.get(name, name)}' on bad self")
        thing = self.python
        given = [python(one) for one in arguments]
        with failing(border, thing), nullcontext() if isinstance(thing, owner) else border.classes.borrowing(thing, owner):
            if construct:
                return border.construct(counting.initialize, cls, thing, given) or ()
            found = border.call(counted, thing, function, *given)
        if arguments and isinstance(arguments[0], Tensor) and counting.declaration(thing).returns.get(name) == "first":
            result = arguments[0]
            result.set_array(found.astype(result.array.dtype, copy=False))
            return result
        return shown(border, self, name, found)

    call.luaName = name  # type: ignore[attr-defined]
    return call


def shown(border: Border, handle: Object, name: str, found: Any) -> Any:
    """Returns the result of a method as Lua has it."""
    thing = handle.python
    if found is thing:
        return handle if counting.values(thing, name, found) != () else ()
    own = thing.__dict__
    if found is own.get("output") and found is not None:
        return border.entry(found, thing, "output")
    if found is own.get("gradInput") and found is not None:
        return border.entry(found, thing, "gradInput")
    found = counting.values(thing, name, found)
    held = fields_with(border, thing, found) if name == "parameters" else []
    results = tuple(border.lua(one) for one in found) if found.__class__ is tuple else border.lua(found)
    del held  # from here on Lua holds them
    return results


def fields_with(border: Border, thing: Any, lists: Any) -> list[Any]:
    """Returns tensors that show the fields with these arrays. What Lua sets them to comes to the fields."""
    found: list[Any] = []
    wanted = {id(array): array for arrays in lists or () for array in arrays}
    for module in thing.listModules() if wanted else ():
        for name, value in module.__dict__.items():
            if wanted.pop(id(value), None) is not None:
                found.append(border.entry(value, module, name))
    return found


def class_method(border: Border, function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Returns a function of a class as a function of Lua."""

    def call(*arguments: Any) -> Any:
        given = [border.python(one) for one in arguments]
        with failing(border, None):
            found = border.call(function, *given)
        return tuple(border.lua(one) for one in found) if found.__class__ is tuple else border.lua(found)

    return call


class Classes:
    """The classes of a session.

    Parameters
    ----------
    border : Border
        Where values cross.

    Attributes
    ----------
    made : WeakSet
        The objects that scripts made.
    making : list
        Those whose ``__init`` of a script runs, as Lua has them.
    """

    def __init__(self, border: Border) -> None:
        self.border = border
        self.made: WeakSet[Any] = WeakSet()
        self.making: list[Object] = []
        self.metatable: Callable[[Class], Table]
        self.fields: Any
        self._classes: dict[Any, Class] = {}
        self._tables: dict[int, Class] = {}
        self._derived: dict[Any, Any] = {}  # the session's classes, by ours, and by themselves
        self._originals: dict[Any, Any] = {}
        self._mixed: dict[Any, Any] = {}  # classes with the methods of two

    def of(self, python: Any) -> Class:
        """Returns a class as the session sees it."""
        python = self._originals.get(python, python)
        found = self._classes.get(python)
        if found is None:
            found = self._classes[python] = Class(python, self)
            self._tables[id(found.table)] = found
            self._open(found)
        return found

    def known(self, python: Any) -> Class | None:
        """Returns a class that scripts have asked for."""
        return self._classes.get(self._originals.get(python, python))

    def bases(self, python: Any) -> Iterator[Class]:
        """Yields a class and its bases, as far as scripts have asked for them."""
        for cls in python.__mro__:
            if (found := self._classes.get(cls)) is not None:
                yield found

    def python_of(self, table: Any) -> Any:
        """Returns the class that a table stands for, None if it is another table."""
        found = self.with_table(table)
        return None if found is None else self.session_class(found.python)

    def with_table(self, table: Any) -> Class | None:
        """Returns the class that a table stands for."""
        found = self._tables.get(id(table))
        return found if found is not None and found.table is table else None

    def _open(self, found: Class) -> None:
        def index(_: Any, name: Any) -> Any:
            return found.find(name)

        def newindex(_: Any, name: Any, value: Any) -> None:
            found.define(name, value)

        def call(_: Any, *arguments: Any) -> Any:
            return found.make(arguments)

        set_metatable(found.table, fields(__index=index, __newindex=newindex, __call=call, __typename=found.typename))

    # ------------------------------------------------------------------------------------------ classes and methods of scripts

    def derive(self, typename: str, parent: Class) -> Class:
        """Returns a new class of a script, derived from another one."""
        space = {"_typename": typename, "__module__": "lua", "changesDtype": True}
        python = new_class(typename.rpartition(".")[2], (parent.python,), exec_body=lambda body: body.update(space))
        if parent.python in (Module, Criterion):
            python.__repr__ = _named  # type: ignore[assignment]
        found = self.of(python)
        found.isOfScript = True
        return found

    def script_value(self, python: Any, name: str) -> Any:
        """Returns what a script defined, unless a class of Python that is nearer defines it."""
        attribute = PYTHON_NAMES.get(name, name)
        for cls in python.__mro__:
            base = self._classes.get(cls)
            if base is not None and name in base.own:
                return base.own[name]
            if attribute in vars(cls) and cls not in self._originals and not (base is not None and base.isOfScript):
                return None
        return None

    def session_class(self, python: Any) -> Any:
        """Returns the class of the objects that scripts make: that of Python, or one derived from it with replaced methods."""
        if python in self._originals:
            return python
        if python not in self._derived:
            names = {name for base in self.bases(python) if not base.isOfScript for name in base.own}
            replaced = {name: value for name in names if (value := self.script_value(python, name)) is not None}
            self._derived[python] = self._made_class(python, replaced) if replaced else python
        return self._derived[python]

    def _made_class(self, python: Any, replaced: dict[str, Any]) -> Any:
        space = {"_typename": python._typename, "__module__": "lua", "changesDtype": True}
        made = new_class(python.__name__, (python,), exec_body=lambda body: body.update(space))
        self._originals[made] = python
        for name, value in replaced.items():
            self._install(made, name, value)
        return made

    @contextmanager
    def borrowing(self, thing: Any, cls: Any) -> Iterator[None]:
        """Lets an object be of another class, too, whose method runs: ``nn.Module.getParameters(criterion)``."""
        own = thing.__class__
        if (own, cls) not in self._mixed:
            space = {"_typename": own._typename, "__module__": "lua", "changesDtype": True}
            try:
                self._mixed[own, cls] = new_class(own.__name__, (own, cls), exec_body=lambda body: body.update(space))
            except TypeError as error:
                raise UnsupportedError(f"{own._typename} is no {cls._typename}, whose method this is") from error
        thing.__class__ = self._mixed[own, cls]
        try:
            yield
        finally:
            thing.__class__ = own

    def _install(self, python: Any, name: Any, value: Any) -> None:
        """Gives a class of Python a method of Lua."""
        if name.__class__ is not str:
            return
        attribute = PYTHON_NAMES.get(name, name)
        if value is None:
            if attribute in vars(python):
                delattr(python, attribute)
        elif isinstance(value, FunctionType) and (attribute in _SPECIAL or attribute[:1] != "_"):
            setattr(python, attribute, self._as_python(value, attribute))
            add_counting(python)
        elif value.__class__ in (bool, float, str) and attribute[:1] != "_":
            setattr(python, attribute, self.border.python(value))

    def _as_python(self, function: Any, name: str) -> Any:
        border = self.border

        def called(self: Any, *arguments: Any, **_: Any) -> Any:
            found = counting.answer(self, name, partial(border.run, function, self), arguments)
            if name == "__init__":
                return None
            return found if name != "__repr__" or found.__class__ is str else repr(found)

        called.__name__ = name
        called.luaFunction = function  # type: ignore[attr-defined]
        called.countsFromOne = True  # type: ignore[attr-defined]
        return called

    def refresh(self, changed: Class, name: Any) -> None:
        """A script has set a value of a class: classes below it and objects that were made get it, too."""
        for found in [*self._classes.values()]:
            if issubclass(found.python, changed.python):
                found.methods.__dict__.pop(name, None)
        if changed.isOfScript:
            self._install(changed.python, name, changed.own.get(name))
            return
        for python in [one for one in self._derived if issubclass(one, changed.python)]:
            del self._derived[python]
        for thing in [*self.made]:
            if isinstance(thing, changed.python):
                original = self._originals.get(thing.__class__, thing.__class__)
                thing.__class__ = self.session_class(original)


def _named(self: Any) -> str:
    return str(self._typename)


class Replaced(ScriptMethod):
    """A function of Lua that stands in an object in the place of a method, or in a field.

    Attributes
    ----------
    owner : object or None
        The first argument of a method; None for a function in a field.
    name : str
        The name of the method or field.
    luaFunction : callable
        Lua's.
    """

    countsFromOne = True
    __slots__ = ("border", "luaFunction", "name", "owner")

    def __init__(self, border: Border, owner: Any, name: str, function: Callable[..., Any]) -> None:
        self.border, self.owner, self.name, self.luaFunction = border, owner, name, function

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        if isCountingFromOne():
            return self._answer(arguments)
        with countingAsCalled():
            return self._answer(arguments)

    def _answer(self, arguments: tuple[Any, ...]) -> Any:
        if self.owner is None:
            return self.border.run(self.luaFunction, *arguments)
        return counting.answer(self.owner, self.name, partial(self.border.run, self.luaFunction, self.owner), arguments)

    def __reduce__(self) -> Any:
        raise UnsupportedError("pl.lua: a method that a script replaced cannot be pickled; pl.save leaves it out")

    def __deepcopy__(self, memo: dict[Any, Any]) -> Replaced:
        return Replaced(self.border, memo.get(id(self.owner), self.owner), self.name, self.luaFunction)
