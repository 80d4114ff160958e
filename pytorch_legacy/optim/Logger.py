"""Numbers written to a file while a training runs, and plotted."""

import sys
import time
from collections.abc import Collection, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import IO, Any, Self

from pytorch_legacy.errors import DtypeError, ShapeError, UnsupportedError, ValueRangeError
from pytorch_legacy.files.writing import whole
from pytorch_legacy.messages import described
from pytorch_legacy.optim import pictures
from pytorch_legacy.optim.plotting import pyplot

# gnuplot's names of styles, and what matplotlib calls them.
_STYLES = {"-": "-", "+": "+", ".": ".", "+-": "-+", "~": "-", "|": "|"}


class Logger:
    """Writes a row of numbers or words at a time, and plots the columns.

    Parameters
    ----------
    filename : path, optional
        File to write; its folder is made. Without it rows go to the standard output.
    timestamp : bool
        Append the time to the file's name, without colons, which some systems do not take.

    Notes
    -----
    The first line holds the names of the columns, each line ends with a tab, and numbers are written as ``%11.4e``. If
    rows are lists and have no names, the first line numbers them from 1, as in Torch7. Plotting needs matplotlib; a
    notebook shows the curves.
    Source: Torch7 optim.Logger.

    Examples
    --------
    >>> logger = optim.Logger("losses.log").setNames(["training", "test"])
    >>> logger.add([0.5, 0.6])
    >>> logger.add([0.4, 0.5])
    >>> open("losses.log").read()
    'training\\ttest\\t\\n 5.0000e-01\\t 6.0000e-01\\t\\n 4.0000e-01\\t 5.0000e-01\\t\\n'
    """

    def __init__(self, filename: str | Path | None = None, timestamp: bool = False) -> None:
        self.name = "stdout"
        self.epsfile: Path | None = None
        self.file: IO[str] = sys.stdout
        if filename is None:
            print("<Logger> warning: no path provided, logging to std out")
        else:
            self.name = str(filename)
            self.epsfile = Path(f"{self.name}.eps")
            Path(self.name).parent.mkdir(parents=True, exist_ok=True)
            stamp = time.strftime("-%Y_%m_%d_%H_%M_%S") if timestamp else ""
            self.file = open(self.name + stamp, "w", encoding="utf-8")  # noqa: SIM115 - open while the logger lives
        self.names: list[str] = []
        self.symbols: dict[str, list[Any]] = {}
        self.styles: dict[str, list[str]] = {}
        self.showPlot = True
        self.logscale = False
        self.defaultStyle = "+"
        self.figure: Any = None

    def setNames(self, names: Sequence[str]) -> Self:
        """Names the columns of rows that are lists, and writes the first line."""
        self.names = list(names)
        self.symbols = {name: [] for name in names}
        self.styles = {name: [self.defaultStyle] for name in names}
        self._write(names)
        return self

    def add(self, symbols: Sequence[Any] | Mapping[str, Any]) -> None:
        """Writes a row: a list, or a dict from names to values; the first dict names the columns."""
        if not self.names:
            keys = symbols if isinstance(symbols, Mapping) else range(1, len(symbols) + 1)
            self.setNames([str(key) for key in keys])
        if len(symbols) != len(self.names):
            raise ShapeError(f"optim.Logger: add: expected {len(self.names)} values, got {len(symbols)}")
        if isinstance(symbols, Mapping):
            named = {str(key): value for key, value in symbols.items()}
            values = [named[self._known("add", name, named)] for name in self.names]
        else:
            values = list(symbols)
        self._write([self._text(value) for value in values])
        for name, value in zip(self.names, values, strict=True):
            self.symbols[name].append(value)

    def style(self, symbols: Sequence[Any] | Mapping[str, Any]) -> Self:
        """Says how columns are plotted: "-", "+", "." or "+-", or a list of these, for each column."""
        if not isinstance(symbols, (Mapping, Sequence)):
            raise DtypeError(f"optim.Logger: style: expected a list or a dict of styles, got {described(symbols)}")
        pairs = symbols.items() if isinstance(symbols, Mapping) else zip(self.names, symbols, strict=False)
        for name, style in pairs:
            styles = [style] if isinstance(style, str) else list(style)
            for one in styles:
                if one not in _STYLES:
                    raise ValueRangeError(f"optim.Logger: style: expected one of {', '.join(_STYLES)}, got {one!r}")
            self.styles[name] = styles
        return self

    def setlogscale(self, state: bool) -> None:
        """Sets whether plots have a logarithmic axis of values."""
        self.logscale = state

    def display(self, state: bool) -> None:
        """Sets whether ``plot`` opens a window."""
        self.showPlot = state

    def plot(self, *names: str) -> None:
        """Plots the columns, all of them if none is named, to a window and to the file named like the log plus ".eps".

        Columns of fewer than two rows are left out.
        """
        plt = pyplot("optim.Logger: plot")
        chosen = [self._known("plot", name, self.names) for name in names or self.names]
        columns = {name: self.symbols[name] for name in chosen if len(self.symbols[name]) > 1}
        if not columns:
            return
        figure = self.figure or plt.figure()
        figure.clear()
        axes = figure.add_subplot()
        for name, column in columns.items():
            for style in self.styles[name]:
                axes.plot(range(1, len(column) + 1), column, _STYLES[style], label=name)
        axes.set_yscale("log" if self.logscale else "linear")
        axes.grid(True)
        axes.legend(framealpha=1)  # EPS knows no transparency
        axes.set_title(f"<Logger::{self.name}>")
        if self.epsfile:
            with whole(self.epsfile) as file:
                figure.savefig(file, format="eps")
        if self.showPlot:
            self.figure = figure
            plt.show(block=False)
        else:
            plt.close(figure)

    def picture(self, *names: str) -> Any:
        """The columns, all of them if none is named, as curves in a figure of matplotlib, which a notebook shows.

        Columns of words are left out.
        """
        chosen = [self._known("picture", name, self.names) for name in names or self.names]
        columns = {name: self.symbols[name] for name in chosen}
        numbers = {name: [float(v) for v in column] for name, column in columns.items() if column and not _has_words(column)}
        return pictures.curves(numbers, self.name, self.logscale)

    def _repr_html_(self) -> str:
        """The curves, and without matplotlib the last row."""
        last = ", ".join(f"{name}: {self._text(column[-1]).strip()}" for name, column in self.symbols.items() if column)
        words = f"{self.name}: {last or 'no rows'}"
        try:
            return pictures.html(self.picture(), words)
        except UnsupportedError:
            return f"<pre>{escape(words)}</pre>"

    def _known(self, where: str, name: str, names: Collection[str]) -> str:
        """The name of a column, which is one of `names`."""
        if name not in names:
            raise ValueRangeError(f"optim.Logger: {where}: expected {name!r} among the columns, got {', '.join(names)}")
        return name

    def _text(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        try:
            return f"{float(value):11.4e}"
        except (TypeError, ValueError):
            raise DtypeError(f"optim.Logger: add: can only log numbers and strings, got {type(value).__name__}") from None

    def _write(self, cells: Sequence[str]) -> None:
        self.file.write("".join(f"{cell}\t" for cell in cells) + "\n")
        self.file.flush()


def _has_words(column: Sequence[Any]) -> bool:
    return any(isinstance(value, str) for value in column)
