"""Pictures and plots that programs show. There are no windows: they are files in a folder that the session names."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..language.errors import raise_error
from ..tensors.tensor import Array

if TYPE_CHECKING:
    from ..language.state import State

NOTE = "pl.lua: pictures and plots are not shown. Session(pictures=FOLDER) or --pictures FOLDER writes them to files.\n"


class Pictures:
    """The folder of a session, in which files are numbered.

    Parameters
    ----------
    folder : path-like or None
        The folder, which is made if there is none. None: nothing is written, and one note says so.
    """

    def __init__(self, folder: Any = None) -> None:
        self.folder = None if folder is None else Path(folder)
        self._count, self._isNoted = 0, False

    def next_file(self, ending: str) -> Path | None:
        """Returns the file of the next picture or plot, or None."""
        if self.folder is None:
            if not self._isNoted:
                self._isNoted = True
                sys.stderr.write(NOTE)
            return None
        self.folder.mkdir(parents=True, exist_ok=True)
        self._count += 1
        return self.folder / f"{self._count:04}.{ending}"


def show_picture(state: State, x: Array) -> Path | None:
    """Writes a picture of 0 to 1, or of bytes, to the session's folder. Returns the file."""
    from .image import pictures

    file = state.pictures.next_file("png")
    if file is not None:
        file.write_bytes(pictures.encoded_picture(x, "png"))
    return file  # type: ignore[no-any-return]


Line = tuple[str, Array, Array, str]
"""The name of a line, x, y, and its style: ``-``, ``+``, ``.``, ``+-`` or ``|`` for bars."""


@dataclass
class Plot:
    """The contents of a plot.

    Attributes
    ----------
    lines : list
        The lines.
    image : ndarray or None
        A picture of numbers instead.
    title, xlabel, ylabel : str
        The texts.
    limits : list of float or None
        Left, right, bottom and top; a missing one is found.
    isGrid : bool
        True for lines of a grid.
    format : str or None
        The format of the file. None: the name says it.
    """

    lines: list[Line] = field(default_factory=list)
    image: Array | None = None
    title: str = ""
    xlabel: str = ""
    ylabel: str = ""
    limits: list[float | None] = field(default_factory=list)
    isGrid: bool = False
    format: str | None = None


def _text(text: str) -> str:
    """Returns a string of Lua, which is bytes, as text."""
    return text.encode("latin-1").decode("utf-8", "replace")


def show_plot(plot: Plot, file: Path | None) -> None:
    """Writes a plot to a file. None writes nothing."""
    if file is None:
        return
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise_error('plots need matplotlib; run: pip install "pytorch-legacy[plot]"')
    figure = Figure()
    axes = figure.subplots()
    if plot.image is not None:
        axes.imshow(plot.image)
    for label, x, y, style in plot.lines:
        if style == "|":
            axes.bar(x, y, label=_text(label))
        else:
            axes.plot(x, y, style, label=_text(label))
    axes.set(title=_text(plot.title), xlabel=_text(plot.xlabel), ylabel=_text(plot.ylabel))
    limits = [*plot.limits, None, None, None, None]
    axes.set_xlim(limits[0], limits[1])
    axes.set_ylim(limits[2], limits[3])
    axes.grid(plot.isGrid)
    if any(line[0] for line in plot.lines):
        axes.legend(framealpha=1)  # EPS knows no transparency
    figure.savefig(file, format=plot.format)
