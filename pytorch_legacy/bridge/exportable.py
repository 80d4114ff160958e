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


class Stepwise(torch.nn.Module):
    """An nn.LSTM, nn.GRU or nn.RNN as a loop over the steps: exporters get projections wrong, onnxruntime has none in double."""

    def __init__(self, rnn: Any) -> None:
        super().__init__()
        self.rnn = rnn

    def forward(self, x: torch.Tensor, state: Any = None) -> tuple[torch.Tensor, Any]:
        rnn = self.rnn
        x = x.transpose(0, 1) if rnn.batch_first else x
        if state is None:
            sizes = [rnn.proj_size or rnn.hidden_size, rnn.hidden_size][: 1 + (rnn.mode == "LSTM")]
            state = [x.new_zeros(rnn.num_layers * (1 + rnn.bidirectional), x.shape[1], size) for size in sizes]
        begin = [*zip(*(state if rnn.mode == "LSTM" or isinstance(state, list) else [state]), strict=True)]
        end: list[Any] = []
        for layer in range(rnn.num_layers):
            ways = []
            for reverse in range(1 + rnn.bidirectional):
                outputs, last = self._way(x, begin[len(end)], f"_l{layer}" + "_reverse" * reverse, -1 if reverse else 1)
                ways.append(outputs)
                end.append(last)
            x = torch.cat(ways, -1)
        after = tuple(torch.stack(parts) for parts in zip(*end, strict=True))
        return x.transpose(0, 1) if rnn.batch_first else x, after if rnn.mode == "LSTM" else after[0]

    def _way(self, x: torch.Tensor, state: Sequence[torch.Tensor], suffix: str, order: int) -> tuple[torch.Tensor, Any]:
        """The outputs of one layer in one direction, and its last state."""
        kinds = "weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"
        into, within, bias, more, projection = (getattr(self.rnn, kind + suffix, None) for kind in kinds)
        outputs = []
        for sums in F.linear(x, into, bias).unbind()[::order]:  # type: ignore[arg-type]
            state = _step(self.rnn.mode, sums, F.linear(state[0], within, more), state)  # type: ignore[arg-type]
            if projection is not None:
                state = [F.linear(state[0], projection), *state[1:]]
            outputs.append(state[0])
        return torch.stack(outputs[::order]), state


def _step(mode: str, a: torch.Tensor, b: torch.Tensor, state: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The state after a step, of what the input and the last output give to the gates."""
    if mode == "LSTM":
        i, f, g, o = (a + b).chunk(4, -1)
        c = f.sigmoid() * state[1] + i.sigmoid() * g.tanh()
        return [o.sigmoid() * c.tanh(), c]
    if mode == "GRU":
        (r, z, n), (s, u, m) = a.chunk(3, -1), b.chunk(3, -1)
        made = (n + (r + s).sigmoid() * m).tanh()
        return [made + (z + u).sigmoid() * (state[0] - made)]
    return [(a + b).tanh() if mode == "RNN_TANH" else (a + b).relu()]


def max_pool1d(x: torch.Tensor, kernel: int, stride: int | None = None, **options: Any) -> torch.Tensor:
    """``F.max_pool1d`` as torch.export takes it without fixing the length: that of rows of planes."""
    return F.max_pool2d(x[..., None, :], (1, kernel), (1, stride or kernel), **options)[..., 0, :]


def written_out(module: torch.nn.Module) -> torch.nn.Module:
    """A module that the bridge wrote, changed for exporters to ONNX; nobody else has it."""
    space = type(by_masks(module)).forward.__globals__
    for rank in (1, 2, 3):
        setattr(space["F"], f"adaptive_max_pool{rank}d", lambda x, sizes, rank=rank: adaptive_pool(x, sizes, rank))
    space["F"].adaptive_avg_pool3d = lambda x, sizes: adaptive_pool(x, sizes, 3, torch.mean)
    if "k_largest" in space:
        space["k_largest"] = k_largest
    return _in_steps(module)  # type: ignore[no-any-return]


def by_masks(module: torch.nn.Module) -> torch.nn.Module:
    """A module that the bridge wrote, changed for torch.export: without windows that depend on numbers of the input, or that fix
    its length; nobody else has it."""
    space = type(module).forward.__globals__
    space["F"] = SimpleNamespace(**{name: getattr(F, name) for name in dir(F)} | {"max_pool1d": max_pool1d})
    if "roi_pool" in space:
        space["roi_pool"] = roi_pool
    return module


def _in_steps(module: Any) -> Any:
    for name, inner in [*module.named_children()]:
        if type(inner) not in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
            _in_steps(inner)
        elif inner.proj_size or inner.weight_ih_l0.dtype == torch.float64:
            setattr(module, name, Stepwise(inner))
    return module
