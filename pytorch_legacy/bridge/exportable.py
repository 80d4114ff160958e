"""What PyTorch has and exporters to ONNX have not, written out for the time of an export."""

from __future__ import annotations

from collections.abc import Sequence
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


def written_out(module: torch.nn.Module) -> torch.nn.Module:
    """A module that the bridge wrote, changed for exporters to ONNX; nobody else has it."""
    space = type(by_masks(module)).forward.__globals__
    _pool(space["F"], for_onnx=True)
    space["F"].rrelu = lambda x, lower, upper, training: F.leaky_relu(x, (lower + upper) / 2)
    space["F"].logsigmoid = lambda x: -F.softplus(-x)  # that of the exporters is -inf from -104 on
    if "k_largest" in space:
        space["k_largest"] = k_largest
    return loops.in_steps(module)  # type: ignore[no-any-return]


def by_masks(module: torch.nn.Module) -> torch.nn.Module:
    """A module that the bridge wrote, changed for torch.export: without windows that depend on numbers of the input, or that fix
    its length; nobody else has it."""
    space = type(module).forward.__globals__
    space["F"] = SimpleNamespace(**{name: getattr(F, name) for name in dir(F)} | {"max_pool1d": max_pool1d})
    _pool(space["F"], for_onnx=False)
    loops.functions(space)
    if "roi_pool" in space:
        space["roi_pool"] = roi_pool
    return module


def _pool(functions: Any, for_onnx: bool) -> None:
    for rank, how in product((1, 2, 3), (torch.amax, torch.mean)):
        setattr(functions, adaptive.name(rank, how), adaptive.function(rank, how, for_onnx))
