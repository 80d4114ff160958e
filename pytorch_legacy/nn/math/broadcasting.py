"""How the parameters of Mul, CMul and CAdd meet their input."""

from math import prod

import numpy as np

from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import blocks
from pytorch_legacy.nn.TorchObject import TorchObject
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.storage import Tensor


def aligned(module: TorchObject, parameter: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The parameter as an array that NumPy broadcasts to an input of that shape, without giving it other sizes.

    With as many dimensions as the input, sizes of 1 are repeated. Otherwise the parameter has as many elements as the
    input or as a sample of it, or only one.
    """
    if parameter.ndim == len(shape) and all(p in (1, n) for p, n in zip(parameter.shape, shape, strict=True)):
        return parameter
    if parameter.size == prod(shape):
        return parameter.reshape(shape)
    if parameter.ndim != len(shape):
        if parameter.size == 1:
            return parameter.reshape((1,) * len(shape))
        if parameter.size == prod(shape[1:]):
            return parameter.reshape(1, *shape[1:])
    raise ShapeError(f"{module._typename}: input: expected {sizes(parameter.shape)} or a batch of that, got {sizes(shape)}")


def gathered(part: Tensor, *arrays: Tensor) -> Tensor:
    """The gradient of `part`, which was broadcast to the shape of `arrays`: their product, summed over what was repeated.

    Each sample's sum is in pairs, which loses little; those over a batch are in double precision.
    """
    first = arrays[0]
    axes = tuple(d for d in range(1, first.ndim) if part.shape[d] != first.shape[d])
    sums = np.empty((len(first), *part.shape[1:]), like=first)

    def add_up(target: Tensor, *factors: Tensor) -> None:
        # Always laid out alike, so that sums are rounded alike.
        terms = np.ascontiguousarray(factors[0], like=target)
        if len(factors) == 2:
            terms = np.multiply(*factors, out=np.empty(terms.shape, terms.dtype, like=target))
        target[...] = np.sum(terms, axes, keepdims=True)

    blocks.rows(lambda *parts: add_up(parts[-1], *parts[:-1]), *arrays, sums)
    return sums if len(part) == len(first) else sums.sum(0, keepdims=True)
