"""Bodies of objects while they are read and written, and the words for the place where one stands."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

# Kinds of bodies: what they look like, and so what becomes of them.
ROOT, TABLE, OBJECT, FUNCTION, TENSOR, HASH, VECTOR = range(7)


class Malformed(Exception):
    """The bytes at `offset` are not what the format asks for there."""

    def __init__(self, offset: int, message: str, path: str = "") -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.path = path


class Frame(NamedTuple):
    """A body that is being read, or whose object the factory has still to fill.

    ``items`` are the objects of the body in the order of the file; it is complete when there are ``wanted`` of them.
    ``parent`` and ``slot`` tell where it stands, ``offset`` where it begins in the file. ``value`` is the object whose body
    it is, as far as that can be made beforehand; ``mark`` is what has to be known at the end of the body.
    """

    parent: Frame | None
    slot: int
    kind: int
    items: list[Any]
    wanted: int
    offset: int
    value: Any = None
    mark: Any = None

    def __str__(self) -> str:
        """Path of the object."""
        parts = []
        frame = self
        while frame.parent is not None:
            parts.append(segment(frame.parent.kind, frame.parent.items, frame.slot, frame.parent.wanted))
            frame = frame.parent
        parts.append(frame.mark)
        return join_path(parts[::-1])


def join_path(parts: list[str]) -> str:
    """Join segments from the root on; the middle of a very deep path is left out."""
    parts = [part for part in parts if part]
    if len(parts) > 24:
        parts[8:-12] = [f" ...({len(parts) - 20} levels)... "]
    return "".join(parts)


def segment(kind: int, items: list[Any], slot: int, wanted: int) -> str:
    """Name of the child that stands at `slot` in a body."""
    if kind in (TABLE, HASH):
        return index_text(items[slot - 1]) if slot % 2 else ".<key>"
    if kind == VECTOR:
        return f"[{slot + 1}]"
    if kind == OBJECT and slot + 1 < wanted:
        return ".<header>"
    return {FUNCTION: ".<upvalues>", TENSOR: ".<storage>"}.get(kind, "")


def index_text(key: Any) -> str:
    """The step to the value behind a key: ``.weight``, ``[3]``."""
    if isinstance(key, str):
        return f".{key}" if re.fullmatch(r"[A-Za-z_]\w{,39}", key, re.ASCII) else f"[{_quoted(key)}]"  # not [3], but ['3']
    if isinstance(key, (bool, int, float)):
        return f"[{key!r}]".lower()
    return f"[<{shown(getattr(key, 'typename', '') or type(key).__name__)}>]"


def shown(text: str) -> str:
    """Text from a file as a message can hold it: on one line, and not too long."""
    plain = re.fullmatch(r"[\w.]{1,40}", text, re.ASCII)
    return text if plain else _quoted(text)


def _quoted(text: str) -> str:
    return ascii(text if len(text) <= 40 else text[:37] + "...")


def printable(text: str) -> str:
    """Text from a file on one line, without what could steer a terminal: such characters as Python writes them."""
    return text if text.isprintable() else "".join(c if c.isprintable() else _escaped(ord(c)) for c in text)


def _escaped(code: int) -> str:
    # A byte that is no UTF-8 was read as one of these.
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else ascii(chr(code))[1:-1]
