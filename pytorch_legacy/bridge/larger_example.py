"""A third example input, much larger than the other two, in which sizes differ that are equal in both because these are small."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy.errors import THNNError
from pytorch_legacy.inference.examples import forget, runs

from .forward_freeing import forward_freeing
from .proof import TOLERANCE
from .values import difference, flat, tree

LEAST = 67
"""Minimum size of an axis that varies: a stride of 32 turns it into more than two cells."""


def larger_example(examples: list[Any], net: Any) -> Any:
    """Returns the input, or None if no size varies between the examples, or if the network refuses the input.

    Widths of 4 and 7 both become 1 with a stride of 8, so code that was derived from them alone may take the 1 for a constant.
    The batch is not enlarged if the network computes each sample independently: a large batch would cost the most and show
    nothing.
    """
    first, last = examples[0], examples[-1]
    start = 0 if _mixes(net, first, last) else 1
    if all(a.shape[start:] == b.shape[start:] for a, b in zip(flat([first]), flat([last]), strict=True)):
        return None
    made = tree(lambda a, b: _enlarged(a, b, start), first, last)
    return made if runs(net, made) else None


def _mixes(net: Any, first: Any, last: Any) -> bool:
    """Returns True if the result for a sample depends on the other samples, or on their number."""
    counts = {b.shape[0] for a, b in zip(flat([first]), flat([last]), strict=True) if a.shape[:1] != b.shape[:1]}
    if len(counts) != 1:
        return bool(counts)
    outputs = []
    for input in (last, tree(lambda a, b: b[-1:] if a.shape[:1] != b.shape[:1] else b, first, last)):
        forget(net)
        try:
            outputs.append(flat([tree(np.array, forward_freeing(net, tree(np.copy, input)))]))
        except THNNError:
            return True
        except Exception:
            return False  # the writer reports this error, with its place
    all_follow = all(a.shape[:1] == (*counts,) for a in outputs[0])
    return not all_follow or not difference([a[-1:].ravel() for a in outputs[0]], [a.ravel() for a in outputs[1]]) <= TOLERANCE


def extrapolated_size(pair: tuple[int, int], goal: int) -> int:
    """Returns a size of at least `goal`, whole steps above the first of the pair. Some networks accept multiples only."""
    first, step = pair[0], abs(pair[1] - pair[0])
    return first + step * -(-(goal - first) // step)


def _enlarged(first: np.ndarray, second: np.ndarray, start: int) -> np.ndarray:
    """Returns `first` with the axes that vary, from axis `start` on, made much larger."""
    pairs = [*zip(first.shape, second.shape, strict=True)]
    least = LEAST if sum(a != b for a, b in pairs[start:]) < 3 else 0  # films would take too long
    for axis, pair in enumerate(pairs):
        if axis >= start and len({*pair}) > 1:
            first = np.take(first, range(extrapolated_size(pair, max(2 * max(pair) + 3, least))), axis, mode="wrap")
    return np.array(first, order="C")
