"""Places: the way from the value of a file to a value inside it, such as ``model.3.weight``.

A place consists of keys of tables, fields of objects and positions of lists, joined by dots. Positions count from 1, as Torch7
prints them. A module of a container is named by its position alone: ``model.3`` is ``model.modules[3]`` in Lua. A key that is
text, but looks like a number or holds other characters than letters, digits and ``_``, has quotes: ``vocab.'3'``.

`find` also reads Lua's notation, which errors about files use (``root.model.modules[3].weight``), and the name that an author
gave to a module, with or without quotes: ``conv1_1`` or ``conv1_1.weight`` in the networks of loadcaffe.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.files import t7
from pytorch_legacy.files.t7.nodes import printable, shown
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Unknown import Unknown
from pytorch_legacy.nn.utils import author_name
from pytorch_legacy.objects import Object

from .walk import Visit, children, has_identity, walk

ROOT = "root"
"""The place of the whole value, where a text needs one."""

_MAX_KEY_LENGTH = 200  # characters of a key that a text shows
_MAX_STEPS_TO_NAME = 20  # steps of a place in front of the name of a module, for each of which the modules are searched
_PLAIN_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_POSITION = re.compile(r"\[(-?\d{1,18})\]|(-?\d{1,18})(?=[.\[]|$)")
_QUOTED = re.compile(r"""(\[?)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(\]?)(?=[.\[]|$)""", re.DOTALL)
_BRACKETED = re.compile(r"\[([^\[\]]*)\]")


def text(visit: Visit, root: str = ROOT) -> str:
    """Returns the place of a visit; `root` stands for the value at which the walk began."""
    keys: list[str] = []
    step = visit
    while step.parent is not None:
        keys.append(key_text(step))
        step = step.parent
        if keys[-1].isdigit() and step.key == "modules" and _is_implied(step):
            step = step.parent  # type: ignore[assignment]
    return ".".join([root] * (root != ROOT and bool(root)) + keys[::-1]) or root


def from_lua(path: str) -> str:
    """Returns a place that the reader of files wrote in Lua's notation: ``model.3`` for ``root.model.modules[3]``."""
    short = re.sub(r"(?:\.modules)?\[(\d+)\]", r".\1", path)
    return short.removeprefix(ROOT).removeprefix(".") or short


def key_text(visit: Visit) -> str:
    """Returns the last step of a place: ``weight``, ``3``, ``'a key'``."""
    key = visit.key.value if isinstance(visit.key, t7.IdentityKey) else visit.key
    if visit.parent is not None and _is_list(visit.parent.value):
        return str(key + 1)
    if has_identity(key):
        name = getattr(key, "typename", None) or getattr(key, "_typename", None)
        return f"[<{shown(name or ('tensor' if isinstance(key, np.ndarray) else 'table'))}>]"
    if isinstance(key, str):
        if _PLAIN_KEY.fullmatch(key) or key in ("<header>", "<contents>", "<upvalues>", "<key>"):
            return key if len(key) <= _MAX_KEY_LENGTH else f"{key[: _MAX_KEY_LENGTH - 3]}..."
        return ascii(key if len(key) <= _MAX_KEY_LENGTH else f"{key[: _MAX_KEY_LENGTH - 3]}...")
    whole = int(key) if isinstance(key, float) and key.is_integer() else key
    return str(whole) if type(whole) is int else f"[{key!r}]".lower()


def _is_list(value: Any) -> bool:
    """True if the keys of what stands in `value` are positions, which Python counts from 0."""
    return isinstance(value.fields if isinstance(value, Unknown) else value, (list, tuple))


def _is_implied(visit: Visit) -> bool:
    """True if `visit` is the list ``modules`` of an object without positions of its own."""
    owner = None if visit.parent is None else visit.parent.value
    if not isinstance(owner, (Object, t7.TorchObject)) or not isinstance(visit.value, list):
        return False
    return not any(isinstance(key, (int, float)) for key, _ in children(owner))


def find(value: Any, place: str) -> list[Visit]:
    """Returns the visit of the value at a place, or several if the place has a name of several modules; none if there is nothing.

    Parameters
    ----------
    value : object
        Value that `pytorch_legacy.load` or `t7.read` returned.
    place : str
        As `text` writes it. ``root.`` in front, brackets (``[2].net``), ``.modules`` and the parentheses of a printed network
        (``(1.2)``) are understood, too.
    """
    place = place.strip()
    inner = place[1:-1] if place.startswith("(") and place.endswith(")") else place
    root = Visit(value, None, None)
    short = re.sub(rf"^{ROOT}(?=[.\[]|$)\.?", "", inner)
    for way in dict.fromkeys((place, inner, short)):
        if (found := _descended(root, way)) is not None:
            return [found]
    dots = [i for i, character in enumerate(short) if character == "."][:_MAX_STEPS_TO_NAME]
    for path, rest in [*((short[:i], short[i + 1 :]) for i in reversed(dots)), ("", short)]:
        start = _descended(root, path)
        if start is not None and (named := _named(start, rest)):
            return named
    return []


def _descended(root: Visit, place: str) -> Visit | None:
    """Returns the first visit to which all steps of `place` lead."""
    waiting = [(root, place)]
    tried: set[tuple[int, int]] = set()
    while waiting:
        visit, rest = waiting.pop()
        if not rest:
            return visit
        if (id(visit.value), len(rest)) in tried:
            continue
        tried.add((id(visit.value), len(rest)))
        found = [(inner, after.removeprefix(".")) for inner, after in _steps(visit, rest) if after != "."]
        waiting.extend(reversed(found))
    return None


def _steps(visit: Visit, rest: str) -> Iterator[tuple[Visit, str]]:
    """The values to which the first step of `rest` may lead, the likeliest first, and what remains of the text."""
    entries = {key: entry for key, entry in children(visit.value) if not isinstance(key, t7.IdentityKey)}
    if match := _POSITION.match(rest):
        number, after = int(match[1] or match[2]), rest[match.end() :]
        wanted = number - 1 if _is_list(visit.value) else number
        for key, entry in entries.items():
            if isinstance(key, (int, float)) and key == wanted and not isinstance(key, bool):
                yield Visit(entry, key, visit), after
        modules = entries.get("modules")
        if isinstance(modules, list) and 1 <= number <= len(modules):
            yield Visit(modules[number - 1], number - 1, Visit(modules, "modules", visit)), after
    if match := _QUOTED.match(rest):
        key_of_text = _literal(match[2])
        if bool(match[1]) == bool(match[3]) and key_of_text in entries:
            yield Visit(entries[key_of_text], key_of_text, visit), rest[match.end() :]
    if match := _BRACKETED.match(rest):
        for key, entry in entries.items():
            if isinstance(key, (bool, float)) and repr(key).lower() == match[1]:
                yield Visit(entry, key, visit), rest[match.end() :]
    first = re.split(r"[.\[]", rest, maxsplit=1)[0]
    for key, entry in sorted(entries.items(), key=lambda pair: pair[0] != first):
        if isinstance(key, str):
            for spelled in dict.fromkeys((key, printable(key))):
                if spelled and rest.startswith(spelled) and rest[len(spelled) : len(spelled) + 1] in ("", ".", "["):
                    yield Visit(entry, key, visit), rest[len(spelled) :]


def _literal(quoted: str) -> Any:
    try:
        return ast.literal_eval(quoted)
    except (SyntaxError, ValueError):
        return None


def _named(start: Visit, rest: str) -> list[Visit]:
    """The values to which `rest` leads if it begins with the name of a module within a value, each once."""
    found: list[Visit] = []
    for visit in walk(start, lambda visit: not is_tensor(visit.value)):
        name = _name(visit.value) if visit.seen is None else ""
        if not name:
            continue
        for spelled in dict.fromkeys((name, ascii(name))):
            if rest.startswith(spelled) and rest[len(spelled) : len(spelled) + 1] in ("", ".", "["):
                end = _descended(visit, rest[len(spelled) :].removeprefix("."))
                if end is not None and all(end.value is not other.value for other in found):
                    found.append(end)
    return found


def _name(value: Any) -> str:
    """The name that an author gave to a module, or to an object of a file that stands for one."""
    if isinstance(value, t7.TorchObject):
        name = value.fields.get("name") if isinstance(value.fields, dict) else None
        return printable(name) if isinstance(name, str) else ""
    return author_name(value) if isinstance(value, Module) else ""
