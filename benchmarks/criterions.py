"""The rows of criterions, which are called with their target."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

from pytorch_legacy import nn
from pytorch_legacy.arrays import on_device, to_device

from .rows import Row, text


def rows() -> Iterator[Row]:
    shape = (4096, 1000)
    n = prod(shape)
    labels = np.random.default_rng(0).integers(0, 1000, 4096)
    yield Row("ClassNLLCriterion", text(shape), shape, lambda: _Loss(nn.ClassNLLCriterion(), labels),
              lambda m, x: F.nll_loss(x, m.goal()), (12 * 4096, 4 * n))  # fmt: skip
    target = np.random.default_rng(1).standard_normal(shape, np.float32)
    yield Row("MSECriterion", text(shape), shape, lambda: _Loss(nn.MSECriterion(), target),
              lambda m, x: F.mse_loss(x, m.goal()), (8 * n, 12 * n))  # fmt: skip
    chances = np.random.default_rng(2).uniform(0, 1, shape).astype(np.float32)
    signs = np.random.default_rng(3).choice(np.float32([-1, 1]), shape)
    for criterion, goal, function in [
        (nn.AbsCriterion, target, F.l1_loss),
        (nn.SmoothL1Criterion, target, F.smooth_l1_loss),
        (nn.SoftMarginCriterion, signs, F.soft_margin_loss),
        (nn.DistKLDivCriterion, chances, lambda x, goal: F.kl_div(x, goal, reduction="sum") / n),
    ]:
        yield Row(criterion.__name__, text(shape), shape, lambda c=criterion, g=goal: _Loss(c(), g),
                  lambda m, x, f=function, g=goal: f(x, m.goal()), (8 * n, 12 * n))  # fmt: skip
    yield Row("MultiMarginCriterion", text(shape), shape, lambda: _Loss(nn.MultiMarginCriterion(), labels),
              lambda m, x: F.multi_margin_loss(x, m.goal()), (4 * n, 8 * n))  # fmt: skip
    lists = np.full(shape, -1)
    lists[:, :5] = (labels[:, None] + np.arange(5)) % 1000
    yield Row("MultiLabelMarginCriterion", text(shape), shape, lambda: _Loss(nn.MultiLabelMarginCriterion(), lists),
              lambda m, x: F.multilabel_margin_loss(x, m.goal()), (8 * n, 12 * n))  # fmt: skip
    images = (8, 21, 256, 256)
    places = np.random.default_rng(4).integers(0, 21, (8, 256, 256))
    yield Row("SpatialClassNLLCriterion", text(images), images, lambda: _Loss(nn.SpatialClassNLLCriterion(), places),
              lambda m, x: F.nll_loss(x, m.goal()), (12 * places.size, 4 * prod(images)))  # fmt: skip


class _Loss:
    """A criterion with its target, called as a module. `goal` is the target as PyTorch sees it."""

    def __init__(self, criterion: Any, target: Any) -> None:
        self.criterion, self.target = criterion, target

    def goal(self) -> torch.Tensor:
        return torch.from_dlpack(self.target) if on_device(self.target) else torch.from_numpy(self.target)

    def cuda(self) -> None:
        self.criterion.cuda()
        self.target = to_device(self.target, True)

    def clone(self) -> _Loss:
        return _Loss(self.criterion.clone(), self.target)

    def double(self) -> _Loss:
        self.criterion.double()
        self.target = self.target.astype(np.float64) if self.target.dtype.kind == "f" else self.target
        return self

    def forward(self, input: Any) -> Any:
        return self.criterion.forward(input, self.target)

    def backward(self, input: Any, gradOutput: Any) -> Any:
        return self.criterion.backward(input, self.target)
