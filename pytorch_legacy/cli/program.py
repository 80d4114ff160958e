"""``convert`` to .thnn: a network as a program in a file."""

from __future__ import annotations

import argparse
from argparse import Namespace
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.arrays import tree
from pytorch_legacy.inference import given, models
from pytorch_legacy.inference.preprocessing import Preprocessing
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.program.inputs import Spec, batch_axes, leaves
from pytorch_legacy.program.program import for_sizes

ENDING = ".thnn"
_PREPARATION = ("size", "crop", "gray", "bgr", "scale", "mean", "std")


def write(options: argparse.Namespace) -> str:
    """Writes the network of options.source as options.target. Returns a text about the program."""
    value = pl.load(options.source)
    net = models.network(options.source, value, options.model)
    said = preparation(value, net)
    assumed = ""
    if options.input:
        tables = [_table(given.by_text(text, net)) for text in options.input]
    elif "size" in said or "crop" in said:
        text = _of_pictures(said, net)
        tables, assumed = (
            [_table(given.by_text(text, net))],
            f"; assumed an input of {text}, as the file says; --input changes it",
        )
    else:
        examples, assumed = given.by_layers(net)
        tables = [_table(examples)]
    merged = _merged(tables, options.input)
    program = for_sizes(net, merged, [[_sizes(spec) for spec in leaves(table)] for table in tables])
    program.labels = models.class_names(value)
    program.preparation = said
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


def _table(examples: Any) -> Any:
    """Returns the specs of two examples: a size that differs in them is free."""
    one, other = examples
    others = iter([*tree.leaves(other)])
    return tree.map(lambda array: _spec(array, next(others)), one)


def _spec(one: Any, other: Any) -> Spec:
    free = tuple(size if size == another else None for size, another in zip(one.shape, other.shape, strict=True))
    return Spec(free, one.dtype, None if one.dtype.kind == "f" else np.array(one))


def _sizes(spec: Spec) -> tuple[int, ...]:
    return tuple(2 if size is None else size for size in spec.shape)


def _merged(tables: list[Any], texts: Any) -> Any:
    """Returns the specs that take all inputs."""
    every = [leaves(table) for table in tables]
    for found, text in zip(every, texts or [None], strict=True):
        start = f"--input {text}" if text else "--input"
        axes = batch_axes(found)
        if any(spec.shape.count(None) > (axis is not None) for spec, axis in zip(found, axes, strict=True)):
            raise Problem(
                f"{start}: a .thnn file holds the sizes that it is given, and any batch; pass --input once for each size, such "
                "as --input 1x3x224x224 --input 1x3x192x256"
            )
        if [(spec.dtype, len(spec.shape)) for spec in found] != [(spec.dtype, len(spec.shape)) for spec in every[0]]:
            raise Problem(f"{start}: expected arrays of the types and numbers of dimensions of the first --input")
    each = iter([_alike(specs) for specs in zip(*every, strict=True)])
    return tree.map(lambda spec: next(each), tables[0]) if not isinstance(tables[0], Spec) else next(each)


def _alike(specs: tuple[Spec, ...]) -> Spec:
    shapes = zip(*(spec.shape for spec in specs), strict=True)
    return specs[0]._replace(shape=tuple(sizes[0] if len({*sizes}) == 1 else None for sizes in shapes))
