"""Raw nodes of a file, and the words for the place where one stands."""

from __future__ import annotations

import re
from typing import Any

# Kinds of nodes: what the body looks like, and so what becomes of it.
ROOT, TABLE, OBJECT, OPAQUE, FUNCTION, TENSOR, STORAGE, HASH, VECTOR = range(9)


class Malformed(Exception):
    """The bytes at `offset` are not what the format asks for there."""

    def __init__(self, offset: int, message: str, path: str = "") -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.path = path


class Node:
    """One object with an identity, as parsed.

    ``items`` are the objects of its body in the order of the file, other nodes or finished values;
    the body is complete when there are ``wanted`` of them. ``data`` is the part that is not made of
    objects: geometry, elements, bytecode. ``parent`` and ``slot`` tell where the node came up first.
    """

    __slots__ = (
        "data",
        "items",
        "kind",
        "offset",
        "parent",
        "slot",
        "tag",
        "typename",
        "value",
        "version",
        "wanted",
    )

    def __init__(self, kind: int, tag: int, offset: int, parent: Node | None, slot: int) -> None:
        self.kind = kind
        self.tag = tag
        self.offset = offset
        self.parent = parent
        self.slot = slot
        self.items: list[Any] = []
        self.wanted = 0
        self.typename = ""
        self.version = 0
        self.data: Any = None
        self.value: Any = None

    def release(self) -> None:
        """Let go of all other nodes and of what was made of this one."""
        self.parent = self.data = self.value = None
        self.items = []

    def __str__(self) -> str:
        """Path of the node."""
        parts = []
        node = self
        while node.parent is not None:
            parts.append(segment(node.parent.kind, node.parent.items, node.slot, node.parent.wanted))
            node = node.parent
        parts.append(node.typename)
        return join_path(parts[::-1])


def join_path(parts: list[str]) -> str:
    """Join segments from the root on; the middle of a very deep path is left out."""
    parts = [part for part in parts if part]
    if len(parts) > 24:
        parts[8:-12] = [f" ...({len(parts) - 20} levels)... "]
    return "".join(parts)


def segment(kind: int, items: list[Any], slot: int, wanted: int) -> str:
    """Name of the child that stands at `slot` in the body of a node."""
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
