"""Objects that lie one inside the other deeper than pickle goes: it calls itself at each level.

The state of such an object begins with all objects inside it, the innermost first. What pickle meets after these it has written
before, so that it goes down no more than a level; and it writes each object once, as ever.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from threading import get_ident
from typing import Any

from pytorch_legacy.arrays.tree import IdentityKey

_MOST_LEVELS = 30  # limit of pickle's depth: each level takes five calls, and more if pickle is written in Python

# Threads, and the ids of objects that some object outside them has in its list.
_listed: set[tuple[int, int]] = set()

# Iterators over the content of tables of each type.
_ENTRIES: dict[Any, Callable[[Any], Iterator[Any]]] = {
    list: iter,
    tuple: iter,
    dict: lambda table: chain.from_iterable(table.items()),
    IdentityKey: lambda key: iter((key.value,)),
}


class Inner:
    """A list of objects, as which it is pickled. Meanwhile these objects have no such list of their own."""

    def __init__(self, things: list[Any]) -> None:
        self.things = things

    def __reduce__(self) -> Any:
        return list, (), None, self._elements()

    def _elements(self) -> Iterator[Any]:
        new = {(get_ident(), id(thing)) for thing in self.things} - _listed
        _listed.update(new)
        try:
            yield from self.things
        finally:
            _listed.difference_update(new)


def inner(root: Any) -> Inner | None:
    """Returns the first part of the state of `root`, or None if `root` is not deep."""
    if (get_ident(), id(root)) in _listed:
        return None
    found: list[Any] = []
    seen, depth, deepest = {id(root)}, 1, 1
    # A table is read once: a second visit goes on at the entry at which the first stopped. Otherwise a shared table would be read
    # for each object.
    tables: dict[int, tuple[Any, Iterator[Any]]] = {}
    path: list[tuple[Any, Iterator[Any]]] = [(root, iter(root._ownFields().values()))]
    while path:
        thing, others = path[-1]
        for other in others:
            if type(other) in _ENTRIES:
                if id(other) not in tables:
                    tables[id(other)] = other, _ENTRIES[type(other)](other)
                path.append(tables[id(other)])
                break
            if hasattr(type(other), "_isPart") and id(other) not in seen:
                seen.add(id(other))
                path.append((other, iter(other._ownFields().values())))
                depth += 1
                deepest = max(deepest, depth)
                break
        else:
            path.pop()
            if type(thing) not in _ENTRIES:
                depth -= 1
                if not (thing._isPart or thing is root):
                    found.append(thing)
    return Inner(found) if deepest > _MOST_LEVELS else None
