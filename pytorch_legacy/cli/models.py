"""Finds the network in whatever a .t7 file holds, and what the file says about its use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.interop import Visit, walk
from pytorch_legacy.nn.Module import Module

from .problem import Problem
from .progress import busy

_LARGEST = 4096  # pixels of a side; a field called size may count something else
FAVOURITES = ("model", "net", "network", "module", "generator", "netG")


def load(path: str) -> Any:
    """The object in the file."""
    if not Path(path).exists():
        raise Problem(f"{path}: there is no such file")
    with busy(f"reading {path}"):
        return pl.load(path)


def networks(value: Any, depth: int = 4) -> Iterator[tuple[str, Module]]:
    """Modules in a table and the tables within, each with its place: "model", "protos.rnn", "" for the value itself."""

    def inside(visit: Visit) -> bool:
        return visit.depth < depth and isinstance(visit.value, dict | list)

    for visit in walk(value, inside):
        if isinstance(visit.value, Module) and (visit.seen is None or visit.depth == 1):
            yield ".".join(map(str, visit.keys())), visit.value


def network(path: str, value: Any, wanted: str | None = None) -> Module:
    """The one network to run: the one at the place `wanted`, the only one, or the one with a usual name."""
    found = dict(networks(value))
    if wanted is not None:
        if wanted not in found:
            raise Problem(f"{path}: no network at {wanted!r}; there is: {', '.join(map(repr, found)) or 'none'}")
        return found[wanted]
    if not found:
        raise Problem(f"{path}: no network in this file; see: pytorch-legacy inspect {path}")
    if len(found) == 1:
        return next(iter(found.values()))
    for name in FAVOURITES:
        if name in found:
            return found[name]
    raise Problem(f"{path}: several networks in this file, choose one with --model: {', '.join(found)}")


def leaves(module: Module) -> Iterator[Module]:
    """The modules that hold no others, in order."""
    waiting = [module]
    known: set[int] = set()
    while waiting:
        inner = waiting.pop()
        children = getattr(inner, "modules", None) or []
        if not children:
            yield inner
        elif id(inner) not in known:
            known.add(id(inner))
            waiting.extend(reversed(children))


def input_planes(module: Module) -> int | None:
    """How many planes the network's input has, if its first layer with such a number says so."""
    for leaf in leaves(module):
        if isinstance(planes := getattr(leaf, "nInputPlane", None), int):
            return planes
    return None


def class_names(value: Any) -> list[str] | None:
    """The names of the classes, if a table beside the network has them."""
    if isinstance(value, dict):
        for key in ("classes", "labels", "classList", "synset"):
            names = value.get(key)
            if isinstance(names, list) and all(isinstance(name, str | int | float) for name in names):
                return [str(name) for name in names]
    return None


def normalization(value: Any) -> tuple[Any, Any]:
    """Mean and standard deviation, if the file has them: numbers, or one for each plane."""
    table = value if isinstance(value, dict) else {}
    mean, std = (_numbers(table.get(name), (1, 3)) for name in ("mean", "std"))
    return 0.0 if mean is None else mean, 1.0 if std is None else std


def image_size(value: Any) -> tuple[int, int] | None:
    """Height and width of the pictures that the network was made for, if a field beside it says so.

    ``imageSize`` or ``size`` is a number, height and width, or planes, height and width.
    """
    for name in ("imageSize", "size") if isinstance(value, dict) else ():
        sizes = _numbers(value.get(name), (1, 2, 3))
        if sizes is not None and all(1 <= size <= _LARGEST and size == int(size) for size in sizes[-2:]):
            return int(sizes[-2:][0]), int(sizes[-1])
    return None


def _numbers(value: Any, counts: tuple[int, ...]) -> Any:
    """A number, a list of numbers or a tensor as an array, if there are as many as expected; else None."""
    entries = value if isinstance(value, list) else [value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        entries = value.reshape(-1)[: max(counts) + 1].tolist()
    if len(entries) not in counts or not all(type(entry) in (int, float) for entry in entries):
        return None
    return np.array(entries, np.float64)
