"""Tensors by name: ``model.0.weight`` as in a state dict of PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.errors import FieldError, ShapeError
from pytorch_legacy.files import t7
from pytorch_legacy.files.form import SCRATCH
from pytorch_legacy.files.t7.nodes import printable
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.objects import Object

from . import places
from .walk import Visit, walk

# The axes of a row of a convolution's weight, if the weight is a matrix; old files of other classes have matrices, too.
_ROWS = {
    "SpatialConvolutionMM": ("nInputPlane", "kH", "kW"),
    "SpatialConvolution": ("nInputPlane", "kH", "kW"),
    "SpatialDilatedConvolution": ("nInputPlane", "kH", "kW"),
    "VolumetricConvolution": ("nInputPlane", "kT", "kH", "kW"),
    "TemporalConvolution": ("kW", "inputFrameSize"),
    "cudnn.TemporalConvolution": ("kH", "inputFrameSize"),
}


_MAX_NOTE_LENGTH = 1000  # characters: the attributes of an .h5 data set share 64 KiB


def tensors(value: Any, *, everything: bool = False) -> dict[str, Tensor]:
    """The tensors in a module, a table, or whatever `pl.load` or `t7.read` returned, by name.

    A name is the way to the tensor, joined by dots. Positions count from 0, and the list ``modules`` of a container is
    left out: the weight of the first layer of a ``Sequential`` is ``0.weight``, as in a state dict of PyTorch. An
    object that stands in several places is named by the first of them; arrays that only share memory all have names.
    Clones that a sequence made of its steps or an nn.MapTable of its module, what stands at the nodes of a graph, modules in
    fields beside the list ``modules`` that share what the modules there have, and the weight that nn.WeightNorm computes
    have none.
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
        The arrays themselves, not copies. Empty tensors are left out. Weights of convolutions that Torch7 keeps as matrices
        are seen in PyTorch's shape: that of nn.SpatialConvolutionMM is outputs x inputs x kH x kW, that of
        nn.TemporalConvolution outputs x inputs x kW.
    """
    return {name: _seen(visit) for name, visit in _named(value, everything)}


def notes(value: Any, *, everything: bool = False) -> dict[str, dict[str, str]]:
    """Returns what is known of each tensor beside its elements: the strings "place" and "name", by the names of `tensors`.

    The place counts from 1, as Torch7 prints (`interop.places`): that of the tensor ``model.0.weight`` is ``model.1.weight``.
    The name is what the author called the module, such as ``conv1_1`` in the networks of loadcaffe; tensors of other modules have
    none. `save` writes both into .h5 and .safetensors files.
    """
    found = {}
    for name, visit in _named(value, everything):
        found[name] = {"place": places.text(visit)[:_MAX_NOTE_LENGTH]}
        owner = None if visit.parent is None else visit.parent.value
        fields = getattr(owner, "fields", None) if isinstance(owner, t7.TorchObject) else getattr(owner, "__dict__", None)
        if isinstance(fields, dict) and isinstance(called := fields.get("name"), str) and called:
            found[name]["name"] = printable(called[:_MAX_NOTE_LENGTH])
    return found


def _named(value: Any, everything: bool) -> Iterator[tuple[str, Visit]]:
    counts: dict[str, int] = {}
    taken: set[str] = set()
    memories: set[Any] = set()
    for visit in walk(value, lambda visit: _wanted(visit, everything)):
        array = visit.value
        if is_tensor(array) and visit.seen is None and array.size and _wanted(visit, everything):
            if isinstance(array, np.ndarray):
                memory = (array.__array_interface__["data"][0], array.shape, array.strides)
                if memory in memories and not everything and _beside(visit):
                    continue
                memories.add(memory)
            name = way = visit_name(visit)
            while name in taken:
                counts[way] = counts.get(way, 1) + 1
                name = f"{way}#{counts[way]}"
            taken.add(name)
            yield name, visit


def _wanted(visit: Visit, everything: bool) -> bool:
    if isinstance(visit.key, t7.IdentityKey) or visit.key in ("<key>", "<upvalues>"):
        return False
    if everything or visit.parent is None:
        return True
    if not _is_object(visit.parent.value):
        return not _is_clone(visit)
    key, module = visit.key, visit.parent.value
    if not isinstance(key, str) or key in SCRATCH or key.startswith(("_", "grad", "userGrad")):
        return False
    if key == "weight" and (around := _container(visit.parent)) is not None and _typename(around) == "nn.WeightNorm":
        return False  # the weight is computed from v and g
    return not (isinstance(module, Module) and (key in module._form.scratch or key in getattr(module, "_byStep", ())))


def _container(visit: Visit) -> Any:
    """The object in whose list ``modules`` a value stands, or None."""
    modules = visit.parent
    inside = modules is not None and modules.key == "modules" and modules.parent is not None
    return modules.parent.value if inside and _is_object(modules.parent.value) else None  # type: ignore[union-attr]


def _is_clone(visit: Visit) -> bool:
    """Returns True for a clone of an nn.MapTable, of which there are as many as its last input had entries."""
    return visit.key != 0 and (around := _container(visit)) is not None and _typename(around) == "nn.MapTable"


def _typename(value: Any) -> str:
    return str(value.typename if isinstance(value, t7.TorchObject) else value._typename)


def _seen(visit: Visit) -> Tensor:
    """The tensor, in PyTorch's shape if it is the weight of a convolution that has it as a matrix."""
    array: Tensor = visit.value
    sizes = _filters(visit)
    if sizes is None or array.shape[1] != prod(sizes) or not array.flags.c_contiguous:
        return array
    frames = len(sizes) == 2
    whole = array.reshape(len(array), *sizes)
    return whole.swapaxes(1, 2) if frames else whole


def _filters(visit: Visit) -> tuple[int, ...] | None:
    """The sizes of one row of a convolution's weight: planes, kH and kW, or kW and features; None if it is no such weight."""
    owner: Any = None if visit.parent is None else visit.parent.value
    if visit.key not in ("weight", "gradWeight") or not _is_object(owner) or visit.value.ndim != 2:
        return None
    fields = owner.fields if isinstance(owner, t7.TorchObject) else vars(owner)
    name = _typename(owner)
    names = _ROWS.get(name) or _ROWS.get(name.rpartition(".")[2])
    sizes: list[Any] = [fields.get(key) for key in names] if names and isinstance(fields, dict) else []
    whole = sizes and all(isinstance(size, (int, float)) and size > 0 and size % 1 == 0 for size in sizes)
    return tuple(int(size) for size in sizes) if whole else None


def _beside(visit: Visit) -> bool:
    """Returns True if the value is in a module that is a field of another one, not in the list of its modules."""
    step: Visit | None = visit.parent
    while step is not None and step.parent is not None:
        if isinstance(step.value, Module) and isinstance(step.parent.value, Module):
            return True
        step = step.parent
    return False


def _is_object(value: Any) -> bool:
    return isinstance(value, (Object, t7.TorchObject))


def visit_name(visit: Visit) -> str:
    """Returns the keys that lead to a value, joined by dots."""
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
        Converted to the dtype of the tensor. Shapes must agree but for dimensions of size 1, and the weight of a
        convolution may come as a matrix, as Torch7 has it, or in PyTorch's shape.
    partial : bool
        Allow names that are missing on either side.

    Raises
    ------
    FieldError
        A name is missing. Nothing has been copied then.
    ShapeError
        An array does not fit. Nothing has been copied then.
    """
    known = dict(_named(value, False))
    unknown, missing = [sorted(set(a) - set(b)) for a, b in ((arrays, known), (known, arrays))]
    if (unknown or missing) and not partial:
        lacks = [f"{text}: {', '.join(names[:5])}{', ...' * (len(names) > 5)}" for text, names in
                 (("not in the model", unknown), ("not among the arrays", missing)) if names]  # fmt: skip
        raise FieldError(f"interop.assign: {'; '.join(lacks)}")
    pairs = []
    for name, visit in known.items():
        if name in arrays:
            array = np.asarray(arrays[name])
            shapes = (visit.value, _seen(visit))
            place = next((place for place in shapes if _sizes(place) == _sizes(array)), None)
            if place is None:
                wanted = " or ".join(dict.fromkeys(str(place.shape) for place in shapes[::-1]))
                raise ShapeError(f"interop.assign: {name}: expected an array of shape {wanted}, got {array.shape}")
            pairs.append((place, array))
    for place, array in pairs:
        place[...] = array.reshape(place.shape)
    return len(pairs)


def _sizes(array: Any) -> list[int]:
    return [size for size in array.shape if size > 1]


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
