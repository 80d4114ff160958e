"""The rows of the layers' benchmark: each layer with its counterpart in PyTorch, and the bytes or operations that it needs at
least.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import prod
from typing import Any

import torch
import torch.nn.functional as F

from pytorch_legacy import nn

from . import criterions, elements, pooling, tables
from .rows import Row, text, window


def rows(words: list[str]) -> Iterator[Row]:
    """The rows whose name or label holds one of the words, family by family; all without words."""
    families = pooling.rows(), elements.rows(), tables.rows(), products(), convolutions(), criterions.rows()
    return (row for row in chain(*families) if row.named(words))


def _weights(m: Any) -> list[Any]:
    if not hasattr(m, "peer"):
        m.peer = [torch.from_numpy(m.weight.copy()).requires_grad_(), torch.from_numpy(m.bias.copy()).requires_grad_()]
    return m.peer


def products() -> Iterator[Row]:
    for batch, inputs, outputs in [(1, 4096, 4096), (128, 1024, 1024)]:
        work = 2 * batch * inputs * outputs
        moved = 4 * (batch * (inputs + outputs) + inputs * outputs)
        yield Row("Linear", f"{batch}x{inputs} to {outputs}", (batch, inputs),
                  lambda i=inputs, o=outputs: nn.Linear(i, o), lambda m, x: F.linear(x, *_weights(m)),
                  (moved, 3 * moved), (work, 2 * work), parameters=True)  # fmt: skip
    for batch in (1, 8):
        for planes, out, size, kernel, stride in [
            (3, 64, 224, 7, 2), (64, 256, 56, 1, 1), (64, 64, 56, 3, 1), (128, 128, 28, 3, 1), (256, 256, 14, 3, 1),
            (512, 512, 7, 3, 1), (64, 64, 224, 3, 1),
        ]:  # fmt: skip
            pad = kernel // 2
            side = window(size, kernel, stride, pad)
            work = 2 * batch * out * side * side * planes * kernel * kernel
            moved = 4 * (batch * (planes * size * size + out * side * side) + out * planes * kernel * kernel)
            yield Row("SpatialConvolution", f"{batch}x{planes}x{size}x{size} to {out}, {kernel}x{kernel} s{stride}",
                      (batch, planes, size, size),
                      lambda p=planes, o=out, k=kernel, s=stride, d=pad: nn.SpatialConvolution(p, o, k, k, s, s, d, d),
                      lambda m, x, s=stride, d=pad: F.conv2d(x, *_weights(m), stride=s, padding=d),
                      (moved, 2 * moved), (work, 2 * work), parameters=True)  # fmt: skip
    for planes, size, kernel, stride in [(32, 112, 3, 1), (144, 56, 3, 2), (192, 28, 5, 1), (512, 14, 3, 1)]:
        pad = kernel // 2
        side = window(size, kernel, stride, pad)
        work = 2 * 8 * planes * side * side * kernel * kernel
        moved = 4 * 8 * planes * (size * size + side * side)
        yield Row("SpatialDepthWiseConvolution", f"8x{planes}x{size}x{size}, {kernel}x{kernel} s{stride}",
                  (8, planes, size, size),
                  lambda p=planes, k=kernel, s=stride, d=pad: nn.SpatialDepthWiseConvolution(p, 1, k, k, s, s, d, d),
                  _depthwise, (moved, 2 * moved), (work, 2 * work), parameters=True)  # fmt: skip


def _depthwise(m: Any, x: torch.Tensor) -> torch.Tensor:
    weight, bias = _weights(m)
    filters = weight.view(m.nInputPlane, 1, m.kH, m.kW)
    return F.conv2d(x, filters, bias.view(-1), (m.dH, m.dW), (m.padH, m.padW), groups=m.nInputPlane)


def convolutions() -> Iterator[Row]:
    """All but SpatialConvolution; shapes of input and output, and a label of what is between them."""
    for layer, label, shape, result, make, peer in [
        ("SpatialDilatedConvolution", "3x3 d2", (1, 64, 56, 56), (1, 64, 56, 56),
         lambda: nn.SpatialDilatedConvolution(64, 64, 3, 3, 1, 1, 2, 2, 2, 2),
         lambda m, x: F.conv2d(x, *_weights(m), padding=2, dilation=2)),
        ("SpatialFullConvolution", "4x4 s2", (8, 256, 16, 16), (8, 128, 32, 32),
         lambda: nn.SpatialFullConvolution(256, 128, 4, 4, 2, 2, 1, 1),
         lambda m, x: F.conv_transpose2d(x, *_weights(m), stride=2, padding=1)),
        ("VolumetricConvolution", "3x3x3 s1", (1, 64, 8, 56, 56), (1, 128, 8, 56, 56),
         lambda: nn.VolumetricConvolution(64, 128, 3, 3, 3, 1, 1, 1, 1, 1, 1),
         lambda m, x: F.conv3d(x, *_weights(m), padding=1)),
        ("VolumetricFullConvolution", "4x4x4 s2", (2, 64, 8, 8, 8), (2, 32, 16, 16, 16),
         lambda: nn.VolumetricFullConvolution(64, 32, 4, 4, 4, 2, 2, 2, 1, 1, 1),
         lambda m, x: F.conv_transpose3d(x, *_weights(m), stride=2, padding=1)),
        ("TemporalConvolution", "3", (16, 200, 256), (16, 198, 256), lambda: nn.TemporalConvolution(256, 256, 3),
         lambda m, x: _overFrames(x, 3, *_weights(m))),
    ]:  # fmt: skip
        weights = make().weight.size
        # Each weight meets each place of the smaller side once.
        cells = slice(1, 2) if layer == "TemporalConvolution" else slice(2, None)
        places = shape[0] * min(prod(shape[cells]), prod(result[cells]))
        moved = 4 * (prod(shape) + prod(result) + weights)
        work = 2 * weights * places
        yield Row(layer, f"{text(shape)} to {text(result[1:])}, {label}", shape, make, peer, (moved, 2 * moved),
                  (work, 2 * work), parameters=True)  # fmt: skip


def _overFrames(x: Any, kW: int, weight: Any, bias: Any) -> Any:
    """PyTorch has features before frames."""
    filters = weight.view(weight.shape[0], kW, -1).transpose(1, 2)
    return F.conv1d(x.transpose(1, 2), filters, bias).transpose(1, 2)
