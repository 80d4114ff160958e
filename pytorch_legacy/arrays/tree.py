"""Tables, which are lists, tuples and dicts of arrays, tables and other values: one walk for all who look into them.

>>> from pytorch_legacy.arrays import tree
>>> tree.map(str, [1, {"two": (2, 3)}])
['1', {'two': ('2', '3')}]
>>> [*tree.leaves([1, {"two": (2, 3)}])]
[1, 2, 3]

Tables may lie one in the other deeper than Python can call itself. Subclasses of the three types are leaves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from .device import Array, is_tensor

TABLES = frozenset((list, tuple, dict))


class IdentityKey:
    """Key of a dict for a value that Python cannot hash: equal only for one and the same value.

    >>> table = [1, 2]
    >>> IdentityKey(table) == IdentityKey(table), IdentityKey(table) == IdentityKey([1, 2])
    (True, False)
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value) >> 4

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and other.value is self.value

    def __repr__(self) -> str:
        return f"<IdentityKey of {type(self.value).__name__} at {id(self.value):#x}>"


def map(function: Callable[[Any], Any], value: Any, memo: dict[Any, Any] | None = None) -> Any:
    """`value` with every leaf in it passed through `function`. The tables are made anew, their keys are leaves, too.

    A table that stands in several places is one table in the result, even if it contains itself. With one `memo`, a dict as that
    of ``copy.deepcopy``, that holds for several calls.
    """
    memo = {} if memo is None else memo
    pending: deque[Any] = deque()

    def renewed(value: Any) -> Any:
        kind = type(value)
        if kind is IdentityKey:
            return IdentityKey(renewed(value.value))
        if kind not in TABLES:
            return function(value)
        if id(value) not in memo:
            memo.setdefault("pytorch_legacy.originals", []).append(value)  # an id must not be given away while it is a key
            if kind is tuple:
                memo[id(value)] = tuple([renewed(entry) for entry in value])
            else:
                memo[id(value)] = kind()
                pending.append(value)
        return memo[id(value)]

    result = renewed(value)
    while pending:
        table = pending.popleft()
        if type(table) is list:
            memo[id(table)].extend([renewed(entry) for entry in table])
        else:
            memo[id(table)].update([(renewed(key), renewed(entry)) for key, entry in table.items()])
    return result


def map_arrays(function: Callable[[Array], Any], value: Any, memo: dict[Any, Any] | None = None) -> Any:
    """As `map`, for the arrays among the leaves. All others stay as they are."""
    return map(lambda leaf: function(leaf) if is_tensor(leaf) else leaf, value, memo)


def leaves(value: Any) -> Iterator[Any]:
    """The leaves of a table in order, without keys: `value` itself, if it is none. A table inside itself is passed over."""
    if type(value) not in TABLES:
        yield value
        return
    path: list[tuple[int, Iterator[Any]]] = [(id(value), _entries(value))]
    within = {id(value)}
    while path:
        for entry in path[-1][1]:
            if type(entry) not in TABLES:
                yield entry
            elif id(entry) not in within:
                within.add(id(entry))
                path.append((id(entry), _entries(entry)))
                break
        else:
            within.discard(path.pop()[0])


def _entries(table: Any) -> Iterator[Any]:
    return iter(table.values() if type(table) is dict else table)
