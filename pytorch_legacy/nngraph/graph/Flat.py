"""Pickling of objects that are chained deeper than Python can recurse."""

from typing import Any

from pytorch_legacy.arrays import is_tensor, pickled
from pytorch_legacy.files.form import BUFFERS
from pytorch_legacy.files.t7.objects import IdentityKey
from pytorch_legacy.objects import Object, pickling


class _Place(int):
    """Stands for the object at this place of the list."""


class Flat(Object):
    """The base of nodes, edges, graphs, and networks of them.

    Their state, for pickle, is a list of all of them that are within reach and of all tables on the way; where one
    refers to another there is a place in this list. The object itself comes first.
    """

    _isPart = True

    def _stored(self) -> dict[str, Any]:
        """The fields that are Torch7's too."""
        return {key: value for key, value in self._ownFields().items() if key[0] != "_"}

    def __getstate__(self) -> Any:
        things: list[Any] = [self]
        places = {id(self): 0}

        def coded(value: Any, buffer: bool = False) -> Any:
            if is_tensor(value):
                return value if buffer else pickled(value)
            if not getattr(value, "_isPart", False) and type(value) not in (list, dict, IdentityKey) and value is not self:
                return value
            if id(value) not in places:
                places[id(value)] = len(things)
                things.append(value)
            return _Place(places[id(value)])

        entries = []
        for thing in things:  # the list grows during the loop
            if isinstance(thing, Flat):
                content: Any = {key: coded(value, key in BUFFERS) for key, value in thing._ownFields().items()}
            elif isinstance(thing, IdentityKey):
                content = coded(thing.value)
            elif isinstance(thing, list):
                content = [coded(value) for value in thing]
            else:
                content = [(coded(key), coded(value)) for key, value in thing.items()]
            entries.append((type(thing), content))
        return pickling.inner(self), entries

    def __setstate__(self, state: Any) -> None:
        _, entries = state  # the first part's objects exist by now
        things = [self, *(kind.__new__(kind) for kind, _ in entries[1:])]

        def decoded(value: Any) -> Any:
            return things[value] if type(value) is _Place else value

        # Keys must be what they are before they are used.
        for thing, (kind, content) in zip(things, entries, strict=True):
            if kind is IdentityKey:
                thing.value = decoded(content)
        for thing, (kind, content) in zip(things, entries, strict=True):
            if kind is list:
                thing.extend(map(decoded, content))
            elif kind is dict:
                thing.update([(decoded(key), decoded(value)) for key, value in content])
            elif kind is not IdentityKey:
                thing.__dict__.update({key: decoded(value) for key, value in content.items()})
