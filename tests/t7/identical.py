"""Compares two objects that were read from .t7 files: their values, and the identity of their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy import t7
from pytorch_legacy.arrays import placement


class Difference(NamedTuple):
    """`owner` is the typename of the Torch object around, `field` the last step of the path."""

    path: str
    owner: str
    field: str
    what: str


Opened = Callable[[Any], t7.TorchObject | None]


class Comparison:
    """Walks through two objects side by side. `opened` gives the record of an object that is neither table nor array."""

    def __init__(self, opened: Opened = lambda value: None) -> None:
        self.opened = opened
        self.twins: dict[int, int] = {}
        self.storages: dict[Any, Any] = {}
        self.kept: list[Any] = []
        self.todo: list[tuple[str, str, Any, Any]] = []

    def differences(self, a: Any, b: Any) -> Iterator[Difference]:
        self.todo.append(("root", "", a, b))
        while self.todo:
            path, owner, a, b = self.todo.pop()
            for what in self.compare(path, owner, a, b):
                yield Difference(path, owner, path[max(path.rfind("."), path.rfind("[")) :].strip(".[]"), what)

    def compare(self, path: str, owner: str, a: Any, b: Any) -> Iterator[str]:
        a, b = self.record(a), self.record(b)
        if kind(a) is not kind(b):
            yield f"{shown(a)} became {shown(b)}"
        elif not isinstance(a, (list, dict, np.ndarray, t7.TorchObject, t7.Function)):
            if not (a == b or (a != a and b != b)):
                yield f"{shown(a)} became {shown(b)}"
        elif id(a) in self.twins or id(b) in self.twins.values():
            if self.twins.get(id(a)) != id(b):
                yield "is shared otherwise"
        else:
            self.twins[id(a)] = id(b)
            yield from self.contents(path, owner, a, b)

    def record(self, value: Any) -> Any:
        record = self.opened(value)
        if record is None:
            return value
        self.kept.append(record)
        return record

    def contents(self, path: str, owner: str, a: Any, b: Any) -> Iterator[str]:
        if isinstance(a, np.ndarray):
            yield from self.arrays(a, b)
        elif isinstance(a, t7.Function):
            if (a.bytecode, a.form) != (b.bytecode, b.form):
                yield "is another function"
            self.todo.append((f"{path}.<upvalues>", owner, a.upvalues, b.upvalues))
        elif isinstance(a, t7.TorchObject):
            if (a.typename, a.version) != (b.typename, b.version):
                yield f"{a.typename} of version {a.version} became {b.typename} of version {b.version}"
            self.todo.append((f"{path}.<header>", a.typename, a.header, b.header))
            self.todo.append((path, a.typename, a.fields, b.fields))
        elif isinstance(a, list):
            if len(a) != len(b):
                yield f"{len(a)} entries became {len(b)}"
            self.todo += [(f"{path}[{i}]", owner, *pair) for i, pair in enumerate(zip(a, b, strict=False), 1)]
        else:
            yield from self.tables(path, owner, a, b)

    def tables(self, path: str, owner: str, a: dict[Any, Any], b: dict[Any, Any]) -> Iterator[str]:
        plain = [{key for key in table if isinstance(key, (str, int, float))} for table in (a, b)]
        for key in sorted(plain[0] | plain[1], key=str):
            if key not in b:
                yield f"lacks {key}"
            elif key not in a:
                yield f"has {key}"
            else:
                self.todo.append((f"{path}.{key}", owner, a[key], b[key]))
        # Keys that are objects come in the order of the file, or else are known by their values: each number stands once.
        rest = [[pair for pair in table.items() if pair[0] not in known] for table, known in zip((a, b), plain, strict=True)]
        for pairs in rest:
            if all(kind(value) is float for _, value in pairs):
                pairs.sort(key=lambda pair: pair[1])
        if len(rest[0]) != len(rest[1]):
            yield f"{len(rest[0])} objects as keys became {len(rest[1])}"
        for (key, value), (other, entry) in zip(*rest, strict=False):
            self.todo.append((f"{path}.<key>", owner, getattr(key, "value", key), getattr(other, "value", other)))
            self.todo.append((f"{path}.<entry>", owner, value, entry))

    def arrays(self, a: Any, b: Any) -> Iterator[str]:
        if (a.dtype, a.shape) != (b.dtype, b.shape):
            yield f"{shown(a)} became {shown(b)}"
            return
        # One number may stand for more elements than any memory holds.
        if a.size < 1 << 24 and not np.array_equal(a, b, equal_nan=a.dtype.kind == "f"):
            yield "has other elements"
        if a.size:
            one, two = placement(a), placement(b)
            if (one.offset, one.strides, one.storage.size) != (two.offset, two.strides, two.storage.size):
                yield "lies elsewhere in its storage"
            if self.storages.setdefault(one.key, two.key) != two.key:
                yield "shares its storage otherwise"


def kind(value: Any) -> type:
    """Numbers are of one kind."""
    return float if type(value) in (int, float) else type(value)


def shown(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{type(value).__name__} of {value.dtype} {value.shape}"
    return f"{value!r:.60}" if kind(value) in (float, str, bool, type(None)) else type(value).__name__
