"""The rows of layers that work element by element, or nearly: activations, normalization, padding, up-sampling."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from pytorch_legacy import nn

from .rows import Row, pooled, text

PLANES = (32, 64, 56, 56)
LARGE = (8, 64, 112, 112)


def rows() -> Iterator[Row]:
    yield from activation()
    yield from softmaxes()
    yield from normalization()
    yield from padding()
    yield from sampling()


def _element(layer: str, make: Any, peer: Any, forward: int = 8, backward: int = 12, **options: Any) -> Row:
    """Forward reads and writes an element; backward reads two and writes one."""
    n = prod(PLANES)
    return Row(layer, text(PLANES), PLANES, make, lambda m, x: peer(x), (forward * n, backward * n), **options)


def _positive() -> Any:
    return np.random.default_rng(0).uniform(0.1, 3, PLANES).astype(np.float32)


def activation() -> Iterator[Row]:
    for layer, peer in [
        ("ReLU", torch.relu), ("ReLU6", F.relu6), ("Tanh", torch.tanh), ("Sigmoid", torch.sigmoid), ("HardTanh", F.hardtanh),
        ("LeakyReLU", F.leaky_relu), ("ELU", F.elu), ("SoftPlus", F.softplus), ("LogSigmoid", F.logsigmoid),
        ("SoftShrink", F.softshrink), ("HardShrink", F.hardshrink), ("TanhShrink", F.tanhshrink), ("SoftSign", F.softsign),
        ("Abs", torch.abs), ("Square", torch.square), ("Exp", torch.exp),
    ]:  # fmt: skip
        yield _element(layer, getattr(nn, layer), peer)
    yield _element("Sqrt", nn.Sqrt, torch.sqrt, input=_positive)
    yield _element("Log", nn.Log, torch.log, input=_positive)
    yield _element("Power", lambda: nn.Power(2.5), lambda x: torch.pow(x, 2.5), input=_positive)
    yield _element("Threshold", lambda: nn.Threshold(0.5, 1), lambda x: F.threshold(x, 0.5, 1))
    yield _element("Clamp", lambda: nn.Clamp(-1, 1), lambda x: torch.clamp(x, -1, 1))
    yield _element("RReLU", nn.RReLU, F.rrelu, mode="evaluate")
    yield _element("Dropout", nn.Dropout, F.dropout, 8, 12, isDrawn=True)
    yield _element("AddConstant", lambda: nn.AddConstant(2), lambda x: x + 2, 8, 8)
    yield _element("MulConstant", lambda: nn.MulConstant(2), lambda x: x * 2, 8, 8)
    yield _element("GatedLinearUnit", lambda: nn.GatedLinearUnit(1), lambda x: F.glu(x, 1), 6, 10)
    n = prod(PLANES)
    yield Row("PReLU", text(PLANES), PLANES, lambda: nn.PReLU(64), lambda m, x: F.prelu(x, *_parameters(m, "weight")),
              (8 * n, 12 * n), parameters=True)  # fmt: skip


def softmaxes() -> Iterator[Row]:
    for shape in [(4096, 1000), PLANES]:
        n = prod(shape)
        yield Row("SoftMax", text(shape), shape, nn.SoftMax, lambda m, x: F.softmax(x, 1), (8 * n, 12 * n))
        yield Row("SoftMin", text(shape), shape, nn.SoftMin, lambda m, x: F.softmin(x, 1), (8 * n, 12 * n))
        yield Row("LogSoftMax", text(shape), shape, nn.LogSoftMax, lambda m, x: F.log_softmax(x, 1), (8 * n, 12 * n))


def _parameters(m: Any, *names: str) -> list[Any]:
    if not hasattr(m, "peer"):
        m.peer = [torch.from_numpy(getattr(m, name).copy()).requires_grad_() for name in names]
    return m.peer


def _normalized(m: Any, x: Any) -> Any:
    if not hasattr(m, "statistics"):
        m.statistics = [torch.from_numpy(a.copy()) for a in (m.running_mean, m.running_var)]
    return F.batch_norm(x, *m.statistics, *_parameters(m, "weight", "bias"), m.train is not False, 0.1, 1e-5)


def _layer_normalized(m: Any, x: Any) -> Any:
    """Torch7's layer, which spreads the means across the batch: F.layer_norm computes something else."""
    n, width = x.shape
    centred = x - x.mean(1).repeat(width).view(n, width)
    gain, shift = (torch.from_numpy(array) for array in (m.modules[4].weight, m.modules[5].bias))
    return F.normalize(centred) * width**0.5 * gain + shift


def normalization() -> Iterator[Row]:
    n = prod(PLANES)
    for mode in ("training", "evaluate"):
        yield Row("SpatialBatchNormalization", f"{text(PLANES)} {mode}", PLANES, lambda: nn.SpatialBatchNormalization(64),
                  _normalized, (8 * n, 12 * n), mode=mode, parameters=True)  # fmt: skip
    shape: tuple[int, ...] = (4096, 1000)
    n = prod(shape)
    yield Row("BatchNormalization", f"{text(shape)} training", shape, lambda: nn.BatchNormalization(1000), _normalized,
              (8 * n, 12 * n), parameters=True)  # fmt: skip
    yield Row("Normalize", f"{text(shape)} p=2", shape, lambda: nn.Normalize(2), lambda m, x: F.normalize(x), (8 * n, 12 * n))
    yield Row("LayerNormalization", text(shape), shape, lambda: nn.LayerNormalization(1000), _layer_normalized,
              (8 * n, 12 * n))  # fmt: skip
    shape = (32, 96, 55, 55)
    n = prod(shape)
    yield Row("SpatialCrossMapLRN", f"{text(shape)} size 5", shape, lambda: nn.SpatialCrossMapLRN(5),
              lambda m, x: F.local_response_norm(x, 5), (12 * n, 20 * n))  # fmt: skip
    shape = (8, 16, 128, 128)
    n = prod(shape)
    yield Row("SpatialSubtractiveNormalization", f"{text(shape)} 9x9", shape,
              lambda: nn.SpatialSubtractiveNormalization(16), _subtracted, (8 * n, 8 * n))  # fmt: skip


def _subtracted(m: Any, x: Any) -> Any:
    """The mean of the neighbourhood over all planes, with the division at the border that a composition needs."""
    kernel = torch.ones(1, x.shape[1], 9, 9) / (81 * x.shape[1])
    mean = F.conv2d(x, kernel, padding=4)
    return x - mean / F.conv2d(torch.ones_like(x[:1]), kernel, padding=4)


def _moved(layer: str, label: str, shape: tuple[int, ...], made: int, make: Any, peer: Any) -> Row:
    n = prod(shape)
    return Row(layer, f"{text(shape)} {label}", shape, make, lambda m, x: peer(x), (4 * (n + made), 4 * (n + made)))


def padding() -> Iterator[Row]:
    borders, o = (3, 3, 3, 3), prod(LARGE[:2]) * 118 * 118
    for layer, mode in [("Zero", "constant"), ("Replication", "replicate"), ("Reflection", "reflect")]:
        cls = getattr(nn, f"Spatial{layer}Padding")
        yield _moved(cls.__name__, "by 3", LARGE, o, lambda cls=cls: cls(*borders),
                     lambda x, mode=mode: F.pad(x, borders, mode=mode))  # fmt: skip
    shape, around = (2, 32, 16, 56, 56), (1, 1, 1, 1, 1, 1)
    yield _moved("VolumetricReplicationPadding", "by 1", shape, 64 * 18 * 58 * 58,
                 lambda: nn.VolumetricReplicationPadding(*around), lambda x: F.pad(x, around, mode="replicate"))  # fmt: skip
    yield _moved("Padding", "2 planes", LARGE, prod(LARGE) * 66 // 64, lambda: nn.Padding(0, 2, 3),
                 lambda x: F.pad(x, (0, 0, 0, 0, 0, 2)))  # fmt: skip


def sampling() -> Iterator[Row]:
    o = pooled(LARGE, 224, 224)
    yield _moved("SpatialUpSamplingNearest", "by 2", LARGE, o, lambda: nn.SpatialUpSamplingNearest(2),
                 lambda x: F.interpolate(x, scale_factor=2))  # fmt: skip
    yield _moved("SpatialUpSamplingBilinear", "by 2", LARGE, o, lambda: nn.SpatialUpSamplingBilinear(2),
                 lambda x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True))  # fmt: skip
    shape = (2, 16, 8, 56, 56)
    o = prod(shape) * 8
    yield _moved("VolumetricUpSamplingNearest", "by 2", shape, o, lambda: nn.VolumetricUpSamplingNearest(2),
                 lambda x: F.interpolate(x, scale_factor=2))  # fmt: skip
    yield _moved("VolumetricUpSamplingTrilinear", "by 2", shape, o, lambda: nn.VolumetricUpSamplingTrilinear(2),
                 lambda x: F.interpolate(x, scale_factor=2, mode="trilinear", align_corners=True))  # fmt: skip
    yield _moved("PixelShuffle", "by 2", LARGE, prod(LARGE), lambda: nn.PixelShuffle(2), lambda x: F.pixel_shuffle(x, 2))
    images = (8, 32, 64, 64)
    yield _grid_sampler(images, "smooth", 0.02)
    yield _grid_sampler(images, "random", 1.0)
    yield _grid_sampler((8, 1, 256, 256), "smooth", 0.02)


def _grid_sampler(images: tuple[int, ...], label: str, wobble: float) -> Row:
    n, grid = prod(images), 2 * prod(images) // images[1]
    return Row("SpatialGridSamplerBilinear", f"{text(images)} {label} grid", images, nn.SpatialGridSamplerBilinear,
               lambda m, x: F.grid_sample(x[0], x[1], align_corners=True), (4 * (2 * n + grid), 4 * (4 * n + 2 * grid)),
               input=lambda: _grid(images, wobble))  # fmt: skip


def _grid(images: tuple[int, ...], wobble: float) -> list[Any]:
    rng = np.random.default_rng(0)
    y, x = np.meshgrid(np.linspace(-1, 1, images[2]), np.linspace(-1, 1, images[3]), indexing="ij")
    grid = np.stack([x, y], -1) + wobble * rng.uniform(-1, 1, (images[0], *x.shape, 2))
    return [rng.standard_normal(images, np.float32), np.clip(grid, -1, 1).astype(np.float32)]
