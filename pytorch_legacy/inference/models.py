"""Finds the network in whatever a .t7 file holds, and what the file says about its use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy.files import loading
from pytorch_legacy.interop import Visit, places, walk
from pytorch_legacy.messages import described
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Unknown import Unknown

from . import programs
from .problem import Problem
from .progress import busy

_LARGEST = 4096  # pixels of a side; a field called size may count something else
FAVOURITES = ("model", "net", "network", "module", "generator", "netG")


def load(path: str, lua: Sequence[str] = ()) -> Any:
    """The object in the file. `lua` are Lua files that define classes of objects in it."""
    if not Path(path).exists():
        raise Problem(f"{path}: there is no such file")
    with busy(f"reading {path}"):
        return programs.load(path) if programs.isProgram(path) else loading.load(path, lua=lua)


def networks(value: Any, depth: int = 4) -> Iterator[tuple[str, Module]]:
    """Yields the networks in a value with their places (see `interop.places`): "model", "2.protos.rnn", "" for the value itself.

    They are looked for in lists, tables and objects whose class is not known. The list `modules` of an object is part of it.
    """

    def inside(visit: Visit) -> bool:
        isPart = visit.key == "modules" and visit.parent is not None and isinstance(visit.parent.value, Unknown)
        return visit.depth < depth and isinstance(visit.value, dict | list | Unknown) and not isPart

    for visit in walk(value, inside):
        if is_network(visit.value) and (visit.seen is None or visit.depth == 1):
            yield places.text(visit, ""), visit.value


def is_network(value: Any) -> bool:
    """Returns True for a module. An object of an unknown class counts if it has the fields of modules."""
    return isinstance(value, Module) and (not isinstance(value, Unknown) or role(value) == "module")


def role(unknown: Unknown) -> str:
    """Returns the role of an object of an unknown class, judged by its name and fields: a "criterion", a "module", or "data"."""
    fields = unknown.fields if isinstance(unknown.fields, dict) else {}
    name = unknown._typename.rpartition(".")[2].lower()
    if name.endswith("criterion") or ("sizeAverage" in fields and "modules" not in fields):
        return "criterion"
    if isinstance(fields.get("output"), (int, float)) and "gradInput" in fields and not isinstance(fields["output"], bool):
        return "criterion"
    inside = [*fields.values(), *(entry for value in fields.values() if isinstance(value, list) for entry in value[:100])]
    return "module" if any(isinstance(value, (Module, np.ndarray)) for value in inside) or "modules" in fields else "data"


def network(path: str, value: Any, wanted: str | None = None) -> Module:
    """Returns the network at the place `wanted`; without one, the only network, or the one with a usual name.

    Raises
    ------
    Problem
        If there is none, or several and nothing says which. The text lists the places.
    """
    return located(path, value, wanted)[1]


def located(path: str, value: Any, wanted: str | None = None) -> tuple[str, Module]:
    """Returns the place of the network that `network` returns, and the network."""
    found = dict(networks(value))
    if wanted is not None:
        visits = places.find(value, wanted)
        modules = [visit for visit in visits if is_network(visit.value)]
        if len(modules) > 1:
            choice = _listed(places.text(visit) for visit in modules)
            raise Problem(f"{path}: --model {wanted}: several modules have this name; choose one by its place: {choice}")
        if modules:
            return places.text(modules[0], ""), modules[0].value
        got = f"expected a network, got {described(visits[0].value)}" if visits else "there is no such place"
        raise Problem(f"{path}: --model {wanted}: {got}; networks of the file: {_listed(found)}")
    if not found:
        raise Problem(f"{path}: expected a network in this file, got none; see pytorch-legacy inspect {path}")
    usual = next((name for name in ("", *FAVOURITES) if name in found), None)
    chosen = next(iter(found)) if len(found) == 1 else usual
    if chosen is None:
        raise Problem(f"{path}: expected one network, got several; choose one with --model: {_listed(found)}")
    if isinstance(found[chosen], Unknown) and (within := [name for name in found if name != chosen]):
        name = found[chosen]._typename
        raise Problem(f"{path}: the class {name} is not known; choose another network with --model: {_listed(within)}")
    return chosen, found[chosen]


def _listed(found: Iterable[str]) -> str:
    """Returns places in words; of many, the first ones."""
    names = [name or places.ROOT for name in found]
    return ", ".join(names[:20]) + f" and {len(names) - 20} more" * (len(names) > 20) or "none"


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


def scores_kind(network: Module) -> str:
    """Returns "shares" for a network that ends in a SoftMax, "logarithms" for one that ends in a LogSoftMax, else ""."""
    last = last_name(network)
    return "logarithms" if last.endswith("LogSoftMax") else "shares" if last.endswith("SoftMax") else ""


def last_name(network: Module) -> str:
    """Returns the name of the last layer, such as "nn.LogSoftMax"."""
    if isinstance(network, programs.ProgramNetwork):
        return {"logarithms": "nn.LogSoftMax", "shares": "nn.SoftMax"}.get(network.program.scores, "a program")
    return list(leaves(network))[-1]._typename


def input_planes(module: Module) -> int | None:
    """Returns the number of planes of the network's input, if its first layer with such a number has it."""
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


def preprocessing(value: Any, network: Module) -> dict[str, Any]:
    """Returns the file's settings for the pictures that the network was made for, by the names of `Preprocessing`.

    It says so in fields beside the network, in a table ``transform`` beside it, or in one that is a field of the network, in this
    order. ``imageSize`` or ``size``, and ``cropSize``, are a number, height and width, or planes, height and width; ``mean`` and
    ``std`` are numbers, or one for each plane; ``bgr`` is true or false.
    """
    beside = value if isinstance(value, dict) else {}
    tables: list[Any] = [beside, beside.get("transform"), getattr(network, "transform", None)]
    fields: dict[str, Any] = {}
    for table in tables:
        for place, (name, read) in _FIELDS.items() if isinstance(table, dict) else ():
            if (entry := read(table.get(place))) is not None:
                fields.setdefault(name, entry)
    if len(fields.get("size", ())) == 1 and "crop" not in fields:
        fields["size"] *= 2
    elif len(fields.get("size", ())) == 1:
        fields["size"] = fields["size"][0]  # the crop was cut out of pictures with this shorter side
    if "crop" in fields:
        fields["crop"] = (fields["crop"][0], fields["crop"][-1])
    return fields


def _side_or_sides(value: Any) -> tuple[int, ...] | None:
    sizes = _numbers(value, (1, 2, 3))
    if sizes is None or not all(1 <= size <= _LARGEST and size == int(size) for size in sizes[-2:]):
        return None
    return tuple(int(size) for size in sizes[-2:])


def _of_planes(value: Any) -> tuple[float, ...] | None:
    numbers = _numbers(value, (1, 3))
    return None if numbers is None else tuple(numbers.tolist())


_FIELDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "imageSize": ("size", _side_or_sides),
    "size": ("size", _side_or_sides),
    "cropSize": ("crop", _side_or_sides),
    "mean": ("mean", _of_planes),
    "std": ("std", _of_planes),
    "bgr": ("bgr", lambda value: value if isinstance(value, bool) else None),
}


def _numbers(value: Any, counts: tuple[int, ...]) -> Any:
    """A number, a list of numbers or a tensor as an array, if there are as many as expected; else None."""
    entries = value if isinstance(value, list) else [value]
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
        entries = value.reshape(-1)[: max(counts) + 1].tolist()
    if len(entries) not in counts or not all(type(entry) in (int, float) for entry in entries):
        return None
    return np.array(entries, np.float64)
