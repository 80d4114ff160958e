"""Networks as tables, at a prompt and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from pytorch_legacy.arrays import to_device
from pytorch_legacy.errors import ArgumentError, ShapeError
from pytorch_legacy.messages import described, text_shape

if TYPE_CHECKING:
    from .Criterion import Criterion
    from .Module import Module

MOST_ROWS = 200


class Summary:
    """A table that prints as text, and in a notebook as a table. ``header``, ``rows`` and ``total`` hold what it says."""

    def __init__(self, title: str, header: Sequence[str], rows: Sequence[Sequence[str]], total: str = "") -> None:
        self.title, self.header, self.rows, self.total = title, tuple(header), [tuple(row) for row in rows], total

    def lines(self) -> list[str]:
        """The rows, header first: the first column to the left, numbers to the right."""
        if not self.rows:
            return []
        table = [self.header, *self.rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(self.header))]
        aligned = [[cell.rjust(width) for cell, width in zip(row, widths, strict=True)] for row in table]
        for row, cells in zip(table, aligned, strict=True):
            cells[0] = row[0].ljust(widths[0])
        return ["  ".join(cells).rstrip() for cells in aligned]

    def __str__(self) -> str:
        lines = [self.title, *(f"  {line}" for line in self.lines()), f"  {self.total}"]
        return "\n".join(line for line in lines if line.strip())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def row(cells: Sequence[str], tag: str) -> str:
            first, *others = (escape(cell) for cell in cells)
            left = f'<{tag} style="text-align:left;white-space:pre">{first}</{tag}>'
            return f"<tr>{left}{''.join(f'<{tag}>{cell}</{tag}>' for cell in others)}</tr>"

        head = f"<thead>{row(self.header, 'th')}</thead>" if self.rows else ""
        body = "".join(row(cells, "td") for cells in self.rows)
        total = f"<p>{escape(self.total)}</p>" if self.total else ""
        return f"<p>{escape(self.title)}</p><table>{head}<tbody>{body}</tbody></table>{total}"


def of_module(module: Module, shape: Any = None, depth: int | None = None) -> Summary:
    """The modules inside with their parameters and, for an input, the shapes of their outputs and their operations."""

    from pytorch_legacy.nn import listing

    shapes = None
    if shape is not None:
        module = module.sharedClone()  # its results and its mode stay as they are
        shapes = listing.run_on(module, _inputs(module, shape))
    header, rows = listing.table(module, shapes, depth, MOST_ROWS)
    parameters = listing.count(module)
    total = ""
    if shapes:
        input = shapes.pop("input")
        operations = sum(found[2] for found in shapes.values() if not getattr(found[0], "modules", None))
        size = text_shape(input.shape) if isinstance(input, np.ndarray) else described(input)
        total = f"total: {parameters:,} parameters, {operations:,} operations for an input of {size}"
    return Summary(f"{module._typename}, {parameters:,} parameters, {module.dtype}", header, rows, total)


def _inputs(module: Module, shape: Any) -> list[Any]:
    """Returns the inputs to run the module on: arrays as they are, else zeros of a shape, without and with a batch of one."""
    where = f"{module._typename}: summary"
    if isinstance(shape, (int, np.integer)) and not isinstance(shape, bool):
        shape = (shape,)
    isShape = isinstance(shape, (list, tuple)) and bool(shape)
    isShape = isShape and all(isinstance(size, (int, np.integer)) and not isinstance(size, bool) for size in shape)
    if isShape:
        if min(shape) < 0 or np.prod(shape, dtype=np.float64) > 1e9:
            raise ShapeError(f"{where}: expected sizes of 0 or more, of 10^9 elements at most, got {tuple(shape)}")
        return [to_device(np.zeros(size, module._inputDtype), module._onDevice) for size in (tuple(shape), (1, *shape))]
    if isinstance(shape, (list, tuple)):
        return [list(inputs) for inputs in zip(*(_inputs(module, entry) for entry in shape), strict=False)]
    if isinstance(shape, np.ndarray) or hasattr(shape, "__dlpack__"):
        return [shape]
    raise ArgumentError(f"{where}: expected a shape such as (3, 32, 32), a list of shapes, or an input, got {described(shape)}")


def of_criterion(criterion: Criterion) -> Summary:
    """The criterion, and those in it with the weights of their losses."""
    inner = list(zip(getattr(criterion, "criterions", []), getattr(criterion, "weights", []), strict=False))
    rows = [(f"({i}) {' '.join(str(one).split())}", f"{weight:g}") for i, (one, weight) in enumerate(inner, 1)]
    return Summary(f"{criterion!r}, {criterion.dtype}", ("criterion", "weight"), rows)
