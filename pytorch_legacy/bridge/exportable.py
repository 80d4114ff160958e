"""What PyTorch has and exporters to ONNX have not, written out for the time of an export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F

from . import adaptive, loops


def roi_pool(x: torch.Tensor, boxes: torch.Tensor, size: Sequence[int], scale: float, shared_edges: bool) -> torch.Tensor:
    """The function of that name in the text of inn.ROIPooling, for boxes that an exporter does not know: by masks, not slices."""
    edges = boxes[:, 1:].double() * scale
    left, top, right, bottom = (edges.sign() * (edges.abs() + 0.5).floor()).long().unbind(1)
    masks = []
    for first, last, count, cells in ((left, right, size[1], x.shape[3]), (top, bottom, size[0], x.shape[2])):
        length = (last - first + int(shared_edges)).clamp(min=1)[:, None]
        n = torch.arange(count)
        if shared_edges:
            start, end = n * length // count, ((n + 1) * length + count - 1) // count
        else:
            start, end = (2 * n * length + count) // (2 * count), (2 * (n + 1) * length + count) // (2 * count)
        place = torch.arange(cells)
        masks.append((place >= (start + first[:, None])[..., None]) & (place < (end + first[:, None])[..., None]))
    columns, rows = masks  # boxes x bins x cells
    planes, least = x[boxes[:, 0].long()], x.new_full((), -torch.inf)
    best = torch.stack([planes.where(columns[:, None, None, i], least).amax(3) for i in range(size[1])], 3)
    found = torch.stack([best.where(rows[:, None, i, :, None], least).amax(2) for i in range(size[0])], 2)
    return found.where((rows.any(2)[:, :, None] & columns.any(2)[:, None])[:, None], x.new_zeros(()))


def k_largest(x: torch.Tensor, k: int) -> torch.Tensor:
    """The function of that name in the text of nn.TemporalDynamicKMaxPooling: ONNX's TopK takes the first of equal ones."""
    return x.gather(-2, x.topk(k, -2).indices.sort(-2).values)


def max_pool1d(x: torch.Tensor, kernel: int, stride: int | None = None, **options: Any) -> torch.Tensor:
    """``F.max_pool1d`` as torch.export takes it without fixing the length: that of rows of planes."""
    return F.max_pool2d(x[..., None, :], (1, kernel), (1, stride or kernel), **options)[..., 0, :]


def _each(size: Any, rank: int) -> list[int]:
    return [*size] if isinstance(size, Sequence) else [size] * rank


def _pads(rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> list[int] | None:
    """What cells `ceil_mode` adds, as F.pad takes it, where a window may start behind the input; else None.

    PyTorch leaves out such a window, and exporters make of that, for a quick look at a size, a property of all sizes. A border
    whose width follows from no size gives as many windows.
    """
    sides: list[int] = []
    isRisky = False
    for k, d, p, apart in zip(*(_each(size, rank) for size in (kernel, stride, padding, dilation)), strict=True):
        last = apart * (k - 1)
        isRisky = isRisky or d > last + 1 - p
        sides = [p, min(p + d - 1, last), *sides]
    return sides if isRisky else None


def _max_pool(usual: Callable[..., Any], rank: int) -> Callable[..., Any]:
    def max_pool(x: torch.Tensor, kernel: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, **options: Any) -> Any:
        step = kernel if stride is None else stride
        pads = _pads(rank, kernel, step, padding, dilation) if options.get("ceil_mode") else None
        if pads is None or options.get("return_indices"):
            return usual(x, kernel, step, padding, dilation, **options)
        return usual(F.pad(x, pads, value=-torch.inf), kernel, step, 0, dilation)

    return max_pool


def _avg_pool(usual: Callable[..., Any], rank: int) -> Callable[..., Any]:
    def avg_pool(x: torch.Tensor, kernel: Any, stride: Any = None, padding: Any = 0, **options: Any) -> Any:
        step = kernel if stride is None else stride
        pads = _pads(rank, kernel, step, padding, 1) if options.get("ceil_mode") else None
        if pads is None:
            return usual(x, kernel, step, padding, **options)
        counted, behind = torch.ones_like(x.narrow(-rank - 1, 0, 1)), pads  # of one plane
        if options.get("count_include_pad", True):
            border = [p for p in _each(padding, rank)[::-1] for _ in range(2)]
            counted = F.pad(counted, border, value=1.0)
            behind = [side - p for side, p in zip(pads, border, strict=True)]
        return usual(F.pad(x, pads), kernel, step) / usual(F.pad(counted, behind), kernel, step)

    return avg_pool


def written_out(module: torch.nn.Module) -> torch.nn.Module:
    """A module that the bridge wrote, changed for exporters to ONNX; nobody else has it."""
    space = type(by_masks(module)).forward.__globals__
    _pool(space["F"], for_onnx=True)
    space["F"].rrelu = lambda x, lower, upper, training: F.leaky_relu(x, (lower + upper) / 2)
    space["F"].logsigmoid = lambda x: -F.softplus(-x)  # that of the exporters is -inf from -104 on
    if "k_largest" in space:
        space["k_largest"] = k_largest
    return loops.for_onnx(module)  # type: ignore[no-any-return]


def by_masks(module: torch.nn.Module) -> torch.nn.Module:
    """A module that the bridge wrote, changed for torch.export: without windows that depend on numbers of the input, or that fix
    its length; nobody else has it."""
    space = type(module).forward.__globals__
    space["F"] = SimpleNamespace(**{name: getattr(F, name) for name in dir(F)} | {"max_pool1d": max_pool1d})
    for rank in (2, 3):
        for name, make in ((f"max_pool{rank}d", _max_pool), (f"avg_pool{rank}d", _avg_pool)):
            setattr(space["F"], name, make(getattr(F, name), rank))
    _pool(space["F"], for_onnx=False)
    loops.functions(space)
    if "roi_pool" in space:
        space["roi_pool"] = roi_pool
    return module


def _pool(functions: Any, for_onnx: bool) -> None:
    for rank, how in product((1, 2, 3), (torch.amax, torch.mean)):
        setattr(functions, adaptive.name(rank, how), adaptive.function(rank, how, for_onnx))
