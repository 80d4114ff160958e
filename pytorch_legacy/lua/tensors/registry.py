"""Classes: ``torch.class`` for those that are written in Lua, and what ``torch`` says about types.

A class is a metatable with the name ``__typename``, whose objects are tables. Its constructor is a table, too, which hands fields
on to the metatable in both directions. Operators that Torch7 spells ``__add__`` are Lua's ``__add`` here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..language.arguments import MISSING, string
from ..language.errors import LuaError, raise_error, type_name
from ..language.libraries.string import match
from ..language.table import TABLES, Table, fields, first, index, rawget, rawset, set_metatable
from .tensor import Storage, Tensor, Types

if TYPE_CHECKING:
    from ..language.state import State

_OPERATORS = {
    f"__{name}__": f"__{name}"
    for name in ("add", "sub", "mul", "div", "mod", "pow", "unm", "concat", "len", "eq", "lt", "le", "call")
}


def constructor_of(metatable: Table, construct: Any) -> Table:
    """Returns the table that stands for a class: called, it makes an object."""
    table = Table()
    set_metatable(table, fields(__index=metatable, __newindex=metatable, __metatable=metatable, __call=construct))
    return table


def _text(value: Any = None, *_: Any) -> Any:
    """Returns what an object's ``__tostring__`` says, its class by default."""
    handler = index(value, "__tostring__")
    return index(value, "__typename") if handler is None else first(handler(value))


def _hook(parent: Table | None) -> Table:
    """Returns the metatable of a class: fields come from the parent, and operators get Lua's names."""

    def assigned(metatable: Any = None, key: Any = None, value: Any = None, *_: Any) -> tuple[()]:
        if metatable.__class__ not in TABLES:
            raise_error(f"bad argument #1 to '__newindex' (table expected, got {type_name(metatable)})")
        rawset(metatable, key, value)
        if key in _OPERATORS:
            rawset(metatable, _OPERATORS[key], value)
        return ()

    return fields(__index=parent, __newindex=assigned, __metatable=parent)


def new_class(types: Types, name: str, parent: Table | None) -> Table:
    """Returns the metatable of a class of objects that are tables; an existing one if the name is known."""
    known = types.registered(name)
    if known is not None:
        if parent is not None:
            raise_error(f"class {name} has been already assigned a parent class")
        return known
    metatable = types.metatable(name)
    metatable.__dict__.update(__index=metatable, __tostring=_text)
    if parent is not None:
        for event in _OPERATORS.values():
            if (inherited := rawget(parent, event)) is not None:
                rawset(metatable, event, inherited)
    set_metatable(metatable, _hook(parent))
    return metatable


def object_maker(metatable: Table) -> Any:
    """Returns the function that makes an object of a class and calls its ``__init``."""

    def construct(_: Any = None, *arguments: Any) -> Table:
        made = Table()
        set_metatable(made, metatable)
        start = index(metatable, "__init")
        if start is not None:
            start(made, *arguments)
        return made

    return construct


def native(types: Types, base: type[Any], name: str, methods: dict[str, Any]) -> Any:
    """Returns a session's subclass of a class of Python's, whose methods scripts find in its metatable."""
    metatable = types.metatable(name)
    metatable.__dict__.update({"__index": metatable, "__tostring": lambda *_: name, **methods})
    return type(base.__name__, (base,), {"__slots__": (), "_metatable": metatable, "_methods": metatable, "name": name})


def namespace(state: State, name: str) -> tuple[Table, str]:
    """Returns the table that holds a class, and the class's name there."""
    table, parts = state.globals, name.split(".")
    for part in parts[:-1]:
        found = rawget(table, part)
        if found.__class__ not in TABLES:
            raise_error(f"{part} is an invalid module name")
        table = found
    return table, parts[-1]


def _making(state: State, types: Types) -> dict[str, Any]:
    """Returns the functions of ``torch`` that make classes and their objects."""

    def class_(name: Any = MISSING, *rest: Any) -> Any:
        name = string(name, 1, "class")
        module = next((one for one in rest if one.__class__ in TABLES), None)
        parentName = next((one for one in rest if one.__class__ is str), None)
        parent = None
        if parentName is not None:
            parent = types.registered(parentName)
            if parent is None:
                raise_error(f"bad argument #2 to 'class' (invalid parent class name {parentName})")
        holder, short = (module, name.rpartition(".")[2]) if module is not None else namespace(state, name)
        metatable = new_class(types, name, parent)
        make = object_maker(metatable)
        metatable.__dict__["new"] = lambda *arguments: make(None, *arguments)
        rawset(holder, short, constructor_of(metatable, make))
        return metatable if parent is None else (metatable, parent)

    def getmetatable(name: Any = MISSING, *_: Any) -> Any:
        return types.registered(string(name, 1, "getmetatable"))

    def factory(name: Any = MISSING, *_: Any) -> Any:
        metatable = types.registered(string(name, 1, "factory"))
        if metatable is None:
            return None

        def make(*_: Any) -> Table:
            made = Table()
            set_metatable(made, metatable)
            return made

        return make

    def newmetatable(name: Any = MISSING, parentName: Any = None, *_: Any) -> Table:
        parent = None if parentName is None else types.registered(string(parentName, 2, "newmetatable"))
        return new_class(types, string(name, 1, "newmetatable"), parent)

    def setmetatable(table: Any = MISSING, name: Any = MISSING, *_: Any) -> Any:
        metatable = types.registered(string(name, 2, "setmetatable"))
        if metatable is None or name in types.names or table.__class__ not in TABLES:
            raise_error(f"bad argument to 'setmetatable' (expected a table and the name of a class, got {name})")
        set_metatable(table, metatable)
        return table

    made = {"class": class_, "getmetatable": getmetatable, "factory": factory, "newmetatable": newmetatable}
    return {**made, "setmetatable": setmetatable}


def functions(state: State, types: Types) -> dict[str, Any]:
    """Returns the functions of ``torch`` that make classes and tell types."""

    def typename(value: Any = None, *_: Any) -> Any:
        metatable = state.metatable(value)
        return None if metatable is None else metatable.__dict__.get("__typename")

    def type_(value: Any = None, *_: Any) -> Any:
        found = typename(value)
        return type_name(value) if found is None else found

    def isTypeOf(value: Any = None, wanted: Any = None, *_: Any) -> bool:
        if wanted.__class__ is not str:
            metatable = state.metatable(wanted)
            own = metatable.__dict__.get("__metatable") if metatable is not None else None
            wanted = rawget(own, "__typename") if own.__class__ in TABLES else None
            if wanted.__class__ is not str:
                raise LuaError("type must be provided as [regexp] string, or factory")
        metatable = state.metatable(value)
        seen: set[int] = set()
        while metatable.__class__ in TABLES and id(metatable) not in seen:
            assert metatable is not None
            seen.add(id(metatable))
            found = rawget(metatable, "__typename")
            if found is not None and is_match(found, wanted):
                return True
            above = metatable._metatable if metatable.__class__ is not Table else None
            metatable = None if above is None else above.__dict__.get("__metatable")
        return False

    def isTensor(value: Any = None, *_: Any) -> bool:
        return isinstance(value, Tensor)

    def isStorage(value: Any = None, *_: Any) -> bool:
        return isinstance(value, Storage)

    def pointer(value: Any = MISSING, *_: Any) -> float:
        if value.__class__ in (float, str, bool) or value is None or value is MISSING:
            raise_error("Torch object, table, thread, cdata or function expected")
        return float(id(value))

    made = {"typename": typename, "type": type_, "isTypeOf": isTypeOf, "pointer": pointer}
    return {**_making(state, types), **made, "isTensor": isTensor, "isStorage": isStorage}


def is_match(name: str, wanted: str) -> bool:
    """True if a name is the wanted one, or has a part that fits a pattern of Lua."""
    if name == wanted:
        return True
    found = first(match(name, wanted))
    return found is not None and found != wanted
