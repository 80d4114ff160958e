"""The numbers that layers from outside of the package keep beside recorded arrays.

A program repeats one pass. A number that changes from pass to pass, such as a count of passes, is none of its calls, so that
nothing of it is repeated.
"""

from __future__ import annotations

import types
from collections import deque
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.errors import CompileError
from pytorch_legacy.objects import Object

_NUMBERS = (bool, int, float, complex, str, bytes, np.generic)
_LEFT = ("_bindings", "_inPass", "output", "gradInput")


class Bound(NamedTuple):
    """The memory of an array that the network has had before the passes, and that these leave as it is."""

    number: int


class ChangingNumberError(CompileError):
    """A number in a layer of a user changes from pass to pass."""


def isOutside(module: Any) -> bool:
    """Returns whether the class of a module is not one of the package."""
    return not type(module).__module__.startswith("pytorch_legacy.")


def numbers(modules: Sequence[Any], count: int) -> dict[tuple[int, str], Any]:
    """Returns numbers, texts and contents of plain arrays in these modules, by the place of the module and their own.

    Of recorded arrays it returns which memory they have, if that is one of the first `count` and no call has written to it.
    Modules inside are left out, because each has its own numbers.
    """
    found: dict[tuple[int, str], Any] = {}
    for place, module in enumerate(modules):
        if isOutside(module):
            _add(found, place, module.__dict__, count)
    return found


def _add(found: dict[tuple[int, str], Any], place: int, fields: dict[str, Any], count: int) -> None:
    seen: set[int] = set()
    waiting = deque((name, value) for name, value in fields.items() if name not in _LEFT)
    while waiting:
        name, value = waiting.popleft()
        if isinstance(value, _NUMBERS) or value is None:
            found[place, name] = value
        elif type(value) is np.ndarray:
            found[place, name] = value.dtype.str, value.shape, sha256(value.tobytes()).digest()
        elif isinstance(value, Recorded):
            memory = value.recorder.memory(value.hidden)  # type: ignore[attr-defined]
            if memory.number < count and memory.kind == "constant":
                found[place, name] = Bound(memory.number)
        elif id(value) not in seen and not isinstance(value, Object):
            seen.add(id(value))
            if isinstance(value, (dict, list, tuple, deque, set, frozenset)):
                found[place, f"len({name})"] = len(value)
            waiting.extend((f"{name}{step}", entry) for step, entry in _entries(value))


def _entries(value: Any) -> list[tuple[str, Any]]:
    """Returns what is in a table, a function or another thing, and how an expression goes on to it."""
    if isinstance(value, dict):
        return [(f"[{key!r}]", entry) for key, entry in value.items()]
    if isinstance(value, (list, tuple, deque)):
        return [(f"[{number}]", entry) for number, entry in enumerate(value)]
    if isinstance(value, types.FunctionType):
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=True)
        return [(f".{name}", cell.cell_contents) for name, cell in cells if _isFilled(cell)]
    if isinstance(value, types.MethodType):
        return [("", value.__self__), ("", value.__func__)]
    if isinstance(value, (set, frozenset, type, types.ModuleType)):
        return []
    slots = [name for cls in type(value).__mro__ for name in _names(vars(cls).get("__slots__", ()))]
    fields = {**{name: getattr(value, name) for name in slots if hasattr(value, name)}, **getattr(value, "__dict__", {})}
    return [(f".{name}", entry) for name, entry in fields.items()]


def _names(slots: Any) -> Sequence[str]:
    return (slots,) if isinstance(slots, str) else [name for name in slots if name not in ("__dict__", "__weakref__")]


def _isFilled(cell: Any) -> bool:
    return bool(cell != types.CellType())


def refuse_changed(modules: Sequence[Any], before: dict[tuple[int, str], Any], after: dict[tuple[int, str], Any]) -> None:
    """Raises ChangingNumberError if a pass has changed a number. `before` is what the modules held after the pass before it."""
    for place, name in {**after, **before}:
        one, other = (each.get((place, name)) for each in (before, after))
        if type(one) is type(other) and (one == other or (one != one and other != other)):
            continue
        if (isinstance(one, Bound) or isinstance(other, Bound)) and type(one) is not type(other):
            continue  # an array of the pass, which is a state if a later one reads it
        if isinstance(one, Bound):
            text = "expected the same array after each pass, got one that takes turns with others; copy its contents instead"
        else:
            shown = "" if isinstance(one, tuple) or isinstance(other, tuple) else f" ({one!r:.30}, then {other!r:.30})"
            text = f"expected a number that stays the same from pass to pass, got one that changes{shown}, as a number that"
            text += " counts passes; keep it in an array that passes change"
        raise ChangingNumberError(f"pl.compile: {modules[place]._typename}: {name}: {text}")
