"""Walks through modules within modules: as deep as they may lie, and in a time that grows with their number.

A module may stand in several places, a container that holds such ones in several again, and so on: a few modules then make
more places than anybody can visit. What has no other effect when it is repeated, such as ``evaluate()``, is done to each module
once. What counts places, such as the list that ``parameters()`` gives, counts them as Torch7 did up to `MOST_PLACES`, and each
module once where there are more.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

MOST_PLACES = 100_000
_COUNTED = 10**30  # limit of the count: the exact numbers would grow with the depth

# The ids of the modules that were visited by walks which have not ended, for each method, or None where all places count: a class
# may have a method of its own that begins a walk inside.
_visited: ContextVar[dict[str, set[int] | None] | None] = ContextVar("visited", default=None)


def places(root: Any) -> int:
    """In how many places modules stand: as many as calls that go from each to its children. Too many if one holds itself."""
    counts: dict[int, int] = {}
    path: list[tuple[Any, Iterator[Any]]] = [(root, iter(root._children()))]
    within = {id(root)}
    while path:
        module, children = path[-1]
        for child in children:
            if id(child) in within:
                return MOST_PLACES + 1
            if id(child) in counts:
                continue
            if inner := child._children():
                within.add(id(child))
                path.append((child, iter(inner)))
                break
            counts[id(child)] = 1
        else:
            counts[id(module)] = min(1 + sum(counts[id(child)] for child in module._children()), _COUNTED)
            within.discard(id(module))
            path.pop()
    return counts[id(root)]


def every(root: Any) -> Iterator[tuple[Any, Any]]:
    """Each module and its container, `root` itself first, then depth first: one pair a place, or a module."""
    seen = {id(root)} if places(root) > MOST_PLACES else None
    yield root, root
    path = [(root, iter(root._children()))]
    while path:
        container, children = path[-1]
        for child in children:
            if seen is None or id(child) not in seen:
                if seen is not None:
                    seen.add(id(child))
                yield child, container
                path.append((child, iter(child._children())))
                break
        else:
            path.pop()


def has_twice(root: Any) -> bool:
    """Returns True if a module stands in several places below `root`."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        for child in waiting.pop()._children():
            if id(child) in seen:
                return True
            seen.add(id(child))
            waiting.append(child)
    return False


def broadcast(root: Any, name: str, plain: Any, own: Callable[[Any], Any], call: Callable[[Any], Any], once: bool = True) -> None:
    """Calls `own` with `root` and the modules inside whose class has the method `plain` for `name`, and `call` with others.

    These others call the modules inside them themselves. Exceptions get the place of the module added.

    Parameters
    ----------
    once : bool
        Whether each module gets one call in any case, or one for each place unless there are too many.
    """
    with _walk(name, root, once) as seen:
        if seen is not None:
            seen.add(id(root))
        own(root)
        path = [_Level(root)]
        try:
            while path:
                child = path[-1].advance(seen)
                if child is _END:
                    path.pop()
                elif getattr(type(child), name, None) is plain and name not in child.__dict__:
                    own(child)
                    path.append(_Level(child))
                else:
                    call(child)
        except Exception as error:
            for level in reversed(path):
                level.addErrorContext(error)
            raise


_END = object()


class _Level:
    """A container on the path of a walk, and the index of its child that is being visited."""

    __slots__ = ("_children", "container", "index")

    def __init__(self, container: Any) -> None:
        self.container = container
        self.index = 0
        self._children = enumerate(container._children())

    def advance(self, seen: set[int] | None) -> Any:
        """Returns the next child whose id is not in `seen`, and adds the id; _END after the last one, as a child may be None."""
        for index, child in self._children:
            if seen is None or id(child) not in seen:
                if seen is not None:
                    seen.add(id(child))
                self.index = index
                return child
        return _END

    def addErrorContext(self, error: Exception) -> None:
        if hasattr(self.container, "_addErrorContext"):
            self.container._addErrorContext(error, self.index)


@contextmanager
def _walk(name: str, root: Any, once: bool) -> Iterator[set[int] | None]:
    """The ids of modules that need no further visit; None if all places are visited. Walks within a walk take its answer over."""
    active = _visited.get()
    if active is not None and name in active:
        yield active[name]
        return
    seen: set[int] | None = set() if once or places(root) > MOST_PLACES else None
    token = _visited.set({**(active or {}), name: seen})
    try:
        yield seen
    finally:
        _visited.reset(token)
