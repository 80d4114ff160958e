"""The operators of our pooling layers, and each written out in PyTorch's own."""

from __future__ import annotations

from typing import Any

import torch

from pytorch_legacy import nn
from pytorch_legacy.bridge import adaptive

from .operators import register
from .written import F, Values, by_rule, of_torch, window, with_ceil, written

soft = {2: register("SpatialSoftPool"), 3: register("VolumetricSoftPool")}
average = {2: register("SpatialAveragePooling"), 3: register("VolumetricAveragePooling")}
maximum = {2: register("SpatialDilatedMaxPooling"), 3: register("VolumetricDilatedMaxPooling")}
adaptive_average = {2: register("SpatialAdaptiveAveragePooling"), 3: register("VolumetricAdaptiveAveragePooling")}
adaptive_maximum = {2: register("SpatialAdaptiveMaxPooling"), 3: register("VolumetricAdaptiveMaxPooling")}
power = register("SpatialPowerAveragePooling")
gaussian = register("SpatialGaussianPooling")
mixed = register("SpatialMixedPooling")
gated = register("SpatialGatedPooling")
importance = register("SpatialLocalImportancePooling")
stochastic = register("SpatialStochasticPooling")
stochastic_mean = register("SpatialStochasticPooling", "SpatialStochasticPoolingMean", absent=("noise", "indices"))

SOFT = {2: nn.SpatialSoftPool, 3: nn.VolumetricSoftPool}
for rank in (2, 3):
    by_rule(soft[rank], lambda v, rank=rank: with_ceil(SOFT[rank](*window(v), beta=v["beta"]), v))  # type: ignore[misc]

    @written(average[rank])
    def _(v: Values, pool: Any = (F.avg_pool2d, F.avg_pool3d)[rank - 2]) -> Any:
        return pool(v["input"], *of_torch(v), bool(v["ceil_mode"]), bool(v["count_include_pad"]))

    @written(maximum[rank])
    def _(v: Values, pool: Any = (F.max_pool2d, F.max_pool3d)[rank - 2]) -> Any:
        dilation = tuple(v[f"dilation{axis}"] for axis in "THW" if f"dilation{axis}" in v)
        return pool(v["input"], *of_torch(v), dilation, bool(v["ceil_mode"]), return_indices=True)

    @written(adaptive_average[rank])
    def _(v: Values, rank: int = rank) -> Any:
        sizes = [v[name] for name in ("otime", "oheight", "owidth") if name in v]
        return adaptive.function(rank, torch.mean, for_onnx=True)(v["input"], sizes)

    @written(adaptive_maximum[rank])
    def _(v: Values, rank: int = rank) -> Any:
        y = adaptive.pool(v["input"], [v[name] for name in ("otime", "oheight", "owidth") if name in v], rank, torch.amax)
        return y, torch.zeros_like(y, dtype=torch.int64)  # the indices are for the gradient


def _gaussian(v: Values) -> Any:
    planes, kernels = v["mean"].shape[:2]
    made: Any = nn.SpatialGaussianPooling
    layer = with_ceil(made(planes, *window(v), kernels), v)
    return layer.setCountIncludePad() if v["count_include_pad"] else layer


def _of_planes(cls: Any) -> Any:
    return lambda v: with_ceil(cls(*window(v), len(v["weight"])), v)


by_rule(power, lambda v: with_ceil(nn.SpatialPowerAveragePooling(v["power"], *window(v)), v))
by_rule(gaussian, _gaussian, "mean", "precision")
by_rule(mixed, _of_planes(nn.SpatialMixedPooling), "weight")
by_rule(gated, _of_planes(nn.SpatialGatedPooling), "weight")
by_rule(importance, lambda v: with_ceil(nn.SpatialLocalImportancePooling(*window(v)), v))
by_rule(stochastic_mean, lambda v: with_ceil(nn.SpatialStochasticPooling(*window(v)), v))
