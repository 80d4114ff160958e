"""The proof of a conversion: each layer, and the whole, gives the numbers that Torch7's layers give."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .registry import Differs
from .values import as_numpy, difference, flat, tree

TOLERANCE = 1e-5
"""The largest difference, relative to the largest magnitude of an array, with which something is written."""


class Comparison(NamedTuple):
    """One layer: where it stands, its class, and how much its output differs; None and a reason where it was not compared."""

    place: str
    typename: str
    difference: float | None
    reason: str = ""


class Proof:
    """The comparison of a written module with its network.

    Attributes
    ----------
    layers : list of Comparison
        Each layer on the numbers that the lines before it give, in the order in which they run.
    whole : float or None
        The largest difference of the whole network; None if a layer was not compared, as it is random.
    untied : list of (str, str)
        Pairs of parameters that share a part of their memory in the network, but not in the module, where they learn separately.
    """

    def __init__(self, force: bool = False) -> None:
        self.force = force
        self.layers: list[Comparison] = []
        self.whole: float | None = None
        self.untied: list[tuple[str, str]] = []

    @property
    def worst(self) -> Comparison | None:
        """The layer that differs most."""
        compared = [layer for layer in self.layers if layer.difference is not None]
        return max(compared, key=lambda layer: layer.difference or 0, default=None)

    def compare(self, place: str, typename: str, ours: list[Any], theirs: list[Any]) -> None:
        """Takes note of a layer's results for each example. Raises Differs if they differ, unless forced."""
        gap = difference(ours, theirs)
        self.layers.append(Comparison(place or "the network", typename, gap))
        if not gap <= TOLERANCE and not self.force:
            shapes = [tree(lambda value: tuple(np.shape(value)), results[0]) for results in (ours, theirs)]
            if shapes[0] != shapes[1]:
                raise Differs(f"the shape is {shapes[1]}, expected {shapes[0]}")
            raise Differs(f"the numbers differ by {gap:.2g} of the largest, {_elements(ours, theirs)}")

    def skipped(self, place: str, typename: str, reason: str) -> None:
        """Takes note of a layer that is not compared."""
        self.layers.append(Comparison(place or "the network", typename, None, reason))

    def __str__(self) -> str:
        lines = [f"{layer.place:20} {layer.typename:40} {_shown(layer)}" for layer in self.layers]
        lines.append(f"{'the whole':61} {'not compared' if self.whole is None else f'{self.whole:.1e}'}")
        return "\n".join([*lines, *(f"{other} shares memory with {one} in the network, not here" for one, other in self.untied)])


def _elements(ours: list[Any], theirs: list[Any]) -> str:
    """Returns the text about the array that differs most: the number of elements that differ, and the largest difference."""
    pairs = [(as_numpy(a), as_numpy(b)) for a, b in zip(flat(ours), flat(theirs), strict=True)]
    a, b = (np.atleast_1d(array) for array in max(pairs, key=lambda pair: difference(*pair)))
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        gaps = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0, np.nan_to_num(np.abs(x - y), nan=np.inf))
        count = max((gaps > TOLERANCE * (np.abs(x[np.isfinite(x)]).max(initial=0) or 1)).sum(), 1)
    place = tuple(int(i) for i in np.unravel_index(gaps.argmax(), gaps.shape))
    return f"in {count} of {a.size} elements; the most in {place}: expected {a[place]}, got {b[place]}"


def _shown(layer: Comparison) -> str:
    return f"not compared: {layer.reason}" if layer.difference is None else f"{layer.difference:.1e}"
