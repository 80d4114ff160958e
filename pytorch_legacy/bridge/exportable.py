"""Replacements for the functions of PyTorch that exporters to ONNX lack, installed during an export."""

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


def _first(y: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Returns `y`, in place of functions that change its gradient."""
    return y


def _per_axis(size: Any, rank: int) -> list[int]:
    return [*size] if isinstance(size, Sequence) else [size] * rank


def _pads(x: torch.Tensor, rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> tuple[list[int], bool]:
    """Returns the border that has all cells of `ceil_mode`, as F.pad takes it, and whether a window needs it.

    PyTorch leaves out a window that may start behind the input. OpenVINO 2026.4 refuses one that is larger than the padded input.
    A border whose width does not depend on the size of the input gives as many windows.
    """
    sides: list[int] = []
    isRisky = False
    numbers = (_per_axis(size, rank) for size in (kernel, stride, padding, dilation))
    for size, k, d, p, apart in zip(x.shape[-rank:], *numbers, strict=True):
        last = apart * (k - 1)
        isLarger = isinstance(size, int) and size + 2 * p <= last  # a free size is none that is asked
        isRisky = isRisky or d > last + 1 - p or isLarger
        sides = [p, min(p + d - 1, last), *sides]
    return sides, isRisky


def _max_pool(usual: Callable[..., Any], rank: int) -> Callable[..., Any]:
    """Max pooling without windows that start behind the input, which exporters make a property of all sizes."""

    def max_pool(
        x: torch.Tensor,
        kernel: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        **more: Any,
    ) -> Any:
        step = kernel if stride is None else stride
        pads, isRisky = _pads(x, rank, kernel, step, padding, dilation)
        if not ceil_mode or not isRisky:
            return usual(x, kernel, step, padding, dilation, ceil_mode, **more)
        made = usual(F.pad(x, pads, value=-torch.inf), kernel, step, 0, dilation, **more)
        return made if isinstance(made, torch.Tensor) else (made[0], _without_border(made[1], x, pads))

    return max_pool


def _without_border(places: torch.Tensor, x: torch.Tensor, pads: list[int]) -> torch.Tensor:
    """Returns places in padded planes as places in the planes of `x`; `pads` are those of F.pad."""
    made, cells = torch.zeros_like(places), 1
    for axis in range(len(pads) // 2):  # from the last one on
        before, after = pads[2 * axis : 2 * axis + 2]
        size = x.shape[-1 - axis]
        made = made + (places % (size + before + after) - before) * cells
        places, cells = places // (size + before + after), cells * size
    return made


def _avg_pool(usual: Callable[..., Any], rank: int, for_onnx: bool) -> Callable[..., Any]:
    """Average pooling without windows that start behind the input, and for ONNX without `ceil_mode`.

    Runtimes divide the sum of a window that reaches beyond the padding by different numbers: onnxruntime 1.22 by the size of the
    kernel, OpenVINO 2026.4 by another count than PyTorch. So the mean of the padded input is divided by that of a mask.
    Volumes are padded first in .pt2, too: PyTorch refuses those smaller than the kernel, before it looks at the padding.
    """

    def avg_pool(
        x: torch.Tensor,
        kernel: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> Any:
        step = kernel if stride is None else stride
        pads, isRisky = _pads(x, rank, kernel, step, padding, 1)
        border = [p for p in _per_axis(padding, rank)[::-1] for _ in range(2)]
        mayBeSmaller = rank == 3 and not for_onnx and (ceil_mode or any(border))
        if not mayBeSmaller and (not ceil_mode or not (isRisky or for_onnx)):
            return usual(x, kernel, step, padding, ceil_mode, count_include_pad)
        pads = pads if ceil_mode else border
        mask, behind = torch.ones_like(x.narrow(-rank - 1, 0, 1)), pads  # the mask of one plane
        if count_include_pad:
            mask = F.pad(mask, border, value=1.0)
            behind = [side - p for side, p in zip(pads, border, strict=True)]
        return usual(F.pad(x, pads), kernel, step) / usual(F.pad(mask, behind), kernel, step)

    return avg_pool


def functions(for_onnx: bool) -> SimpleNamespace:
    """Returns ``torch.nn.functional`` with what exporters lack, or write in a way that runtimes read differently, written out."""
    space = SimpleNamespace(**{name: getattr(F, name) for name in dir(F)})
    for rank in (1, 2, 3):
        if rank > 1:
            setattr(space, f"max_pool{rank}d", _max_pool(getattr(F, f"max_pool{rank}d"), rank))
        setattr(space, f"avg_pool{rank}d", _avg_pool(getattr(F, f"avg_pool{rank}d"), rank, for_onnx))
    space.max_pool1d = max_pool1d
    for rank, how in product((1, 2, 3), (torch.amax, torch.mean)):
        setattr(space, adaptive.name(rank, how), adaptive.function(rank, how, for_onnx))
    if for_onnx:
        space.rrelu = lambda x, lower, upper, training: F.leaky_relu(x, (lower + upper) / 2)
        space.logsigmoid = lambda x: -F.softplus(-x)  # the exporters' version is -inf from -104 on
    return space


def written_out(module: torch.nn.Module) -> torch.nn.Module:
    """A module that the bridge wrote, changed for exporters to ONNX; nobody else has it."""
    space = type(by_masks(module)).forward.__globals__
    space["F"] = functions(for_onnx=True)
    if "k_largest" in space:
        space["k_largest"] = k_largest
    if "straight_through" in space:
        space["straight_through"] = _first
    return loops.for_onnx(module)  # type: ignore[no-any-return]


def by_masks(module: torch.nn.Module) -> torch.nn.Module:
    """A module that the bridge wrote, changed for torch.export: without windows that depend on numbers of the input, or that fix
    its length; nobody else has it."""
    space = type(module).forward.__globals__
    space["F"] = functions(for_onnx=False)
    loops.functions(space)
    if "roi_pool" in space:
        space["roi_pool"] = roi_pool
    if "with_loss" in space:
        space["with_loss"] = _first
    return module
