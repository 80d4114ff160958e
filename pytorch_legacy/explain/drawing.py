"""Windows as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pytorch_legacy.arrays import Tensor

from . import plot

if TYPE_CHECKING:
    from .windows import Windows

COLOURS = ["#ffffff", "#4878a8", "#e08030"]  # not in the window, in it, in one of the two windows only
GRID = 40  # cells up to which lines are drawn between them


def of(found: Windows) -> Any:
    """A row of panels for each axis: its windows, and beside them the windows of one size if there is such a comparison."""
    rows, columns = len(found.axes), 2 if any(axis.fixed is not None for axis in found.axes) else 1
    widths = max(_inches(axis.feeds.shape[1]) for axis in found.axes)
    heights = [_inches(axis.feeds.shape[0]) for axis in found.axes]
    figure = plot.new_figure(columns * (widths + 1), sum(heights) + rows + 0.5)
    figure.suptitle(found.layer)
    panels = figure.subplots(rows, columns, squeeze=False, height_ratios=[height + 0.7 for height in heights])
    for axis, (own, *others) in zip(found.axes, panels, strict=True):
        outputs, cells = axis.feeds.shape
        lone = axis.feeds & ~axis.fixed if axis.fixed is not None else np.zeros_like(axis.feeds)
        panel(own, axis.feeds, lone, f"{axis.name}: {cells} cells to {outputs}".removeprefix(": "))
        for other in others:
            if axis.fixed is None:
                other.set_axis_off()
                continue
            panel(other, axis.fixed, axis.fixed & ~axis.feeds, f"fixed: kernel {axis.kernel}, stride {axis.stride}")
    return figure


def _inches(cells: int) -> float:
    return float(np.clip(0.25 * cells, 1.2, 6))


def panel(axes: Any, feeds: Tensor, lone: Tensor, title: str) -> None:
    """Outputs downwards, cells from left to right, those of `lone` in another colour."""
    from matplotlib.colors import ListedColormap

    outputs, cells = feeds.shape
    picture = np.where(lone, 2, feeds.astype(int))
    axes.imshow(picture, ListedColormap(COLOURS), vmin=0, vmax=2, interpolation="nearest",
                 aspect="equal" if max(outputs, cells) <= GRID else "auto")  # fmt: skip
    axes.set_title(title, fontsize="medium")
    axes.set_xlabel("input cell")
    axes.set_ylabel("output")
    axes.locator_params(integer=True)
    if max(outputs, cells) <= GRID:
        axes.set_xticks(np.arange(cells + 1) - 0.5, minor=True)
        axes.set_yticks(np.arange(outputs + 1) - 0.5, minor=True)
        axes.grid(which="minor", color="#c8c8c8", linewidth=0.7)
        axes.tick_params(which="minor", length=0)
    if max(outputs, cells) <= 12:
        axes.set_xticks(range(cells))
        axes.set_yticks(range(outputs))
