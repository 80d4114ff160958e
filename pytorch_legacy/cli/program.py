"""``convert`` to .thnn: a network as a program in a file."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.arrays import tree
from pytorch_legacy.inference import expected, given, inputs, models
from pytorch_legacy.inference.preprocessing import Preprocessing
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.program.inputs import Spec, batch_axes, leaves
from pytorch_legacy.program.program import for_sizes

ENDING = ".thnn"
_PREPARATION = ("size", "crop", "gray", "bgr", "scale", "mean", "std")


def write(options: argparse.Namespace) -> str:
    """Writes the network of options.source as options.target. Returns a text about the program."""
    value = pl.load(options.source, lua=options.lua)
    net = models.network(options.source, value, options.model)
    said = preparation(value, net)
    texts, assumed = options.input, ""
    if not texts and ("size" in said or "crop" in said):
        texts = [_of_pictures(said, net)]
        assumed = f"; assumed an input of {texts[0]}, as the file says; --input changes it"
    if texts:
        found = [_by_text(text, net) for text in texts]
    else:
        examples, assumed = given.by_layers(net)
        found = [by_examples(examples)]
    tables = [table for table, _ in found]
    program = for_sizes(net, _merged(tables, options.input), [shapes for _, shapes in found])
    program.labels = models.class_names(value)
    program.preparation = said if "size" in said or "crop" in said else {**said, **_only_size(tables)}
    program.save(options.target)
    return f"{str(program).removeprefix('Program: ')}{assumed}"


def preparation(value: Any, net: Any) -> dict[str, Any]:
    """Returns the preparation of pictures that the file says, for `Program.preparation`."""
    said = Namespace(preset=None, **dict.fromkeys(_PREPARATION))
    found = Preprocessing.of(said, value, net)
    kept = {name: getattr(found, name) for name in _PREPARATION if name in found.origins}
    return kept | ({"scale": found.scale} if "mean" in kept else {})


def _of_pictures(said: dict[str, Any], net: Any) -> str:
    """Returns the input for pictures of the size that the file says."""
    size = said.get("crop") or said["size"]
    height, width = (size, size) if isinstance(size, int) else size
    return f"1x{models.input_planes(net) or 3}x{height}x{width}"


def _only_size(tables: list[Any]) -> dict[str, Any]:
    """Returns the size of pictures if the program takes pictures of no other size."""
    [first, *others] = tables
    if others or not isinstance(first, Spec) or len(first.shape) != 4 or first.shape[1] not in (1, 3) or first.dtype.kind != "f":
        return {}
    return {} if None in first.shape[2:] else {"size": first.shape[2:]}


def _by_text(text: str, net: Any) -> tuple[Any, list[tuple[int, ...]]]:
    """Returns the specs that --input stands for, and the shapes to compile for.

    Sizes that are letters are free. If there are none, the first size is free if the network takes others.
    """
    table, _ = by_examples(given.by_text(text, net))
    arrays = [*inputs.arrays(expected.given(text, net))]
    if any(isinstance(size, str) for array in arrays for size in array.sizes):
        shapes = iter([tuple(None if isinstance(size, str) else size for size in array.sizes) for array in arrays])
        table = _mapped(lambda spec: spec._replace(shape=next(shapes)), table)
    return table, [tuple(2 if isinstance(size, str) else size for size in array.sizes) for array in arrays]


def by_examples(examples: Any) -> tuple[Any, list[tuple[int, ...]]]:
    """Returns the specs of two examples, in which a size that differs is free, and shapes to compile for."""
    one, other = examples
    others = iter([*tree.leaves(other)])
    table = tree.map(lambda array: _spec(array, next(others)), one)
    return table, [tuple(2 if size is None else size for size in spec.shape) for spec in leaves(table)]


def _spec(one: Any, other: Any) -> Spec:
    free = tuple(size if size == another else None for size, another in zip(one.shape, other.shape, strict=True))
    return Spec(free, one.dtype, None if one.dtype.kind == "f" else np.array(one))


def _mapped(function: Callable[[Spec], Spec], table: Any) -> Any:
    """Returns a table of specs with each passed through a function, in order."""
    if isinstance(table, Spec):
        return function(table)
    if isinstance(table, dict):
        return {key: _mapped(function, entry) for key, entry in table.items()}
    return [_mapped(function, entry) for entry in table]


def _merged(tables: list[Any], texts: Any) -> Any:
    """Returns the specs that take all inputs."""
    every = [leaves(table) for table in tables]
    for found, text in zip(every, texts or [None], strict=True):
        start = f"--input {text}" if text else "the network takes pictures of any size"
        axes = batch_axes(found)
        if any(spec.shape.count(None) > (axis is not None) for spec, axis in zip(found, axes, strict=True)):
            raise Problem(
                f"{start}: a .thnn file holds the sizes that it is given, and any batch; pass --input once for each size, such "
                "as --input 1x3x224x224 --input 1x3x192x256"
            )
        if [(spec.dtype, len(spec.shape)) for spec in found] != [(spec.dtype, len(spec.shape)) for spec in every[0]]:
            raise Problem(f"{start}: expected arrays of the types and numbers of dimensions of the first --input")
    each = iter([_alike(specs) for specs in zip(*every, strict=True)])
    return _mapped(lambda spec: next(each), tables[0])


def _alike(specs: tuple[Spec, ...]) -> Spec:
    shapes = zip(*(spec.shape for spec in specs), strict=True)
    return specs[0]._replace(shape=tuple(sizes[0] if len({*sizes}) == 1 else None for sizes in shapes))
