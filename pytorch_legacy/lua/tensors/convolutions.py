"""Convolutions and cross-correlations of images and volumes: ``conv2``, ``xcorr3`` and their kin."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ..language.errors import raise_error
from .signatures import Form, forms
from .tensor import Array, Tensor
from .values import store, text


def _correlated(x: Array, kernel: Array, isFull: bool) -> Array:
    """Returns the cross-correlation over the dimensions of the kernel, which are the last ones of x."""
    if isFull:
        edges = [(0, 0)] * (x.ndim - kernel.ndim) + [(n - 1, n - 1) for n in kernel.shape]
        x = np.pad(x, edges)
    inner = x.shape[x.ndim - kernel.ndim :]
    shape = tuple(n - k + 1 for n, k in zip(inner, kernel.shape, strict=True))
    if any(n <= 0 for n in shape):
        raise_error(f"Input image is smaller than kernel: {text(inner)} and {text(kernel.shape)}")
    out = np.zeros((*x.shape[: x.ndim - kernel.ndim], *shape), x.dtype)
    for place in product(*map(range, kernel.shape)):
        part: Any = (..., *(slice(i, i + n) for i, n in zip(place, shape, strict=True)))
        out += kernel[place] * x[part]
    return out


def _computed(x: Array, kernel: Array, n: int, isConvolution: bool, isFull: bool) -> Array:
    """Returns a result over the last n dimensions.

    One plane with one kernel; a stack of planes with a kernel each; or a stack of planes with kernels of (outputs, planes), whose
    results over the planes are added up.
    """
    if x.ndim < n or kernel.ndim < n:
        raise_error(f"invalid sizes of input and kernel: {text(x.shape)} and {text(kernel.shape)}")
    if isConvolution:
        kernel = np.flip(kernel, tuple(range(kernel.ndim - n, kernel.ndim)))
    dims = (x.ndim - n, kernel.ndim - n)
    if dims == (0, 0):
        return _correlated(x, kernel, isFull)
    if dims == (1, 1) and len(x) == len(kernel):
        return np.stack([_correlated(plane, one, isFull) for plane, one in zip(x, kernel, strict=True)])
    if dims == (1, 2) and len(x) == kernel.shape[1]:
        parts = [[_correlated(plane, one, isFull) for plane, one in zip(x, row, strict=True)] for row in kernel]
        return np.stack([np.sum(row, 0) for row in parts])
    raise_error(f"invalid sizes of input and kernel: {text(x.shape)} and {text(kernel.shape)}")


def _form(n: int, isConvolution: bool) -> tuple[Form, ...]:
    def computed(result: Tensor | None, x: Tensor, kernel: Tensor, mode: str) -> Tensor:
        if mode.upper() not in ("V", "F"):
            raise_error("type of convolution can be 'V' or 'F'")
        found: Any = _computed(x.array, kernel.array, n, isConvolution, mode.upper() == "F")
        return store(result, found, x.__class__)

    return forms("*T T T s=V", computed)


FORMS: dict[str, tuple[Form, ...]] = {
    "conv2": _form(2, True),
    "xcorr2": _form(2, False),
    "conv3": _form(3, True),
    "xcorr3": _form(3, False),
}
