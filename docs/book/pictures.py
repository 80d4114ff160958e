"""Draws the pictures of the book into docs/book/images.

python docs/book/pictures.py [NAME ...]
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytorch_legacy.explain import plot

HERE = Path(__file__).resolve().parent
IMAGES = HERE / "images"
BLUE, ORANGE, GRAY = "#4878a8", "#e08030", "#707070"


def _box(axes: Any, x: float, y: float, text: str, colour: str = BLUE, width: float = 1.0, height: float = 0.5) -> None:
    from matplotlib.patches import FancyBboxPatch

    corner = x - width / 2, y - height / 2
    axes.add_patch(
        FancyBboxPatch(
            corner, width, height, "round,pad=0,rounding_size=0.06", facecolor="white", edgecolor=colour, linewidth=1.5
        )
    )
    axes.text(x, y, text, ha="center", va="center", fontsize=9)


def _arrow(axes: Any, tail: tuple[float, float], head: tuple[float, float], text: str = "", colour: str = GRAY) -> None:
    style = {"arrowstyle": "->", "color": colour, "linewidth": 1.5}
    axes.annotate("", head, tail, arrowprops=style)
    axes.text((tail[0] + head[0]) / 2, (tail[1] + head[1]) / 2 + 0.05, text, ha="center", va="bottom", fontsize=8, color=colour)


def _canvas(width: float, height: float, right: float, top: float) -> tuple[Any, Any]:
    """A figure of that size in inches with axes from 0 to `right` and 0 to `top`, which are not drawn."""
    figure = plot.new_figure(width, height)
    axes = figure.subplots()
    axes.set(xlim=(0, right), ylim=(0, top))
    axes.set_axis_off()
    return figure, axes


def contract() -> Any:
    """Forward, and the two halves of backward, in a chain of three."""
    figure, axes = _canvas(8, 2.7, 8, 2.6)
    names = ("layer 1", "layer 2", "criterion")
    for i, name in enumerate(names):
        x = 1.6 + 2.4 * i
        _box(axes, x, 1.5, name, width=1.1, height=0.7)
        _arrow(axes, (x - 1.75, 1.7), (x - 0.6, 1.7), ("input", "output", "output")[i])
        if i:
            _arrow(axes, (x - 0.6, 1.25), (x - 1.75, 1.25), colour=ORANGE)
            axes.text(x - 1.2, 1.18, "gradOutput", ha="center", va="top", fontsize=8, color=ORANGE)
        if i < 2:
            _arrow(axes, (x, 1.1), (x, 0.45), colour=ORANGE)
            axes.text(x, 0.4, "accGradParameters\nadds to gradWeight, gradBias", ha="center", va="top", fontsize=8, color=ORANGE)
    _arrow(axes, (7.0, 1.7), (7.8, 1.7), "loss")
    _arrow(axes, (1.0, 1.25), (0.2, 1.25), colour=ORANGE)
    axes.text(0.55, 1.18, "gradInput", ha="center", va="top", fontsize=8, color=ORANGE)
    axes.text(2.8, 2.2, "forward: updateOutput", ha="center", fontsize=9, color=GRAY)
    axes.text(5.2, 2.2, "backward: updateGradInput", ha="center", fontsize=9, color=ORANGE)
    return figure


PICTURES: dict[str, Callable[[], Any]] = {
    "contract": contract,
}


if __name__ == "__main__":
    write = runpy.run_path(str(HERE.parent / "pictures.py"))["write"]
    IMAGES.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        write(PICTURES[name](), IMAGES / f"{name}.png")
