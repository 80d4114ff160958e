"""Broadcasting of the parameters of Mul, CMul and CAdd to their input."""

from math import prod

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import blocks
from pytorch_legacy.nn.utils import sizes
from pytorch_legacy.objects import Object


def aligned(module: Object, parameter: Tensor, shape: tuple[int, ...]) -> Tensor:
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
    """The gradient of `part`, which was broadcast to the shape of `arrays`: their product, summed over what was repeated."""
    return blocks.addUp(np.zeros_like(part, order="C"), *arrays)
