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
    type(module).forward.__globals__["F"] = SimpleNamespace(**functions)
    return _without_projections(module)


def _without_projections(module: Any) -> Any:
    for name, inner in [*module.named_children()]:
        if type(inner) is torch.nn.LSTM and inner.proj_size and inner.num_layers == 1 and not inner.bidirectional:
            setattr(module, name, ProjectedLSTM(inner))
        else:
            _without_projections(inner)
    return module
