"""The layers of this folder as rows of the benchmark: python -m benchmarks --rows examples/own/benchmark.py"""

from collections.abc import Iterator
from math import prod
from typing import Any

import torch
import torch.nn.functional as F
from GaussianPooling import GaussianPooling
from GlobalAveragePooling import GlobalAveragePooling

from benchmarks.rows import Row, pooled, text


def rows() -> Iterator[Row]:
    """Each layer beside what one would write in PyTorch, and the bytes that cannot be avoided: each array moves once."""
    for shape in [(8, 64, 112, 112), (8, 512, 7, 7)]:
        cells, outputs = prod(shape), pooled(shape, 1, 1)
        yield Row("own.GlobalAveragePooling", text(shape), shape, GlobalAveragePooling,
                  lambda layer, x: F.adaptive_avg_pool2d(x, 1), (4 * (cells + outputs), 4 * (cells + outputs)))  # fmt: skip
    shape = (8, 64, 56, 56)
    cells, outputs = prod(shape), pooled(shape, 28, 28)
    yield Row("own.GaussianPooling", f"{text(shape)}, 2x2", shape, lambda: GaussianPooling(64, 2, 2), gaussian,
              (4 * (cells + outputs), 4 * (2 * cells + outputs)), parameters=True)  # fmt: skip


def gaussian(layer: Any, x: Any) -> Any:
    """The weighted mean as a depth-wise convolution whose weights are computed from the variances."""
    if not hasattr(layer, "peer"):
        layer.peer = [torch.from_numpy(layer.weight.copy()).requires_grad_()]
    down, right = torch.arange(layer.kH) - (layer.kH - 1) / 2, torch.arange(layer.kW) - (layer.kW - 1) / 2
    weights = torch.exp(-(down[:, None] ** 2 + right**2) / (2 * layer.peer[0].exp()[:, None, None]))
    kernel = (weights / weights.sum((1, 2), keepdim=True))[:, None]
    return F.conv2d(x, kernel, stride=(layer.dH, layer.dW), groups=len(kernel))
