"""Windows as a table that stays readable however long an axis is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytorch_legacy.arrays import Tensor

if TYPE_CHECKING:
    from .windows import Axis, Windows

BARS = 40  # axes up to so many cells are drawn
ROWS = 24  # and so many rows shown at most


def of(found: Windows) -> str:
    """The whole table."""
    cells = "x".join(str(axis.feeds.shape[1]) for axis in found.axes)
    outputs = "x".join(str(axis.feeds.shape[0]) for axis in found.axes)
    lines = [f"{found.layer}: {cells} cells to {outputs}"]
    for axis in found.axes:
        title = f"{axis.name}: {axis.feeds.shape[1]} cells to {axis.feeds.shape[0]}"
        lines += ["", *([title] if axis.name else []), *_table(axis), *_remarks(axis)]
    return "\n".join(lines)


def span(indices: Tensor) -> str:
    """Indices in a few characters: 0-3, 4 or 0,2,4."""
    if len(indices) == 0:
        return "none"
    first, last = indices[0], indices[-1]
    if last - first + 1 == len(indices):
        return f"{first}-{last}" if last > first else f"{first}"
    return ",".join(map(str, indices)) if len(indices) <= 5 else f"{indices[0]},{indices[1]},...,{last}"


def _table(axis: Axis) -> list[str]:
    outputs, cells = axis.feeds.shape
    kinds = [("cells", axis.feeds)] + ([] if axis.fixed is None else [("fixed", axis.fixed)])
    bars = cells <= BARS
    head, rows = ["output"], [[str(o)] for o in range(outputs)]
    for title, feeds in kinds:
        head += [title] + ["".join(str(i % 10) for i in range(cells))] * bars
        for row, window in zip(rows, feeds, strict=True):
            row += [span(np.flatnonzero(window))] + ["".join(".#"[cell] for cell in window.astype(int))] * bars
    if axis.fixed is not None:
        head.append(f" (kernel {axis.kernel}, stride {axis.stride})")
        for o in axis.differs:
            rows[o].append(" differs")
    shown = rows if outputs <= ROWS else [*rows[: ROWS * 3 // 4], ["..."], *rows[-ROWS // 4 :]]
    widths = [max(len(row[i]) for row in [head, *shown] if i < len(row)) for i in range(len(head))]
    lines = []
    for row in [head, *shown]:
        number, *rest = (cell.rjust(width) if i == 0 else cell.ljust(width)
                         for i, (cell, width) in enumerate(zip(row, widths, strict=False)))  # fmt: skip
        lines.append("  ".join([number, *rest]).rstrip())
    return lines


def _remarks(axis: Axis) -> list[str]:
    outputs, cells = axis.feeds.shape
    lines = []
    if axis.fixed is not None and len(axis.differs) == outputs:
        lines.append(f"all {outputs} windows differ from fixed ones")
    elif len(axis.differs):
        lines.append(f"{len(axis.differs)} of {outputs} windows differ from fixed ones: {_some([str(o) for o in axis.differs])}")
    elif axis.fixed is not None:
        lines.append("the same windows as fixed ones")
    if outputs > cells:
        lines.append("more outputs than cells: cells are repeated")
    times = axis.feeds.sum(0)
    if shared := [f"{i} (in {span(axis.outputs(i))})" for i in map(int, np.flatnonzero(times > 1))]:
        lines.append(f"cells in several windows: {_some(shared)}")
    if unused := [str(i) for i in np.flatnonzero(times == 0)]:
        lines.append(f"cells in no window: {_some(unused)}")
    return lines


def _some(words: list[str]) -> str:
    """At most eight of the words."""
    return ", ".join(words) if len(words) <= 8 else f"{', '.join(words[:7])} and {len(words) - 7} more"
