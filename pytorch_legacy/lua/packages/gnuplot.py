"""The package ``gnuplot``: plots by matplotlib. Those of windows go to the session's folder, those of files to their files."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..language.errors import raise_error
from ..language.table import Table, fields
from ..tensors.signatures import described
from ..tensors.tensor import Array, Tensor
from ..tensors.values import items
from .functions import functions
from .showing import Line, Plot, show_plot
from .values import is_table

if TYPE_CHECKING:
    from ..language.state import State

_STYLES = {"-": "-", "+": "+", ".": ".", "+-": "+-", "~": "-", "|": "|"}
_KINDS = ("png", "pdf", "svg", "eps")
_NOTHING = ("raw", "setgnuplotexe", "setterm", "movelegend", "plotflushall", "scatter3", "splot", "zlabel", "setgnuplotpath")


def _line(values: list[Any]) -> Line:
    """Returns a line of ``[name,] [x,] y [, style]``."""
    label = values.pop(0) if values and values[0].__class__ is str else ""
    style = values.pop() if values and values[-1].__class__ is str else "-"
    arrays = []
    for one in values:
        if not isinstance(one, Tensor):
            raise_error(f"gnuplot.plot: expected tensors, got {described(one)}")
        arrays.append(one.array.astype(float))
    if len(arrays) == 1 and arrays[0].ndim == 2 and arrays[0].shape[1] >= 2:
        arrays = [arrays[0][:, 0], arrays[0][:, 1]]
    if not 1 <= len(arrays) <= 2 or arrays[0].size != arrays[-1].size:
        raise_error(f"gnuplot.plot: expected [x,] y of one length, got {len(arrays)} tensors")
    y = arrays[-1].ravel()
    return label, arrays[0].ravel() if len(arrays) == 2 else np.arange(1, y.size + 1), y, _STYLES.get(style, "-")


class _Figures:
    """The figures of a session: the plot that titles and labels belong to, and its file."""

    def __init__(self, state: State) -> None:
        self.state, self.plot = state, Plot()
        self.file: Path | None = None
        self.isOfFile, self.count = False, 0
        self.format: str | None = None

    def begin(self, plot: Plot) -> None:
        """Draws a new plot."""
        self.plot, plot.format = plot, self.format
        if not self.isOfFile:
            self.file = self.state.pictures.next_file("png")
        self.changed()

    def changed(self) -> None:
        """Draws again, unless the program says when (``plotflush``)."""
        if not self.isOfFile:
            show_plot(self.plot, self.file)

    def flush(self) -> None:
        if self.isOfFile:
            show_plot(self.plot, self.file)

    def of_file(self, path: bytes, format: str) -> int:
        """Begins a figure that is written to a file."""
        self.file, self.isOfFile, self.format, self.plot = Path(os.fsdecode(path)), True, format, Plot()
        self.count += 1
        return self.count

    def of_window(self, number: float | None = None) -> float:
        """Begins a figure that goes to the session's folder."""
        self.isOfFile, self.format, self.plot = False, None, Plot()
        self.count += 1
        return float(self.count) if number is None else number


def _kind_of(path: bytes) -> str:
    return next((kind for kind in _KINDS if os.fsdecode(path).endswith(f".{kind}")), "png")


def _tensor(value: Any, name: str) -> Array:
    if not isinstance(value, Tensor) or not value.array.size:
        raise_error(f"gnuplot.{name}: expected a tensor with elements, got {described(value)}")
    return value.array.astype(float)


def _plots(figures: _Figures) -> dict[str, Any]:
    def plot(*values: Any) -> tuple[()]:
        given = [one for one in values if one is not None]
        lines = [items(one) for one in given] if given and all(map(is_table, given)) else [given]
        figures.begin(Plot(lines=[_line(one) for one in lines]))
        return ()

    def hist(x: Any, bins: int) -> tuple[()]:
        x = _tensor(x, "hist")
        if not np.isfinite(x).all():
            raise_error("gnuplot.hist: expected finite numbers")
        counts, edges = np.histogram(x, bins)
        figures.begin(Plot(lines=[("", (edges[1:] + edges[:-1]) / 2, counts.astype(float), "|")]))
        return ()

    def imagesc(x: Any) -> tuple[()]:
        if not isinstance(x, Tensor) or x.array.ndim != 2:
            raise_error(f"gnuplot.imagesc: expected a tensor of two dimensions, got {described(x)}")
        figures.begin(Plot(image=_tensor(x, "imagesc")))
        return ()

    return {**dict.fromkeys(("plot", "bar"), ("*any", plot)), "hist": ("any size=100", hist), "imagesc": ("any", imagesc)}


def _settings(figures: _Figures) -> dict[str, Any]:
    """Returns the functions that change the plot, which is drawn again."""

    def set_field(name: str, value: Any) -> tuple[()]:
        setattr(figures.plot, name, value)
        figures.changed()
        return ()

    def axis(limits: Any) -> tuple[()]:
        values = (
            [one if one.__class__ is float and math.isfinite(one) else None for one in items(limits)] if is_table(limits) else []
        )
        return set_field("limits", values) if is_table(limits) else ()

    def setter(name: str) -> Any:
        return "string", lambda text: set_field(name, text)

    return {
        **{name: setter(name) for name in ("title", "xlabel", "ylabel")},
        "axis": ("any", axis),
        "grid": ("truth", lambda isShown: set_field("isGrid", isShown)),
    }


def library(state: State) -> Table:
    """Returns the package's table."""
    state.require("torch")
    figures = _Figures(state)

    def flush(*_: Any) -> tuple[()]:
        figures.flush()
        return ()

    def close(*_: Any) -> tuple[()]:
        figures.flush()
        figures.isOfFile, figures.format, figures.plot = False, None, Plot()
        return ()

    system: dict[str, Any] = {
        **{f"{kind}figure": ("path", lambda path, kind=kind: figures.of_file(path, kind)) for kind in _KINDS},
        "figprint": ("path", lambda path: figures.of_file(path, _kind_of(path))),
    }
    made = functions({
        **_plots(figures),
        **_settings(figures),
        **dict.fromkeys(_NOTHING, ("*any", lambda *_: ())),
        **{"figure": ("number?", figures.of_window), "plotflush": ("*any", flush)},
        **dict.fromkeys(("close", "closeall"), ("*any", close)),
    })  # fmt: skip
    return fields(**made, **state.outside("gnuplot", functions(system)))
