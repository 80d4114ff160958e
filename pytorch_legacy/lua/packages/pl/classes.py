"""``pl.class``, ``pl.List``, ``pl.Map``, ``pl.Set``, ``pl.OrderedMap`` and ``pl.seq``: classes whose objects are tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ...language.arguments import number, string, wrong_type
from ...language.errors import raise_error
from ...language.operators import eq
from ...language.table import Table, fields, first, rawget, rawset, set_metatable
from ..functions import functions
from ..values import called, compared, extended, is_table, items, kind_of, listed, place_of, replaced, table_of, with_metatable
from .functions import drawn, lister, of_penlight
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
    if (above := _parent_constructor(owner)) is not None:
        rawset(made, "super", lambda self, *rest: _construct(above[0], self, above[1], rest))
    found = called(constructor, made, *arguments)
    rawset(made, "super", None)
    return found


def _is_a(made: Any, owner: Any) -> Any:
    kind = kind_of(made)
    if owner is None:
        return kind
    while is_table(kind):
        if kind is owner:
            return True
        kind = rawget(kind, "_base")
    return False


def _cast(owner: Table, made: Table) -> Table:
    set_metatable(made, owner)
    return made


_OF_CLASSES = functions({
    "is_a": ("any any", _is_a),
    "class_of": ("table any", lambda owner, made: _is_a(made, owner) is True),
    "cast": ("table table", _cast),
})  # fmt: skip


def new_class(base: Any = None, argument: Any = None, methods: Any = None) -> Table:
    """Returns a class, which is the metatable of its objects and looks up what it lacks in no other: it has a copy."""
    isPlain = is_table(base) and base.__class__ is Table
    owner = base if isPlain else methods if is_table(methods) else Table()
    base = rawget(owner, "_base") if isPlain else base
    if base is not None and not is_table(base):
        raise_error("must derive from a table type")
    if base is not None:
        extended(owner, [pair for pair in items(base) if not isPlain or rawget(owner, pair[0]) is None])
        rawset(owner, "_base", base)
    if not isPlain:
        rawset(owner, "_init", None)

    def construct(_: Any, *arguments: Any) -> Table:
        create = rawget(owner, "_create")
        found = called(create, *arguments) if create is not None else None
        made: Any = found if is_table(found) else Table()
        set_metatable(made, owner)
        above = _parent_constructor(owner)
        if (constructor := rawget(owner, "_init")) is not None:
            found = _construct(owner, made, constructor, arguments)
            made = _cast(owner, found) if is_table(found) else made
        elif above is not None:
            _construct(above[0], made, above[1], arguments)
        return made

    def catch(given: Any = None, handler: Any = None, *_: Any) -> tuple[()]:
        handler = handler if is_table(given) else given
        rawset(owner, "_handler", handler)
        rawset(kind_of(owner), "__index", handler)
        return ()

    with_metatable(owner, __call=construct)
    extended(owner, [*_OF_CLASSES.items(), ("__index", owner), ("_class", owner)])
    if base is not None and (start := rawget(base, "_class_init")) is not None:
        called(start, owner, argument)
    rawset(owner, "catch", catch)
    if (handler := rawget(owner, "_handler")) is not None:
        rawset(kind_of(owner), "__index", handler)
    return owner


def class_library(state: State) -> Table:
    """Returns ``pl.class``: ``class(Base)`` makes a class, ``class.Name(Base)`` one that is a global, too."""

    def named(_: Any, name: Any = None, *_rest: Any) -> Any:
        name = string(name, 1, "class")

        def make(*arguments: Any) -> Table:
            owner = new_class(*arguments[:3])
            rawset(owner, "_name", name)
            rawset(state.globals, name, owner)
            return owner

        return make

    return with_metatable(Table(), __call=lambda _, *arguments: new_class(*arguments[:3]), __index=named)


# ------------------------------------------------------------------------------------------------------ lists


def _spliced(ls: Table, place: int, count: int, added: list[Any]) -> Table:
    """Replaces values from a place, from 1 on, by others."""
    values = listed(ls)
    values[max(place - 1, 0) : max(place - 1, 0) + count] = added
    return replaced(ls, values)


def _remove_value(ls: Table, value: Any) -> Table:
    place = place_of(value, listed(ls))
    return ls if place is None else _spliced(ls, place + 1, 1, [])


def _pop(ls: Table, place: int | None) -> Any:
    values = listed(ls)
    place = len(values) if place is None else place
    if not 1 <= place <= len(values):
        return None
    _spliced(ls, place, 1, [])
    return values[place - 1]


def _append(ls: Table, value: Any) -> Table:
    rawset(ls, float(len(listed(ls)) + 1), value)
    return ls


def _foreach(values: list[Any], call: Any, *rest: Any) -> tuple[()]:
    for value in values:
        call(value, *rest)
    return ()


def _minmax(values: list[Any]) -> tuple[Any, Any]:
    values = sorted(values, key=compared())
    return (values[0], values[-1]) if values else (1e70, -1e70)


_CHANGING: dict[str, Any] = {
    **dict.fromkeys(("append", "push"), ("table any", _append)),
    "extend": ("table list", lambda ls, added: replaced(ls, listed(ls) + added)),
    "insert": ("table whole any", lambda ls, place, value: _spliced(ls, place, 0, [value])),
    "put": ("table any", lambda ls, value: _spliced(ls, 1, 0, [value])),
    "remove": ("table whole", lambda ls, place: _spliced(ls, place, 1, [])),
    "remove_value": ("table any", _remove_value),
    **dict.fromkeys(("pop", "get"), ("table whole?", _pop)),
    "sort": ("table function?", lambda ls, less: replaced(ls, sorted(listed(ls), key=compared(less)))),
    "reverse": ("table", lambda ls: replaced(ls, listed(ls)[::-1])),
    "clear": ("table", lambda ls: replaced(ls, [])),
    "splice": ("table whole any", lambda ls, place, added: _spliced(ls, place, 0, drawn(added))),
}
"""The methods of a list that change it; most of them return it."""


def _reading(state: State) -> dict[str, Any]:
    """Returns the methods of a list that leave it as it is, and the functions that make lists."""
    tablex, split, listing = state.require("pl.tablex"), state.require("pl.utils").split, lister(state)

    def transform(ls: Table, *rest: Any) -> Table:
        tablex.transform(rest[0] if rest else None, ls, *rest[1:])
        return ls

    def join(values: list[Any], separator: str) -> str:
        return separator.join(first(state.tostring(one)) for one in values)

    def new(source: Any) -> Table:
        if is_table(source) and source.__class__ is Table and rawget(source, 1.0) is not None:
            return _cast(state.require("pl.List"), source)
        return listing(drawn(source))

    def range_(start: float, end: float | None, step: float | None) -> Table:
        start, end = (0.0, start - 1.0) if end is None else (start, end)
        return listing(listed(tablex.range(start, end, step)))

    return {
        "map": ("table any *any", lambda ls, function, *rest: tablex.imap(function, ls, *rest)),
        "foreach": ("list call *any", _foreach),
        "reduce": ("table any any", lambda ls, function, start: tablex.reduce(function, ls, start)),
        "transform": ("table *any", transform),
        "contains": ("list any", lambda values, one: place_of(one, values) is not None),
        "count": ("list any", lambda values, wanted: sum(eq(one, wanted) for one in values)),
        "sorted": ("list function?", lambda values, less: listing(sorted(values, key=compared(less)))),
        "minmax": ("list", _minmax),
        "join": ("list string=", join),
        "len": ("list", len),
        "clone": ("list", listing),
        **dict.fromkeys(("iter", "iterate"), ("any", lambda source: iter(drawn(source)))),
        "concat": ("list string=", lambda values, separator: separator.join(string(one, 1, "concat") for one in values)),
        "new": ("any", new),
        "range": ("number number? number?", range_),
        "split": ("any any", lambda text, separator: listing(listed(split(text, separator)))),
        "__eq": ("list list", lambda a, b: len(a) == len(b) and all(map(eq, a, b))),
        "__tostring": (
            "list",
            lambda values: "{" + ",".join(f'"{v}"' if v.__class__ is str else join([v], "") for v in values) + "}",
        ),
        "__concat": ("list list", lambda a, b: listing(a + b)),
    }


def list_library(state: State) -> Table:
    """Returns ``pl.List``."""
    tablex = state.require("pl.tablex")
    owner = fields(**of_penlight(state, {**_reading(state), **_CHANGING}), is_a=_OF_CLASSES["is_a"], _name="List")
    owner.__dict__.update(filter=tablex.filter, index=tablex.find, slice=tablex.sub, chop=tablex.removevalues)
    owner.__dict__.update(__index=owner, _class=owner)
    return with_metatable(owner, __call=lambda _, source=None, *_rest: owner.new(source))


def seq_library(state: State) -> Table:
    """Returns the functions of ``pl.seq`` that read iterators."""
    made = {
        "copy": ("any", lambda source: lister(state)(drawn(source))),
        "sum": ("any", lambda source: math.fsum(number(one, 1, "sum") for one in drawn(source))),
        "range": ("whole whole", lambda start, end: map(float, range(start, end + 1))),
    }
    return fields(**functions(made), list=state.require("pl.List").iterate)


# ------------------------------------------------------------------------------------------------------ maps and sets


def _texts(state: State, pairs: list[Any]) -> str:
    """Returns keys and values as they print."""
    rows = [
        (first(state.tostring(key)), quoted(one) if one.__class__ is str else first(state.tostring(one))) for key, one in pairs
    ]
    return "{" + ",".join(f"{key}={text}" for key, text in rows) + "}"


def _default(made: Table, key: Any, value: Any) -> Any:
    if rawget(made, key) is None:
        rawset(made, key, value)
    return rawget(made, key)


def _of_class(name: str, declarations: dict[str, Any], base: Any = None, kinds: Any = None, **methods: Any) -> Table:
    """Returns a class with methods."""
    owner = new_class(base)
    owner.__dict__.update(functions(declarations, **kinds or {}), **methods, _name=name)
    return owner


def map_library(state: State) -> Table:
    """Returns ``pl.Map``."""
    tablex, listing = state.require("pl.tablex"), lister(state)
    methods = {
        "_init": ("table any", lambda made, source: extended(made, items(source) if is_table(source) else []) and ()),
        "get": ("table any", rawget),
        "set": ("table any any", lambda made, key, value: extended(made, [(key, value)]) and ()),
        "setdefault": ("table any any", _default),
        "items": ("pairs", lambda pairs: listing([table_of(pair) for pair in pairs])),
        "__tostring": ("pairs", lambda pairs: _texts(state, pairs)),
        "__eq": ("any any", lambda a, b: tablex.deepcompare(a, b, True)),
    }
    return _of_class("Map", methods, keys=tablex.keys, values=tablex.values, len=tablex.size, update=tablex.update)


def set_library(state: State) -> Table:
    """Returns ``pl.Set``."""
    tablex = state.require("pl.tablex")

    def start(made: Table, source: Any) -> tuple[()]:
        isSet = kind_of(source) is owner
        extended(made, [(key, True) for key in ([key for key, _one in items(source)] if isSet else drawn(source))])
        return ()

    def has_all(a: list[Any], b: Table) -> bool:
        return all(rawget(b, key) is not None for key, _one in a)

    def text(pairs: list[Any]) -> str:
        return "[" + ",".join(sorted(first(state.tostring(key)) for key, _one in pairs)) + "]"

    contained = "pairs table", has_all
    symmetric = "table table", lambda a, b: tablex.difference(a, b, True)
    methods = {
        "_init": ("table any", start),
        **dict.fromkeys(("issubset", "__lt"), contained),
        "isempty": ("pairs", lambda pairs: not pairs),
        "isdisjoint": ("pairs table", lambda a, b: not any(rawget(b, key) is not None for key, _one in a)),
        "__eq": ("table table", lambda a, b: has_all(items(a), b) and has_all(items(b), a)),
        "__tostring": ("pairs", text),
        **dict.fromkeys(("symmetric_difference", "__pow"), symmetric),
    }
    owner = _of_class("Set", methods, values=tablex.keys, map=tablex.map, **dict.fromkeys(("len", "__len"), tablex.size))
    for name, operator in (("union", "__add"), ("intersection", "__mul"), ("difference", "__sub")):
        owner.__dict__.update(dict.fromkeys((name, operator), rawget(tablex, name)))
    return owner


def ordered_map_library(state: State) -> Table:
    """Returns ``pl.OrderedMap``, whose ``pairs`` is in the order in which keys were set."""
    listing = lister(state)

    def set_(made: Table, key: Any, value: Any) -> Table:
        keys, known = listed(rawget(made, "_keys")), rawget(made, "_values")
        place = place_of(key, keys)
        if value is None and place is not None:
            del keys[place]
        elif value is not None and place is None:
            keys.append(key)
        replaced(rawget(made, "_keys"), keys)
        rawset(known, key, value)
        return made

    def start(made: Table, source: Any) -> tuple[()]:
        extended(made, [("_keys", Table()), ("_values", Table())])
        for key, value in items(source) if is_table(source) else []:
            set_(made, key, value)
        return ()

    def pairs(made: Table) -> list[tuple[Any, Any]]:
        return [(key, rawget(rawget(made, "_values"), key)) for key in listed(rawget(made, "_keys"))]

    def found(made: Table, key: Any) -> Any:
        """Returns a method, or the value of a key."""
        values = rawget(made, "_values")
        return values if values is None else rawget(values, key)

    def checked(value: Any, position: int, name: str) -> Table:
        """Returns an ordered map, which has its keys and values."""
        if not is_table(value) or not is_table(rawget(value, "_keys")) or not is_table(rawget(value, "_values")):
            wrong_type(value, position, name, "OrderedMap")
        return value  # type: ignore[no-any-return]

    methods = {
        "_init": ("table any", start),
        "set": ("ordered any any", set_),
        "get": ("ordered any", found),
        "keys": ("ordered", lambda made: listing([key for key, _value in pairs(made)])),
        "values": ("ordered", lambda made: listing([value for _key, value in pairs(made)])),
        **dict.fromkeys(("iter", "__pairs"), ("ordered", lambda made: iter(pairs(made)))),
        "len": ("ordered", lambda made: len(pairs(made))),
        "__tostring": ("ordered", lambda made: _texts(state, pairs(made))),
        "__index": ("table any", lambda made, key: found(made, key) if (one := rawget(owner, key)) is None else one),
    }
    owner: Table = _of_class("OrderedMap", methods, state.require("pl.Map"), {"ordered": checked})
    rawset(owner, "__newindex", rawget(owner, "set"))
    return owner
