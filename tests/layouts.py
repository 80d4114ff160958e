"""Arrays with equal elements and different strides: everything that NumPy users hand over."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.trees import Array, Tree, mapped


def transposed(array: Array) -> Array:
    """The first dimension runs fastest."""
    return np.asfortranarray(array) if array.ndim > 1 else array.copy()


def sliced(array: Array) -> Array:
    """Every other element of a larger array, whose rest no layer may touch."""
    around = np.full([2 * n + 1 for n in array.shape], 77, array.dtype)
    window = around[tuple(slice(1, 2 * n + 1, 2) for n in array.shape)]
    window[...] = array
    return window


def reversed_(array: Array) -> Array:
    """Negative strides throughout."""
    backwards = (slice(None, None, -1),) * array.ndim
    return array[backwards].copy()[backwards]


def offset(array: Array) -> Array:
    """Dense, but not where its memory begins."""
    memory = np.full(array.size + 3, 77, array.dtype)
    window = memory[3:].reshape(array.shape)
    window[...] = array
    return window


def unaligned(array: Array) -> Array:
    """Dense, at an odd address."""
    memory = np.zeros(array.nbytes + 17, np.uint8)
    start = 1 + -memory.ctypes.data % 16
    window = np.frombuffer(memory.data, array.dtype, array.size, start).reshape(array.shape)
    window[...] = array
    return window


LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "transposed": transposed,
    "sliced": sliced,
    "reversed": reversed_,
    "offset": offset,
    "unaligned": unaligned,
}


def laid_out(tree: Tree, layout: str) -> Tree:
    """Copies of the arrays of the tree in that layout, or "dense"; numbers as they are."""
    copied = LAYOUTS.get(layout, np.ascontiguousarray)
    return mapped(lambda leaf: copied(leaf.copy()) if leaf.ndim else leaf, tree)
