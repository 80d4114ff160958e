"""What is measured: each layer with its counterpart in PyTorch, and the bytes or operations that it cannot avoid."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from pytorch_legacy import nn

from . import pooling
from .rows import Row, pooled, text, window


def rows() -> Iterator[Row]:
    """All rows, family by family."""
    yield from pooling.rows()
    yield from activation()
    yield from normalization()
    yield from sampling()
    yield from products()
    yield from convolutions()
    yield from criterions()


def activation() -> Iterator[Row]:
    shape = (32, 64, 56, 56)
    n = prod(shape)
    for layer, peer in [
        ("ReLU", torch.relu), ("Tanh", torch.tanh), ("Sigmoid", torch.sigmoid), ("HardTanh", F.hardtanh),
        ("LeakyReLU", F.leaky_relu), ("ELU", F.elu), ("SoftPlus", F.softplus), ("LogSigmoid", F.logsigmoid),
        ("SoftShrink", F.softshrink),
    ]:  # fmt: skip
        yield Row(layer, text(shape), shape, getattr(nn, layer), lambda m, x, peer=peer: peer(x), (8 * n, 12 * n))
    yield Row("PReLU", text(shape), shape, lambda: nn.PReLU(64), lambda m, x: F.prelu(x, _weight(m)), (8 * n, 12 * n),
              parameters=True)  # fmt: skip
    yield Row("GatedLinearUnit", text(shape), shape, lambda: nn.GatedLinearUnit(1), lambda m, x: F.glu(x, 1),
              (6 * n, 10 * n))  # fmt: skip
    for shape in [(4096, 1000), (32, 64, 56, 56)]:
        n = prod(shape)
        yield Row("SoftMax", text(shape), shape, nn.SoftMax, lambda m, x: F.softmax(x, 1), (8 * n, 12 * n))
        yield Row("LogSoftMax", text(shape), shape, nn.LogSoftMax, lambda m, x: F.log_softmax(x, 1), (8 * n, 12 * n))


def normalization() -> Iterator[Row]:
    shape = (32, 64, 56, 56)
    n = prod(shape)

    def peer(m: Any, x: Any) -> Any:
        if not hasattr(m, "peer"):
            m.peer = [torch.from_numpy(a.copy()) for a in (m.running_mean, m.running_var, m.weight, m.bias)]
            for parameter in m.peer[2:]:
                parameter.requires_grad_()
        return F.batch_norm(x, *m.peer, m.train is not False, 0.1, 1e-5)

    yield Row("SpatialBatchNormalization", f"{text(shape)} training", shape, lambda: nn.SpatialBatchNormalization(64), peer,
              (8 * n, 12 * n), parameters=True)  # fmt: skip
    yield Row("SpatialBatchNormalization", f"{text(shape)} evaluation", shape, lambda: nn.SpatialBatchNormalization(64),
              peer, (8 * n, 12 * n), mode="evaluate", parameters=True)  # fmt: skip
    shape = (8, 64, 112, 112)
    n, o = prod(shape), prod(shape[:2]) * 118 * 118
    yield Row("SpatialReplicationPadding", f"{text(shape)} by 3", shape, lambda: nn.SpatialReplicationPadding(3, 3, 3, 3),
              lambda m, x: F.pad(x, (3, 3, 3, 3), mode="replicate"), (4 * (n + o), 4 * (n + o)))  # fmt: skip
    yield Row("SpatialReflectionPadding", f"{text(shape)} by 3", shape, lambda: nn.SpatialReflectionPadding(3, 3, 3, 3),
              lambda m, x: F.pad(x, (3, 3, 3, 3), mode="reflect"), (4 * (n + o), 4 * (n + o)))  # fmt: skip
    shape = (32, 96, 55, 55)
    n = prod(shape)
    yield Row("SpatialCrossMapLRN", f"{text(shape)} size 5", shape, lambda: nn.SpatialCrossMapLRN(5),
              lambda m, x: F.local_response_norm(x, 5), (12 * n, 20 * n))  # fmt: skip


def sampling() -> Iterator[Row]:
    shape = (8, 64, 112, 112)
    n, o = prod(shape), pooled(shape, 224, 224)
    yield Row("SpatialUpSamplingNearest", f"{text(shape)} by 2", shape, lambda: nn.SpatialUpSamplingNearest(2),
              lambda m, x: F.interpolate(x, scale_factor=2), (4 * (n + o), 4 * (n + o)))  # fmt: skip
    yield Row("SpatialUpSamplingBilinear", f"{text(shape)} by 2", shape, lambda: nn.SpatialUpSamplingBilinear(2),
              lambda m, x: F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True),
              (4 * (n + o), 4 * (n + o)))  # fmt: skip


def _weight(m: Any) -> Any:
    if not hasattr(m, "peer"):
        m.peer = torch.from_numpy(m.weight.copy()).requires_grad_()
    return m.peer


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


def criterions() -> Iterator[Row]:
    shape = (4096, 1000)
    n = prod(shape)
    labels = np.random.default_rng(0).integers(0, 1000, 4096)
    yield Row("ClassNLLCriterion", text(shape), shape, lambda: _Loss(nn.ClassNLLCriterion(), labels),
              lambda m, x: F.nll_loss(x, torch.from_numpy(labels)), (12 * 4096, 4 * n))  # fmt: skip
    target = np.random.default_rng(1).standard_normal(shape, np.float32)
    yield Row("MSECriterion", text(shape), shape, lambda: _Loss(nn.MSECriterion(), target),
              lambda m, x: F.mse_loss(x, torch.from_numpy(target)), (8 * n, 12 * n))  # fmt: skip
    chances = np.random.default_rng(2).uniform(0, 1, shape).astype(np.float32)
    signs = np.random.default_rng(3).choice(np.float32([-1, 1]), shape)
    for criterion, goal, function in [
        (nn.AbsCriterion, target, F.l1_loss),
        (nn.SmoothL1Criterion, target, F.smooth_l1_loss),
        (nn.SoftMarginCriterion, signs, F.soft_margin_loss),
        (nn.DistKLDivCriterion, chances, lambda x, goal: F.kl_div(x, goal, reduction="sum") / n),
    ]:
        yield Row(criterion.__name__, text(shape), shape, lambda c=criterion, g=goal: _Loss(c(), g),
                  lambda m, x, f=function, g=goal: f(x, torch.from_numpy(g)), (8 * n, 12 * n))  # fmt: skip
    yield Row("MultiMarginCriterion", text(shape), shape, lambda: _Loss(nn.MultiMarginCriterion(), labels),
              lambda m, x: F.multi_margin_loss(x, torch.from_numpy(labels)), (4 * n, 8 * n))  # fmt: skip
    lists = np.full(shape, -1)
    lists[:, :5] = (labels[:, None] + np.arange(5)) % 1000
    yield Row("MultiLabelMarginCriterion", text(shape), shape, lambda: _Loss(nn.MultiLabelMarginCriterion(), lists),
              lambda m, x: F.multilabel_margin_loss(x, torch.from_numpy(lists)), (8 * n, 12 * n))  # fmt: skip
    images = (8, 21, 256, 256)
    places = np.random.default_rng(4).integers(0, 21, (8, 256, 256))
    yield Row("SpatialClassNLLCriterion", text(images), images, lambda: _Loss(nn.SpatialClassNLLCriterion(), places),
              lambda m, x: F.nll_loss(x, torch.from_numpy(places)), (12 * places.size, 4 * prod(images)))  # fmt: skip


class _Loss:
    """A criterion with its target, called as a module."""

    def __init__(self, criterion: Any, target: Any) -> None:
        self.criterion, self.target = criterion, target

    def forward(self, input: Any) -> Any:
        return self.criterion.forward(input, self.target)

    def backward(self, input: Any, gradOutput: Any) -> Any:
        return self.criterion.backward(input, self.target)
