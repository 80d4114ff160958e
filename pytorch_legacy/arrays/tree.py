"""Tables, which are lists, tuples and dicts of arrays, tables and other values: one walk for all who look into them.

>>> from pytorch_legacy.arrays import tree
>>> tree.map(str, [1, {"two": (2, 3)}])
['1', {'two': ('2', '3')}]
>>> [*tree.leaves([1, {"two": (2, 3)}])]
[1, 2, 3]

Tables may be nested deeper than Python can call itself. `Hash` and `Vec` are tables, too, and so are classes that `register`
names; other subclasses of the three types are leaves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .device import Array, handed_over, is_tensor, on_device, to_device


class Hash(dict[Any, Any]):
    """A ``tds.Hash`` of Torch7: a table outside of Lua's memory. It is a dict that is saved as what it was."""

    def __repr__(self) -> str:
        return f"tds.Hash({super().__repr__()})"


class Vec(list[Any]):
    """A ``tds.Vec`` of Torch7: a list outside of Lua's memory. It is a list that is saved as what it was."""

    def __repr__(self) -> str:
        return f"tds.Vec({super().__repr__()})"


_BUILTIN = frozenset((list, tuple, dict, Hash, Vec))
TABLES: set[Any] = {*_BUILTIN}
_DICTS = frozenset((dict, Hash))

_ORIGINALS = "pytorch_legacy.originals"
_OWN = (np.ndarray, np.generic, int, float, str, type(None))


class Kind(NamedTuple):
    """The functions for a class of tables that is not one of Python's.

    Attributes
    ----------
    new : callable
        Returns an empty table like another one.
    entries : callable
        Returns keys and values of a table, in pairs.
    fill : callable
        ``fill(new, pairs, old)`` gives the new table its entries. They are those of the old one, in the same order.
    plain : callable
        Returns a list or dict with the entries of a table.
    """

    new: Callable[[Any], Any]
    entries: Callable[[Any], list[tuple[Any, Any]]]
    fill: Callable[[Any, list[tuple[Any, Any]], Any], None]
    plain: Callable[[Any], Any]


_OTHERS: dict[Any, Kind] = {}


def register(cls: type, kind: Kind) -> None:
    """Objects of a class are tables from now on."""
    _OTHERS[cls] = kind
    TABLES.add(cls)


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


def map(function: Callable[[Any], Any], value: Any, memo: dict[Any, Any] | None = None, *, lists: bool = False) -> Any:
    """`value` with every leaf in it passed through `function`. The tables are made anew, their keys are leaves, too.

    A table that stands in several places is one table in the result, even if it contains itself. With one `memo`, a dict as that
    of ``copy.deepcopy``, that holds for several calls. With `lists` tuples become lists.
    """
    memo = {} if memo is None else memo
    pending: deque[Any] = deque()
    result = _renewed(function, value, memo, pending, lists)
    while pending:
        table = pending.popleft()
        if (other := _OTHERS.get(type(table))) is not None:
            pairs = [
                (_renewed(function, key, memo, pending, lists), _renewed(function, one, memo, pending, lists))
                for key, one in other.entries(table)
            ]
            other.fill(memo[id(table)], pairs, table)
        elif type(table) not in _DICTS:
            memo[id(table)].extend([_renewed(function, entry, memo, pending, lists) for entry in table])
        else:
            both = [[_renewed(function, one, memo, pending, lists) for one in pair] for pair in table.items()]
            memo[id(table)].update(both)
    return result


def _renewed(function: Callable[[Any], Any], value: Any, memo: dict[Any, Any], pending: deque[Any], lists: bool) -> Any:
    """A leaf passed through the function, or the new table for one, which `pending` has until it is filled."""
    kind = type(value)
    if kind is IdentityKey:
        return IdentityKey(_renewed(function, value.value, memo, pending, lists))
    if kind not in TABLES:
        return function(value)
    if id(value) not in memo:
        memo.setdefault(_ORIGINALS, []).append(value)  # an id must not be given away while it is a key
        if kind is tuple and not lists:
            memo[id(value)] = tuple([_renewed(function, entry, memo, pending, lists) for entry in value])
        else:
            memo[id(value)] = [] if kind is tuple else _OTHERS[kind].new(value) if kind in _OTHERS else kind()
            pending.append(value)
    return memo[id(value)]


def map_entries(function: Callable[[Any], Any], value: Any) -> Any:
    """As `map`, but keys stay as they are."""
    kind = type(value)
    if kind not in _BUILTIN:
        return function(value)
    if kind in _DICTS:
        return kind({key: map_entries(function, entry) for key, entry in value.items()})
    return kind([map_entries(function, entry) for entry in value])


def map_arrays(function: Callable[[Array], Any], value: Any, memo: dict[Any, Any] | None = None) -> Any:
    """As `map`, for the arrays among the leaves. All others stay as they are."""
    return map(lambda leaf: function(leaf) if is_tensor(leaf) else leaf, value, memo)


def leaves(value: Any) -> Iterator[Any]:
    """The leaves of a table in order, without keys: `value` itself, if it is none. A table inside itself is passed over."""
    if type(value) not in TABLES:
        yield value
        return
    waiting = [_entries(value)]
    path, around = [id(value)], {id(value)}  # the tables that the walk is in
    while waiting:
        for entry in waiting[-1]:
            if type(entry) not in TABLES:
                yield entry
            elif id(entry) not in around:
                path.append(id(entry))
                around.add(id(entry))
                waiting.append(_entries(entry))
                break
        else:
            waiting.pop()
            around.discard(path.pop())


def plain(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """Returns `value` with lists and dicts in the place of the tables of registered classes in it."""
    memo = {} if memo is None else memo
    if (kind := _OTHERS.get(type(value))) is None:
        return value
    if id(value) not in memo:
        memo[id(value)] = found = kind.plain(value)
        for key, one in enumerate(found) if isinstance(found, list) else [*found.items()]:
            found[key] = plain(one, memo)
    return memo[id(value)]


def _entries(table: Any) -> Iterator[Any]:
    if (other := _OTHERS.get(type(table))) is not None:
        return iter([one for _, one in other.entries(table)])
    return iter(table.values() if type(table) in _DICTS else table)


def paired(function: Callable[[Any, Any], Any], value: Any, other: Any) -> Any:
    """As `map`, with a function that also gets what the table `other` has in the same place, None where it has nothing."""
    kind = type(value)
    if kind not in _BUILTIN:
        return function(value, other)
    alike: Any = other if isinstance(other, kind) else kind()
    if kind in _DICTS:
        return kind({key: paired(function, entry, alike.get(key)) for key, entry in value.items()})
    known = len(alike)
    return kind([paired(function, entry, alike[i] if i < known else None) for i, entry in enumerate(value)])


def to_host(value: Any) -> Any:
    """Returns `value` with all arrays of a device, in tables too, copied to the host."""
    return map(lambda leaf: to_device(leaf, False) if on_device(leaf) else leaf, value)


def as_arrays(value: Any, device: bool) -> Any:
    """`value`, and what is in its tables, as modules take it: arrays of other libraries, such as PyTorch's tensors, seen as
    NumPy's, or on a CUDA device as CuPy's, and tuples as lists. Nothing is copied; where there is nothing to do it is `value`.

    The libraries hand arrays over by DLPack, which also puts the streams of devices in order, or by
    ``__cuda_array_interface__``.

    Raises
    ------
    DtypeError
        If the array is one that cannot be handed over. The text says what it is, and not yet for whom it was.
    """
    if isinstance(value, _OWN) or on_device(value):
        return value
    if type(value) is list and all(isinstance(entry, np.ndarray) for entry in value):
        return value  # as most tables are
    changed = False

    def seen(leaf: Any) -> Any:
        nonlocal changed
        if isinstance(leaf, _OWN) or on_device(leaf):
            return leaf
        if isinstance(leaf, (tuple, list, dict)):  # a subclass of the container
            new = as_arrays(dict(leaf) if isinstance(leaf, dict) else list(leaf), device)
        else:
            new = handed_over(leaf, device)
        changed |= new is not leaf
        return new

    memo: dict[Any, Any] = {}
    result = map(seen, value, memo, lists=True)
    return result if changed or any(type(table) is tuple for table in memo.get(_ORIGINALS, ())) else value


def overlap(one: Any, other: Any) -> bool:
    """May arrays of `one` share memory with arrays of `other`? Both are arrays, or tables of them."""
    if type(one) is np.ndarray and type(other) is np.ndarray:
        if one.base is None is other.base:
            return one is other
        return np.may_share_memory(one, other, 1)  # type: ignore[arg-type]  # some work: windows may interlock
    if type(one) in TABLES:
        for leaf in leaves(one):  # noqa: SIM110  # half of what any() and a generator take
            if overlap(leaf, other):
                return True
        return False
    if type(other) in TABLES:
        return overlap(other, one)
    both = is_tensor(one) and is_tensor(other) and on_device(one) == on_device(other)
    return both and np.may_share_memory(one, other)
