"""A third input, much larger than the examples: what is alike in both because they are small is not in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy.inference.examples import runs

from .values import flat, tree

_LEAST = 67  # what a stride of 32 leaves more than two cells of


def farther(examples: list[Any], net: Any) -> Any:
    """The input; None where no size but the batch varies, or the network does not take it.

    Widths of 4 and 7 both become 1 with a stride of 8: what is written on these alone may take the 1 for a constant.
    """
    first, last = examples[0], examples[-1]
    if all(a.shape[1:] == b.shape[1:] for a, b in zip(flat([first]), flat([last]), strict=True)):
        return None
    made = tree(_far, first, last)
    return made if runs(net, made) else None


def _far(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """`first` with the sizes that vary, but for the batch, as many of their differences larger as it takes.

    By whole differences, as there are networks that take multiples of a size alone.
    """
    pairs = [*zip(first.shape, second.shape, strict=True)]
    least = _LEAST if sum(a != b for a, b in pairs[1:]) < 3 else 0  # films would take too long
    for axis, (a, b) in enumerate(pairs):
        if axis and a != b:
            step, goal = abs(b - a), max(2 * max(a, b) + 3, least)
            first = np.take(first, range(a + step * -(-(goal - a) // step)), axis, mode="wrap")
    return np.array(first, order="C")
