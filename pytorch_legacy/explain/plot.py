"""The one door to matplotlib, which is an extra."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.files.writing import whole

DPI = 100


def new_figure(width: float, height: float) -> Any:
    """An empty figure of that size in inches, which no window shows and no global list keeps."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UnsupportedError('drawing needs matplotlib; run: pip install "pytorch-legacy[plot]"') from None
    return Figure((width, height), DPI, layout="compressed")


def save(figure: Any, path: str | Path) -> None:
    """Write the figure in the format that the file's name asks for."""
    known = figure.canvas.get_supported_filetypes()
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in known:
        raise UnsupportedError(f"{path}: expected a file that ends in .{', .'.join(sorted(known))}")
    with whole(path) as file:
        figure.savefig(file, format=suffix, bbox_inches="tight")
