"""A walk over whatever a .t7 file held: tables, tensors, modules, functions, in any depth and with any cycles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from pytorch_legacy.files import t7
from pytorch_legacy.nn.Unknown import Unknown
from pytorch_legacy.objects import Object


class Visit:
    """A value and its place.

    Attributes
    ----------
    value : object
    key : object
        Key or field name under which the value stands, positions of lists counted from 0; None for the first value.
    parent : Visit or None
    depth : int
    seen : Visit or None
        The visit at which the same object came up first; its contents are not visited again.
    cyclic : bool
        True if the value stands somewhere inside itself; False at first. If True, `seen` is the visit around this one.
    """

    __slots__ = ("cyclic", "depth", "key", "parent", "seen", "value")

    def __init__(self, value: Any, key: Any, parent: Visit | None) -> None:
        self.value = value
        self.key = key
        self.parent = parent
        self.seen: Visit | None = None
        self.cyclic = False
        self.depth: int = 0 if parent is None else parent.depth + 1

    def keys(self) -> list[Any]:
        """The keys that lead from the first value to this one."""
        keys = []
        visit = self
        while visit.parent is not None:
            keys.append(visit.key)
            visit = visit.parent
        return keys[::-1]


def children(value: Any) -> Iterator[tuple[Any, Any]]:
    """Keys and values of what stands directly inside `value`."""
    if isinstance(value, (list, tuple)):
        yield from enumerate(value)
    elif isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, t7.TorchObject):
        if value.header is not None:
            yield "<header>", value.header
        fields = value.fields
        yield from fields.items() if isinstance(fields, dict) else [("<contents>", fields)] if fields is not None else []
    elif isinstance(value, Unknown):
        yield from children(value.fields) if isinstance(value.fields, (dict, list)) else [("<contents>", value.fields)]
    elif isinstance(value, Object):
        # Fields that begin with an underscore are private. Modules come first, because their place there is the one to name.
        own = {key: entry for key, entry in value._ownFields().items() if not key.startswith("_")} | value._luaFunctions()
        yield from sorted(own.items(), key=lambda pair: pair[0] != "modules")
    elif isinstance(value, t7.Function):
        upvalues = value.upvalues  # a file may hold anything in their place, an array too
        if not isinstance(upvalues, (list, dict)) or upvalues:
            yield "<upvalues>", upvalues


def has_identity(value: Any) -> bool:
    """Returns True if the value can be shared. Numbers and text cannot."""
    return isinstance(value, (list, dict, tuple, np.ndarray, t7.TorchObject, t7.Function, Object))


def walk(value: Any, inside: Any = lambda visit: True) -> Iterator[Visit]:
    """All values in the order of the file, each object's contents once.

    `value` may be a Visit: then the walk begins there, and places count from where that one began.
    `inside` is asked for each visit whether its contents shall be visited too.
    """
    first: dict[int, Visit] = {}
    opened: list[Visit] = []
    around: set[int] = set()
    waiting = [iter([value if isinstance(value, Visit) else Visit(value, None, None)])]
    while waiting:
        visit = next(waiting[-1], None)
        if visit is None:
            waiting.pop()
            if opened:
                around.discard(id(opened.pop().value))
            continue
        shareable = has_identity(visit.value)
        if shareable:
            visit.seen = first.get(id(visit.value))
            visit.cyclic = id(visit.value) in around
            first.setdefault(id(visit.value), visit)
        yield visit
        if shareable and visit.seen is None and inside(visit):
            waiting.append(_visits(visit))
            opened.append(visit)
            around.add(id(visit.value))


def _visits(parent: Visit) -> Iterator[Visit]:
    for key, value in children(parent.value):
        yield Visit(value, key, parent)
        if isinstance(key, t7.IdentityKey):
            yield Visit(key.value, "<key>", parent)
