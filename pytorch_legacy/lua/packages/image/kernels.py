"""Kernels of filters, and filters that are made of convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...language.errors import raise_error
from ...tensors.convolutions import FORMS
from ...tensors.tensor import Array, Tensor
from ...tensors.values import cast, store
from .scaling import intermediate, stored


def _total(x: Array) -> Any:
    """Returns the sum, added up one after the other as in C."""
    return np.add.accumulate(x.reshape(-1))[-1]


def gaussian(
    shape: tuple[int, int], dtype: np.dtype[Any], sigmas: Any, means: Any, amplitude: float, isNormalized: bool
) -> Array:
    """Returns a kernel of two dimensions.

    Parameters
    ----------
    shape : tuple of int
        Height and width.
    dtype : dtype
        The type of the kernel.
    sigmas, means : tuple of float
        Of rows and columns, as parts of height and width.
    amplitude : float
        The largest value.
    isNormalized : bool
        True to divide by the sum.
    """
    kind = intermediate(dtype)
    squares = []
    for size, sigma, mean in zip(shape, sigmas, means, strict=True):
        middle = kind.type(float(kind.type(mean) * kind.type(size)) + 0.5)
        inverse = kind.type(1.0 / float(kind.type(sigma) * kind.type(size)))
        distance = (np.arange(1, size + 1).astype(kind) - middle) * inverse
        squares.append(distance * distance)
    exponent = -0.5 * (squares[1] + squares[0][:, None]).astype(np.float64)
    found = stored((kind.type(amplitude) * np.exp(exponent)).astype(kind), dtype)
    return (found * kind.type(1.0 / float(_total(found.astype(kind))))).astype(dtype) if isNormalized else found


def gaussian_line(size: int, sigma: float, mean: float, amplitude: float) -> Array:
    """Returns a kernel of one dimension."""
    distance = (np.arange(1, size + 1) - (mean * size + 0.5)) / (sigma * size)
    return amplitude * np.exp(-(distance**2 / 2))


def laplacian(shape: tuple[int, int], sigmas: Any, means: Any, amplitude: float) -> Array:
    """Returns the Laplacian of a Gaussian. Rows go with the width, and columns with the height, as in torch/image."""
    height, width = shape
    rows = (np.arange(1, height + 1) - (means[1] * width + 0.5)) / (sigmas[1] * width)
    columns = (np.arange(1, width + 1) - (means[0] * height + 0.5)) / (sigmas[0] * height)
    square = rows[:, None] ** 2 / 2 + columns**2 / 2
    return (1 - square) * amplitude * np.exp(-square)


def normalized(x: Array) -> Array:
    """Returns a kernel divided by its sum."""
    return x / _total(x)


def _conv2(x: Array, kernel: Array, kind: type[Tensor], mode: str) -> Array:
    found: Tensor = FORMS["conv2"][0].function(None, kind(x), kind(kernel), mode)
    return found.array


def convolved(x: Array, kernel: Tensor, mode: str) -> Array:
    """Returns a picture that is convolved. A kernel of two dimensions is taken for each channel."""
    if mode not in ("valid", "full", "same"):
        raise_error("image.convolve: mode has to be one of: full | valid | same")
    weights = cast(kernel.array, x.dtype)
    if weights.ndim == 2 and x.ndim == 3:
        weights = np.stack([weights] * len(x))
    found = _conv2(x, weights, kernel.types.tensors[x.dtype], "V" if mode == "valid" else "F")
    if mode == "same":
        top, left = (-(-size // 2) - 1 for size in weights.shape[-2:])
        height, width = x.shape[-2:]
        found = found[..., top : top + height, left : left + width]
    return found


def contrast_normalized(x: Array, kernel: Array, kind: type[Tensor]) -> Array:
    """Returns a grey picture minus the mean around each pixel, divided by the deviation there if it is more than 1."""
    x = (x - x.mean()) / x.std(ddof=1)
    means, squares = (_conv2(one, kernel, kind, "V") for one in (x, x * x))
    deviations = np.maximum(np.sqrt(np.maximum(squares - means * means, 0)), 1)
    top, left = (size // 2 for size in kernel.shape)
    part = x[top : top + means.shape[0], left : left + means.shape[1]]
    return (part - means) / deviations


def morphed(x: Tensor, kernel: Tensor | None, pad: float, isErosion: bool) -> Tensor:
    """Returns a picture of 0 and 1 that is eroded or dilated by a kernel of 0 and 1."""
    own, weights = x.__class__, np.ones((3, 3), x.dtype) if kernel is None else cast(kernel.array, x.dtype)
    if x.array.ndim != 2 or weights.ndim != 2:
        raise_error("image: erode, dilate: expected a picture and a kernel of two dimensions")
    edges = [(size // 2, size // 2) for size in weights.shape]
    padded = np.pad(x.array, edges, constant_values=pad)
    found = _conv2(padded, weights if isErosion else weights[::-1, ::-1].copy(), own, "V")
    return store(None, found == weights.sum() if isErosion else found > 0, own)
