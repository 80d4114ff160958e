"""Tensors and storages as text, in Torch7's form: columns of one width, a common factor, the type and the sizes below."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from ..language.errors import raise_error
from .tensor import Array, Storage, Tensor
from .values import shape_of


def _exponent(x: float) -> float:
    """Returns the number of digits before the point."""
    if x == 0:
        return 1
    return math.floor(math.log10(x)) + 1 if math.isfinite(x) else x


class Format:
    """The form of all numbers of a tensor.

    Attributes
    ----------
    form : str
        A form of ``%``.
    scale : float or None
        The common factor.
    width : float
        The width of a column; NaN where a number is not one.
    """

    def __init__(self, values: Array) -> None:
        self.scale: float | None = None
        sizes = np.abs(values)
        low, high = _exponent(float(sizes.min())), _exponent(float(sizes.max()))
        isWhole = bool((values == np.ceil(values)).all())
        if isWhole and high > 9:
            self.form, self.width = "%11.4e", 11.0
        elif isWhole:
            self.width = high + 1
            self.form = f"%{self.width:.0f}d"
        elif high - low > 4:
            self.width = 12.0 if abs(high) > 99 or abs(low) > 99 else 11.0
            self.form = f"%{self.width:.0f}.4e"
        elif high > 5 or high < 0:
            self.width, self.scale = 7.0, 10.0 ** (high - 1)
            self.form = "%7.4f"
        else:
            self.width = 7.0 if high == 0 else high + 6.0
            self.form = "%f" if math.isnan(self.width) else f"%{self.width:.0f}.4f"
        if self.scale == 1:
            self.scale = None

    def lines(self, values: Array) -> list[str]:
        """Returns the numbers as texts."""
        factor = 1.0 if self.scale is None else self.scale
        return [self.form % x for x in (values / factor).tolist()]

    @property
    def head(self) -> str:
        """The line of the common factor."""
        return "" if self.scale is None else f"{self.scale:g} *\n"


def _vector(values: Array) -> str:
    form = Format(values)
    return form.head + "".join(f"{line}\n" for line in form.lines(values))


def _matrix(values: Array, form: Format, indent: str = "") -> str:
    rows, columns = values.shape
    isOpen = math.isnan(form.width)
    most = columns if isOpen else math.floor((80 - len(indent)) / (form.width + 1))
    texts = [form.lines(row) for row in values]
    found, start = [indent], 0
    while start < columns:
        end = min(start + most, columns)
        if most < columns:
            found.append(f"{chr(10) if start else ''}Columns {start + 1} to {end}\n{indent}")
        gap = indent
        if form.scale is not None:
            gap = f"{indent} "
            found.append(f"{form.head} {indent}")
        found.append(f"\n{gap}".join(" ".join(texts[row][start:end]) for row in range(rows)) + "\n")
        start = end
    return "".join(found)


def _slices(values: Array) -> str:
    form = Format(values)
    found = []
    for place in product(*map(range, values.shape[-3::-1])):
        at = place[::-1]
        head = "".join(f"{i + 1}," for i in at)
        found.append(f"({head}.,.) = \n{_matrix(values[at], form, ' ')}")
    return "\n".join(found)


def tensor_text(x: Any = None, *_: Any) -> str:
    """Returns ``tostring(x)`` of a tensor."""
    if not isinstance(x, Tensor):
        raise_error("bad argument #1 to 'tostring' (Tensor expected)")
    shape = shape_of(x)
    if not shape:
        return f"[{x.name} with no dimension]\n"
    tail = f"[{x.name} of size {'x'.join(map(str, shape))}]\n"
    values = x.array.astype(np.float64)
    if not values.size:
        return tail
    if values.ndim == 1:
        return _vector(values) + tail
    return (_matrix(values, Format(values)) if values.ndim == 2 else _slices(values)) + tail


def storage_text(storage: Any = None, *_: Any) -> str:
    """Returns ``tostring(s)`` of a storage."""
    if not isinstance(storage, Storage):
        raise_error("bad argument #1 to 'tostring' (Storage expected)")
    values = storage.vector.astype(np.float64)
    return f"{_vector(values) if values.size else ''}[{storage.name} of size {values.size}]\n"
