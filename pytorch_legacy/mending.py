"""What was mended while files were read: old releases of Torch7 lack fields, or name and fill them otherwise.

>>> from pytorch_legacy import mending
>>> with mending.collect() as found:  # doctest: +SKIP
...     model = pl.load("old.t7")
>>> for mend in found:  # doctest: +SKIP
...     print(mend.path, mend.typename, mend.field, mend.what)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from inspect import isfunction, unwrap
from opcode import opmap
from types import CodeType
from typing import Any


@dataclass
class Mend:
    """One thing that a file had otherwise.

    Attributes
    ----------
    typename : str
        The class of the object, as in the file.
    field : str
        The field that is right now.
    what : str
        What was done, in words that follow the field's name: "missing: 0".
    path : str
        Where the object is in the file, "" if nobody knows.
    """

    typename: str
    field: str
    what: str
    path: str = ""


_found: ContextVar[list[Mend] | None] = ContextVar("mends", default=None)


@contextmanager
def collect() -> Iterator[list[Mend]]:
    """Lists everything that is mended inside the block, by this thread."""
    found: list[Mend] = []
    token = _found.set(found)
    try:
        yield found
    finally:
        _found.reset(token)


def note(thing: Any, field: str, what: str, path: str = "") -> None:
    """Adds to the list, if there is one, that `field` of `thing` (an object or its typename) was mended."""
    found = _found.get()
    if found is not None:
        found.append(Mend(thing if isinstance(thing, str) else thing._typename, field, what, path))


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


def defaults(thing: Any) -> dict[str, Any]:
    """The fields that the constructor of `thing` sets to arguments of the same name, with the arguments' defaults."""
    cls = type(thing)
    if cls not in _defaults:
        _defaults[cls] = _read_defaults(cls)
    return _defaults[cls]


_defaults: dict[type, dict[str, Any]] = {}


def _read_defaults(cls: type) -> dict[str, Any]:
    found = (unwrap(vars(base)["__init__"]) for base in cls.__mro__ if "__init__" in vars(base))
    makers = [maker for maker in found if isfunction(maker)]
    if not makers:
        return {}
    stored = {name for maker in makers for name in _stored(maker.__code__)}
    code, last, named = makers[0].__code__, makers[0].__defaults__ or (), makers[0].__kwdefaults__ or {}
    given = dict(zip(code.co_varnames[code.co_argcount - len(last) : code.co_argcount], last, strict=True)) | named
    return {name: default for name, default in given.items() if name in stored}


def _stored(code: CodeType) -> set[str]:
    """The attributes that a function sets. Its bytecode is two bytes an instruction; `dis` takes a hundred times as long."""
    steps, numbers = code.co_code[::2], code.co_code[1::2]
    return {code.co_names[number] for step, number in zip(steps, numbers, strict=True) if step == _STORE}


_STORE = opmap["STORE_ATTR"]


def locate(path: Any) -> None:
    """Says where the object is whose mends were noted last."""
    found = _found.get()
    for mend in reversed(found) if found else ():
        if mend.path:
            break
        mend.path = str(path)
