"""Names and strings of Lua in Python."""

from __future__ import annotations

import keyword
from typing import Any

METHODS = {"__init": "__init__", "__tostring": "__repr__", "__tostring__": "__repr__"}
"""Methods of classes that Python calls itself, by their names in Torch7."""
RESERVED = frozenset(("G", "Table", "len", "range", "int", "super", "rest", "float", "result"))
"""Names that written programs use themselves."""
_RULES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"})


def quoted(text: str) -> str:
    """Returns a string as Python writes it."""
    return '"' + "".join(c if c.isprintable() and c.isascii() else ascii(c)[1:-1] for c in text.translate(_RULES)) + '"'


def quoted_part(text: str) -> str:
    return quoted(text)[1:-1].replace("{", "{{").replace("}", "}}")


def is_name(name: Any) -> bool:
    """True for the name of a field that is an attribute in Python."""
    return isinstance(name, str) and is_argument(name) and not is_private(name)


def is_private(name: str) -> bool:
    """True for a name that Python changes within classes, or gives a meaning."""
    return name.startswith("__")


def is_argument(name: str) -> bool:
    """True for the name of an argument in Python."""
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
