"""The package ``display``, which showed pictures and plots in a browser. They go to the session's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..language.arguments import MISSING
from ..language.errors import raise_error
from ..language.table import Table, fields, first, rawget
from ..tensors.signatures import described
from ..tensors.tensor import Array, Tensor
from ..tensors.values import items
from .showing import Plot, show_picture, show_plot
from .values import is_table, listed

if TYPE_CHECKING:
    from ..language.state import State


def _options(value: Any) -> Table:
    return value if is_table(value) else Table()


def rows_of(data: Any) -> Array:
    """Returns rows of numbers, of a tensor or of a table of rows, whose values may be tables of numbers."""
    if isinstance(data, Tensor):
        array = data.array.astype(float)
        return array[:, None] if array.ndim == 1 else array.reshape(len(array), -1)
    if not is_table(data):
        raise_error(f"display.plot: expected a tensor or a table, got {described(data)}")
    rows = []
    for row in listed(data):
        values = items(row) if is_table(row) else row.array.ravel() if isinstance(row, Tensor) else [row]
        rows.append([float(one) if isinstance(one, (int, float, np.number)) else np.nan for one in values])
    width = max(map(len, rows), default=1)
    return np.array([[*row, *[np.nan] * (width - len(row))] for row in rows]).reshape(-1, width)


def library(state: State) -> Table:
    """Returns the package's table."""
    toDisplayTensor = state.require("image").toDisplayTensor
    count = 0

    def window(options: Table) -> str:
        """Returns the name of a window, which programs hand back to draw into it again."""
        nonlocal count
        if options.win is not None:
            return str(first(state.tostring(options.win)))
        count += 1
        return f"window_{count}"

    def image(picture: Any = MISSING, options: Any = None, *_: Any) -> str:
        if not isinstance(picture, Tensor) and not is_table(picture):
            raise_error(f"display.image: expected a tensor or a table of them, got {described(picture)}")
        show_picture(state, toDisplayTensor(fields(input=picture)).array)
        return window(_options(options))

    def plot(data: Any = MISSING, options: Any = None, *_: Any) -> str:
        options, rows = _options(options), rows_of(data)
        labels = [first(state.tostring(one)) for one in listed(options.labels)][1:] if is_table(options.labels) else []
        title, xlabel, ylabel = (first(state.tostring(rawget(options, name) or "")) for name in ("title", "xlabel", "ylabel"))
        shown = Plot(title=title, xlabel=xlabel, ylabel=ylabel)
        columns = rows.T[1:] if rows.shape[1] > 1 else rows.T
        x = rows[:, 0] if rows.shape[1] > 1 else np.arange(1, len(rows) + 1)
        for i, column in enumerate(columns):
            shown.lines.append((labels[i] if i < len(labels) else "", x, column, "-"))
        show_plot(shown, state.pictures.next_file("png"))
        return window(options)

    def configure(*_: Any) -> tuple[()]:
        return ()

    return fields(image=image, images=image, plot=plot, configure=configure)
