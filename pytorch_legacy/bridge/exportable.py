"""What PyTorch has and exporters to ONNX have not, written out for the time of an export."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F


def adaptive_pool(x: torch.Tensor, sizes: int | Sequence[int], rank: int, how: Any = torch.amax) -> torch.Tensor:
    """``F.adaptive_max_pool<rank>d``, or with torch.mean of averages, by windows along one dimension after the other."""
    sizes = [sizes] * rank if isinstance(sizes, int) else [*sizes]
    for axis, count in zip(range(-rank, 0), sizes, strict=True):
        size = x.shape[axis]
        windows = [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
        x = torch.cat([how(x.narrow(axis, start, end - start), axis, keepdim=True) for start, end in windows], axis)
    return x


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


class ProjectedLSTM(torch.nn.Module):
    """An nn.LSTM of one layer with a projection, as a loop over the steps."""

    def __init__(self, lstm: torch.nn.LSTM) -> None:
        super().__init__()
        self.lstm = lstm

    def forward(self, x: torch.Tensor, state: Any = None) -> tuple[torch.Tensor, Any]:
        into, within, bias, more, projection = self.lstm._parameters.values()
        x = x.transpose(0, 1) if self.lstm.batch_first else x
        zeros = (x.new_zeros(1, x.shape[1], size) for size in (self.lstm.proj_size, self.lstm.hidden_size))
        h, c = (part[0] for part in state or zeros)
        outputs = []
        for sums in F.linear(x, into, bias).unbind():  # type: ignore[arg-type]
            i, f, g, o = (sums + F.linear(h, within, more)).chunk(4, -1)  # type: ignore[arg-type]
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = F.linear(o.sigmoid() * c.tanh(), projection)  # type: ignore[arg-type]
            outputs.append(h)
        y = torch.stack(outputs)
        return y.transpose(0, 1) if self.lstm.batch_first else y, (h[None], c[None])


def written_out(module: torch.nn.Module) -> torch.nn.Module:
    """A module that the bridge wrote, changed for exporters; nobody else has it."""
    functions = {name: getattr(F, name) for name in dir(F)}
    for rank in (1, 2, 3):
        functions[f"adaptive_max_pool{rank}d"] = lambda x, sizes, rank=rank: adaptive_pool(x, sizes, rank)
    functions["adaptive_avg_pool3d"] = lambda x, sizes: adaptive_pool(x, sizes, 3, torch.mean)
    space = type(module).forward.__globals__
    space["F"] = SimpleNamespace(**functions)
    if "k_largest" in space:
        space["k_largest"] = k_largest
    return _without_projections(by_masks(module))


def by_masks(module: torch.nn.Module) -> torch.nn.Module:
    """A module that the bridge wrote, without windows that depend on numbers of the input; nobody else has it."""
    space = type(module).forward.__globals__
    if "roi_pool" in space:
        space["roi_pool"] = roi_pool
    return module


def _without_projections(module: Any) -> Any:
    for name, inner in [*module.named_children()]:
        if type(inner) is torch.nn.LSTM and inner.proj_size and inner.num_layers == 1 and not inner.bidirectional:
            setattr(module, name, ProjectedLSTM(inner))
        else:
            _without_projections(inner)
    return module
