"""The package ``tds``: hashes and vectors, which .t7 files keep as ``tds.Hash`` and ``tds.Vec``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pytorch_legacy.files import t7

from ..language.arguments import integer
from ..language.errors import raise_error, type_name
from ..language.operators import format_number
from ..language.table import Table, Userdata, fields, first
from ..tensors.registry import constructor_of, native
from .functions import MAX_COUNT, functions
from .values import compared, is_table, items, listed, numbered

if TYPE_CHECKING:
    from ..language.state import State

_SHOWN = 20  # elements that are printed


class Container(Userdata):
    """A ``tds.Hash`` or a ``tds.Vec``.

    Attributes
    ----------
    values : dict or list
        The values by their keys, which are strings and numbers; those of a vector, with None for nil.
    """

    __slots__ = ("values",)
    name: ClassVar[str]
    empty: ClassVar[type]

    def __init__(self) -> None:
        self.values: Any = self.empty()


class Hash(Container):
    """A ``tds.Hash``."""

    __slots__ = ()
    empty = dict


class Vector(Container):
    """A ``tds.Vec``."""

    __slots__ = ()
    empty = list


def _checker(kind: type[Container], name: str) -> Any:
    def check(value: Any, *_: Any) -> Container:
        if not isinstance(value, kind):
            raise_error(f"bad argument #1 ({name} expected)")
        return value

    return check


def _key(key: Any) -> Any:
    """Returns a key of a hash."""
    if key.__class__ not in (str, float) or key != key:
        raise_error("string or number key expected")
    return key


def _place(key: Any, function: str = "vec") -> int:
    """Returns the place that an index stands for, from 0 on."""
    if key.__class__ is not float or not key > 0:
        raise_error("positive number expected as key")
    place = integer(key, 2, function) - 1
    if not 0 <= place < MAX_COUNT:
        raise_error("out of memory")
    return place


def _grow(values: list[Any], n: int) -> None:
    values.extend([None] * (n - len(values)))


class _Kinds:
    """The classes of a state."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.hash = native(state.types, Hash, "tds.Hash", {})
        self.vector = native(state.types, Vector, "tds.Vec", {})
        self.hash._methods = self.vector._methods = None

    def value(self, value: Any) -> Any:
        """Returns a value that a container takes. A table becomes a vector if its keys are 1 to n, and a hash otherwise."""
        if is_table(value):
            isVector = len(listed(value)) == len(items(value))
            return self.filled(self.vector(), listed(value)) if isVector else self.filled(self.hash(), items(value))
        isPlain = value is None or value.__class__ in (bool, float, str) or isinstance(value, Container)
        if not isPlain and self.state.metatable(value) is None:
            raise_error(f"unsupported type: {type_name(value)}")
        return value

    def filled(self, made: Any, values: list[Any]) -> Any:
        """Adds values to a vector, or keys with values to a hash. Returns it."""
        if isinstance(made, Vector):
            made.values.extend(map(self.value, values))
        else:
            made.values.update({_key(key): self.value(value) for key, value in values})
        return made

    def set(self, hash: Hash, key: Any, value: Any) -> tuple[()]:
        """Sets a value of a hash; nil removes it."""
        if value is None:
            hash.values.pop(_key(key), None)
        else:
            hash.values[_key(key)] = self.value(value)
        return ()

    def text(self, made: Container) -> str:
        """Returns a container as it prints."""
        rows = [f"{made.name}[{len(made.values)}]{{"]
        for key, value in _pairs(made)[:_SHOWN]:
            head = f"{format_number(key) if key.__class__ is float else key:>5} : "
            text = "..." if isinstance(value, Container) and value is made else str(first(self.state.tostring(value)))
            rows.append(head + text.replace("\n", "\n" + " " * len(head)))
        return "\n".join([*rows, *(["..."] if len(made.values) > _SHOWN else []), "}"])

    def methods(self) -> dict[str, Any]:
        """Returns the methods of a vector."""

        def insert(values: list[Any], *arguments: Any) -> tuple[()]:
            if len(arguments) not in (1, 2):
                raise_error("[key] value expected")
            place = len(values) if len(arguments) == 1 else _place(arguments[0], "insert")
            value = self.value(arguments[-1])
            _grow(values, place)
            values.insert(place, value)
            return ()

        def remove(values: list[Any], key: Any) -> tuple[()]:
            place = len(values) - 1 if key is None else _place(key, "remove")
            del values[max(place, 0) : place + 1]
            return ()

        def resize(values: list[Any], size: Any) -> tuple[()]:
            n = _place(size, "resize") + 1
            del values[n:]
            _grow(values, n)
            return ()

        def sort(values: list[Any], less: Any) -> tuple[()]:
            values.sort(key=compared(less))
            return ()

        def concat(values: list[Any], separator: str, start: int, end: int | None) -> str:
            end = len(values) if end is None else max(end, 0)
            return separator.join(first(self.state.tostring(one)) for one in values[max(start - 1, 0) : end])

        return functions(
            {
                **{"insert": ("values *any", insert), "remove": ("values any", remove), "resize": ("values any", resize)},
                **{"sort": ("values function?", sort), "concat": ("values string= whole=1 whole?", concat)},
            },
            values=lambda *given: _checker(Vector, "tds.Vec")(*given).values,
        )

    def open(self) -> None:
        """Gives the classes their methods."""
        methods = self.methods()

        def index(vector: Vector, key: Any) -> Any:
            if key.__class__ is not float:
                if key in methods:
                    return methods[key]
                raise_error("invalid key (number) or method name")
            place = _place(key)
            return vector.values[place] if place < len(vector.values) else None

        def newindex(vector: Vector, key: Any, value: Any) -> tuple[()]:
            place, value = _place(key), self.value(value)
            _grow(vector.values, place + 1)
            vector.values[place] = value
            return ()

        common = {
            **dict.fromkeys(("__pairs", "__ipairs"), ("own", lambda made: iter(_pairs(made)))),
            **{"__tostring": ("own", self.text), "__len": ("own", lambda made: len(made.values))},
        }
        ofHashes = {"__index": ("own any", lambda hash, key: hash.values.get(_key(key))), "__newindex": ("own any any", self.set)}
        ofVectors = {"__index": ("own any", index), "__newindex": ("own any any", newindex)}
        for kind, base, own in ((self.hash, Hash, ofHashes), (self.vector, Vector, ofVectors)):
            made = functions({**common, **own}, own=_checker(base, kind.name))
            kind._metatable.__dict__.update(made)

    def leaving(self, value: Any, convert: Any, keep: Any) -> Any:
        """Returns a container as files of torch have it, or None."""
        if isinstance(value, Hash):
            made = keep(value, t7.Hash())
            made.update((convert(key), convert(one)) for key, one in value.values.items())
            return made
        if isinstance(value, Vector):
            made = keep(value, t7.Vec())
            made.extend(convert(one) for one in value.values)
            return made
        return None

    def coming(self, value: Any, convert: Any, keep: Any) -> Any:
        """Returns a container of a file."""
        if isinstance(value, t7.Hash):
            made = keep(value, self.hash())
            made.values.update((convert(key), convert(one)) for key, one in value.items())
        else:
            made = keep(value, self.vector())
            made.values.extend(convert(one) for one in value)
        return made


def _pairs(made: Container) -> list[tuple[Any, Any]]:
    return list(made.values.items()) if isinstance(made, Hash) else numbered(made.values)


def _counter(start: float) -> Table:
    count = start

    def inc() -> float:
        nonlocal count
        count += 1.0
        return count

    return fields(**functions({"inc": ("*any", lambda *_: inc()), "get": ("*any", lambda *_: count)}))


def library(state: State) -> Table:
    """Returns the package's table."""
    state.require("torch")
    kinds = _Kinds(state)
    kinds.open()
    state.types.containers = (kinds.leaving, kinds.coming)

    def make_hash(_: Any, source: Any = None, *_rest: Any) -> Any:
        return kinds.filled(kinds.hash(), items(source) if is_table(source) else [])

    def make_vector(_: Any, *values: Any) -> Any:
        isTable = len(values) == 1 and is_table(values[0])
        return kinds.filled(kinds.vector(), listed(values[0]) if isTable else list(values))

    hash = constructor_of(kinds.hash._metatable, make_hash)
    vector = constructor_of(kinds.vector._metatable, make_vector)
    return fields(hash=hash, Hash=hash, vec=vector, Vec=vector, **functions({"AtomicCounter": ("number=0", _counter)}))
