"""Describes the content of a .t7 file, in words and as data for --json: its tree, its unknown classes, its functions."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from pytorch_legacy.arrays import base_storage
from pytorch_legacy.files import t7
from pytorch_legacy.files.lua import effect
from pytorch_legacy.files.t7.nodes import printable, shown
from pytorch_legacy.inference import models
from pytorch_legacy.interop import Visit, places, walk
from pytorch_legacy.messages import text_shape
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.listing import first_line, walk_modules
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Unknown import Unknown
from pytorch_legacy.objects import Object

_MOST_COUNTED = 5000  # modules, for a summary


@dataclass
class Entry:
    """One line of the tree. `same` and `shares` are entries that hold the same object, or the same memory."""

    key: str
    kind: str
    text: str
    depth: int
    parent: int
    place: Visit
    same: int | None = None
    shares: int | None = None
    left_out: int = 0
    extra: dict[str, Any] = field(default_factory=dict)


def tree(value: Any, depth: int | None, most: int | None, fields: bool) -> list[Entry]:
    """The values in the file, outermost first.

    Parameters
    ----------
    depth, most
        How deep to go, and how many entries of one table to list; None for all.
    fields
        Go into known modules too.
    """
    entries: list[Entry] = []
    numbers: dict[int, int] = {}  # the numbers of entries, by the identity of their visit
    memory: dict[int, int] = {}
    counts: dict[int, int] = {}
    hidden: set[int] = set()

    def inside(visit: Visit) -> bool:
        inner = visit.value
        if id(visit) in hidden or isinstance(inner, np.ndarray):
            return False
        if isinstance(inner, Object) and not fields and (visit.depth or not isinstance(inner, Unknown)):
            return False
        if most is not None and isinstance(inner, list) and all(type(entry) in (int, float, str, bool) for entry in inner):
            return False  # in the summary already
        return depth is None or visit.depth < depth

    for visit in walk(value, inside):
        parent = -1 if visit.parent is None else numbers.get(id(visit.parent), -1)
        if visit.parent is not None:
            counts[parent] = counts.get(parent, 0) + 1
            if most is not None and counts[parent] > most:
                entries[parent].left_out += 1
                hidden.add(id(visit))
                continue
        number = numbers[id(visit)] = len(entries)
        key = "" if visit.parent is None else places.key_text(visit)
        text = summary(visit.value) if visit.depth < 3 or not isinstance(visit.value, Module) else visit.value._typename
        entry = Entry(key, kind(visit.value), text, visit.depth, parent, visit)
        if visit.seen is not None:
            entry.same = numbers.get(id(visit.seen))
        if isinstance(visit.value, np.ndarray):
            array = visit.value
            entry.extra = {"shape": list(array.shape), "dtype": str(array.dtype)}
            if array.size and entry.same is None:
                first = memory.setdefault(id(base_storage(array)), number)
                entry.shares = first if first != number else None
        entries.append(entry)
    return entries


def kind(value: Any) -> str:
    """Returns the kind of a value, in a word."""
    words: list[tuple[Any, str]] = [
        (type(None), "nil"), (bool, "boolean"), ((int, float), "number"), (str, "string"), (list, "list"), (dict, "table"),
        (t7.Storage, "storage"), (np.ndarray, "tensor"), (t7.Function, "function"), (Unknown, "unknown"), (Module, "module"),
        (Criterion, "criterion"), ((Object, t7.TorchObject), "object"),
    ]  # fmt: skip
    return next((word for types, word in words if isinstance(value, types)), "value")


def summary(value: Any) -> str:
    """A value in a few words."""
    if isinstance(value, Unknown):
        return f"{shown(value._typename)}, a class that is not known"
    if isinstance(value, Module):
        modules = sum(not place.seen for place in islice(walk_modules(value), _MOST_COUNTED)) - 1
        more = "or more " * (modules + 1 >= _MOST_COUNTED)
        return f"{value._typename}, {modules} {more}module{'s' * (modules > 1)}" if modules > 0 else first_line(value)
    if isinstance(value, np.ndarray):
        word = "storage" if isinstance(value, t7.Storage) else "tensor"
        if value.size == 0:
            return f"empty {word}, {value.dtype}"
        few = f": {', '.join(f'{number:.6g}' for number in value.flat)}" if value.size <= 6 and value.ndim == 1 else ""
        return f"{word} {text_shape(value.shape)}, {value.dtype}{few}"
    if isinstance(value, list):
        plain = all(type(entry) in (int, float, str, bool) for entry in value[:10])
        some = ", ".join(summary(entry) for entry in value[:10]) if plain else ""
        return f"list of {len(value)}" + (f": {some}{', ...' if len(value) > 10 else ''}" if some else "")
    if isinstance(value, dict):
        return f"table of {len(value)}"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "...")
    if isinstance(value, t7.Function):
        return f"Lua function, {len(value.bytecode):,} bytes of {language(value)}, {upvalues(value)}; never run"
    if isinstance(value, t7.TorchObject):
        return f"{shown(value.typename)}, an object of Torch"
    if isinstance(value, Object):
        return first_line(value)
    if value is None or isinstance(value, bool):
        return "nil" if value is None else str(value).lower()
    return str(value) if isinstance(value, (int, float)) else f"{type(value).__name__} {value!r:.60}"


def language(function: t7.Function) -> str:
    """Returns the interpreter that a function was compiled for."""
    code = function.bytecode
    if code.startswith(b"\x1bLJ"):
        return f"LuaJIT 2.{code[3] - 1} bytecode" if len(code) > 3 and code[3] in (1, 2) else "LuaJIT bytecode"
    if code.startswith(b"\x1bLua") and len(code) > 4:
        return f"Lua {code[4] >> 4}.{code[4] & 15} bytecode"
    return "bytecode"


def upvalues(function: t7.Function) -> str:
    """Names of the upvalues where the file has them, else how many there are."""
    values = function.upvalues if isinstance(function.upvalues, list) else []
    names = [value["name"] for value in values if isinstance(value, dict) and isinstance(value.get("name"), str)]
    count = f"{len(values)} upvalue{'s' * (len(values) != 1)}"
    return f"{count} ({', '.join(map(shown, names[:6]))}{', ...' * (len(names) > 6)})" if names else count


@dataclass
class Class:
    """A class of the file that is not known here."""

    typename: str
    first: Visit
    role: str = "module"
    count: int = 0
    fields: dict[str, str] = field(default_factory=dict)

    def stub(self) -> list[str]:
        """Returns the lines of a class that would register the unknown typename."""
        name = "".join(c for c in self.typename.rpartition(".")[2] if c.isalnum() or c == "_") or "Layer"
        base, methods = _STUBS[self.role]
        return [
            f"@pl.register({_literal(self.typename)})",
            f"class {name if not name[0].isdigit() else '_' + name}(pl.{base}):",
            *(f"    {line}" for line in methods),
        ]


def _literal(text: str) -> str:
    """The text in Python: in double quotes, unless something in it would have to be escaped."""
    return f'"{text}"' if text.isprintable() and text.isascii() and not set('"\\') & set(text) else ascii(text)


_STUBS = {
    "module": ("nn.Module", ("def updateOutput(self, input): ...", "def updateGradInput(self, input, gradOutput): ...")),
    "criterion": (
        "nn.Criterion",
        ("def updateOutput(self, input, target): ...", "def updateGradInput(self, input, target): ..."),
    ),
    "data": ("objects.Object", ('"""Its fields are attributes."""',)),
}


def describe_effect(visit: Visit) -> str:
    """Returns what happens to a function that a file stores in the place of a method; "" for other functions."""
    owner = None if visit.parent is None else visit.parent.value
    isMethod = (
        isinstance(owner, Object)
        and not isinstance(owner, Unknown)
        and isinstance(visit.key, str)
        and callable(getattr(type(owner), visit.key, None))
    )
    return effect(owner, visit.key) if isMethod else ""


def function_line(visit: Visit, function: t7.Function, place: str) -> str:
    """Returns a function and its place, and what becomes of it if its name is that of a method."""
    about = f"{len(function.bytecode):,} bytes of {language(function)}, {upvalues(function)}"
    told = describe_effect(visit)
    return f"{place}: {told} ({about})" if told else f"{place}: {summary(function)}"


def _role(visit: Visit) -> str:
    """Returns the role of an object of an unknown class; within a module it is a module."""
    role, around = models.role(visit.value), visit.parent
    while role == "data" and around is not None:
        role, around = ("module" if isinstance(around.value, Module) else role), around.parent
    return role


def contents(value: Any) -> tuple[list[Class], list[tuple[Visit, t7.Function]]]:
    """The unknown classes with their fields, and the functions, wherever they are in the file."""
    classes: dict[str, Class] = {}
    functions: list[tuple[Visit, t7.Function]] = []
    for visit in walk(value, lambda visit: not isinstance(visit.value, np.ndarray)):
        isMethod = isinstance(visit.value, t7.Function) and bool(describe_effect(visit))
        if visit.seen is not None and not isMethod:
            continue
        if isinstance(visit.value, t7.Function):
            functions.append((visit, visit.value))
        elif isinstance(visit.value, Unknown):
            name = visit.value._typename
            known = classes.setdefault(name, Class(name, visit, _role(visit)))
            known.count += 1
            fields = visit.value.fields if isinstance(visit.value.fields, dict) else {"contents": visit.value.fields}
            for key, entry in list(fields.items())[:50]:
                known.fields.setdefault(printable(str(key))[:40], summary(entry))
    return list(classes.values()), functions
