"""The package ``tds``: hashes and vectors, which .t7 files keep as ``tds.Hash`` and ``tds.Vec``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from pytorch_legacy.files import t7

from ..language.arguments import MISSING, integer
from ..language.errors import raise_error, type_name
from ..language.operators import format_number
from ..language.table import Table, Userdata, fields, first
from ..tensors.registry import constructor_of, native
from .values import compared, is_table, items, listed

if TYPE_CHECKING:
    from ..language.state import State

_SHOWN = 20  # elements that are printed


class Hash(Userdata):
    """A ``tds.Hash``.

    Attributes
    ----------
    values : dict
        The values by their keys, which are strings and numbers.
    """

    __slots__ = ("values",)
    name: ClassVar[str]

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}


class Vector(Userdata):
    """A ``tds.Vec``.

    Attributes
    ----------
    values : list
        The values, with None for nil.
    """

    __slots__ = ("values",)
    name: ClassVar[str]

    def __init__(self) -> None:
        self.values: list[Any] = []


class _Kinds:
    """The classes of a state."""

    def __init__(self, state: State) -> None:
        self.state = state
        types = state.types
        self.hash = native(types, Hash, "tds.Hash", {})
        self.vector = native(types, Vector, "tds.Vec", {})

    def value(self, value: Any) -> Any:
        """Returns a value that a container takes. A table becomes a container."""
        if is_table(value):
            return self.from_table(value)
        if value is None or value.__class__ in (bool, float, str):
            return value
        if isinstance(value, (Hash, Vector)) or self.state.metatable(value) is not None:
            return value
        raise_error(f"unsupported type: {type_name(value)}")

    def from_table(self, table: Table) -> Any:
        """Returns the container of a table: a vector if its keys are 1 to n."""
        pairs = items(table)
        if len(listed(table)) == len(pairs):
            return self.filled(self.vector(), listed(table))
        made = self.hash()
        for key, value in pairs:
            self.set(made, key, value)
        return made

    def filled(self, vector: Any, values: list[Any]) -> Any:
        """Returns a vector, to which values are added."""
        vector.values.extend(self.value(value) for value in values)
        return vector

    def set(self, hash: Any, key: Any, value: Any) -> None:
        """Sets a value of a hash; nil removes it."""
        if key.__class__ not in (str, float):
            raise_error("string or number key expected")
        if value is None:
            hash.values.pop(key, None)
        else:
            hash.values[key] = self.value(value)


def _hash(value: Any) -> Hash:
    if not isinstance(value, Hash):
        raise_error("bad argument #1 (tds.Hash expected)")
    return value


def _vector(value: Any) -> Vector:
    if not isinstance(value, Vector):
        raise_error("bad argument #1 (tds.Vec expected)")
    return value


def _iterator(values: list[tuple[Any, Any]]) -> Any:
    rest = iter(values)

    def following(*_: Any) -> Any:
        return next(rest, None)

    return following


def _rows(state: State, pairs: list[tuple[Any, Any]]) -> list[str]:
    """Returns the lines of elements as they are printed."""
    rows = []
    for key, value in pairs[:_SHOWN]:
        head = f"{format_number(key) if key.__class__ is float else key:>5} : "
        text = str(first(state.tostring(value)))
        rows.append(head + text.replace("\n", "\n" + " " * len(head)))
    return rows + (["..."] if len(pairs) > _SHOWN else [])


def _open_hash(kinds: _Kinds) -> None:
    def index(hash: Any, key: Any = None, *_: Any) -> Any:
        if key.__class__ not in (str, float):
            raise_error("string or number key expected")
        return _hash(hash).values.get(key)

    def newindex(hash: Any, key: Any = None, value: Any = None, *_: Any) -> tuple[()]:
        kinds.set(_hash(hash), key, value)
        return ()

    def pairs(hash: Any, *_: Any) -> Any:
        return _iterator(list(_hash(hash).values.items()))

    def text(hash: Any, *_: Any) -> str:
        found = list(_hash(hash).values.items())
        return "\n".join([f"tds.Hash[{len(found)}]{{", *_rows(kinds.state, found), "}"])

    kinds.hash._metatable.__dict__.update(
        __index=index, __newindex=newindex, __pairs=pairs, __tostring=text, __len=lambda hash, *_: float(len(_hash(hash).values))
    )
    kinds.hash._methods = None


def _place(key: Any, function: str = "vec") -> int:
    """Returns the place that an index stands for, from 0 on."""
    if key.__class__ is not float or key <= 0:
        raise_error("positive number expected as key")
    place = integer(key, 2, function) - 1
    if place >= 2**31:
        raise_error("out of memory")
    return place


def _methods(kinds: _Kinds) -> dict[str, Callable[..., Any]]:
    """Returns the methods of a vector."""

    def insert(vector: Any = MISSING, *arguments: Any) -> tuple[()]:
        values = _vector(vector).values
        if len(arguments) not in (1, 2):
            raise_error("[key] value expected")
        place = len(values) if len(arguments) == 1 else _place(arguments[0], "insert")
        _grow(values, place)
        values.insert(place, kinds.value(arguments[-1]))
        return ()

    def remove(vector: Any = MISSING, key: Any = None, *_: Any) -> tuple[()]:
        values = _vector(vector).values
        place = len(values) - 1 if key is None else _place(key, "remove")
        del values[max(place, 0) : place + 1]
        return ()

    def resize(vector: Any = MISSING, size: Any = MISSING, *_: Any) -> tuple[()]:
        values, n = _vector(vector).values, _place(size, "resize") + 1
        del values[n:]
        _grow(values, n)
        return ()

    def sort(vector: Any = MISSING, less: Any = None, *_: Any) -> tuple[()]:
        _vector(vector).values.sort(key=compared(less))
        return ()

    def concat(vector: Any = MISSING, separator: Any = None, start: Any = None, end: Any = None, *_: Any) -> str:
        values = _vector(vector).values
        begin, stop = integer(start, 3, "concat", 1) - 1, integer(end, 4, "concat", len(values))
        return ("" if separator is None else separator).join(first(kinds.state.tostring(one)) for one in values[begin:stop])

    return {"insert": insert, "remove": remove, "resize": resize, "sort": sort, "concat": concat}


def _grow(values: list[Any], n: int) -> None:
    values.extend([None] * (n - len(values)))


def _open_vector(kinds: _Kinds) -> None:
    methods = _methods(kinds)

    def index(vector: Any, key: Any = None, *_: Any) -> Any:
        if key.__class__ is not float:
            if key in methods:
                return methods[key]
            raise_error("invalid key (number) or method name")
        values, place = _vector(vector).values, _place(key)
        return values[place] if place < len(values) else None

    def newindex(vector: Any, key: Any = None, value: Any = None, *_: Any) -> tuple[()]:
        values, place = _vector(vector).values, _place(key)
        value = kinds.value(value)
        _grow(values, place + 1)
        values[place] = value
        return ()

    def pairs(vector: Any, *_: Any) -> Any:
        return _iterator([(float(i), value) for i, value in enumerate(_vector(vector).values, 1)])

    def text(vector: Any, *_: Any) -> str:
        found = [(float(i), value) for i, value in enumerate(_vector(vector).values, 1)]
        return "\n".join([f"tds.Vec[{len(found)}]{{", *_rows(kinds.state, found), "}"])

    kinds.vector._metatable.__dict__.update(
        {"__index": index, "__newindex": newindex, "__pairs": pairs, "__ipairs": pairs, "__tostring": text},
        __len=lambda vector, *_: float(len(_vector(vector).values)),
    )
    kinds.vector._methods = None


def _open_files(kinds: _Kinds) -> None:
    """Files of torch take containers."""
    types = kinds.state.types

    def leaving(value: Any, convert: Any, keep: Any) -> Any:
        if isinstance(value, Hash):
            made = keep(value, t7.Hash())
            made.update((convert(key), convert(one)) for key, one in value.values.items())
            return made
        if isinstance(value, Vector):
            made = keep(value, t7.Vec())
            made.extend(convert(one) for one in value.values)
            return made
        return None

    def coming(value: Any, convert: Any, keep: Any) -> Any:
        if isinstance(value, t7.Hash):
            made = keep(value, kinds.hash())
            made.values.update((convert(key), convert(one)) for key, one in value.items())
            return made
        made = keep(value, kinds.vector())
        made.values.extend(convert(one) for one in value)
        return made

    types.containers = (leaving, coming)


def library(state: State) -> Table:
    """Returns the package's table."""
    state.require("torch")
    kinds = _Kinds(state)
    _open_hash(kinds)
    _open_vector(kinds)
    _open_files(kinds)

    def make_hash(_: Any, source: Any = None, *_rest: Any) -> Any:
        made = kinds.hash()
        for key, value in items(source) if is_table(source) else []:
            kinds.set(made, key, value)
        return made

    def make_vector(_: Any, *values: Any) -> Any:
        given = listed(values[0]) if len(values) == 1 and is_table(values[0]) else list(values)
        return kinds.filled(kinds.vector(), given)

    hash = constructor_of(kinds.hash._metatable, make_hash)
    vector = constructor_of(kinds.vector._metatable, make_vector)

    def counter(start: Any = None, *_: Any) -> Table:
        count = 0.0 if start is None else start

        def inc(*_: Any) -> float:
            nonlocal count
            count += 1.0
            return count

        return fields(inc=inc, get=lambda *_: count)

    return fields(hash=hash, Hash=hash, vec=vector, Vec=vector, AtomicCounter=counter)
