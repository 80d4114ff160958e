"""Attributes that nobody knows and that are called almost as one that the class has: ``net.weigth = w``.

Authors put notes of their own on modules, and files keep them. So such an attribute is written as any other, and `pl.save` warns.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from typing import Any

from pytorch_legacy.files.form import BUFFERS, GRADIENTS
from pytorch_legacy.listed import by_class

MOST_TOLD = 5
_CLOSE = 0.8  # part of the letters that must be the same, in the same order
_EVERYWHERE = frozenset(("_type", "train", *BUFFERS, *GRADIENTS, *GRADIENTS.values()))


class Spelling:
    """Collects the misspelt attributes of the objects of a file."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], str] = {}

    def look(self, thing: Any, names: Iterable[Any]) -> None:
        """`names` are those of the fields that are written of `thing`, an object of a class of this package."""
        cls: Any = type(thing)
        if not cls.__module__.startswith("pytorch_legacy.") or not cls._knowsFields:
            return
        if not (cls._constructed or thing._fileFields):
            return  # nobody knows what its constructor makes: it came out of a pickle
        for name in names:
            if type(name) is not str or name[:1] == "_":
                continue
            if name in thing._fileFields or name in cls._constructed or _knows(cls, name):
                continue
            if meant := _nearest(name, frozenset(cls._constructed) | _declared(cls)):
                self.found.setdefault((thing._typename, name), meant)

    def warning(self) -> str:
        """Returns the warning for the owner of the file, "" if there is none."""
        lines = [f"\n  {typename}: {name}; is {meant} meant?" for (typename, name), meant in self.found.items()]
        more = f"\n  and {len(lines) - MOST_TOLD} more" if len(lines) > MOST_TOLD else ""
        head = "attributes that these classes do not have are saved as notes, but they are called almost as one that they have:"
        return f"{head}{''.join(lines[:MOST_TOLD])}{more}" if lines else ""


@by_class
def _declared(cls: Any) -> frozenset[str]:
    """The fields that the class and its bases declare: in their forms, as annotations, or with a value for all objects."""
    found = {*_EVERYWHERE, *cls._form.names(), *cls._form.renamed.values()}
    for base in cls.__mro__[:-1]:
        found |= vars(base).get("__annotations__", {}).keys()
        found |= {name for name, value in vars(base).items() if not callable(value) and not isinstance(value, property)}
    return frozenset(name for name in found if name[:1] != "_")


@by_class
def _knows(cls: Any, name: str) -> bool:
    return name in _declared(cls) or hasattr(cls, name)


@cache
def _nearest(name: str, known: frozenset[str]) -> str:
    """The known name that is spelt almost so, "" if there is none."""
    names = {other.lower(): other for other in sorted(known)}
    close = get_close_matches(name.lower(), names, 1, _CLOSE)
    return names[close[0]] if close else ""
