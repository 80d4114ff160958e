"""The rows of pooling layers. Where PyTorch has no such layer, the peer is the composition that its user would write."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from pytorch_legacy import nn
from pytorch_legacy.arrays import to_device

from .rows import Row, Shape, pooled, text, window

PLANES: Shape = (32, 64, 112, 112)


def rows() -> Iterator[Row]:
    yield from adaptive()
    yield from windows()
    yield from volumes_and_sequences()
    yield from weighted()
    yield from drawn()


def averages(layer: str, label: str, shape: Shape, o: int, make: Any, peer: Any) -> Row:
    """A layer that reads its input and writes its output, and the other way round."""
    n = prod(shape)
    return Row(layer, label, shape, make, peer, (4 * (n + o), 4 * (n + o)))


def maxima(layer: str, label: str, shape: Shape, o: int, make: Any, peer: Any, **options: Any) -> Row:
    """The same with 64-bit indices."""
    n = prod(shape)
    return Row(layer, label, shape, make, peer, (4 * n + 12 * o, 4 * n + 12 * o), **options)


def adaptive() -> Iterator[Row]:
    planes = [(64, 256, 56, 56), (32, 64, 33, 33), (8, 512, 37, 53), (64, 256, 56, 56), (1, 2048, 7, 7)]
    for shape, size in zip(planes, (7, 14, 14, 1, 1), strict=True):
        o, label = pooled(shape, size, size), f"{text(shape)} to {size}x{size}"
        yield averages("SpatialAdaptiveAveragePooling", label, shape, o,
                       lambda size=size: nn.SpatialAdaptiveAveragePooling(size, size),
                       lambda m, x, size=size: F.adaptive_avg_pool2d(x, size))  # fmt: skip
        yield maxima("SpatialAdaptiveMaxPooling", label, shape, o, lambda size=size: nn.SpatialAdaptiveMaxPooling(size, size),
                     lambda m, x, size=size: F.adaptive_max_pool2d(x, size, return_indices=True)[0])  # fmt: skip
    for shape in [(64, 256, 56, 56), (4, 16, 1024, 1024), (512, 2048, 7, 7)]:
        o = prod(shape[:2])
        yield averages("SpatialGlobalAveragePooling", text(shape), shape, o, nn.SpatialGlobalAveragePooling,
                       lambda m, x: F.adaptive_avg_pool2d(x, 1))  # fmt: skip
        yield maxima("SpatialGlobalMaxPooling", text(shape), shape, o, nn.SpatialGlobalMaxPooling,
                     lambda m, x: F.adaptive_max_pool2d(x, 1, return_indices=True)[0])  # fmt: skip


def windows() -> Iterator[Row]:
    small = (8, 512, 14, 14)
    for shape, kernel, stride, pad in [(PLANES, 3, 2, 1), (PLANES, 2, 2, 0), (small, 3, 2, 1), (small, 2, 2, 0)]:
        size = window(shape[-1], kernel, stride, pad)
        o, label = pooled(shape, size, size), f"{text(shape)} {kernel}x{kernel} s{stride} p{pad}"
        arguments = (kernel, kernel, stride, stride, pad, pad)
        yield maxima("SpatialMaxPooling", label, shape, o, lambda a=arguments: nn.SpatialMaxPooling(*a),
                     lambda m, x, k=kernel, s=stride, p=pad: F.max_pool2d(x, k, s, p, return_indices=True)[0])  # fmt: skip
        yield averages("SpatialAveragePooling", label, shape, o, lambda a=arguments: nn.SpatialAveragePooling(*a),
                       lambda m, x, k=kernel, s=stride, p=pad: F.avg_pool2d(x, k, s, p))  # fmt: skip
    size = window(PLANES[-1], 3, 2, 0)
    o = pooled(PLANES, size, size)
    n = prod(PLANES)
    yield Row("SpatialPowerAveragePooling", f"{text(PLANES)} p=2 3x3 s2", PLANES,
              lambda: nn.SpatialPowerAveragePooling(2, 3, 3, 2, 2), lambda m, x: F.lp_pool2d(x, 2, 3, 2),
              (4 * (n + o), 8 * (n + o)))  # fmt: skip
    size = window(PLANES[-1], 5, 2, 0)
    yield maxima("SpatialDilatedMaxPooling", f"{text(PLANES)} 3x3 s2 dilation 2", PLANES, pooled(PLANES, size, size),
                 lambda: nn.SpatialDilatedMaxPooling(3, 3, 2, 2, 0, 0, 2, 2),
                 lambda m, x: F.max_pool2d(x, 3, 2, dilation=2, return_indices=True)[0])  # fmt: skip


def volumes_and_sequences() -> Iterator[Row]:
    shape = (4, 32, 16, 56, 56)
    o = prod(shape) // 8
    yield averages("VolumetricAveragePooling", f"{text(shape)} 2x2x2 s2", shape, o, lambda: nn.VolumetricAveragePooling(2, 2, 2),
                   lambda m, x: F.avg_pool3d(x, 2))  # fmt: skip
    yield maxima("VolumetricMaxPooling", f"{text(shape)} 2x2x2 s2", shape, o, lambda: nn.VolumetricMaxPooling(2, 2, 2),
                 lambda m, x: F.max_pool3d(x, 2, return_indices=True)[0])  # fmt: skip
    o = prod(shape[:2]) * 4 * 7 * 7
    yield averages("VolumetricAdaptiveAveragePooling", f"{text(shape)} to 4x7x7", shape, o,
                   lambda: nn.VolumetricAdaptiveAveragePooling(4, 7, 7),
                   lambda m, x: F.adaptive_avg_pool3d(x, (4, 7, 7)))  # fmt: skip
    shape = (64, 1000, 256)  # frames by features, as the layers take them; PyTorch gets a view
    o = 64 * 256 * 64
    yield averages("TemporalAdaptiveAveragePooling", f"{text(shape)} to 64", shape, o,
                   lambda: nn.TemporalAdaptiveAveragePooling(64), lambda m, x: F.adaptive_avg_pool1d(x.mT, 64).mT)  # fmt: skip
    yield maxima("TemporalAdaptiveMaxPooling", f"{text(shape)} to 64", shape, o, lambda: nn.TemporalAdaptiveMaxPooling(64),
                 lambda m, x: F.adaptive_max_pool1d(x.mT, 64, return_indices=True)[0].mT)  # fmt: skip
    yield averages("TemporalGlobalAveragePooling", text(shape), shape, 64 * 256, nn.TemporalGlobalAveragePooling,
                   lambda m, x: F.adaptive_avg_pool1d(x.mT, 1).mT)  # fmt: skip


def _soft(x: Any, logit: Any, *window: int) -> Any:
    weight = logit.exp()
    return F.avg_pool2d(x * weight, *window) / F.avg_pool2d(weight, *window)


def _parameters(m: Any, *names: str) -> list[Any]:
    """The module's parameters as tensors that take gradients, made once."""
    if not hasattr(m, "peer"):
        m.peer = [torch.from_numpy(getattr(m, name).copy()).requires_grad_() for name in names]
    return m.peer


def _gaussian(m: Any, x: Any) -> Any:
    mean, precision = _parameters(m, "mean", "precision")
    places = torch.arange(5.0, device=x.device) - 2
    mean, precision = mean.view(-1, 2, 1), precision.view(-1, 2, 1)
    axes = torch.softmax(-0.5 * precision * (places - mean) ** 2, -1)
    return F.conv2d(x, (axes[:, 1, :, None] * axes[:, 0, None, :]).unsqueeze(1), stride=2, groups=x.shape[1])


def weighted() -> Iterator[Row]:
    n, channels = prod(PLANES), PLANES[1]
    for kernel, stride in [(2, 2), (3, 2)]:
        size = window(PLANES[-1], kernel, stride, 0)
        o, label = pooled(PLANES, size, size), f"{text(PLANES)} {kernel}x{kernel} s{stride}"
        arguments = (kernel, kernel, stride, stride)
        yield Row("SpatialSoftPool", label, PLANES, lambda a=arguments: nn.SpatialSoftPool(*a),
                  lambda m, x, k=kernel, s=stride: _soft(x, x, k, s), (4 * (n + o), 4 * (2 * n + o)))  # fmt: skip
        yield Row("SpatialLocalImportancePooling", label, PLANES, lambda a=arguments: _WithLogit(*a),
                  lambda m, x, k=kernel, s=stride: _soft(x, m.peer[0], k, s), (4 * (2 * n + o), 4 * (4 * n + o)))  # fmt: skip
    size = window(PLANES[-1], 5, 2, 0)
    o = pooled(PLANES, size, size)
    yield Row("SpatialGaussianPooling", f"{text(PLANES)} 5x5 s2", PLANES,
              lambda: nn.SpatialGaussianPooling(channels, 5, 5, 2, 2), _gaussian, (4 * (n + o), 8 * (n + o)),
              parameters=True)  # fmt: skip
    size = window(PLANES[-1], 3, 2, 0)
    o = pooled(PLANES, size, size)
    yield Row("SpatialMixedPooling", f"{text(PLANES)} 3x3 s2", PLANES, lambda: nn.SpatialMixedPooling(3, 3, 2, 2),
              lambda m, x: torch.lerp(F.avg_pool2d(x, 3, 2), F.max_pool2d(x, 3, 2), _parameters(m, "weight")[0]),
              (4 * n + 12 * o, 8 * n + 12 * o), parameters=True)  # fmt: skip

    def gated(m: Any, x: Any) -> Any:
        mask = _parameters(m, "weight")[0].view(1, 1, 3, 3).expand(x.shape[1], 1, 3, 3)
        gate = torch.sigmoid(F.conv2d(x, mask, stride=2, groups=x.shape[1]))
        return torch.lerp(F.avg_pool2d(x, 3, 2), F.max_pool2d(x, 3, 2), gate)

    yield Row("SpatialGatedPooling", f"{text(PLANES)} 3x3 s2", PLANES, lambda: nn.SpatialGatedPooling(3, 3, 2, 2), gated,
              (4 * n + 16 * o, 8 * n + 20 * o), parameters=True)  # fmt: skip


def drawn() -> Iterator[Row]:
    for shape, size in [((64, 256, 56, 56), 40), ((32, 64, 33, 33), 14)]:
        yield maxima("SpatialFractionalMaxPooling", f"{text(shape)} 2x2 to {size}x{size}", shape, pooled(shape, size, size),
                     lambda size=size: nn.SpatialFractionalMaxPooling(2, 2, size, size),
                     lambda m, x, s=size: F.fractional_max_pool2d(x, 2, output_size=(s, s), return_indices=True)[0],
                     isDrawn=True)  # fmt: skip
    n, o = prod(PLANES), prod(PLANES) // 4

    def expected(m: Any, x: Any) -> Any:
        a = torch.relu(x)
        return F.avg_pool2d(a * a, 2) / F.avg_pool2d(a, 2).clamp_min(1e-30)

    yield Row("SpatialStochasticPooling", f"{text(PLANES)} 2x2 evaluation", PLANES, lambda: nn.SpatialStochasticPooling(2, 2),
              expected, (4 * (n + o), 4 * (2 * n + o)), mode="evaluate")  # fmt: skip

    def chosen(m: Any, x: Any) -> Any:
        picked = torch.arange(0, x.shape[-1], 2)
        return F.max_pool2d(F.pad(x, (0, 1, 0, 1), value=-torch.inf), 2, 1)[..., picked, :][..., picked]

    yield maxima("SpatialS3Pooling", f"{text(PLANES)} p=2 grid 4", PLANES, o, lambda: nn.SpatialS3Pooling(2, 4, 4), chosen)
    shape = (64, 500, 300)
    yield maxima("TemporalDynamicKMaxPooling", f"{text(shape)} 10 of 500", shape, 64 * 10 * 300,
                 lambda: nn.TemporalDynamicKMaxPooling(10), lambda m, x: x.gather(1, x.topk(10, 1)[1].sort(1)[0]))  # fmt: skip


class _WithLogit:
    """Local importance pooling with its logits, called as a module of one input."""

    def __init__(self, *window: int) -> None:
        self.module = nn.SpatialLocalImportancePooling(*window)
        logit = np.random.default_rng(1).standard_normal(PLANES, np.float32)
        self.logit, self.peer = logit, [torch.from_numpy(logit.copy()).requires_grad_()]

    def cuda(self) -> Any:
        self.module.cuda()
        self.logit, self.peer = to_device(self.logit, True), [self.peer[0].detach().cuda().requires_grad_()]
        return self

    def double(self) -> Any:
        self.module.double()
        self.logit = self.logit.astype(np.float64)
        return self

    def clone(self) -> Any:
        other = copy.copy(self)
        other.module = self.module.clone()
        return other

    def forward(self, input: Any) -> Any:
        return self.module.forward([input, self.logit])

    def backward(self, input: Any, gradOutput: Any) -> Any:
        return self.module.backward([input, self.logit], gradOutput)
