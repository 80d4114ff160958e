"""Tensors by name: ``model.0.weight`` as in a state dict of PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from pytorch_legacy import t7
from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import FieldError, ShapeError
from pytorch_legacy.nn.TorchObject import TorchObject
from pytorch_legacy.storage import Tensor
from pytorch_legacy.t7.nodes import printable

from .walk import Visit, walk

# Fields of modules that hold what the last call left, or memory to work in; nothing that a model consists of.
_SCRATCH_NAMES = """
    output gradInput gradWeight gradBias gradV gradG gradDiagCov finput fgradInput buffer buffer2 addBuffer noise
    indices save_mean save_std columns ones scale normalized norm normp std centered weightBuffer gradOutputBuffer
    outputExpanded gradInputEl gradMaxVals maxVals maxIdx minVals minIdx normalizedValues output_tensor
    total_weight_tensor coef target isTarget randomSamples cumSizes gradBuffer nnz
"""
_SCRATCH = frozenset(_SCRATCH_NAMES.split())


def tensors(value: Any, *, everything: bool = False) -> dict[str, Tensor]:
    """The tensors in a module, a table, or whatever `pl.load` or `t7.read` returned, by name.

    A name is the way to the tensor, joined by dots. Positions count from 0, and the list ``modules`` of a container is
    left out: the weight of the first layer of a ``Sequential`` is ``0.weight``, as in a state dict of PyTorch. An
    object that stands in several places is named by the first of them; arrays that only share memory all have names.
    Should two ways give one name, the later one ends in ``#2``. Of keys, characters that do not print and bytes that are
    no UTF-8 are written as Python shows them (``\\x00``, ``\\xe9``), so that a name is text that every format holds.

    Parameters
    ----------
    value : object
    everything : bool
        Also what the last call left in modules: outputs, gradients, scratch memory.

    Returns
    -------
    dict of str to numpy.ndarray
        The arrays themselves, not copies. Empty tensors are left out.
    """
    return dict(_named(value, everything))


def _named(value: Any, everything: bool) -> Iterator[tuple[str, Tensor]]:
    counts: dict[str, int] = {}
    taken: set[str] = set()
    for visit in walk(value, lambda visit: _wanted(visit, everything)):
        array = visit.value
        if is_tensor(array) and visit.seen is None and array.size and _wanted(visit, everything):
            name = way = name_of(visit)
            while name in taken:
                counts[way] = counts.get(way, 1) + 1
                name = f"{way}#{counts[way]}"
            taken.add(name)
            yield name, array


def _wanted(visit: Visit, everything: bool) -> bool:
    if isinstance(visit.key, t7.IdentityKey) or visit.key in ("<key>", "<upvalues>"):
        return False
    if everything or visit.parent is None or not _is_object(visit.parent.value):
        return True
    return isinstance(visit.key, str) and visit.key not in _SCRATCH and not visit.key.startswith("_")


def _is_object(value: Any) -> bool:
    return isinstance(value, (TorchObject, t7.TorchObject))


def name_of(visit: Visit) -> str:
    """The way to a value, joined by dots."""
    parts = []
    step: Visit = visit
    while step.parent is not None:
        if not (step.key in ("modules", "<contents>") and _is_object(step.parent.value)):
            parts.append(printable(str(step.key)))
        step = step.parent
    return ".".join(parts[::-1]) or "tensor"


def assign(value: Any, arrays: Mapping[str, Any], *, partial: bool = False) -> int:
    """Copies arrays into the tensors of the same names, in place, and returns how many.

    Parameters
    ----------
    value : object
        A module, or a table with modules and tensors, as for `tensors`.
    arrays : mapping of str to array
        Converted to the dtype of the tensor. Shapes must agree but for dimensions of size 1.
    partial : bool
        Allow names that are missing on either side.

    Raises
    ------
    FieldError
        A name is missing. Nothing has been copied then.
    ShapeError
        An array does not fit. Nothing has been copied then.
    """
    places = tensors(value)
    unknown, missing = [sorted(set(a) - set(b)) for a, b in ((arrays, places), (places, arrays))]
    if (unknown or missing) and not partial:
        lacks = [f"{text}: {', '.join(names[:5])}{', ...' * (len(names) > 5)}" for text, names in
                 (("not in the model", unknown), ("not among the arrays", missing)) if names]  # fmt: skip
        raise FieldError(f"interop.assign: {'; '.join(lacks)}")
    pairs = [(name, place, np.asarray(arrays[name])) for name, place in places.items() if name in arrays]
    for name, place, array in pairs:
        if [size for size in place.shape if size > 1] != [size for size in array.shape if size > 1]:
            raise ShapeError(f"interop.assign: {name}: expected an array of shape {place.shape}, got {array.shape}")
    for _, place, array in pairs:
        place[...] = array.reshape(place.shape)
    return len(pairs)


def nested(arrays: Mapping[str, Any]) -> Any:
    """Tables within tables by the dots in the names, for a .t7 file; positions 0, 1, ... make a list."""
    root: dict[str, Any] = {}
    for name, array in arrays.items():
        table = root
        *way, last = name.split(".")
        for step in way:
            inner = table.setdefault(step, {})
            if not isinstance(inner, dict):
                inner = table[step] = {"": inner}  # a name that another one begins with
            table = inner
        table[last] = {**table[last], "": array} if isinstance(table.get(last), dict) else array
    tables = [root]
    for table in tables:
        tables.extend(entry for entry in table.values() if isinstance(entry, dict))
    lists: dict[int, Any] = {}
    for table in reversed(tables):  # the inner ones first
        for key, entry in table.items():
            table[key] = lists.get(id(entry), entry)
        if table and all(str(i) in table for i in range(len(table))):
            lists[id(table)] = [table[str(i)] for i in range(len(table))]
    return lists.get(id(root), root)
