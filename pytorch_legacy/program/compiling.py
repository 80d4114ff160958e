"""Records a network for the sizes that it is compiled for, and makes lists of calls of that."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from pytorch_legacy.arrays import is_tensor, on_device, tree
from pytorch_legacy.errors import ArgumentError, CompileError, DtypeError, THNNError
from pytorch_legacy.program import proof
from pytorch_legacy.program.execution import Runner
from pytorch_legacy.program.listing import Listing, NotAffine, at_batch, joined, listing, same
from pytorch_legacy.program.state import with_state
from pytorch_legacy.recording import record
from pytorch_legacy.words import described

_DTYPES = {np.dtype(one) for one in (np.float32, np.float64, np.int64, np.uint8)}


class Spec(NamedTuple):
    """What one input may be: None in `shape` stands for any size. `example` is an array of that kind, if there is one."""

    shape: tuple[int | None, ...]
    dtype: np.dtype[Any]
    example: Any = None


def specs(net: Any, example: Any) -> Any:
    """`example`, in which each shape or array is a `Spec`."""
    if isinstance(example, Spec):
        return example
    if isinstance(example, tuple) and all(size is None or _isSize(size) for size in example):
        if not example or any(size is not None and size < 0 for size in example):
            raise ArgumentError(f"pl.compile: example: expected a shape of one or more sizes, got {example}")
        return Spec(tuple(None if size is None else int(size) for size in example), np.dtype(net._inputDtype))
    if is_tensor(example) and not on_device(example):
        if example.dtype not in _DTYPES:
            raise DtypeError(
                f"pl.compile: example: expected an array of {', '.join(sorted(map(str, _DTYPES)))}, got {example.dtype}"
            )
        return Spec(example.shape or (1,), example.dtype, np.array(example).reshape(example.shape or (1,)))
    if isinstance(example, (list, tuple)) and example:
        return [specs(net, one) for one in example]
    if isinstance(example, dict) and example:
        return {key: specs(net, one) for key, one in example.items()}
    wanted = "expected a shape, an array, or a list or dict of them"
    raise ArgumentError(f"pl.compile: example: {wanted}, got {described(example)}")


def _isSize(size: Any) -> bool:
    return hasattr(size, "__index__") and not is_tensor(size) and not isinstance(size, bool)


def leaves(value: Any) -> list[Spec]:
    """The specs of a table of them, in order."""
    if isinstance(value, Spec):
        return [value]
    return [one for entry in (value.values() if isinstance(value, dict) else value) for one in leaves(entry)]


def filled(value: Any, arrays: Sequence[Any]) -> Any:
    """A table of specs with these arrays in their places."""
    waiting = iter(arrays)
    return _filled(value, waiting)


def _filled(value: Any, waiting: Iterator[Any]) -> Any:
    if isinstance(value, Spec):
        return next(waiting)
    if isinstance(value, dict):
        return {key: _filled(one, waiting) for key, one in value.items()}
    return [_filled(one, waiting) for one in value]


_TRIED = (32, 64, 224, 128, 16, 8, 4, 2)


def first_sizes(net: Any, table: Any) -> tuple[tuple[int, ...], ...]:
    """The shapes to begin with: two samples; of other free sizes the first that the network takes, the same for all of them."""
    found = leaves(table)
    axes = batch_axes(found)

    def shapes(size: int, batch: int) -> tuple[tuple[int, ...], ...]:
        def of(spec: Spec, axis: int | None) -> tuple[int, ...]:
            return tuple((batch if place == axis else size) if one is None else one for place, one in enumerate(spec.shape))

        return tuple(map(of, found, axes))

    isFree = any(spec.shape.count(None) > (axis is not None) for spec, axis in zip(found, axes, strict=True))
    tried = [(size, batch) for batch in (2, 32) for size in (_TRIED if isFree else _TRIED[:1])]
    for size, batch in tried:
        source = proof.Source(found, net, lambda arrays: filled(table, arrays))
        try:
            copy.deepcopy(net).forward(filled(table, source.arrays(shapes(size, batch), batch)))
        except (MemoryError, RecursionError):
            raise
        except Exception:  # of a layer of a user's, too; recording says where
            continue
        return shapes(size, batch)
    return shapes(*tried[0])


def batch_axes(found: Sequence[Spec]) -> tuple[int | None, ...]:
    """Which axis of each input has the size of the batch: the first one where that is free, else the only one that is free."""
    if any(spec.shape[0] is None for spec in found):
        return tuple(0 if spec.shape[0] is None else None for spec in found)
    if any(spec.shape.count(None) > 1 for spec in found):
        return (None,) * len(found)
    return tuple(spec.shape.index(None) if None in spec.shape else None for spec in found)


class Sizes(NamedTuple):
    """The shapes of inputs for one batch, whose size the axes in `axes` have."""

    shapes: tuple[tuple[int, ...], ...]
    axes: tuple[int | None, ...]

    def at(self, n: int) -> list[tuple[int, ...]]:
        """The shapes for a batch of n."""
        both = zip(self.shapes, self.axes, strict=True)
        return [shape if axis is None else (*shape[:axis], n, *shape[axis + 1 :]) for shape, axis in both]


Lists = tuple[Listing, ...]
"""The list of every pass; or, of a network with a state, the lists of the first pass and of later ones."""


def compiled(net: Any, table: Any, sizes: Sizes) -> tuple[list[Lists], Runner]:
    """Lists for these shapes, and the program of them that was proven.

    Where a batch is free, there are lists for one sample, and for all larger batches if their numbers are a + b n.
    """
    try:
        return _compiled(net, table, sizes, 1)
    except proof.StateError:
        return _compiled(net, table, sizes, 3)


def _compiled(net: Any, table: Any, sizes: Sizes, passes: int) -> tuple[list[Lists], Runner]:
    source = proof.Source(leaves(table), net, lambda arrays: filled(table, arrays))
    seen: dict[int, list[Any]] = {}

    def lists(n: int) -> Lists:
        inputs = [source.arrays(sizes.at(n), n) for _ in range(passes)]
        recordings = record(net, *[filled(table, one) for one in inputs])
        seen[n] = [(one, [*tree.leaves(recording.values)]) for one, recording in zip(inputs, recordings, strict=True)]
        return (listing(recordings[0]),) if passes == 1 else with_state(recordings)

    if not any(axis is not None for axis in sizes.axes):
        made = lists(1)
        return [made], proof.prove([made], sizes, [1], source, seen, net)
    general: Lists | None = None
    most = source.most(sizes)
    try:
        general = tuple(joined(two, three, 2) for two, three in zip(lists(2), lists(3), strict=True))
        for n in (4, most):
            if not all(same(at_batch(one, n), other) for one, other in zip(general, lists(n), strict=True)):
                general = None
                break
    except NotAffine:
        general = None
    except CompileError:
        raise
    except THNNError:  # it takes some batches only, or the first size is none
        general = None
    found = [] if general is None else [general]
    try:
        found.insert(0, lists(1))
    except CompileError:
        raise
    except THNNError:
        if general is None:  # it takes neither; perhaps this batch alone
            return _compiled(net, table, Sizes(sizes.shapes, (None,) * len(sizes.axes)), passes)
        seen.pop(1, None)
    batches = [n for n in (1, 2, 3, most) if n in seen and (n == 1 or general is not None)]
    return found, proof.prove(found, sizes, batches, source, {n: one for n, one in seen.items() if n in batches}, net)


__all__ = ["CompileError", "Sizes", "Spec", "compiled", "filled", "leaves", "specs"]
