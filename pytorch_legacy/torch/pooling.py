"""Pooling layers for PyTorch, computed by libTHNN: the names and arguments of ``torch.nn``, and our own kinds of pooling.

They take tensors of float32 and float64 in PyTorch's layout, ``(N x) C x L``, ``(N x) C x H x W`` and ``(N x) C x D x H x W``.
``torch.compile`` and ``torch.export`` keep them as operators (`layers`); in an export to ONNX each is written out in PyTorch's
own operations, as ``pl.to_torch`` writes it.

>>> import torch                                                                                    # doctest: +SKIP
>>> from pytorch_legacy.torch.pooling import SoftPool2d                                             # doctest: +SKIP
>>> SoftPool2d(2)(torch.ones(1, 3, 4, 4)).shape                                                     # doctest: +SKIP
torch.Size([1, 3, 2, 2])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from pytorch_legacy import nn
from pytorch_legacy.errors import ArgumentError, ShapeError

from . import layers
from .memory import as_tensor

Sizes = int | Sequence[int]


def ordered(sizes: Sequence[Any]) -> tuple[Any, ...]:
    """(depth,) height, width as Torch7 has them: (time,) width, height."""
    return (*sizes[:-2], sizes[-1], sizes[-2])


class _Pooling(torch.nn.Module):
    """A pooling layer over `rank` dimensions. A sequence is a plane of one row."""

    rank = 2

    def forward(self, input: torch.Tensor) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
        """The pooled tensor, and where asked for the places of maxima within the planes of the input."""
        if input.ndim not in (self.rank + 1, self.rank + 2):
            raise ShapeError(
                f"{self._get_name()}: input: expected {self.rank + 1} or {self.rank + 2} dimensions, got {input.ndim}"
            )
        if self.rank > 1:
            return self._pool(input)
        output = self._pool(input.unsqueeze(-2))
        return tuple(part.squeeze(-2) for part in output) if isinstance(output, tuple) else output.squeeze(-2)  # type: ignore[return-value]

    def _pool(self, input: torch.Tensor) -> Any:
        raise NotImplementedError

    def _tuple(self, name: str, value: Any) -> tuple[Any, ...]:
        """One size for each dimension; for a sequence of its plane."""
        sizes = (value,) * self.rank if isinstance(value, int) or value is None else tuple(value)
        if len(sizes) != self.rank:
            raise ArgumentError(f"{self._get_name()}: {name}: expected an integer or {self.rank} of them, got {value!r}")
        return sizes


class _Windows(_Pooling):
    """Pooling of windows of one size, a step apart."""

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False) -> None:
        super().__init__()
        self.kernel_size, self.padding, self.ceil_mode = kernel_size, padding, ceil_mode
        self.stride = kernel_size if stride is None else stride
        one = (1,) * (self.rank == 1)
        self._kernel = one + self._tuple("kernel_size", kernel_size)
        self._stride = one + self._tuple("stride", self.stride)
        self._padding = (0,) * (self.rank == 1) + self._tuple("padding", padding)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, ceil_mode={self.ceil_mode}"

    @property
    def _numbers(self) -> tuple[int, ...]:
        """Kernel, stride and padding in the order of the C functions: time, width, height."""
        return tuple(size for sizes in (self._kernel, self._stride, self._padding) for size in ordered(sizes))


class SoftPool2d(_Windows):
    """Means of windows weighted by ``softmax(beta * x)``: `nn.SpatialSoftPool`.

    Parameters
    ----------
    kernel_size, stride, padding, ceil_mode
        As for ``torch.nn.AvgPool2d``. Padding has no weight.
    beta : float
        0 is the mean; the larger, the nearer to the maximum.
    """

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False, beta: float = 1.0
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode)
        self.beta = float(beta)

    def _pool(self, input: torch.Tensor) -> Any:
        return layers.soft[max(self.rank, 2)](input, *self._numbers, int(self.ceil_mode), self.beta)


class SoftPool1d(SoftPool2d):
    """`SoftPool2d` for sequences."""

    rank = 1


class SoftPool3d(SoftPool2d):
    """`SoftPool2d` for volumes."""

    rank = 3


class AvgPool2d(_Windows):
    """Means of windows, as ``torch.nn.AvgPool2d``."""

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(kernel_size, stride, padding, ceil_mode)
        self.count_include_pad = count_include_pad

    def _pool(self, input: torch.Tensor) -> Any:
        return layers.average[max(self.rank, 2)](input, *self._numbers, int(self.ceil_mode), int(self.count_include_pad))


class AvgPool1d(AvgPool2d):
    """Means of windows of a sequence, as ``torch.nn.AvgPool1d``."""

    rank = 1


class AvgPool3d(AvgPool2d):
    """Means of windows of a volume, as ``torch.nn.AvgPool3d``."""

    rank = 3


class MaxPool2d(_Windows):
    """Maxima of windows, as ``torch.nn.MaxPool2d``. NaN is a maximum."""

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, dilation: Sizes = 1,
        return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(kernel_size, stride, padding, ceil_mode)
        self.dilation, self.return_indices = dilation, return_indices
        self._dilation = (1,) * (self.rank == 1) + self._tuple("dilation", dilation)

    def _pool(self, input: torch.Tensor) -> Any:
        pool = layers.maximum[max(self.rank, 2)]
        output, indices = pool(input, *self._numbers, *ordered(self._dilation), int(self.ceil_mode))
        return (output, indices) if self.return_indices else output


class MaxPool1d(MaxPool2d):
    """Maxima of windows of a sequence, as ``torch.nn.MaxPool1d``."""

    rank = 1


class MaxPool3d(MaxPool2d):
    """Maxima of windows of a volume, as ``torch.nn.MaxPool3d``."""

    rank = 3


class AdaptiveAvgPool2d(_Pooling):
    """As many means as asked for, as ``torch.nn.AdaptiveAvgPool2d``.

    Parameters
    ----------
    output_size : int, or one for each dimension
        None: as many as the input has.
    """

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size = output_size
        self._sizes = self._tuple("output_size", output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"

    def _asked(self, input: torch.Tensor) -> tuple[Any, ...]:
        """The output's sizes in the order of the C functions."""
        sizes = [input.shape[i - self.rank] if size is None else size for i, size in enumerate(self._sizes)]
        return ordered([1, *sizes] if self.rank == 1 else sizes)

    def _pool(self, input: torch.Tensor) -> Any:
        return layers.adaptive_average[max(self.rank, 2)](input, *self._asked(input))


class AdaptiveAvgPool1d(AdaptiveAvgPool2d):
    """As ``torch.nn.AdaptiveAvgPool1d``."""

    rank = 1


class AdaptiveAvgPool3d(AdaptiveAvgPool2d):
    """As ``torch.nn.AdaptiveAvgPool3d``."""

    rank = 3


class AdaptiveMaxPool2d(AdaptiveAvgPool2d):
    """As many maxima as asked for, as ``torch.nn.AdaptiveMaxPool2d``."""

    def __init__(self, output_size: int | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def _pool(self, input: torch.Tensor) -> Any:
        output, indices = layers.adaptive_maximum[max(self.rank, 2)](input, *self._asked(input))
        return (output, indices) if self.return_indices else output


class AdaptiveMaxPool1d(AdaptiveMaxPool2d):
    """As ``torch.nn.AdaptiveMaxPool1d``."""

    rank = 1


class AdaptiveMaxPool3d(AdaptiveMaxPool2d):
    """As ``torch.nn.AdaptiveMaxPool3d``."""

    rank = 3


class GlobalAvgPool2d(AdaptiveAvgPool2d):
    """The mean of each plane: ``AdaptiveAvgPool2d(1)``."""

    def __init__(self) -> None:
        super().__init__(1)


class GlobalMaxPool2d(AdaptiveMaxPool2d):
    """The maximum of each plane: ``AdaptiveMaxPool2d(1)``."""

    def __init__(self, return_indices: bool = False) -> None:
        super().__init__(1, return_indices)


class PowerAvgPool2d(_Windows):
    """p-norms of windows, ``(sum of |x| ** p) ** (1 / p)``: `nn.SpatialPowerAveragePooling`."""

    def __init__(
        self, p: float, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode)
        self.p = float(p)
        self._usesMagnitudes = int(nn.SpatialPowerAveragePooling(self.p, 1, 1)._use_abs)

    def _pool(self, input: torch.Tensor) -> Any:
        return layers.power(input, self.p, self._usesMagnitudes, *self._numbers, int(self.ceil_mode))


class GaussianPool2d(_Windows):
    """Means of windows under Gaussians with a learned mean and precision for each channel: `nn.SpatialGaussianPooling`.

    Parameters
    ----------
    channels : int
    kernel_size, stride, padding, ceil_mode
        As for ``torch.nn.AvgPool2d``.
    gaussians : int
        For each channel, which gives as many.
    count_include_pad : bool
        Whether padding has its weight, and counts as 0.
    """

    def __init__(
        self, channels: int, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False,
        gaussians: int = 1, count_include_pad: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(kernel_size, stride, padding, ceil_mode)
        self.channels, self.gaussians, self.count_include_pad = channels, gaussians, count_include_pad
        layer = self._empty()
        self.mean = torch.nn.Parameter(as_tensor(layer.mean))
        self.precision = torch.nn.Parameter(as_tensor(layer.precision))

    def _empty(self) -> nn.SpatialGaussianPooling:
        made: Any = nn.SpatialGaussianPooling
        layer: nn.SpatialGaussianPooling = made(self.channels, *self._numbers, self.gaussians)
        return layer

    def _pool(self, input: torch.Tensor) -> Any:
        return layers.gaussian(input, self.mean, self.precision, *self._numbers, int(self.ceil_mode), int(self.count_include_pad))


class _Mixture(_Windows):
    """Between the maximum and the mean, by a learned weight."""

    _cls: Any
    _op: Any

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0, ceil_mode: bool = False, channels: int = 1
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode)
        self.channels = channels
        self.weight = torch.nn.Parameter(as_tensor(self._empty().weight))

    def _empty(self) -> Any:
        return self._cls(*self._numbers, nInputPlane=self.channels)

    def _pool(self, input: torch.Tensor) -> Any:
        return type(self)._op(input, self.weight, *self._numbers, int(self.ceil_mode))[0]


class MixedPool2d(_Mixture):
    """The maximum and the mean of each window, mixed by a learned weight, of each channel or of all: `nn.SpatialMixedPooling`."""

    _cls, _op = nn.SpatialMixedPooling, staticmethod(layers.mixed)


class GatedPool2d(_Mixture):
    """The maximum and the mean of each window, mixed by a gate that looks at the window: `nn.SpatialGatedPooling`."""

    _cls, _op = nn.SpatialGatedPooling, staticmethod(layers.gated)


class LocalImportancePool2d(_Windows):
    """Means of windows weighted by the exponential of a second tensor: `nn.SpatialLocalImportancePooling`."""

    def forward(self, input: torch.Tensor, logit: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """The means of `input`, as weighted by ``exp(logit)``."""
        output: torch.Tensor = layers.importance(input, logit, *self._numbers, int(self.ceil_mode))
        return output


class StochasticPool2d(_Windows):
    """One cell of each window while training, drawn in proportion to its value; what that is on average otherwise.

    PyTorch's generator draws. See `nn.SpatialStochasticPooling`.
    """

    def _pool(self, input: torch.Tensor) -> Any:
        numbers = (*self._numbers, int(self.ceil_mode))
        if not self.training:
            return layers.stochastic_mean(input, *numbers)
        mean = layers.stochastic_mean(input.detach(), *numbers)
        return layers.stochastic(input, torch.rand_like(mean), *numbers)[0]

    def _layer(self, input: torch.Tensor) -> nn.Module:
        return self._made(nn.SpatialStochasticPooling(*self._numbers)).evaluate()
