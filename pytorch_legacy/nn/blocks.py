"""NumPy in blocks: large arrays are worked on piece by piece, so that pieces stay in the cache, and by several threads.
Those of a device are worked on whole.

The blocks are the same for any number of threads, and so are the results. Arithmetic with two arrays is libTHNN's; on a device
arithmetic, sums, copies and constants are libTHCUNN's, and the rest is CuPy's.
"""

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

import numpy as np

from pytorch_legacy import backend
from pytorch_legacy.arrays import Tensor, address, on_device
from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.backend import compute
from pytorch_legacy.backend.arrays import TYPES, call_on_device

# Elements of a block: few enough for the cache of a processor, enough for the cost of a call not to matter.
BLOCK = 1 << 17
# Blocks that are copied at once: nothing reads them again in the cache, and fewer turns of the interpreter count for more.
COPIED = 8
# Elements up to which two steps of NumPy take less time than a call of libTHNN, which has to describe arrays that it did not get
# last time: `python -m benchmarks --overhead` has a step of small layers.
FEW = 1 << 14


def larger(x: Tensor, y: Tensor, out: Tensor) -> None:
    """The larger of the elements; NaN is larger than all numbers."""
    compute.maximum(x, y, out=out)


def smaller(x: Tensor, y: Tensor, out: Tensor) -> None:
    """The smaller of the elements; NaN is smaller than all numbers."""
    compute.minimum(x, y, out=out)


OPERATIONS = {np.add: 0, np.subtract: 1, np.multiply: 2, np.divide: 3, larger: 4, smaller: 5}  # THNNOperation, THNNApply
SUM = 0  # THNNReduce

_pool: list[ThreadPoolExecutor] = []
os.register_at_fork(after_in_child=_pool.clear)  # a child has no threads but its own


def apply(ufunc: Callable[..., Any], *inputs: Any, out: Tensor) -> Tensor:
    """``ufunc(*inputs, out=out)``; the inputs are numbers, or arrays that broadcast to `out`."""
    if not isinstance(out, np.ndarray):
        if not _arithmeticOnDevice(ufunc, *inputs, out=out):
            ufunc(*inputs, out=out)
    elif out.size <= BLOCK:
        ufunc(*inputs, out=out)
    elif not _arithmetic(ufunc, *inputs, out=out):
        elements(lambda target, *parts: ufunc(*parts, out=target), out, *inputs)
    return out


def addUp(target: Tensor, input: Tensor, factor: Tensor | None = None) -> Tensor:
    """``target += input * factor``, summed over the dimensions that have size 1 in `target`. Returns `target`.

    All have as many dimensions, and `factor`, if there is one, the shape of `input`. Sums of floats are in double precision.
    """
    caller = _callers.get(target.dtype)
    if caller is not None and isinstance(target, (np.ndarray, Recorded)) and input.ndim <= backend.MAX_DIMS:
        caller.call("pointwise_sum", input, factor, target, 1.0)
    elif not _sumOnDevice(target, input, factor):
        axes = tuple(d for d, size in enumerate(input.shape) if target.shape[d] != size)
        terms = input if factor is None else input * factor
        target += terms.sum(axes, dtype=np.float64 if target.dtype.kind == "f" else None, keepdims=True)
    return target


def add(target: Tensor, input: Tensor, scale: float) -> Tensor:
    """``target += scale * input``, rounded twice as NumPy does it. Returns `target`."""
    device = on_device(target) and on_device(input)
    plain = type(scale) in (int, float) and (device or type(target) is np.ndarray is type(input))
    caller = _callers.get(target.dtype, device) if plain and (device or target.size > FEW) else None
    if caller is None or target.dtype != input.dtype or target.shape != input.shape or not 0 < target.ndim <= backend.MAX_DIMS \
            or np.may_share_memory(target, input):  # fmt: skip
        target += scale * input
    else:
        caller.call("pointwise_add", input, target, float(scale))
    return target


def negate(input: Tensor, out: Tensor) -> Tensor:
    """``out = -input``, as a product, which libTHNN computes."""
    return apply(np.multiply, input, -1, out=out)


_callers = backend.Callers("nn.pointwise")


def _arithmetic(ufunc: Callable[..., Any], *inputs: Any, out: Tensor) -> bool:
    """Let libTHNN do it, if it is one of its operations on arrays that lie as it likes them."""
    caller = _callers.get(out.dtype)
    if ufunc not in OPERATIONS or caller is None or out.ndim > backend.MAX_DIMS or not out.flags.c_contiguous:
        return False
    input, other = inputs
    if np.shape(input) != out.shape or input.dtype != out.dtype or not input.flags.c_contiguous or _overlap(out, input):
        return False
    if np.ndim(other) == 0:
        other = np.full((1,) * out.ndim, other, out.dtype)
    elif other.dtype != out.dtype or _overlap(out, other) or other.ndim > out.ndim:
        return False
    # A dimension in which nothing moves is one that is repeated: libTHNN needs no copy of it.
    other = other[tuple(slice(None if stride else 1) for stride in other.strides)]
    caller.call("pointwise_apply", input, other[(None,) * (out.ndim - other.ndim)], out, OPERATIONS[ufunc])
    return True


def _arithmeticOnDevice(ufunc: Callable[..., Any], *inputs: Any, out: Tensor) -> bool:
    """Let libTHCUNN do it, if all are arrays of one element type, or numbers."""
    if ufunc not in OPERATIONS or not _isReal(out) or any(_overlap(out, array) for array in inputs):
        return False
    operands = [_number(one, out) if isinstance(one, (int, float, np.number)) else one for one in inputs]
    if not all(one is not None and on_device(one) and one.dtype == out.dtype for one in operands):
        return False
    return call_on_device("arrayApply", *operands, out, OPERATIONS[ufunc], shape=out.shape)


def _sumOnDevice(target: Tensor, input: Tensor, factor: Tensor | None) -> bool:
    if not _isReal(target) or input.dtype != target.dtype:
        return False
    terms = input
    if factor is not None and not _arithmeticOnDevice(np.multiply, input, factor, out=(terms := np.empty_like(input, order="C"))):
        return False
    sums = np.empty_like(target, order="C")
    return call_on_device("arrayReduce", terms, sums, SUM) and _arithmeticOnDevice(np.add, target, sums, out=target)


def _isReal(array: Tensor) -> bool:
    """Returns whether this is an array on a device of a floating-point type that the array functions take."""
    return on_device(array) and array.dtype.kind == "f" and array.dtype in TYPES


def _number(value: Any, like: Tensor) -> Tensor | None:
    """An array of one element; None if there are no array functions."""
    made = np.empty_like(like, shape=())
    return made if call_on_device("arrayFill", made, float(value)) else None


def _copyOnDevice(target: Tensor, source: Any) -> bool:
    if not on_device(source):
        isNumber = isinstance(source, (int, float, np.number)) and _isReal(target)
        return isNumber and call_on_device("arrayFill", target, float(source))
    isConverted = target.dtype != source.dtype
    if (isConverted and not (_isReal(target) and _isReal(source))) or _overlap(target, source):
        return False
    return call_on_device("arrayCopy", source, target, shape=target.shape)


def copy(target: Tensor, source: Tensor | float) -> Tensor:
    """``target[...] = source``, an array that broadcasts to it or a number. Returns `target`."""
    if on_device(target) and _copyOnDevice(target, source):
        return target
    return elements(np.copyto, target, source, blocks=COPIED)


def zero(target: Tensor) -> Tensor:
    """``target[...] = 0``, large arrays byte by byte: NumPy sets numbers one by one, which takes two or three times as long."""
    if target.size > BLOCK and isinstance(target, np.ndarray) and target.flags.c_contiguous:
        target.reshape(-1).view(np.uint8).fill(0)
    elif not on_device(target) or not call_on_device("arrayFill", target, 0.0):
        target.fill(0)
    return target


def elements(function: Callable[..., Any], target: Tensor, *inputs: Any, blocks: int = 1) -> Tensor:
    """Call ``function(target, *inputs)``, which works element by element, for the parts of these arrays: some blocks each.

    The inputs are numbers, or arrays that broadcast to `target`. Returns `target`.
    """
    if target.size <= blocks * BLOCK or not isinstance(target, np.ndarray) or any(_overlap(target, array) for array in inputs):
        function(target, *inputs)
        return target
    shape = target.shape
    arrays = (target, *(array if np.shape(array) in ((), shape) else np.broadcast_to(array, shape) for array in inputs))
    if all(np.ndim(array) == 0 or array.flags.c_contiguous for array in arrays):
        arrays = tuple(array.reshape(-1) if np.ndim(array) else array for array in arrays)
    rows(function, *arrays, blocks=blocks)
    return target


def rows(function: Callable[..., Any], *arrays: Any, blocks: int = 1) -> None:
    """Call ``function(*parts)`` for the parts, some blocks each, of arrays that are cut along their first dimension.

    Arrays whose first dimension is not that of the first array, numbers and None are handed over whole.
    """
    first = arrays[0]
    count = len(first)
    if first.size <= blocks * BLOCK or count == 1 or not isinstance(first, np.ndarray):
        function(*arrays)
        return
    step = max(1, blocks * BLOCK * count // first.size)
    cut = [isinstance(array, np.ndarray) and array.ndim > 0 and len(array) == count for array in arrays]
    starts = itertools.count(0, step)  # taking the next one is a single step for all threads

    def work() -> None:
        for start in starts:
            if start >= count:
                return
            part = slice(start, start + step)
            function(*(array[part] if is_cut else array for array, is_cut in zip(arrays, cut, strict=True)))

    others = min(backend.get_num_threads(), -(-count // step)) - 1
    helpers = [_helpers().submit(copy_context().run, work) for _ in range(others)]
    try:
        work()
    finally:
        for helper in helpers:
            helper.result()


def masked(target: Tensor, array: Tensor, mask: Tensor) -> None:
    """The array's elements where `mask` is true, else 0: by bits, for a choice that nobody can predict is slow."""
    if isinstance(array, Recorded):
        np.copyto(target, np.where(mask, array, 0))
        return
    bits = np.dtype(f"i{array.itemsize}")
    np.bitwise_and(array.view(bits), np.negative(mask.astype(bits)), out=target.view(bits))


def _overlap(target: Tensor, array: Any) -> bool:
    """Returns True if writing one element may change another one that is still to be read."""
    if not (isinstance(array, np.ndarray) or on_device(array)) or not np.may_share_memory(target, array):
        return False
    return (address(array), array.strides, array.shape) != (address(target), target.strides, target.shape)


def _helpers() -> ThreadPoolExecutor:
    if not _pool:
        _pool.append(ThreadPoolExecutor(os.cpu_count(), "pytorch_legacy"))
    return _pool[0]
