"""Adaptive pooling as exporters take it: of a fixed size window by window, of a free one by places that the file computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F


def pool(x: torch.Tensor, sizes: Any, rank: int, how: Callable[..., torch.Tensor]) -> torch.Tensor:
    """``F.adaptive_max_pool<rank>d`` with torch.amax, or with torch.mean that of averages, one dimension after the other."""
    wanted = [*sizes] if isinstance(sizes, Sequence) else [sizes] * rank
    if wanted == [1] * rank:
        return how(x, tuple(range(-rank, 0)), keepdim=True)
    for axis, count in zip(range(x.ndim - rank, x.ndim), wanted, strict=True):
        if count == 1:
            x = how(x, axis, keepdim=True)
        elif count is not None:
            x = (_of_any_size if isinstance(x.shape[axis], torch.SymInt) else _of_one_size)(x, axis, count, how)
    return x


def _of_one_size(x: torch.Tensor, axis: int, count: int, how: Callable[..., torch.Tensor]) -> torch.Tensor:
    size = x.shape[axis]
    windows = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
    return torch.cat([how(x.narrow(axis, start, end - start), axis, keepdim=True) for start, end in windows], axis)


def _of_any_size(x: torch.Tensor, axis: int, count: int, how: Callable[..., torch.Tensor]) -> torch.Tensor:
    """All windows are taken as long as the longest may be. Cells behind the end of one repeat its last, or do not count."""
    size = x.shape[axis]
    n = torch.arange(count, device=x.device)
    start, end = n * size // count, ((n + 1) * size + count - 1) // count
    places = start[:, None] + torch.arange(size // count + 2, device=x.device)
    last = end[:, None] - 1
    cells = x.index_select(axis, torch.minimum(places, last).flatten()).unflatten(axis, (count, size // count + 2))
    if how is torch.amax:
        return cells.amax(axis + 1)
    behind = [1] * (x.ndim - axis - 1)
    counted = (places <= last).reshape(count, -1, *behind)
    # Not a product with zeros: that of an infinity would be a NaN.
    return cells.where(counted, 0).sum(axis + 1) / (end - start).to(x.dtype).reshape(-1, *behind)


def function(rank: int, how: Callable[..., torch.Tensor], for_onnx: bool) -> Callable[..., Any]:
    """``F.adaptive_max_pool<rank>d`` for torch.amax, that of averages for torch.mean: PyTorch's own where the exporter has it."""
    usual = getattr(F, name(rank, how))
    # The exporter to ONNX has averages of two dimensions or fewer, where a size does not vary; torch.export has all but None.
    has_fixed = how is torch.mean and rank < 3

    def pooled(x: torch.Tensor, sizes: Any) -> Any:
        kept = isinstance(sizes, Sequence) and None in sizes
        varies = any(isinstance(size, torch.SymInt) for size in x.shape[-rank:])
        return pool(x, sizes, rank, how) if kept or (for_onnx and (varies or not has_fixed)) else usual(x, sizes)

    return pooled


def name(rank: int, how: Callable[..., torch.Tensor]) -> str:
    """Returns PyTorch's name of the function."""
    return f"adaptive_{'avg' if how is torch.mean else 'max'}_pool{rank}d"
