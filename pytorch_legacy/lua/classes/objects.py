"""Objects of the package as scripts see them: fields, methods and operators.

A script reads the fields of an object, by Torch7's names and counted as there, and calls the methods that `Class.find` shows.
Whatever else a script stores in an object stays in it as it is: tables in fields that the class does not know, and names that
begin with an underscore, which are the package's own in Python.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from pytorch_legacy.errors import ValueRangeError

from .. import counting
from ..language.errors import raise_error
from ..language.operators import next_
from ..language.table import TABLES, Table, fields, first, key_of
from .border import Border, Object, decoded, encoded
from .classes import Class, Replaced
from .errors import failing
from .homes import content

KEPT = "_luaFields"
"""The attribute of an object whose table has the fields that only Lua sees."""
METHODS = "_luaMethods"
"""The attribute of an object that names the methods which a script has given to it alone."""
OPERATORS = ("add", "mul", "div", "mod", "pow", "concat", "eq", "lt", "le")
_NO_INPUTS = "cannot pass an empty table of inputs. To indicate no incoming connections, leave the second set of parens blank."
_FAULTS = {
    "concat": "attempt to concatenate a table value",
    **dict.fromkeys(("lt", "le"), "attempt to compare two table values"),
}
_RESULTS = frozenset(("output", "gradInput", "modules"))


class Fields:
    """Reads and writes the fields of a session's objects."""

    def __init__(self, border: Border) -> None:
        self.border = border
        self._orders: WeakKeyDictionary[Any, list[Any]] = WeakKeyDictionary()

    def index(self, handle: Any, key: Any) -> Any:
        """Returns ``object[key]``."""
        if (found := self.rawget(handle, key)) is not None:
            return found
        isNil = key.__class__ is not str or handle.python.__dict__.get(key, self) is None
        return None if isNil else self.border.classes.of(handle.python.__class__).find(key)

    def next(self, handle: Any, key: Any) -> Any:
        """Returns the field after `key` and its value. The order is noted at the first field, so that a loop may remove some."""
        if key is None or handle not in self._orders:
            self._orders[handle] = self.names(handle.python)
        names = self._orders[handle]
        if key is not None and key not in names:
            raise_error("invalid key to 'next'")
        for name in names[0 if key is None else names.index(key) + 1 :]:
            if (value := self.rawget(handle, name)) is not None:
                return name, value
        return None

    def rawget(self, handle: Any, key: Any) -> Any:
        """Returns a field of an object; None if it is none, but a method of its class."""
        thing = handle.python
        if key.__class__ is not str:
            return self._kept(thing, key)
        own = thing.__dict__
        name = decoded(key)
        if name[:1] != "_" and name in own:
            value = own[name]
            if value is None or value.__class__ is bool:
                return value
            if value.__class__ is Replaced:
                return value.luaFunction
            if value.__class__ in TABLES:
                return value
        elif name[:1] == "_" and (found := self._kept(thing, key)) is not None:
            return found
        return self._field(thing, name)

    def _kept(self, thing: Any, key: Any) -> Any:
        table = thing.__dict__.get(KEPT)
        found = None if table is None else table.__dict__.get(key) if key.__class__ is str else dict.get(table, key)
        if found is None and (rest := thing._fileRest):  # fields of the file that the class does not know
            found = self.border.lua(rest.get(decoded(key) if key.__class__ is str else key))
        return found

    def _field(self, thing: Any, name: str) -> Any:
        try:
            value = counting.read(thing, name)
        except AttributeError:
            return None
        attribute = counting.attribute(thing, name)
        if value.__class__ in TABLES:
            return value
        if counting.isByStep(thing, attribute):
            return self.border.entry(thing.__dict__[attribute], thing, attribute, 1)
        if value is thing.__dict__.get(attribute):
            if value.__class__ is tuple and all(one.__class__ is int for one in value):
                return self._sizes(value)
            return self.border.entry(value, thing, attribute)
        if value.__class__ is Replaced:
            return value.luaFunction
        return self.border.lua(value)

    def _sizes(self, value: tuple[int, ...]) -> Any:
        return self.border.state.types.storages[np.dtype(np.int64)](np.array(value, np.int64))

    def rawset(self, handle: Any, key: Any, value: Any) -> None:
        """Sets ``object[key]``."""
        self.setindex(handle, key, value)

    def setindex(self, handle: Any, key: Any, value: Any) -> None:
        """Sets ``object[key]``."""
        thing = handle.python
        name = decoded(key) if key.__class__ is str else ""
        if value.__class__ is FunctionType and name and name[:1] != "_":
            self._replace(handle, name, key, value)
            return
        own = thing.__dict__
        if METHODS in own and name in own[METHODS]:
            self._restore(handle, name)
        if name == "_type" and value.__class__ is str:
            thing.type(decoded(value)) if not own.get("modules") else None
        elif not name or name[:1] == "_":
            self._keep(thing, key, value)
        elif value is None:
            self._remove(thing, name)
        else:
            self._store(thing, name, value)

    def _replace(self, handle: Any, name: str, key: str, function: Any) -> None:
        thing = handle.python
        attribute = {"__tostring__": "__repr__"}.get(name, name)
        isMethod = callable(getattr(type(thing), attribute, None))
        thing.__dict__[attribute] = Replaced(self.border, thing if isMethod else None, attribute, function)
        thing.__dict__[METHODS] = (*thing.__dict__.get(METHODS, ()), name)
        self.border.renew(thing)

    def _restore(self, handle: Any, name: str) -> None:
        own = handle.python.__dict__
        own.pop(name, None)
        own[METHODS] = tuple(one for one in own[METHODS] if one != name)
        if not own[METHODS]:
            del own[METHODS]
        self.border.renew(handle.python)

    def _keep(self, thing: Any, key: Any, value: Any) -> None:
        """Stores what only Lua sees."""
        table = thing.__dict__.setdefault(KEPT, Table())
        place = table.__dict__ if key.__class__ is str else table
        if value is None:
            place.__class__.pop(place, key, None) if place is not table else dict.pop(table, key, None)
        elif place is table:
            dict.__setitem__(table, key, value)
        else:
            place[key] = value

    def _remove(self, thing: Any, name: str) -> None:
        """Sets a field to nil. One that the class always has is None then."""
        attribute = counting.attribute(thing, name)
        self.border.homes.forget_field(thing, attribute)
        if attribute in _RESULTS or any(attribute in vars(base).get("_constructed", ()) for base in type(thing).__mro__):
            thing.__dict__[attribute] = None
        else:
            thing.__dict__.pop(attribute, None)

    def _store(self, thing: Any, name: str, value: Any) -> None:
        border, homes = self.border, self.border.homes
        attribute = counting.attribute(thing, name)
        homes.forget_field(thing, attribute)
        own = thing.__dict__
        if value.__class__ in TABLES and border.classes.with_table(value) is None and not self._isPython(thing, attribute):
            own[attribute] = value
            return
        python = border.python(value)
        old = own.get(attribute)
        if python.__class__ is int and old.__class__ is float:
            python = float(python)
        with failing(border, thing):
            counting.write(thing, name, python)
        if own.get(attribute) is not python:
            return
        if python.__class__ is np.ndarray:
            homes.add_tensor(thing, attribute, value, python)
        elif python.__class__ in (list, dict) and value.__class__ in TABLES and homes.shown(value) is None:
            homes.add_table(thing, attribute, value, python)

    def _isPython(self, thing: Any, name: str) -> bool:
        """True if Python reads the field, which has to be a list or dict."""
        if name in _RESULTS or isinstance(thing.__dict__.get(name), (list, dict, tuple)):
            return True
        return any(name in vars(base).get("_constructed", ()) for base in type(thing).__mro__)

    def names(self, thing: Any) -> list[Any]:
        """Returns the keys of an object's fields."""
        found: list[Any] = [encoded(name) for name in thing.__dict__ if name[:1] != "_"]
        renamed = thing._form.renamed
        found = [renamed.get(name, name) for name in found]
        if (table := thing.__dict__.get(KEPT)) is not None:
            found += [*map(key_of, dict.keys(table)), *table.__dict__]
        return [*found, "_type"]


class Metatables:
    """Makes the metatables of objects, one for each class of a session."""

    def __init__(self, border: Border) -> None:
        self.border = border
        self.fields = Fields(border)
        self._shared = self._operators()

    def __call__(self, cls: Class) -> Table:
        metatable = fields(**self._shared)
        metatable.__dict__["__metatable"] = cls.table
        metatable.__dict__["__typename"] = cls.typename
        return metatable

    def _operators(self) -> dict[str, Any]:
        border, access = self.border, self.fields

        def index(handle: Any, key: Any) -> Any:
            return access.index(handle, key)

        def setindex(handle: Any, key: Any, value: Any) -> None:
            access.setindex(handle, key, value)

        def call(handle: Any, *arguments: Any) -> Any:
            return self._call(handle, arguments)

        def tostring(handle: Any) -> str:
            with failing(border, handle.python):
                return encoded(border.call(repr, handle.python))

        def length(handle: Any, *_: Any) -> Any:
            if (handler := self._defined("len", handle) or access.index(handle, "__len")) is not None:
                return first(handler(handle))
            raise_error(f"attempt to get length of a {handle.python._typename} value")

        def pairs(handle: Any) -> Any:
            return next_, handle, None

        def negated(handle: Any, *_: Any) -> Any:
            if (handler := self._defined("unm", handle)) is not None:
                return first(handler(handle))
            return self._applied(lambda thing: -thing, handle)

        def subtracted(left: Any, right: Any) -> Any:
            if (handler := self._defined("sub", left, right)) is not None:
                return first(handler(left, right))
            return self._applied(lambda a, b: a - b, left, right)

        return {
            **{f"__{name}": self._operator(name) for name in OPERATORS},
            **{"__index": index, "__newindex": setindex, "__call": call, "__tostring": tostring, "__len": length},
            **{"__pairs": pairs, "__unm": negated, "__sub": subtracted},
        }

    def _defined(self, name: str, *operands: Any) -> Any:
        """Returns the operator that a script has defined for the class of an operand, as ``__add__`` or ``__add``."""
        for one in operands:
            if isinstance(one, Object):
                cls = self.border.classes.of(one.python.__class__)
                for spelled in (f"__{name}__", f"__{name}"):
                    if (found := self.border.classes.script_value(cls.python, spelled)) is not None:
                        return found
        return None

    def _operator(self, name: str) -> Any:
        def operator(left: Any, right: Any) -> Any:
            if (handler := self._defined(name, left, right)) is not None:
                return first(handler(left, right))
            if name == "eq":
                return left is right
            return raise_error(_FAULTS.get(name, "attempt to perform arithmetic on a table value"))

        return operator

    def _applied(self, operator: Any, *operands: Any) -> Any:
        border = self.border
        with failing(border, None):
            found = border.call(operator, *[border.python(one) for one in operands])
        return border.lua(found)

    @staticmethod
    def _isEmpty(arguments: tuple[Any, ...]) -> bool:
        """True if the first argument is a table without entries."""
        return bool(arguments) and arguments[0].__class__ in TABLES and not content(arguments[0])

    def _call(self, handle: Any, arguments: tuple[Any, ...]) -> Any:
        border, thing = self.border, handle.python
        if (handler := border.classes.script_value(thing.__class__, "__call__")) is not None:
            return handler(handle, *arguments)
        while len(arguments) > 1 and arguments[-1] is None:
            arguments = arguments[:-1]
        with failing(border, thing):
            if arguments == (None,):
                thing(None)  # raises the error that names a node, or an input
            if self._isEmpty(arguments) and "nngraph" in border.state.loaded.__dict__:
                raise ValueRangeError(f"{thing._typename}: {_NO_INPUTS}")
            found = border.call(counting.call, thing, "__call__", *[border.python(one) for one in arguments])
        return tuple(border.lua(one) for one in found) if found.__class__ is tuple else border.lua(found)
