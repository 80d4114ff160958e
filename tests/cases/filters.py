"""Convolutions in any number of dimensions by their definition, one place at a time, and what all of them refuse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from tests.case import ErrorRow


def convolved(x: np.ndarray, weight: np.ndarray, bias: Any, stride: Sequence[int], pad: Sequence[int], dilation: Sequence[int]):
    """Windows of x, which is (N x) C x cells, times weight, which is O x C x kernel."""
    dims = len(stride)
    padded = np.pad(x, [(0, 0)] * (x.ndim - dims) + [(p, p) for p in pad])
    reach = [(k - 1) * e + 1 for k, e in zip(weight.shape[2:], dilation, strict=True)]
    counts = [(n - r) // d + 1 for n, r, d in zip(padded.shape[-dims:], reach, stride, strict=True)]
    y = np.zeros((*x.shape[: -dims - 1], weight.shape[0], *counts))
    for o in np.ndindex(*counts):
        cells = tuple(slice(i * d, i * d + r, e) for i, d, r, e in zip(o, stride, reach, dilation, strict=True))
        y[(..., *o)] = np.tensordot(padded[(..., *cells)], weight, (range(-dims - 1, 0), range(1, dims + 2)))
        if bias is not None:
            y[(..., *o)] += bias
    return y


def stamped(
    x: np.ndarray, weight: np.ndarray, bias: Any, stride: Sequence[int], pad: Sequence[int], dilation: Sequence[int],
    adj: Sequence[int],
) -> np.ndarray:  # fmt: skip
    """Filters of weight, which is C x O x kernel, laid onto the output once for each cell of x."""
    dims = len(stride)
    reach = [(k - 1) * e + 1 for k, e in zip(weight.shape[2:], dilation, strict=True)]
    sizes = [(n - 1) * d + r + a for n, d, r, a in zip(x.shape[-dims:], stride, reach, adj, strict=True)]
    y = np.zeros((*x.shape[: -dims - 1], weight.shape[1], *sizes))
    for c in np.ndindex(*x.shape[-dims:]):
        cells = tuple(slice(i * d, i * d + r, e) for i, d, r, e in zip(c, stride, reach, dilation, strict=True))
        y[(..., *cells)] += np.tensordot(x[(..., *c)], weight, (-1, 0))
    y = y[(..., *(slice(p, n - p) for p, n in zip(pad, sizes, strict=True)))]
    return y if bias is None else y + bias[(slice(None), *[None] * dims)]


def numbers(module: Any, name: str, missing: int = 1) -> list[int]:
    """The field of that name for each axis, as shapes have them: T, H, W."""
    return [getattr(module, name + axis, missing) for axis in "THW" if axis in module._axes]


def dense(module: Any, x: np.ndarray) -> np.ndarray:
    """The output of a convolution module, dilated or not."""
    weight = module.weight.astype("d").reshape(module.nOutputPlane, module.nInputPlane, *numbers(module, "k"))
    return convolved(x, weight, module.bias, numbers(module, "d"), numbers(module, "pad"), numbers(module, "dilation"))


def full(module: Any, input: Any) -> np.ndarray:
    """The output of a transposed one; a second array says how large."""
    x, like = input if isinstance(input, list) else (input, None)
    adj = numbers(module, "adj")
    dilation = numbers(module, "dilation")
    if like is not None:
        nothing = np.zeros_like(x), module.weight, None
        least = stamped(*nothing, numbers(module, "d"), numbers(module, "pad"), dilation, [0] * len(adj))
        adj = [int(a) for a in np.subtract(like.shape, least.shape)[-len(adj) :]]
    return stamped(x, module.weight.astype("d"), module.bias, numbers(module, "d"), numbers(module, "pad"), dilation, adj)


def usual_errors(make: Any, shape: tuple[int, ...]) -> list[ErrorRow]:
    """The errors that all of these layers raise; `shape` is that of a single sample."""
    x = np.zeros(shape, "f")

    def changed(**fields: Any) -> Any:
        def made() -> Any:
            module = make()
            module.__dict__.update(fields)
            return module

        return made

    def forward(module: Any) -> None:
        module.forward(x)

    def backward(module: Any, gradOutput: np.ndarray) -> None:
        module.forward(x)
        module.backward(x, gradOutput)

    def with_flat_gradWeight(module: Any) -> None:
        gradOutput = np.ones_like(module.forward(x))
        module.gradWeight = np.zeros((1, 3), "f")
        module.backward(x, gradOutput)

    return [
        ErrorRow("rank", make, lambda m: m.forward(x[0, 0]), ShapeError, r"input: expected \(N x\) nInputPlane x .*, got \d-D"),
        ErrorRow("dtype", make, lambda m: m.forward(x.astype("d")), DtypeError, "expected float32, got float64"),
        ErrorRow("planes", make, lambda m: m.forward(np.concatenate([x, x])), ShapeError,
                 f"input: expected {shape[0]} planes, the nInputPlane, got {2 * shape[0]} x"),
        ErrorRow("no_width", make, lambda m: m.forward(x[..., :0]), ValueRangeError, r"input width: expected 1 or more, got 0"),
        ErrorRow("stride_zero", changed(dH=0), forward, ValueRangeError, r"dH: expected 1 or more, got 0"),
        ErrorRow("stride_huge", changed(dW=2**40), forward, ValueRangeError, r"dW: expected 1 to \d+, got 1099511627776"),
        ErrorRow("padding_negative", changed(padW=-1), forward, ValueRangeError, r"padW: expected 0 or more, got -1"),
        ErrorRow("padding_not_an_integer", changed(padH=0.5), forward, DtypeError, "padH: expected an integer .*, got 0.5"),
        ErrorRow("gradOutput", make, lambda m: backward(m, np.zeros((9, *shape[1:]), "f")), ShapeError, "gradOutput: expected"),
        ErrorRow("gradWeight", make, with_flat_gradWeight, ShapeError, "gradWeight: expected n"),
    ]  # fmt: skip
