"""The package ``gnuplot``: plots by matplotlib. Those of windows go to the session's folder, those of files to their files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..language.arguments import MISSING, string
from ..language.errors import raise_error
from ..language.libraries.files import encoded
from ..language.table import Table, fields
from ..tensors.signatures import described
from ..tensors.tensor import Tensor
from ..tensors.values import items
from .showing import Line, Plot, show_plot
from .values import is_table

if TYPE_CHECKING:
    from ..language.state import State

_STYLES = {"-": "-", "+": "+", ".": ".", "+-": "+-", "~": "-", "|": "|"}
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

    def begin(self, plot: Plot) -> None:
        """Draws a new plot."""
        self.plot = plot
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


def _figures_of_files(figures: _Figures) -> dict[str, Any]:
    def maker(name: str) -> Any:
        def figure(file: Any = MISSING, *_: Any) -> float:
            figures.file, figures.isOfFile, figures.plot = Path(encoded(string(file, 1, name)).decode()), True, Plot()
            figures.count += 1
            return float(figures.count)

        return figure

    return {name: maker(name) for name in ("pngfigure", "pdffigure", "svgfigure", "epsfigure", "figprint")}


def _plots(figures: _Figures) -> dict[str, Any]:
    def plot(*values: Any) -> tuple[()]:
        given = [one for one in values if one is not None]
        lines = [items(one) for one in given] if given and all(map(is_table, given)) else [given]
        figures.begin(Plot(lines=[_line(one) for one in lines]))
        return ()

    def hist(x: Any = MISSING, bins: Any = None, *_: Any) -> tuple[()]:
        if not isinstance(x, Tensor):
            raise_error(f"gnuplot.hist: expected a tensor, got {described(x)}")
        counts, edges = np.histogram(x.array.astype(float), 100 if bins is None else int(bins))
        figures.begin(Plot(lines=[("", (edges[1:] + edges[:-1]) / 2, counts.astype(float), "|")]))
        return ()

    def imagesc(x: Any = MISSING, *_: Any) -> tuple[()]:
        if not isinstance(x, Tensor) or x.array.ndim != 2:
            raise_error(f"gnuplot.imagesc: expected a tensor of two dimensions, got {described(x)}")
        figures.begin(Plot(image=x.array.astype(float)))
        return ()

    return {"plot": plot, "hist": hist, "imagesc": imagesc, "bar": plot}


def library(state: State) -> Table:
    """Returns the package's table."""
    state.require("torch")
    figures = _Figures(state)

    def setter(name: str) -> Any:
        def set_text(text: Any = MISSING, *_: Any) -> tuple[()]:
            setattr(figures.plot, name, string(text, 1, name))
            figures.changed()
            return ()

        return set_text

    def axis(limits: Any = None, *_: Any) -> tuple[()]:
        if is_table(limits):
            figures.plot.limits = [float(one) if one.__class__ is float else None for one in items(limits)]
            figures.changed()
        return ()

    def grid(isShown: Any = True, *_: Any) -> tuple[()]:
        figures.plot.isGrid = isShown is True
        figures.changed()
        return ()

    def figure(number: Any = None, *_: Any) -> float:
        figures.isOfFile, figures.plot = False, Plot()
        figures.count += 1
        return float(figures.count) if number is None else float(number)

    def plotflush(*_: Any) -> tuple[()]:
        figures.flush()
        return ()

    def close(*_: Any) -> tuple[()]:
        figures.flush()
        figures.isOfFile, figures.plot = False, Plot()
        return ()

    def nothing(*_: Any) -> tuple[()]:
        return ()

    made: dict[str, Any] = {**_plots(figures), **dict.fromkeys(_NOTHING, nothing)}
    made |= state.outside("gnuplot", _figures_of_files(figures))
    made |= {name: setter(name) for name in ("title", "xlabel", "ylabel")}
    made |= {"axis": axis, "grid": grid, "figure": figure, "plotflush": plotflush, "close": close, "closeall": close}
    return fields(**made)
