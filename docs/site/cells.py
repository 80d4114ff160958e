"""Arrays as pictures: each plane a grid of cells, with the number in it, blue below zero and orange above."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

WIDTH, HEIGHT, GAP = 44, 24, 12  # size of a cell, and gap between planes, in pixels
NARROW = 330  # largest width of planes that stand side by side
MOST_CELLS = 600


def short(number: Any) -> str:
    """A number in a few characters."""
    if isinstance(number, (bool, np.bool_)):
        return "1" if number else "0"
    value = float(number) + 0.0  # -0 is 0
    if not np.isfinite(value):
        return {"inf": "∞", "-inf": "-∞"}.get(str(value), "NaN")
    if value != 0 and abs(value) < 0.005:
        return f"{value:.0e}".replace("e-0", "e-")
    if abs(value) >= 10000:
        return f"{value:.0e}".replace("e+0", "e")
    text = f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def shape(array: Any) -> str:
    return " x ".join(map(str, np.shape(array))) or "a number"


def planes(array: Any) -> list[list[Any]]:
    """The last two dimensions are planes; those before are rows of planes."""
    array = np.asarray(array)
    if array.ndim < 2:
        return [[array.reshape(1, -1)]]
    if array.ndim == 2:
        return [[array]]
    grouped = array.reshape(-1, *array.shape[-3:])
    return [list(group) for group in grouped]


def svg(array: Any, name: str, scale: float) -> str:
    """An array; `scale` is the largest absolute value of what belongs together, which has the full colour."""
    array = np.asarray(array)
    if array.size > MOST_CELLS:
        return f'<p class="too-large">{shape(array)}</p>'
    parts, x, y, right, below = [], 0, 0, 0, 0
    for row in planes(array):
        x, y, below = 0, below and below + GAP, below and below + GAP
        for plane in row:
            rows, columns = plane.shape
            if x and x + columns * WIDTH > NARROW:
                x, y = 0, below + GAP
            parts += _plane(plane, x, y, scale)
            right, below = max(right, x + columns * WIDTH), max(below, y + rows * HEIGHT)
            x += columns * WIDTH + GAP
    size = f'viewBox="-1 -1 {right + 2} {below + 2}" width="{right + 2}" height="{below + 2}"'
    return f'<svg class="cells" role="img" aria-label="{escape(described(array, name))}" {size}>{"".join(parts)}</svg>'


def _plane(plane: Any, x: int, y: int, scale: float) -> list[str]:
    parts = []
    for i, row in enumerate(plane):
        for j, number in enumerate(row):
            left, top = x + j * WIDTH, y + i * HEIGHT
            value = float(number)
            strength = min(1.0, abs(value) / scale) if scale and np.isfinite(value) else 0.0
            kind = "n" if value < 0 else "p"
            place = f'x="{left}" y="{top}" width="{WIDTH}" height="{HEIGHT}"'
            parts.append(f'<rect class="{kind}" {place} fill-opacity="{strength * 0.6:.2f}"/>')
            parts.append(f'<text x="{left + WIDTH // 2}" y="{top + 16}">{short(number)}</text>')
    return parts


def described(array: Any, name: str) -> str:
    """Returns the text for screen readers: the numbers, row by row."""
    rows = np.atleast_2d(array).reshape(-1, np.atleast_1d(array).shape[-1])
    numbers = "; ".join(", ".join(map(short, row)) for row in rows)
    return f"{name}, {shape(array)}: {numbers}"


def figure(value: Any, name: str) -> str:
    """An array, a number or a table, with its name and size below."""
    if isinstance(value, (list, tuple, dict)):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        inside = "".join(figure(one, f"{name}[{key!r}]" if isinstance(value, dict) else f"{name}[{key}]") for key, one in entries)
        return f'<div class="table-of">{inside or escape(name) + ": an empty table"}</div>'
    if value is None or np.size(value) == 0:
        return f"<figure><figcaption><code>{escape(name)}</code> there is none</figcaption></figure>"
    array = np.asarray(value)
    finite = np.abs(array[np.isfinite(array)]) if array.dtype.kind in "fiub" else np.zeros(0)
    scale = float(finite.max()) if finite.size else 0.0
    if array.dtype.kind == "f":
        array = np.where(np.abs(array) < 1e-12 * scale, 0, array)  # removes the rounding errors of a sum that is 0
    caption = f"<code>{escape(name)}</code> {shape(array)}"
    return f"<figure>{svg(array, name, scale)}<figcaption>{caption}</figcaption></figure>"
