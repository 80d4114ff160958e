"""Lua's tables: a dict whose string keys are attributes.

A string key is an attribute of the object, so that Python looks a field up as it looks up its own. Other keys are in the dict.
None stands for nil, also as the value of a key that was removed. A table with a metatable has another class, `MetaTable`, so that
one without pays nothing. True and 1 are one key of a dict, so that booleans are replaced by `TRUE` and `FALSE`.
"""

from __future__ import annotations

import gc
import sys
from types import FunctionType
from typing import Any, NoReturn

from .errors import Fault, raise_error, type_name

_dictGet, _dictSet, _dictPop = dict.get, dict.__setitem__, dict.pop


class _BooleanKey:
    """The key of the dict that stands for a boolean."""

    __slots__ = ("value",)

    def __init__(self, value: bool) -> None:
        self.value = value


TRUE, FALSE = _BooleanKey(True), _BooleanKey(False)
HIDDEN = frozenset(name for name in dir(dict) if not name.startswith("_"))
"""Names of methods of dict: `Table` has none of them, and a field of such a name is looked up by `index`."""


class Table(dict):  # type: ignore[type-arg]
    """A table without a metatable."""

    __slots__ = ("__dict__", "__weakref__", "_metatable", "_order")

    def __missing__(self, key: Any) -> Any:
        return None

    def __getattr__(self, name: str) -> Any:
        return None

    def __repr__(self) -> str:
        return f"table: 0x{id(self):08x}"

    def __bool__(self) -> bool:
        return True

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__
    __ne__ = object.__ne__
    __lt__ = object.__lt__  # type: ignore[operator]
    __le__ = object.__le__  # type: ignore[operator]
    __gt__ = object.__gt__  # type: ignore[operator]
    __ge__ = object.__ge__  # type: ignore[operator]


for _name in HIDDEN:
    setattr(Table, _name, None)


class MetaTable(Table):
    """A table with a metatable."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        handler = self._metatable.__dict__.get("__index")
        if handler is None:
            return None
        if handler.__class__ is FunctionType:
            return first(call_through_c(handler, self, name))
        own = sys._getframe(1).f_globals.get("index", index)  # the reader of the state whose function reads the field
        return call_through_c(own, self, name)

    def __call__(self, *arguments: Any) -> Any:
        return call_by_metamethod(self, arguments)

    def __eq__(self, other: object) -> bool:
        return self is other or equal_by_metamethod(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = object.__hash__  # type: ignore[assignment]


class GuardedTable(MetaTable):
    """A table whose metatable has ``__newindex``."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("_metatable", "_order", "__class__"):
            object.__setattr__(self, name, value)
        else:
            call_through_c(setindex, self, name, value)


class Userdata:
    """An object of ``newproxy``, and the base of native classes: of Python objects that scripts hold.

    A native class may have its metatable as an attribute of the class, which all its objects share then.

    Attributes
    ----------
    _methods : Table or None
        An attribute of a native class: where ``object:name()`` looks before it asks ``__index``.
    _raw : object or None
        An attribute of a native class whose objects are tables in Lua: its methods ``rawget``, ``rawset`` and ``next``, which get
        the object first, stand for Lua's functions.
    """

    __slots__ = ("__weakref__", "_metatable")
    _methods: Table | None = None
    _raw: Any = None

    def __init__(self, metatable: Table | None = None) -> None:
        self._metatable = metatable

    def __repr__(self) -> str:
        name = None if self._metatable is None else self._metatable.__dict__.get("__typename")
        return name if isinstance(name, str) else "userdata"

    def __call__(self, *arguments: Any) -> Any:
        return call_by_metamethod(self, arguments)

    def __eq__(self, other: object) -> bool:
        return self is other or equal_by_metamethod(self, other)

    __hash__ = object.__hash__


class _Nesting:
    """Depth: how deep functions of Python and ``__call`` are nested, which need the stack of C."""

    __slots__ = ("callbacks", "calls")

    def __init__(self) -> None:
        self.calls = self.callbacks = 0


NESTING = _Nesting()
MAX_CALLS = 1500  # calls of metamethods within each other; each needs 400 to 1,600 bytes of the stack of C, a thread has 4 MB
MAX_CHAIN = 100  # tables that lead to each other by __index or __newindex, as in Lua (MAXTAGLOOP)
TABLES = frozenset((Table, MetaTable, GuardedTable))
_WITH_METATABLE = frozenset((MetaTable, GuardedTable))


def first(results: Any) -> Any:
    """Returns the first of a call's results, nil if there is none."""
    if results.__class__ is not tuple:
        return results
    return results[0] if results else None


def metamethod(value: Any, name: str) -> Any:
    """Returns a field of the metatable of a table or userdata, or None."""
    metatable = value._metatable if value.__class__ in _WITH_METATABLE or isinstance(value, Userdata) else None
    return None if metatable is None else metatable.__dict__.get(name)


def call_by_metamethod(value: Any, arguments: tuple[Any, ...]) -> Any:
    """Calls ``__call``."""
    handler = metamethod(value, "__call")
    if handler is None:
        raise Fault("call", value)
    return call_through_c(handler, value, *arguments)


def call_through_c(function: Any, *arguments: Any) -> Any:
    """Calls a function for a method of Python's own, which needs the stack of C: the depth is limited."""
    NESTING.calls += 1
    try:
        if NESTING.calls > MAX_CALLS:
            raise RecursionError
        return function(*arguments)
    finally:
        NESTING.calls -= 1


def equal_by_metamethod(a: Any, b: Any) -> bool:
    """True if ``__eq``, which both have to have, says so."""
    handler = metamethod(a, "__eq")
    if handler is None or handler is not metamethod(b, "__eq"):
        return False
    found = first(call_through_c(handler, a, b))
    return found is not None and found is not False


def set_metatable(value: Table | Userdata, metatable: Table | None) -> None:
    """Gives a table its metatable, which changes its class."""
    object.__setattr__(value, "_metatable", metatable)
    if not isinstance(value, Table):
        return
    if value.__class__ is Table:  # a field that is None would hide __index
        for name in [name for name, field in value.__dict__.items() if field is None]:
            del value.__dict__[name]
    if metatable is None:
        value.__class__ = Table
    else:
        value.__class__ = MetaTable if metatable.__dict__.get("__newindex") is None else GuardedTable


def _guard_tables(metatable: Table) -> None:
    """Changes the class of the tables of a metatable that has got its ``__newindex`` now. This is rare, so they are searched."""
    for table in gc.get_referrers(metatable):
        if table.__class__ is MetaTable and table._metatable is metatable:
            table.__class__ = GuardedTable


def rawget(table: Table, key: Any) -> Any:
    """Returns the value of a key, without a metamethod."""
    if key.__class__ is str:
        return table.__dict__.get(key)
    if key.__class__ is bool:
        key = TRUE if key else FALSE
    return _dictGet(table, key)


def rawset(table: Table, key: Any, value: Any) -> None:
    """Sets the value of a key, without a metamethod."""
    if key.__class__ is str:
        if value is None:
            table.__dict__.pop(key, None)
            return
        table.__dict__[key] = value
        if key == "__newindex":
            _guard_tables(table)
        return
    if key.__class__ is bool:
        key = TRUE if key else FALSE
    if key is None or key != key:
        raise_error(f"table index is {'nil' if key is None else 'NaN'}")
    if value is None:
        _dictPop(table, key, None)
    else:
        _dictSet(table, key, value)


METATABLES: dict[type, Table] = {}
"""Metatables of Python's classes for functions that belong to no state. A state has its own."""


def _refuse(value: Any, i: int) -> NoReturn:
    """Raises the error of a value that has no fields: the ith that handlers led to."""
    if i:
        raise_error(f"attempt to index a {type_name(value)} value")
    raise Fault("index", value)


def _reader(metatables: dict[type, Table]) -> Any:
    def index(value: Any, key: Any) -> Any:
        """Returns ``value[key]``."""
        kind = value.__class__
        if kind is Table:
            kind = key.__class__
            if kind is str:
                return value.__dict__.get(key)
            if kind is bool:
                key = TRUE if key else FALSE
            return _dictGet(value, key)
        if kind is MetaTable and key.__class__ is str and (found := value.__dict__.get(key)) is not None:
            return found
        if isinstance(value, Userdata) and (metatable := value._metatable) is not None:
            handler = metatable.__dict__.get("__index")
            if handler.__class__ is FunctionType:
                found = handler(value, key)
                return found if found.__class__ is not tuple else first(found)
        for i in range(MAX_CHAIN):
            kind = value.__class__
            if kind in TABLES:
                found = rawget(value, key)
                if found is not None or kind is Table:
                    return found
                handler = value._metatable.__dict__.get("__index")
                if handler is None:
                    return None
            else:
                metatable = value._metatable if isinstance(value, Userdata) else metatables.get(kind)
                handler = None if metatable is None else metatable.__dict__.get("__index")
                if handler is None:
                    _refuse(value, i)
            if handler.__class__ is FunctionType:
                return first(handler(value, key))
            value = handler
        raise_error("loop in gettable")

    return index


def _writer(metatables: dict[type, Table]) -> Any:
    def setindex(value: Any, key: Any, new: Any) -> None:
        """Sets ``value[key]``."""
        kind = value.__class__
        if kind is Table and key.__class__ is float and key == key and new is not None:
            _dictSet(value, key, new)
            return None
        if kind is MetaTable and key.__class__ is str and new is not None:
            value.__dict__[key] = new
            if key == "__newindex":
                _guard_tables(value)
            return None
        for i in range(MAX_CHAIN):
            kind = value.__class__
            if kind is Table or kind is MetaTable:
                return rawset(value, key, new)
            if kind is GuardedTable:
                handler = value._metatable.__dict__.get("__newindex")
                if handler is None or rawget(value, key) is not None:
                    return rawset(value, key, new)
            else:
                metatable = value._metatable if isinstance(value, Userdata) else metatables.get(kind)
                handler = None if metatable is None else metatable.__dict__.get("__newindex")
                if handler is None:
                    _refuse(value, i)
            if handler.__class__ is FunctionType:
                handler(value, key, new)
                return None
            value = handler
        raise_error("loop in settable")

    return setindex


def _finder(metatables: dict[type, Table], index: Any) -> Any:
    natives: dict[type, dict[str, Any]] = {}

    def method(value: Any, name: str) -> Any:
        """Returns the function that ``value:name()`` calls."""
        kind = value.__class__
        if (methods := natives.get(kind)) is not None:
            if (found := methods.get(name)) is not None:
                return found
        elif kind is MetaTable:
            found = value.__dict__.get(name)
            if found is None and (handler := value._metatable.__dict__.get("__index")).__class__ in TABLES:
                found = handler.__dict__.get(name)
            if found is not None:
                return found
        elif kind is Table:
            return value.__dict__.get(name)
        elif kind is str:
            handler = metatables[str].__dict__.get("__index")
            if handler.__class__ is Table:
                return handler.__dict__.get(name)
        elif isinstance(value, Userdata) and kind._methods is not None:
            natives[kind] = methods = kind._methods.__dict__
            if (found := methods.get(name)) is not None:
                return found
        return index(value, name)

    return method


def accessors(metatables: dict[type, Table]) -> tuple[Any, Any, Any]:
    """Returns ``index``, ``setindex`` and ``method`` of a state.

    Parameters
    ----------
    metatables : dict
        The metatable of each class of Python objects that scripts hold: of str, and of files. It is looked up, not copied.
    """
    index = _reader(metatables)
    return index, _writer(metatables), _finder(metatables, index)


index, setindex, method = accessors(METATABLES)


def border(table: Table) -> int:
    """Returns an n with ``t[n] ~= nil`` and ``t[n + 1] == nil``, searched as Lua searches the array of a table."""
    n = len(table)
    if n and _dictGet(table, n) is not None:
        while _dictGet(table, n + 1) is not None:
            n += 1
        return n
    low = 0
    while n - low > 1:
        middle = (low + n) >> 1
        if _dictGet(table, middle) is None:
            n = middle
        else:
            low = middle
    return low


def key_of(raw: Any) -> Any:
    """Returns a key as Lua has it."""
    if raw.__class__ is int:
        return float(raw)
    return raw.value if raw.__class__ is _BooleanKey else raw


def keys(table: Table) -> list[Any]:
    """Returns the keys of a table: those of the dict, then strings."""
    return [*dict.keys(table), *table.__dict__]


def sequence(*values: Any) -> Table:
    """Returns ``{...}``."""
    return Table(zip(range(1, len(values) + 1), values, strict=True))


def fields(**values: Any) -> Table:
    """Returns ``{name = value}``."""
    table = Table()
    table.__dict__ = values
    return table


def mixed(*items: Any) -> Table:
    """Returns the table of a constructor: keys and values in turn. The key `sequence` stands for the next number, `first` for
    the next numbers, of a tuple."""
    table, n = Table(), 0
    for key, value in zip(items[::2], items[1::2], strict=True):
        if key is sequence:
            n += 1
            _dictSet(table, n, value)
        elif key is first:
            for one in value:
                n += 1
                _dictSet(table, n, one)
        else:
            rawset(table, key, value)
    return table
