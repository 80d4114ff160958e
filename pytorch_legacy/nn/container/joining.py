"""Outputs of several modules in one array."""

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn import check
from pytorch_legacy.objects import Object

Window = tuple[slice, ...]


def layout(module: Object, outputs: list[Tensor], dimension: int) -> tuple[tuple[int, ...], list[Window]]:
    """The shape of `outputs` one after the other along a dimension, and where in it each of them goes."""
    axis = check.axis(module, dimension, check.tensors(module, "outputs", outputs)[0].ndim)
    shape = check.joint_shape(module, "outputs", outputs, axis)
    windows, start = [], 0
    for output in outputs:
        stop = start + output.shape[axis]
        windows.append((*(slice(None),) * axis, slice(start, stop)))
        start = stop
    return shape, windows
