"""Draws the pictures of pooling.md and nngraph.md into docs/images.

python docs/pictures.py
"""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import pairwise
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.explain import drawing, plot
from pytorch_legacy.nngraph.graph.pictures import figure

HERE = Path(__file__).resolve().parent
IMAGES = HERE / "images"
PHOTO = HERE.parent / "examples" / "superres" / "superres_lr_rgb.png"


def sliding() -> Any:
    """Ten cells under windows of three, two apart."""
    cases: dict[str, dict[str, Any]] = {
        "floor: cell 9 is lost": {},
        "ceil: a last window, cut": {"ceil": True},
        "padding 1: the first window is cut": {"pad": 1},
        "padding 1 and ceil": {"pad": 1, "ceil": True},
    }
    figure = plot.new_figure(8, 4.6)
    for axes, (title, options) in zip(figure.subplots(2, 2).flat, cases.items(), strict=True):
        axis = pl.explain.windows("max", 10, kernel=3, stride=2, **options).axes[0]
        drawing.panel(axes, axis.feeds, np.zeros_like(axis.feeds), title)
    return figure


def adaptive() -> Any:
    return pl.explain.windows("adaptive", 5, 3).figure()


def rounded() -> Any:
    """Exact windows, and those of bounds that were divided first in single precision, as Torch7's max layer had them."""
    figure = plot.new_figure(9, 6.5)
    panels = figure.subplots(2, 2, height_ratios=[7, 13])
    for (left, right), (cells, outputs) in zip(panels, ((21, 7), (13, 13)), strict=True):
        exact, cell = pl.explain.windows("adaptive", cells, outputs).axes[0].feeds, np.arange(cells)
        bounds = [np.float32(o) / np.float32(outputs) * np.float32(cells) for o in range(outputs + 1)]
        wrong = np.array([(cell >= floor(a)) & (cell < ceil(b)) for a, b in pairwise(bounds)])
        drawing.panel(left, exact, np.zeros_like(exact), f"{cells} cells to {outputs}, exact")
        drawing.panel(right, wrong, wrong & ~exact, "divided first, in single precision")
    return figure


def directions() -> Any:
    """Draws the readers and writers of adaptive windows of 5 cells to 3."""
    feeds = pl.explain.windows("adaptive", 5, 3).axes[0].feeds
    outputs, cells = feeds.shape
    figure = plot.new_figure(9, 2.6)
    titles = ("forward: an output gathers", "backward: an output scatters", "backward: a cell gathers")
    for axes, title in zip(figure.subplots(1, 3), titles, strict=True):
        forward = title.startswith("forward")
        crowded = feeds.sum(0) > 1 if "scatters" in title else np.zeros(cells, bool)
        for o, i in zip(*np.nonzero(feeds), strict=True):
            above, below = (o + (cells - outputs) / 2, 0.86), (float(i), 0.14)
            tail, head = (below, above) if forward else (above, below)
            colour = drawing.COLOURS[2 if crowded[i] else 1]
            axes.annotate("", head, tail, arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 1.5})
        for o in range(outputs):
            axes.text(o + (cells - outputs) / 2, 1, f"{'y' if forward else 'dy'}[{o}]", ha="center", va="center")
        for i in range(cells):
            axes.text(i, 0, f"{'x' if forward else 'dx'}[{i}]", ha="center", va="center")
        axes.set(xlim=(-0.6, cells - 0.4), ylim=(-0.15, 1.15), title=title)
        axes.set_axis_off()
    return figure


def gallery() -> Any:
    pl.manualSeed(1)
    with Image.open(PHOTO) as opened:
        photo = opened.convert("RGB").resize((pl.explain.LONGEST,) * 2)
    return pl.explain.pooling(np.asarray(photo).transpose(2, 0, 1)).figure()


def graph() -> Any:
    """A recurrent step with a gate."""
    x, before = nn.Identity()(), nn.Identity()()
    reset = nn.Sigmoid()(nn.CAddTable()([nn.Linear(4, 3)(x), nn.Linear(3, 3)(before)])).annotate(name="reset")
    kept = nn.CMulTable()([reset, before])
    after = nn.Tanh()(nn.CAddTable()([nn.Linear(4, 3)(x), nn.Linear(3, 3)(kept)]))
    return figure(nn.gModule([x, before], [after, reset]).fg, "a recurrent step")


PICTURES: dict[str, Callable[[], Any]] = {
    "adaptive": adaptive,
    "directions": directions,
    "gallery": gallery,
    "graph": graph,
    "rounded": rounded,
    "sliding": sliding,
}


def write(figure: Any, path: Path) -> None:
    """Write one picture, in 64 colours: a fifth of the bytes."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", bbox_inches="tight")
    Image.open(drawn).convert("RGB").quantize(64).save(path, optimize=True)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    for name in PICTURES:
        write(PICTURES[name](), IMAGES / f"{name}.png")
