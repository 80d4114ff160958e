"""Records the changes of fields on loading: old releases of Torch7 lack fields, or name and fill them otherwise.

>>> from pytorch_legacy import migration
>>> with migration.collect() as found:  # doctest: +SKIP
...     model = pl.load("old.t7")
>>> for change in found:  # doctest: +SKIP
...     print(change.path, change.typename, change.field, change.what)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass
class Change:
    """One thing that a file had otherwise.

    Attributes
    ----------
    typename : str
        The class of the object, as in the file.
    field : str
        The field that is right now.
    what : str
        Description of what was done, in words that follow the field's name: "missing: 0".
    path : str
        Place of the object in the file, "" if nobody knows.
    """

    typename: str
    field: str
    what: str
    path: str = ""


_found: ContextVar[list[Change] | None] = ContextVar("changes", default=None)


@contextmanager
def collect() -> Iterator[list[Change]]:
    """Lists every change inside the block, by this thread."""
    found: list[Change] = []
    token = _found.set(found)
    try:
        yield found
    finally:
        _found.reset(token)


def note(thing: Any, field: str, what: str, path: str = "") -> None:
    """Adds to the list, if there is one, that `field` of `thing` (an object or its typename) was changed."""
    found = _found.get()
    if found is not None:
        found.append(Change(thing if isinstance(thing, str) else thing._typename, field, what, path))


def text(path: Any) -> str:
    """A place in the file in words, if there is a list to write it to, else ""."""
    return "" if _found.get() is None else str(path)


def fill(thing: Any, fields: dict[str, Any], **defaults: Any) -> dict[str, Any]:
    """`fields` with the defaults for those that are missing, or nil; each one is noted."""
    missing = {name: value for name, value in defaults.items() if fields.get(name) is None}
    if not missing:
        return fields
    for name, value in missing.items():
        note(thing, name, f"missing: {value}")
    return {**fields, **missing}


def rename(thing: Any, fields: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """`fields` with the field `old`, if it is there, under its newer name, unless that one is there too."""
    if old not in fields:
        return fields
    fields = dict(fields)
    value = fields.pop(old)
    if fields.get(new) is None:
        note(thing, new, f"was called {old}")
        fields[new] = value
    return fields


def locate(path: Any) -> None:
    """Says where the object is whose changes were noted last."""
    found = _found.get()
    for change in reversed(found) if found else ():
        if change.path:
            break
        change.path = str(path)
