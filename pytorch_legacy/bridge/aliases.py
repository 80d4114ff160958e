"""Views: values whose memory is that of others. What a layer in place writes over is seen through all of them.

PyTorch's lines make new values, so the others are made again from the one that was written over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .values import Value


class Part(NamedTuple):
    """The relation of a view to the array that it shows.

    Attributes
    ----------
    kind : str
        "whole": all elements in their order; "repeated": the whole, again and again along `axis`; "slice": that of `place`.
    """

    kind: str
    axis: int = 0
    place: int = 0

    def shown(self, whole: Value, view: Value) -> str:
        """The view, made again from the array."""
        if self.kind == "whole":
            return str(whole) if view.shapes == whole.shapes else f"{whole}.reshape({view}.shape)"
        if self.kind == "repeated":
            return f"{whole}.unsqueeze({self.axis}).expand({view}.shape)"
        return f"{whole}.select({self.axis}, {self.place})"

    def restored(self, whole: Value, view: Value) -> str:
        """The array, with what the view shows now."""
        if self.kind == "whole":
            return str(view) if view.shapes == whole.shapes else f"{view}.reshape({whole}.shape)"
        if self.kind == "repeated":
            return f"{view}.select({self.axis}, 0)"
        return f"torch.select_scatter({whole}, {view}, {self.axis}, {self.place})"


def handed(value: Value, example: int) -> np.ndarray:
    """The numbers of a value as a layer gets them: in memory of its own, or read-only where they repeat another array."""
    array = value.held[example].numpy()
    if value.source is None or value.source[1].kind != "repeated":
        return array.copy()
    axis = value.source[1].axis
    return np.broadcast_to(np.expand_dims(array.take(0, axis), axis), array.shape)


def part(whole: np.ndarray, view: np.ndarray) -> Part | None:
    """Returns the relation of `view` to an array, if it is one of those that layers use."""
    offset = view.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    isSame = (offset, view.shape, view.strides) == (0, whole.shape, whole.strides)
    if isSame or (view.size == whole.size and view.flags.c_contiguous):
        return Part("whole")
    if not whole.flags.c_contiguous:
        return None
    for axis in range(max(view.ndim, whole.ndim)):
        if view.ndim == whole.ndim + 1 and _without(view.shape, axis) == whole.shape and view.strides[axis] == 0:
            return Part("repeated", axis)
        if view.ndim == whole.ndim - 1 and (view.shape, view.strides) == (
            _without(whole.shape, axis),
            _without(whole.strides, axis),
        ):
            return Part("slice", axis, offset // whole.strides[axis])
    return None


def _without(sizes: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return sizes[:axis] + sizes[axis + 1 :]


def parts(inputs: Sequence[Any], outputs: Sequence[Any]) -> dict[tuple[int, int], Part]:
    """Returns the relation of each output that is a view to each input that it shows."""
    found = {}
    for i, one in enumerate(inputs):
        for j, other in enumerate(outputs):
            isPair = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
            if isPair and np.may_share_memory(one, other) and (shown := part(one, other)):
                found[i, j] = shown
    return found
