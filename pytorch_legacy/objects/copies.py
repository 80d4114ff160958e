"""Copies of objects and of all that is inside them, pickles among them; and new arrays in the place of old ones."""

import copy
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np

from pytorch_legacy.arrays import Tensor, address, is_repeated, is_tensor, map_storage, pickled, placement, tree
from pytorch_legacy.files.form import BUFFERS
from pytorch_legacy.files.stored import Stored
from pytorch_legacy.objects import pickling


class Copied(Stored):
    """Fields that can be copied and pickled. Arrays that share a storage share one in the copy."""

    _everyday: ClassVar[tuple[str, ...]] = ("clone",)
    _isPart = False  # True while it is pickled as part of another object

    def clone(self) -> Self:
        """A deep copy; arrays that share a storage in the original share one in the copy."""
        return copy.deepcopy(self)

    def __copy__(self) -> Self:
        return self._with(self._ownFields())

    def __deepcopy__(self, memo: dict[Any, Any]) -> Self:
        # Make all objects, then fill them: a graph of nodes may be chained deeper than Python can recurse.
        things = reachable(self, memo)
        for thing in things:
            memo[id(thing)] = thing._with({})
        for thing in things:
            memo[id(thing)].__dict__ = thing._copiedFields(memo)
        return memo[id(self)]

    def _copiedFields(self, memo: dict[Any, Any]) -> dict[str, Any]:
        storages = memo.setdefault("pytorch_legacy.storages", {})
        fields = self._ownFields()
        for key, value in fields.items():

            def copied(array: Tensor, alone: bool = key in BUFFERS) -> Tensor:
                if id(array) not in memo:
                    memo[id(array)] = map_storage(array, np.copy, storages, alone)
                return memo[id(array)]

            def leaf(value: Any, copied: Any = copied) -> Any:
                if is_tensor(value):
                    return copied(value)
                return memo[id(value)] if isinstance(value, Copied) else copy.deepcopy(value, memo)

            fields[key] = tree.map(leaf, value, memo)
        return fields

    def __getstate__(self) -> dict[str, Any]:
        seen: dict[Any, Any] = {}
        fields = self._ownFields()
        whole = {key for key in BUFFERS if key in fields and not is_repeated(fields[key])}
        state = {key: value if key in whole else tree.map_arrays(pickled, value, seen) for key, value in fields.items()}
        return {"_inner": inner, **state} if (inner := pickling.inner(self)) else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__.pop("_inner", None)


def reachable(thing: Copied, beyond: Iterable[Any] = ()) -> list[Copied]:
    """`thing` and all objects inside it, each once. Ids in `beyond` are those of objects to leave out."""
    found = [thing]
    known = {id(thing), *beyond}
    seen: dict[Any, Any] = {}

    def meet(leaf: Any) -> None:
        if isinstance(leaf, Copied) and id(leaf) not in known:
            known.add(id(leaf))
            found.append(leaf)

    for inner in found:  # the list grows during the loop
        for value in inner._ownFields().values():
            tree.map(meet, value, seen)
    return found


def rebind(thing: Copied, replacements: list[tuple[Tensor, Tensor]]) -> None:
    """Puts new arrays in the place of old ones everywhere in `thing` and the objects inside.

    Other arrays over the elements of an old one are replaced too: the copies for each time step that a recurrent
    network has in a .t7 file hold such.
    """
    seen: dict[Any, Any] = {}

    def place(array: Tensor) -> Any:
        key, _, *where = placement(array)
        return key, *where

    places = {place(old): new for old, new in replacements}
    for inner in reachable(thing):
        fields = inner._ownFields()
        for key, value in fields.items():
            fields[key] = tree.map_arrays(lambda array: places.get(place(array), array), value, seen)
        inner.__dict__ = fields


def shared(thing: Copied, arrays: Iterable[Any]) -> dict[Any, Any]:
    """Returns the memo with which ``copy.deepcopy(thing)`` shares these arrays.

    In place of other arrays over the same elements the copy has these, too: where modules share a parameter, a .t7 file
    gives each of them an array of its own over the same memory.
    """
    memo = {id(array): array for array in arrays if is_tensor(array)}
    places = {_place(array): array for array in memo.values() if array.size}
    seen: dict[Any, Any] = {}

    def note(array: Tensor) -> None:
        if id(array) not in memo and (known := places.get(_place(array))) is not None:
            memo[id(array)] = known

    for inner in reachable(thing) if places else ():
        for key, value in inner._ownFields().items():
            if key not in BUFFERS:
                tree.map_arrays(note, value, seen)
    return memo


def _place(array: Tensor) -> tuple[Any, ...]:
    return address(array), array.shape, array.strides, array.dtype
