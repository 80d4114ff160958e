"""Modules that are made from the Lua texts of tests/golden/manifest.json, by the package that counts from one.

The language reads the texts; what they call are the constructors and methods of `pytorch_legacy.lua.from_one`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.files.form import SCRATCH
from pytorch_legacy.lua import counting, from_one
from pytorch_legacy.lua.from_one import FromOne, python
from pytorch_legacy.lua.language import State, Table
from pytorch_legacy.lua.language.table import fields
from pytorch_legacy.objects import Object


class Value:
    """A value of Python in a Lua program: an object or a package that counts from one, an array, a function."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __call__(self, *arguments: Any) -> Any:
        return shown(self.held(*map(plain, arguments)))


def shown(value: Any) -> Any:
    """A value of Python as Lua gets it."""
    if isinstance(value, tuple):
        return tuple(map(shown, value))
    isPlain = value is None or isinstance(value, (bool, str, Table, Value))
    return value if isPlain else float(value) if isinstance(value, (int, float)) else Value(value)


def plain(value: Any) -> Any:
    """A value of Lua as Python gets it: a table with entries from 1 on is a list, another one a dict."""
    if isinstance(value, Value):
        return value.held
    if not isinstance(value, Table):
        return value
    places = dict.items(value)
    entries = {key: plain(entry) for key, entry in places} | {key: plain(entry) for key, entry in value.__dict__.items()}
    return [*entries.values()] if entries and all(isinstance(key, (int, float)) for key in entries) else entries


def index(value: Value, name: str) -> Any:
    """A field, or a method, which Lua calls with the object."""
    found = getattr(value.held, name)
    if not isinstance(value.held, FromOne) or not callable(found) or isinstance(found, FromOne):
        return shown(found)
    thing = python(value.held)
    return lambda _, *arguments: shown(counting.values(thing, name, found(*map(plain, arguments))))


def setindex(value: Value, name: str, new: Any) -> None:
    setattr(value.held, name, plain(new))


class Tensors:
    """As much of the package ``torch`` as the texts need."""

    @staticmethod
    def ones(*sizes: float) -> Any:
        return np.ones([int(size) for size in sizes])

    @staticmethod
    def LongStorage(sizes: list[float]) -> list[int]:
        return [int(size) for size in sizes]


def state() -> State:
    """A state with the packages that the texts call."""
    made = State()
    made.metatables[Value] = fields(__index=index, __newindex=setindex)
    packages = {name: Value(getattr(from_one, name)) for name in ("nn", "nngraph", "cudnn", "inn")}
    functions: dict[str, Callable[..., Any]] = {
        "T": lambda *sizes: random.uniform(-2, 2, tuple(map(int, sizes)), np.float64), "D": np.array,
    }  # fmt: skip
    made.globals.__dict__.update(packages, torch=Value(Tensors), **{name: Value(f) for name, f in functions.items()})
    return made


def made(text: str) -> Any:
    """The object behind what a text makes."""
    return python(plain(state().load(f"return {text}", "=golden")()))


def differences(ours: Any, wanted: Any, where: str = "", seen: set[int] | None = None) -> Iterator[str]:
    """Yields the fields in which an object differs from the one of a file, all but results; its arrays get those elements."""
    seen = set() if seen is None else seen
    if isinstance(wanted, Object):
        if id(wanted) in seen:
            return
        seen.add(id(wanted))
        if type(ours) is not type(wanted):
            yield f"{where}: expected {wanted._typename}, got {getattr(ours, '_typename', ours)}"
            return
        names = {*ours.__dict__, *ours._counts.fields} - SCRATCH
        for name in sorted(name for name in names if name[0] != "_"):
            a, b = getattr(ours, name, None), getattr(wanted, name, None)
            if is_tensor(a) and is_tensor(b) and a.shape != b.shape:
                setattr(ours, name, b.copy())  # sizes of a buffer, and of a parameter from an old file
            else:
                yield from differences(a, b, f"{where}.{name}", seen)
        for name in SCRATCH & wanted.__dict__.keys():
            a, b = ours.__dict__.get(name), wanted.__dict__[name]
            if is_tensor(a) and is_tensor(b) and a.shape == b.shape:
                a[...] = b  # a gradient, which may be part of a vector
            elif is_tensor(b) and b.size:
                setattr(ours, name, b)
    elif isinstance(wanted, (list, tuple)) and isinstance(ours, (list, tuple)) and len(ours) == len(wanted):
        for i, (a, b) in enumerate(zip(ours, wanted, strict=True)):
            yield from differences(a, b, f"{where}[{i}]", seen)
    elif is_tensor(ours) and wanted is None:
        return  # made of other parameters
    elif is_tensor(wanted) or is_tensor(ours):
        isIndex = getattr(wanted, "dtype", np.dtype(float)).kind in "iu"
        if not (is_tensor(wanted) and is_tensor(ours)) or (isIndex and not np.array_equal(ours, wanted)):
            yield f"{where}: expected {wanted!r:.80}, got {ours!r:.80}"
        else:
            ours[...] = wanted
    elif isinstance(wanted, dict) and isinstance(ours, dict) and ours.keys() == wanted.keys():
        for key in wanted:
            yield from differences(ours[key], wanted[key], f"{where}[{key!r}]", seen)
    elif not (ours == wanted or (not ours and not wanted)):
        yield f"{where}: expected {wanted!r:.80}, got {ours!r:.80}"
