"""Arrays whose batch is the last dimension, as cuda-convnet had them."""

import numpy as np

from pytorch_legacy.arrays import Tensor


def batchFirst(array: Tensor) -> Tensor:
    """Returns a contiguous array with the last dimension moved to the front."""
    return np.ascontiguousarray(np.moveaxis(array, -1, 0), like=array)


def batchLast(array: Tensor, output: Tensor) -> Tensor:
    """Writes `array` into `output`, with the first dimension moved to the end, and returns this."""
    output[...] = np.moveaxis(array, 0, -1)
    return output
