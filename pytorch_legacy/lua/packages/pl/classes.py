"""``pl.class``, ``pl.List``, ``pl.Map``, ``pl.Set`` and ``pl.OrderedMap``: classes whose objects are tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...language.arguments import MISSING, string
from ...language.arguments import table as checked
from ...language.errors import raise_error
from ...language.operators import eq
from ...language.table import Table, first, rawget, rawset, set_metatable
from ..values import called, compared, filled, is_table, items, listed, replaced, table_of, with_metatable
from .functions import function_of
from .stringx import quoted

if TYPE_CHECKING:
    from ...language.state import State


def _parent_constructor(owner: Table) -> tuple[Table, Any] | None:
    """Returns the next class above that has a constructor, and the constructor."""
    base = rawget(owner, "_base")
    while is_table(base):
        if (found := rawget(base, "_init")) is not None:
            return base, found
        base = rawget(base, "_base")
    return None


def _construct(owner: Table, made: Table, constructor: Any, arguments: tuple[Any, ...]) -> Any:
    """Calls a constructor, in which ``self:super(...)`` is that of the class above."""
    above = _parent_constructor(owner)
    if above is not None:
        base, inherited = above

        def super_(self: Any, *rest: Any) -> Any:
            return _construct(base, self, inherited, rest)

        rawset(made, "super", super_)
    found = called(constructor, made, *arguments)
    rawset(made, "super", None)
    return found


def is_a(made: Any = None, owner: Any = None, *_: Any) -> Any:
    kind = made._metatable if is_table(made) and made.__class__ is not Table else None
    if owner is None:
        return kind
    while is_table(kind):
        if kind is owner:
            return True
        assert kind is not None
        kind = rawget(kind, "_base")
    return False


def class_of(owner: Any = MISSING, made: Any = None, *_: Any) -> bool:
    return is_a(made, checked(owner, 1, "class_of")) is True


def cast(owner: Any = MISSING, made: Any = MISSING, *_: Any) -> Any:
    set_metatable(checked(made, 2, "cast"), owner)
    return made


def new_class(base: Any = None, argument: Any = None, methods: Any = None) -> Table:
    """Returns a class, which is the metatable of its objects and looks up what it lacks in no other: it has a copy."""
    isPlain = is_table(base) and base.__class__ is Table
    owner = base if isPlain else methods if is_table(methods) else Table()
    base = rawget(owner, "_base") if isPlain else base
    if base is not None and not is_table(base):
        raise_error("must derive from a table type")
    if base is not None:
        for key, value in items(base):
            if not isPlain or rawget(owner, key) is None:
                rawset(owner, key, value)
        rawset(owner, "_base", base)
    if not isPlain:
        rawset(owner, "_init", None)
    metatable = Table()
    set_metatable(owner, metatable)
    owner.__dict__.update(is_a=is_a, class_of=class_of, cast=cast)
    rawset(owner, "__index", owner)
    rawset(owner, "_class", owner)
    if base is not None and (start := rawget(base, "_class_init")) is not None:
        called(start, owner, argument)

    def construct(_: Any, *arguments: Any) -> Table:
        create = rawget(owner, "_create")
        found = called(create, *arguments) if create is not None else None
        made: Any = found if is_table(found) else Table()
        set_metatable(made, owner)
        constructor = rawget(owner, "_init")
        above = _parent_constructor(owner)
        if constructor is not None:
            found = _construct(owner, made, constructor, arguments)
            if is_table(found):
                set_metatable(found, owner)
                made = found
        elif above is not None:
            _construct(above[0], made, above[1], arguments)
        return made

    def catch(owner_: Any = None, handler: Any = None, *_: Any) -> tuple[()]:
        handler = handler if is_table(owner_) else owner_
        rawset(owner, "_handler", handler)
        rawset(metatable, "__index", handler)
        return ()

    rawset(owner, "catch", catch)
    metatable.__dict__["__call"] = construct
    if (handler := rawget(owner, "_handler")) is not None:
        metatable.__dict__["__index"] = handler
    return owner


def class_library(state: State) -> Table:
    """Returns ``pl.class``: ``class(Base)`` makes a class, ``class.Name(Base)`` one that is a global, too."""

    def named(_: Any, name: Any = MISSING, *_rest: Any) -> Any:
        name = string(name, 1, "class")

        def make(*arguments: Any) -> Table:
            owner = new_class(*arguments[:3])
            rawset(owner, "_name", name)
            rawset(state.globals, name, owner)
            return owner

        return make

    return with_metatable(Table(), __call=lambda _, *arguments: new_class(*arguments[:3]), __index=named)


# ------------------------------------------------------------------------------------------------------ lists


def _values(state: State, source: Any) -> list[Any]:
    """Returns the values of a table, the characters of a string, or what an iterator gives."""
    if source is None:
        return []
    if is_table(source):
        return listed(source)
    if source.__class__ is str:
        return list(source)
    found = []
    while (value := called(source)) is not None:
        found.append(value)
    return found


def _changing(state: State) -> dict[str, Any]:
    """Returns the methods of a list that change it, and return it."""

    def append(ls: Any = MISSING, value: Any = None, *_: Any) -> Any:
        rawset(ls, float(len(listed(checked(ls, 1, "append"))) + 1), value)
        return ls

    def extend(ls: Any = MISSING, other: Any = MISSING, *_: Any) -> Any:
        return replaced(ls, listed(checked(ls, 1, "extend")) + listed(checked(other, 2, "extend")))

    def insert(ls: Any = MISSING, place: Any = MISSING, value: Any = None, *_: Any) -> Any:
        values = listed(checked(ls, 1, "insert"))
        values.insert(int(place) - 1, value)
        return replaced(ls, values)

    def put(ls: Any = MISSING, value: Any = None, *_: Any) -> Any:
        return insert(ls, 1.0, value)

    def remove(ls: Any = MISSING, place: Any = MISSING, *_: Any) -> Any:
        values = listed(checked(ls, 1, "remove"))
        del values[int(place) - 1 : int(place)]
        return replaced(ls, values)

    def remove_value(ls: Any = MISSING, value: Any = None, *_: Any) -> Any:
        values = listed(checked(ls, 1, "remove_value"))
        place = next((i for i, one in enumerate(values) if eq(one, value)), None)
        if place is not None:
            del values[place]
        return replaced(ls, values)

    def pop(ls: Any = MISSING, place: Any = None, *_: Any) -> Any:
        values = listed(checked(ls, 1, "pop"))
        if not values:
            return None
        found = values.pop(-1 if place is None else int(place) - 1)
        replaced(ls, values)
        return found

    def sort(ls: Any = MISSING, less: Any = None, *_: Any) -> Any:
        less = None if less is None else function_of(state, 2, less)
        return replaced(ls, sorted(listed(checked(ls, 1, "sort")), key=compared(less)))

    def reverse(ls: Any = MISSING, *_: Any) -> Any:
        return replaced(ls, listed(checked(ls, 1, "reverse"))[::-1])

    def clear(ls: Any = MISSING, *_: Any) -> Any:
        return replaced(checked(ls, 1, "clear"), [])

    def splice(ls: Any = MISSING, place: Any = MISSING, other: Any = MISSING, *_: Any) -> Any:
        values = listed(checked(ls, 1, "splice"))
        values[int(place) - 1 : int(place) - 1] = _values(state, other)
        return replaced(ls, values)

    made = {"append": append, "push": append, "extend": extend, "insert": insert, "put": put, "remove": remove, "pop": pop}
    return {**made, "get": pop, "remove_value": remove_value, "sort": sort, "reverse": reverse, "clear": clear, "splice": splice}


def _reading(state: State, make: Any) -> dict[str, Any]:
    """Returns the methods of a list that leave it as it is."""
    tablex = state.require("pl.tablex").__dict__

    def map_(ls: Any = MISSING, function: Any = MISSING, *rest: Any) -> Table:
        return tablex["imap"](function, ls, *rest)  # type: ignore[no-any-return]

    def foreach(ls: Any = MISSING, function: Any = MISSING, *rest: Any) -> tuple[()]:
        function = function_of(state, 2, function)
        for value in listed(checked(ls, 1, "foreach")):
            called(function, value, *rest)
        return ()

    def reduce(ls: Any = MISSING, function: Any = MISSING, *start: Any) -> Any:
        return tablex["reduce"](function, ls, *start)

    def transform(ls: Any = MISSING, function: Any = MISSING, *rest: Any) -> Any:
        tablex["transform"](function, ls, *rest)
        return ls

    def contains(ls: Any = MISSING, value: Any = None, *_: Any) -> bool:
        return any(eq(one, value) for one in listed(checked(ls, 1, "contains")))

    def count(ls: Any = MISSING, value: Any = None, *_: Any) -> float:
        return float(sum(eq(one, value) for one in listed(checked(ls, 1, "count"))))

    def sorted_(ls: Any = MISSING, less: Any = None, *_: Any) -> Table:
        less = None if less is None else function_of(state, 2, less)
        return make(sorted(listed(checked(ls, 1, "sorted")), key=compared(less)))  # type: ignore[no-any-return]

    def minmax(ls: Any = MISSING, *_: Any) -> tuple[Any, Any]:
        values = sorted(listed(checked(ls, 1, "minmax")), key=compared())
        return (values[0], values[-1]) if values else (1e70, -1e70)

    def join(ls: Any = MISSING, separator: Any = "", *_: Any) -> str:
        texts = [first(state.tostring(one)) for one in listed(checked(ls, 1, "join"))]
        return ("" if separator is None else string(separator, 2, "join")).join(texts)

    def len_(ls: Any = MISSING, *_: Any) -> float:
        return float(len(listed(checked(ls, 1, "len"))))

    def clone(ls: Any = MISSING, *_: Any) -> Table:
        return make(listed(checked(ls, 1, "clone")))  # type: ignore[no-any-return]

    def iterate(source: Any = MISSING, *_: Any) -> Any:
        rest = iter(_values(state, source))
        return lambda *_: next(rest, None)

    def concat(ls: Any = MISSING, separator: Any = "", *_: Any) -> str:
        return string(separator, 2, "concat").join(string(one, 1, "concat") for one in listed(checked(ls, 1, "concat")))

    made: dict[str, Any] = {
        "map": map_,
        "foreach": foreach,
        "reduce": reduce,
        "transform": transform,
        "contains": contains,
        "count": count,
    }
    made |= {"sorted": sorted_, "minmax": minmax, "join": join, "len": len_, "clone": clone, "iter": iterate, "iterate": iterate}
    made |= {"filter": tablex["filter"], "index": tablex["find"], "slice": tablex["sub"], "chop": tablex["removevalues"]}
    return {**made, "concat": concat}


def list_library(state: State) -> Table:
    """Returns ``pl.List``."""
    owner = Table()

    def make(values: list[Any]) -> Table:
        made = table_of(values)
        set_metatable(made, owner)
        return made

    def new(source: Any = None, *_: Any) -> Table:
        if is_table(source) and source.__class__ is Table and rawget(source, 1.0) is not None:
            set_metatable(source, owner)
            return source  # type: ignore[no-any-return]
        return make(_values(state, source))

    def range_(start: Any = MISSING, end: Any = None, step: Any = None, *_: Any) -> Table:
        start, end = (start, end) if end is not None else (0.0, start - 1.0)
        return make(listed(state.require("pl.tablex").__dict__["range"](start, end, step)))

    def split(text: Any = MISSING, separator: Any = None, *_: Any) -> Table:
        return make(listed(state.require("pl.utils").__dict__["split"](text, separator)))

    def equal(a: Any = None, b: Any = None, *_: Any) -> bool:
        one, other = listed(a), listed(b)
        return len(one) == len(other) and all(eq(x, y) for x, y in zip(one, other, strict=True))

    def text(ls: Any = None, *_: Any) -> str:
        parts = [f'"{one}"' if one.__class__ is str else first(state.tostring(one)) for one in listed(ls)]
        return "{" + ",".join(parts) + "}"

    def joined(a: Any = None, b: Any = None, *_: Any) -> Table:
        return make(listed(checked(a, 1, "concat")) + listed(checked(b, 2, "concat")))

    owner.__dict__.update({**_reading(state, make), **_changing(state), "new": new, "range": range_, "split": split})
    owner.__dict__.update(__index=owner, _class=owner, _name="List", __eq=equal, __tostring=text, __concat=joined, is_a=is_a)
    return with_metatable(owner, __call=lambda _, source=None, *_rest: new(source))


# ------------------------------------------------------------------------------------------------------ maps and sets


def _text(state: State, value: Any) -> str:
    return quoted(value) if value.__class__ is str else first(state.tostring(value))  # type: ignore[no-any-return]


def map_library(state: State) -> Table:
    """Returns ``pl.Map``."""
    tablex, lists = state.require("pl.tablex").__dict__, state.require("pl.List")
    owner = new_class()

    def start(made: Any = MISSING, source: Any = None, *_: Any) -> tuple[()]:
        for key, value in items(source) if is_table(source) else []:
            rawset(made, key, value)
        return ()

    def get(made: Any = MISSING, key: Any = None, *_: Any) -> Any:
        return rawget(made, key)

    def set_(made: Any = MISSING, key: Any = None, value: Any = None, *_: Any) -> tuple[()]:
        rawset(made, key, value)
        return ()

    def setdefault(made: Any = MISSING, key: Any = None, value: Any = None, *_: Any) -> Any:
        if rawget(made, key) is None:
            rawset(made, key, value)
        return rawget(made, key)

    def pairs(made: Any = MISSING, *_: Any) -> Table:
        found = table_of(table_of(pair) for pair in items(made))
        set_metatable(found, lists)
        return found

    def text(made: Any = None, *_: Any) -> str:
        return "{" + ",".join(f"{first(state.tostring(k))}={_text(state, v)}" for k, v in items(made)) + "}"

    def equal(a: Any = None, b: Any = None, *_: Any) -> bool:
        return bool(tablex["deepcompare"](a, b, True))

    owner.__dict__.update(_init=start, get=get, set=set_, setdefault=setdefault, keys=tablex["keys"], values=tablex["values"])
    owner.__dict__.update(items=pairs, len=tablex["size"], update=tablex["update"], __tostring=text, __eq=equal, _name="Map")
    return owner


def set_library(state: State) -> Table:
    """Returns ``pl.Set``."""
    tablex = state.require("pl.tablex").__dict__
    owner = new_class()

    def start(made: Any = MISSING, source: Any = None, *_: Any) -> tuple[()]:
        isSet = is_table(source) and source.__class__ is not Table and source._metatable is owner
        for value in [key for key, _one in items(source)] if isSet else _values(state, source):
            rawset(made, value, True)
        return ()

    def issubset(a: Any = MISSING, b: Any = MISSING, *_: Any) -> bool:
        return all(rawget(b, key) is not None for key, _one in items(a))

    def symmetric_difference(a: Any = MISSING, b: Any = MISSING, *_: Any) -> Any:
        return tablex["difference"](a, b, True)

    def isempty(made: Any = MISSING, *_: Any) -> bool:
        return not items(made)

    def isdisjoint(a: Any = MISSING, b: Any = MISSING, *_: Any) -> bool:
        return not any(rawget(b, key) is not None for key, _one in items(a))

    def equal(a: Any = None, b: Any = None, *_: Any) -> bool:
        return issubset(a, b) and issubset(b, a)

    def text(made: Any = None, *_: Any) -> str:
        return "[" + ",".join(sorted(first(state.tostring(key)) for key, _one in items(made))) + "]"

    union, intersection, difference = tablex["union"], tablex["intersection"], tablex["difference"]
    owner.__dict__.update(_init=start, values=tablex["keys"], len=tablex["size"], issubset=issubset, isempty=isempty)
    owner.__dict__.update(union=union, intersection=intersection, difference=difference, isdisjoint=isdisjoint)
    owner.__dict__.update(symmetric_difference=symmetric_difference, map=tablex["map"], __tostring=text, __eq=equal, _name="Set")
    owner.__dict__.update(__add=union, __mul=intersection, __sub=difference, __pow=symmetric_difference, __lt=issubset)
    owner.__dict__["__len"] = tablex["size"]
    return owner


def ordered_map_library(state: State) -> Table:
    """Returns ``pl.OrderedMap``: ``pairs`` is in the order in which keys were set, which all tables of this package keep."""
    owner = new_class(state.require("pl.Map"))
    base = state.require("pl.Map")
    lists = state.require("pl.List")

    def set_(made: Any = MISSING, key: Any = None, value: Any = None, *_: Any) -> Any:
        keys = listed(rawget(made, "_keys"))
        if value is None:
            keys = [one for one in keys if not eq(one, key)]
        elif not any(eq(one, key) for one in keys):
            keys.append(key)
        replaced(rawget(made, "_keys"), keys)
        rawset(rawget(made, "_values"), key, value)
        return made

    def start(made: Any = MISSING, source: Any = None, *_: Any) -> tuple[()]:
        rawset(made, "_keys", Table())
        rawset(made, "_values", Table())
        for key, value in items(source) if is_table(source) else []:
            set_(made, key, value)
        return ()

    def get(made: Any = MISSING, key: Any = None, *_: Any) -> Any:
        return rawget(rawget(made, "_values"), key)

    def as_list(values: list[Any]) -> Table:
        found = table_of(values)
        set_metatable(found, lists)
        return found

    def keys(made: Any = MISSING, *_: Any) -> Table:
        return as_list(listed(rawget(made, "_keys")))

    def values(made: Any = MISSING, *_: Any) -> Table:
        return as_list([get(made, key) for key in listed(rawget(made, "_keys"))])

    def iterate(made: Any = MISSING, *_: Any) -> Any:
        rest = iter([(key, get(made, key)) for key in listed(rawget(made, "_keys"))])
        return lambda *_: next(rest, None)

    def text(made: Any = None, *_: Any) -> str:
        return str(rawget(base, "__tostring")(filled((key, get(made, key)) for key in listed(rawget(made, "_keys")))))

    def len_(made: Any = MISSING, *_: Any) -> float:
        return float(len(listed(rawget(made, "_keys"))))

    owner.__dict__.update(_init=start, set=set_, get=get, keys=keys, values=values, iter=iterate, len=len_, __tostring=text)
    owner.__dict__.update(__pairs=iterate, __index=lambda made, key=None, *_: _found(owner, made, key), _name="OrderedMap")
    rawset(owner, "__newindex", set_)
    return owner


def _found(owner: Table, made: Any, key: Any) -> Any:
    """Returns a method of an ordered map, or the value of a key."""
    method = rawget(owner, key)
    values = rawget(made, "_values")
    return method if method is not None or values is None else rawget(values, key)
