"""A tensor as a window onto its storage, checked before it is opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .layouts import DType


def tensor_view(
    storage: np.ndarray[Any, Any] | None,
    dtype: DType,
    offset: int,
    size: Sequence[int],
    stride: Sequence[int],
) -> np.ndarray[Any, Any]:
    """Return the view of a storage that has the given size and stride, in elements.

    Parameters
    ----------
    storage : numpy.ndarray or None
        All elements of the storage, one-dimensional; None if the tensor has none.
    dtype : numpy.dtype
        That of the storage.
    offset : int
        Position of the first element, from 0 on.
    size, stride : sequence of int
        Both empty for Torch's empty tensor, which becomes an array of shape (0,).

    Raises
    ------
    ValueError
        If any element would lie outside the storage.
    """
    if not size:
        return np.ndarray((0,), dtype, storage)
    last, count = offset, 1
    steps = []
    for extent, step in zip(size, stride, strict=True):
        if extent < 0 or step < 0:
            raise ValueError(f"expected size and stride without negative numbers, got {list(size)} and {list(stride)}")
        last += (extent - 1) * step
        count *= extent
        # The stride of a dimension of size 1 leads nowhere and may be any number, so keep it within reason.
        steps.append((step if extent > 1 else min(step, 1 << 48)) * dtype.itemsize)
    if count * dtype.itemsize >= 1 << 63:
        raise ValueError(f"size {list(size)} is more than any memory holds")
    if offset < 0:
        raise ValueError(f"expected an offset from 1 on, got {offset + 1}")
    if count:
        elements = 0 if storage is None else storage.size
        if last >= elements:
            raise ValueError(
                f"size {list(size)} and stride {list(stride)} from element {offset + 1} on "
                f"reach element {last + 1}, but the storage has {elements}"
            )
    else:
        # No element, no place: the offset may be anything. The storage stays the base all the same.
        offset = 0
    try:
        return np.ndarray(size, dtype, storage, offset * dtype.itemsize, steps)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"size {list(size)} and stride {list(stride)} cannot be an array: {error}") from None
