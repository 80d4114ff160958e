"""Products of vectors and matrices, and sums with them: ``mm``, ``addmm`` and their kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..language.errors import raise_error
from .signatures import Form, forms
from .tensor import Array, Tensor
from .values import scalar, store


def _sizes(*arrays: Array) -> str:
    return ", ".join(f"m{i + 1}: {'x'.join(map(str, array.shape))}" for i, array in enumerate(arrays))


def _checked(a: Array, b: Array, dims: tuple[int, int]) -> None:
    """Refuses operands that have no product."""
    if (a.ndim, b.ndim) != dims:
        raise_error(f"expected {dims[0]}D and {dims[1]}D tensors, got {a.ndim}D and {b.ndim}D tensors")
    inner = (a.shape[-1], b.shape[-2] if b.ndim > 1 else b.shape[0])
    if inner[0] != inner[1] or (a.ndim == 3 and a.shape[0] != b.shape[0]):
        raise_error(f"size mismatch, {_sizes(a, b)}")


def _matrix(a: Array, b: Array) -> Array:
    _checked(a, b, (2, 2))
    return np.matmul(a, b)


def _vector(a: Array, b: Array) -> Array:
    _checked(a, b, (2, 1))
    return np.matmul(a, b)


def _outer(a: Array, b: Array) -> Array:
    if a.ndim != 1 or b.ndim != 1:
        raise_error(f"expected two vectors, got {a.ndim}D and {b.ndim}D tensors")
    return np.outer(a, b)


def _batch(a: Array, b: Array) -> Array:
    _checked(a, b, (3, 3))
    return np.matmul(a, b)


def _batch_sum(a: Array, b: Array) -> Array:
    return _batch(a, b).sum(0)


def _plain(compute: Callable[[Array, Array], Array]) -> tuple[Form, ...]:
    def computed(result: Tensor | None, a: Tensor, b: Tensor) -> Tensor:
        return store(result, compute(a.array, b.array), a.__class__)

    return forms("*T T T", computed)


def _added(compute: Callable[[Array, Array], Array]) -> tuple[Form, ...]:
    def computed(result: Tensor | None, beta: float, base: Tensor, alpha: float, a: Tensor, b: Tensor) -> Tensor:
        product = compute(a.array, b.array)
        m = base.array
        if beta != 0:
            if m.shape != product.shape and not (m.ndim == 3 and m.shape[0] == 1 and m.shape[1:] == product.shape):
                raise_error(f"size mismatch, {_sizes(a.array, b.array)}, and the sum has the size {m.shape}")
            m = m.reshape(product.shape)
        total = product if alpha == 1 else scalar(base.dtype, alpha) * product
        if beta != 0:
            total = (m if beta == 1 else scalar(base.dtype, beta) * m) + total
        return store(result, total, base.__class__)

    return forms(
        "*T T= n=1 T T", lambda r, m, alpha, a, b: computed(r, 1.0, m, alpha, a, b), "*T n=1 T= n=1 T T", computed
    )  # fmt: skip


FORMS: dict[str, tuple[Form, ...]] = {
    "mm": _plain(_matrix),
    "mv": _plain(_vector),
    "ger": _plain(_outer),
    "bmm": _plain(_batch),
    "addmm": _added(_matrix),
    "addmv": _added(_vector),
    "addr": _added(_outer),
    "baddbmm": _added(_batch),
    "addbmm": _added(_batch_sum),
}


def _match(result: Tensor | None, a: Tensor, b: Tensor, value: float) -> Tensor:
    if not a.array.size or not b.array.size:
        raise_error("bad argument to 'match' (expected tensors with elements)")
    x, y = a.array.reshape(a.array.shape[0], -1), b.array.reshape(b.array.shape[0], -1)
    if x.shape[1:] != y.shape[1:]:
        raise_error(f"size mismatch, {_sizes(x, y)}")
    squares: Any = (x * x).sum(1)[:, None] + (y * y).sum(1)[None] - 2 * np.matmul(x, y.T)
    return store(result, squares * value, a.__class__)


FORMS["match"] = forms("*T T T n=1", _match)
