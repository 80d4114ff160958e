"""Objects that lie one inside the other deeper than pickle goes: it calls itself at each level.

The state of such an object begins with all objects inside it, the innermost first. What pickle meets after these it has written
before, so that it goes down no more than a level; and it writes each object once, as ever.
"""

from collections.abc import Iterator
from threading import get_ident
from typing import Any

_MOST_LEVELS = 30  # that pickle is left to go: each takes five calls, and more where pickle is written in Python

# Threads, and the ids of objects that some object outside them has in its list.
_listed: set[tuple[int, int]] = set()


class Inner:
    """Is pickled as the list of some objects. Meanwhile these have no such list of their own."""

    def __init__(self, things: list[Any]) -> None:
        self.things = things

    def __reduce__(self) -> Any:
        return list, (), None, self._each()

    def _each(self) -> Iterator[Any]:
        new = {(get_ident(), id(thing)) for thing in self.things} - _listed
        _listed.update(new)
        try:
            yield from self.things
        finally:
            _listed.difference_update(new)


def inner(root: Any) -> Inner | None:
    """What the state of `root` begins with, or None if it is not deep."""
    if (get_ident(), id(root)) in _listed or not (first := root._objectsInFields()):
        return None
    found: list[Any] = []
    path: list[tuple[Any, Iterator[Any]]] = [(root, iter(first))]
    seen, deepest = {id(root)}, 0
    while path:
        thing, others = path[-1]
        for other in others:
            if id(other) not in seen:
                seen.add(id(other))
                path.append((other, iter(other._objectsInFields())))
                deepest = max(deepest, len(path))
                break
        else:
            if not thing._isPart:
                found.append(thing)
            path.pop()
    return Inner(found[:-1] if found[-1] is root else found) if deepest > _MOST_LEVELS else None
