"""Values: variables of the written forward(), with what they hold for each example."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from pytorch_legacy.arrays.tree import leaves

if TYPE_CHECKING:
    from .aliases import Part

TOKEN = re.compile(r"«(\d+)»")
Shape = tuple[int | None, ...]


class Variable:
    """A variable of forward(): the token that stands for it until it gets its name, and what it holds for each example."""

    __slots__ = ("__weakref__", "held", "token")

    def __init__(self, token: str, held: list[Any]) -> None:
        self.token, self.held = token, held


class Value:
    """An argument or result of a layer: an array of Torch7's, whose numbers a variable of forward() has.

    A layer in place changes the variable of its input. Where a layer copies what PyTorch need not copy, two values have one
    variable, until a layer in place writes over one of them.

    Attributes
    ----------
    variable : Variable
    token : str
        That of the variable. ``str(value)`` is the token.
    held : list
        Contents of the variable for each example: tensors, but for the states of recurrent layers.
    source : (Value, Part) or None
        The value whose memory the layer's output shares, and what it shows of it.
    views : set of Value
        Those that share its memory.
    twin : Value or None
        Of a sequence: the one that has the same numbers with, or without, steps and batch in one dimension.
    """

    __slots__ = ("__weakref__", "_named", "source", "twin", "variable", "views")

    def __init__(self, variable: Variable, named: Callable[[Value], None]) -> None:
        self.variable, self._named = variable, named
        self.source: tuple[Value, Part] | None = None
        self.twin: Value | None = None
        self.views: WeakSet[Value] = WeakSet()

    @property
    def token(self) -> str:
        """Returns the name of the variable in expressions."""
        return self.variable.token

    @property
    def held(self) -> list[Any]:
        """Returns the variable's tensors, one for each example."""
        return self.variable.held

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """The shape for each example."""
        return [tuple(tensor.shape) for tensor in self.held]

    @property
    def shape(self) -> Shape:
        """Sizes; None where the examples differ."""
        return common(self.shapes)

    @property
    def ndim(self) -> int:
        return len(self.shapes[0])

    @property
    def arrays(self) -> list[np.ndarray]:
        """The numbers for each example, to look at."""
        return [tensor.detach().numpy() for tensor in self.held]

    @property
    def is_float(self) -> bool:
        """Returns True for floating-point numbers."""
        return bool(self.held[0].is_floating_point())

    def __str__(self) -> str:
        self._named(self)  # the text may be used as long as the rule at work has it
        return self.token


def common(shapes: Sequence[tuple[int, ...]]) -> Shape:
    """The shape that shapes of one rank have in common; None where they differ."""
    return tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes, strict=True))


def tree(function: Callable[..., Any], *values: Any) -> Any:
    """The table of the results of `function` for what stands in the same place of all tables."""
    if isinstance(values[0], (list, tuple)):
        return [tree(function, *entries) for entries in zip(*values, strict=True)]
    return function(*values)


def flat(value: Any) -> list[Any]:
    """Returns the elements of a table and of the tables within, from left to right."""
    return [*leaves(value)]


def as_numpy(value: Any) -> np.ndarray:
    """An array of ours or of PyTorch's."""
    return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)


def difference(ours: Any, theirs: Any) -> float:
    """The largest difference of two tables, relative to the largest magnitude of its array; infinity for other shapes."""
    if isinstance(ours, (list, tuple)):
        if not isinstance(theirs, (list, tuple)) or len(ours) != len(theirs):
            return float("inf")
        return max((difference(a, b) for a, b in zip(ours, theirs, strict=True)), default=0.0)
    if isinstance(theirs, (list, tuple)):
        return float("inf")
    a, b = as_numpy(ours), as_numpy(theirs)
    if a.shape != b.shape:
        return float("inf")
    kind = a.dtype if a.dtype == b.dtype and a.dtype.kind == "f" else np.dtype(np.float64)
    gap = top = 0.0
    a, b = a.reshape(-1), b.reshape(-1)
    for start in range(0, a.size, _PIECE):
        pieces = (array[start : start + _PIECE].astype(kind, copy=False) for array in (a, b))
        found = _measured(*pieces)
        gap, top = max(gap, found[0]), max(top, found[1])
    return gap / (top or 1.0) if gap else 0.0


_PIECE = 1 << 16  # elements, which stay in a cache


def _measured(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The largest difference of two vectors, and the largest magnitude of the first; numbers that are not finite are to agree."""
    with np.errstate(all="ignore"):
        gaps = a - b
        gap, top = float(max(gaps.max(), -gaps.min())), float(max(a.max(), -a.min()))
    if np.isfinite(gap) and np.isfinite(top):
        return gap, top
    a, b = a.astype(np.float64), b.astype(np.float64)
    finite = np.isfinite(a)
    if not (finite == np.isfinite(b)).all() or not ((a == b) | np.isnan(a) & np.isnan(b) | finite).all():
        return float("inf"), 1.0
    return float(np.abs(a[finite] - b[finite]).max(initial=0.0)), float(np.abs(a[finite]).max(initial=0.0))
