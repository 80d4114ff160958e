"""Sorted elements: ``sort``, ``topk``, ``kthvalue``, ``median``, ``mode``.

Equal elements come in the order in which Torch7's quicksort and quickselect left them, which is not that of a stable sort. Where
no two elements of a row are equal, NumPy's order is the only one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..language.errors import raise_error
from .signatures import Form, forms
from .tensor import Array, Tensor
from .values import LONG, axis, integer, shape_of, store

_SMALL = 10  # the number of elements below which a part is left to the insertion sort


def _partition(keys: list[int], places: list[int], low: int, high: int) -> tuple[int, int]:
    """Parts ``low ... high`` by the median of three. Returns the pivot's place, and where the right part begins."""

    def swap(i: int, j: int) -> None:
        keys[i], keys[j] = keys[j], keys[i]
        places[i], places[j] = places[j], places[i]

    swap((low + high) >> 1, low + 1)
    if keys[low + 1] > keys[high]:
        swap(low + 1, high)
    if keys[low] > keys[high]:
        swap(low, high)
    if keys[low + 1] > keys[low]:
        swap(low + 1, low)
    i, j, pivot = low + 1, high, keys[low]
    while True:
        i += 1
        while keys[i] < pivot:
            i += 1
        j -= 1
        while keys[j] > pivot:
            j -= 1
        if j < i:
            break
        keys[i], keys[j] = keys[j], keys[i]
        places[i], places[j] = places[j], places[i]
    swap(low, j)
    return j, i


def _quicksort(keys: list[int]) -> list[int]:
    """Returns the order that Torch7's quicksort gives; the keys are sorted, too."""
    n = len(keys)
    places = list(range(n))
    waiting = [(0, n - 1)] if n - 1 > _SMALL else []
    while waiting:
        low, high = waiting.pop()
        j, i = _partition(keys, places, low, high)
        waiting += [part for part in ((low, j - 1), (i, high)) if part[1] - part[0] + 1 > _SMALL]
    for i in range(n - 2, -1, -1):
        if keys[i] > keys[i + 1]:
            key, place, j = keys[i], places[i], i + 1
            while True:
                keys[j - 1], places[j - 1] = keys[j], places[j]
                j += 1
                if j >= n or not keys[j] < key:
                    break
            keys[j - 1], places[j - 1] = key, place
    return places


def _quickselect(keys: list[int], k: int) -> list[int]:
    """Returns the order after Torch7's search for the element k, which is at its place then, and smaller ones before it."""
    places = list(range(len(keys)))
    low, high = 0, len(keys) - 1
    while high > low:
        if high == low + 1:
            if keys[low] > keys[high]:
                keys[low], keys[high] = keys[high], keys[low]
                places[low], places[high] = places[high], places[low]
            break
        j, i = _partition(keys, places, low, high)
        if j <= k:
            low = i
        if j >= k:
            high = j - 1
    return places


# ------------------------------------------------------------------------------------------------------ rows


def _ranks(row: Array) -> list[int]:
    """Returns integers that are ordered as the elements are; NaN is the largest."""
    ranks: list[int] = np.unique(row, return_inverse=True)[1].ravel().tolist()
    return ranks


def _by_rows(array: Array, d: int, wanted: Callable[[Array], Array]) -> Array:
    """Returns, for each row along a dimension, the places that a function returns."""
    rows = np.moveaxis(array, d, -1)
    flat = rows.reshape(-1, rows.shape[-1])
    found = np.stack([wanted(row) for row in flat])
    return np.moveaxis(found.reshape(*rows.shape[:-1], -1), -1, d)


def _has_ties(array: Array, order: Array, d: int) -> bool:
    found = np.moveaxis(np.take_along_axis(array, order, d), d, 0)
    if array.dtype.kind == "f" and np.isnan(found).any():
        return True
    return bool((found[1:] == found[:-1]).any())


def _sorted_row(row: Array, isDescending: bool) -> Array:
    """Returns the order of a row. Descending is ascending with all comparisons turned round."""
    ranks = _ranks(row)
    return np.array(_quicksort([-rank for rank in ranks] if isDescending else ranks), LONG)


def order_of(array: Array, d: int, isDescending: bool) -> Array:
    """Returns the places of the sorted elements along a dimension."""
    order = np.argsort(array, d)
    if _has_ties(array, order, d):
        return _by_rows(array, d, lambda row: _sorted_row(row, isDescending))
    return np.flip(order, d) if isDescending else order


def _results(values: Tensor | None, indices: Tensor | None, x: Tensor, places: Array, d: int) -> tuple[Tensor, Tensor]:
    found = np.take_along_axis(x.array, places, d)
    return store(values, found, x.__class__), store(indices, places + 1, x.types.tensors[LONG])


def _last(x: Tensor, dimension: float | None, name: str) -> int:
    if not shape_of(x):
        raise_error(f"bad argument #1 to '{name}' (tensor must have one dimension)")
    return x.array.ndim - 1 if dimension is None else axis(x, dimension, name)


def _sort(values: Tensor | None, indices: Tensor | None, x: Tensor, dimension: float | None, isDescending: bool) -> Any:
    d = _last(x, dimension, "sort")
    return _results(values, indices, x, order_of(x.array, d, isDescending), d)


# ------------------------------------------------------------------------------------------------------ selected elements


def _selected(array: Array, d: int, k: int) -> Array:
    """Returns the places of the elements k, counted from 0, along a dimension."""
    order = np.argsort(array, d)
    if not _has_ties(array, order, d):
        return np.take(order, [k], d)
    return _by_rows(array, d, lambda row: np.array([_quickselect(_ranks(row), k)[k]], LONG))


def _kth(values: Tensor | None, indices: Tensor | None, x: Tensor, k: float, dimension: float | None) -> Any:
    d = _last(x, dimension, "kthvalue")
    number = integer(k, "kthvalue")
    if not 1 <= number <= x.array.shape[d]:
        raise_error("bad argument #2 to 'kthvalue' (selected index out of range)")
    return _results(values, indices, x, _selected(x.array, d, number - 1), d)


def _median(values: Tensor | None, indices: Tensor | None, x: Tensor, dimension: float | None) -> Any:
    d = _last(x, dimension, "median")
    return _results(values, indices, x, _selected(x.array, d, (x.array.shape[d] - 1) // 2), d)


def _mode_of(row: Array) -> Array:
    """Returns the place of the most frequent element: the smallest of these, and the last of its run in sorted order."""
    ranks = _ranks(row)
    order = _quicksort(ranks)
    best = most = run = 0
    for i, rank in enumerate(ranks):
        run = run + 1 if i and rank == ranks[i - 1] else 1
        if run > most:
            best, most = i, run
    return np.array([order[best]], LONG)


def _mode(values: Tensor | None, indices: Tensor | None, x: Tensor, dimension: float | None) -> Any:
    d = _last(x, dimension, "mode")
    return _results(values, indices, x, _by_rows(x.array, d, _mode_of), d)


def _top_row(row: Array, k: int, isLargest: bool, isSorted: bool) -> Array:
    ranks = _ranks(row)
    if isLargest:
        order = _quickselect(ranks, len(ranks) - k - 1)[-k:] if k < len(ranks) else list(range(k))
        part = [-rank for rank in ranks[-k:]] if k < len(ranks) else [-rank for rank in ranks]
    else:
        order = _quickselect(ranks, k - 1)[:k]
        part = ranks[:k]
    if isSorted:
        order = [order[i] for i in _quicksort(part)]
    return np.array(order, LONG)


def _topk(
    values: Tensor | None, indices: Tensor | None, x: Tensor, k: float, dimension: float | None, isLargest: bool, isSorted: bool
) -> Any:
    d = _last(x, dimension, "topk")
    number = integer(k, "topk")
    if not 1 <= number <= x.array.shape[d]:
        raise_error("bad argument #2 to 'topk' (k not in range for dimension)")
    if isSorted and not _has_ties(x.array, order := np.argsort(x.array, d), d):
        places = np.take(np.flip(order, d) if isLargest else order, range(number), d)
    else:
        places = _by_rows(x.array, d, lambda row: _top_row(row, number, isLargest, isSorted))
    return _results(values, indices, x, places, d)


FORMS: dict[str, tuple[Form, ...]] = {
    "sort": forms("*T *L T n? b=false", _sort),
    "topk": forms("*T *L T n=1 n? b=false b=false", _topk),
    "kthvalue": forms("*T *L T n n?", _kth),
    "median": forms("*T *L T n?", _median),
    "mode": forms("*T *L T n?", _mode),
}
