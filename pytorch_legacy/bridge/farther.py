"""A third input, much larger than the examples: what is alike in both because they are small is not in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytorch_legacy.errors import THNNError
from pytorch_legacy.inference.examples import forget, runs

from .once import forward_once
from .proof import TOLERANCE
from .values import difference, flat, tree

LEAST = 67
"""A size of which a stride of 32 leaves more than two cells."""


def farther(examples: list[Any], net: Any) -> Any:
    """The input; None where no size varies that others follow from, or the network does not take it.

    Widths of 4 and 7 both become 1 with a stride of 8: what is written on these alone may take the 1 for a constant. A larger
    batch costs the most and shows nothing, where the network gives each sample what it gives that sample alone.
    """
    first, last = examples[0], examples[-1]
    start = 0 if _mixes(net, first, last) else 1
    if all(a.shape[start:] == b.shape[start:] for a, b in zip(flat([first]), flat([last]), strict=True)):
        return None
    made = tree(lambda a, b: _far(a, b, start), first, last)
    return made if runs(net, made) else None


def _mixes(net: Any, first: Any, last: Any) -> bool:
    """Does what the network gives for a sample depend on the others, or on how many there are?"""
    counts = {b.shape[0] for a, b in zip(flat([first]), flat([last]), strict=True) if a.shape[:1] != b.shape[:1]}
    if len(counts) != 1:
        return bool(counts)
    outputs = []
    for input in (last, tree(lambda a, b: b[-1:] if a.shape[:1] != b.shape[:1] else b, first, last)):
        forget(net)
        try:
            outputs.append(flat([tree(np.array, forward_once(net, tree(np.copy, input)))]))
        except THNNError:
            return True
        except Exception:
            return False  # which the writer says at its place
    all_follow = all(a.shape[:1] == (*counts,) for a in outputs[0])
    return not all_follow or not difference([a[-1:].ravel() for a in outputs[0]], [a.ravel() for a in outputs[1]]) <= TOLERANCE


def beyond(pair: tuple[int, int], goal: int) -> int:
    """A size, the goal at least, in whole differences of those of both examples: some networks take multiples of a size alone."""
    first, step = pair[0], abs(pair[1] - pair[0])
    return first + step * -(-(goal - first) // step)


def _far(first: np.ndarray, second: np.ndarray, start: int) -> np.ndarray:
    """`first` with the sizes that vary, from `start` on, much larger."""
    pairs = [*zip(first.shape, second.shape, strict=True)]
    least = LEAST if sum(a != b for a, b in pairs[start:]) < 3 else 0  # films would take too long
    for axis, pair in enumerate(pairs):
        if axis >= start and len({*pair}) > 1:
            first = np.take(first, range(beyond(pair, max(2 * max(pair) + 3, least))), axis, mode="wrap")
    return np.array(first, order="C")
