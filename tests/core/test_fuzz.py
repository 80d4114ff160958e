"""Random arguments for the C functions: whatever comes, the answer is a status code.

Each example starts from a valid call and changes a few things: ranks, sizes, strides, offsets, flags, numbers, NULL. A
view that reaches beyond the memory it was given has no memory at all, since no library could tell; every other view
lies in the middle of an arena, so that a byte written outside of an output is seen.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytorch_legacy.backend.header import Function
from tests import capi
from tests.capi import GENERIC, Call, Tensor, is_tensor, is_written
from tests.rows import rows

ARENA = 1 << 15
MOST_WORK = 20_000  # elements of one view: keeps an example within milliseconds

CONTENTS = np.random.default_rng(2).integers(0, 3, ARENA)  # good as numbers and as indices
FILLED = {dtype: CONTENTS.astype(dtype) for dtype in (*capi.REALS.values(), np.dtype(np.int64))}
"""The contents of an arena before a call, by type."""

HUGE = [2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1, -1, -2, -(2**31), -(2**63)]
HUGE_INT32 = [2**31 - 1, -(2**31)]


def among(r: Random, low: int, high: int, others: list[int]) -> int:
    """A number from low to high, or one of the others."""
    return r.choice(others) if r.random() < 0.5 else r.randint(low, high)


def a_double(r: Random) -> float:
    return r.choice([math.nan, math.inf, -math.inf, 1e308, 5e-324, 0.0, -1.0, 1.0]) if r.random() < 0.5 else r.uniform(-2, 2)


NUMBERS: dict[str, Callable[[Random], float]] = {
    "int64_t": lambda r: among(r, -3, 9, HUGE),
    "int32_t": lambda r: among(r, -3, 3, HUGE_INT32),
    "double": a_double,
}


def change_rank(r: Random, tensor: Tensor) -> None:
    tensor.nDimension = among(r, -1, 9, HUGE_INT32)


def change_size(r: Random, tensor: Tensor) -> None:
    tensor.size[r.randint(0, 7)] = among(r, 0, 9, HUGE)


def change_stride(r: Random, tensor: Tensor) -> None:
    tensor.stride[r.randint(0, 7)] = among(r, -40, 40, HUGE)


def drop_batch(r: Random, tensor: Tensor) -> None:
    """One dimension less: the shape of a sample."""
    n = tensor.nDimension
    if 1 < n <= 8:
        tensor.size[: n - 1], tensor.stride[: n - 1] = tensor.size[1:n], tensor.stride[1:n]
        tensor.nDimension = n - 1


def lay_out(r: Random, tensor: Tensor) -> None:
    """Strides that fit the sizes, in another order of dimensions, perhaps backwards and with gaps."""
    n = tensor.nDimension
    if not 0 < n <= 8:
        return
    step = r.randint(1, 2)
    for d in r.sample(range(n), n):
        tensor.stride[d] = r.choice([1, -1]) * step
        step = min(step * max(abs(tensor.size[d]), 1), 2**40)


def change_flags(r: Random, tensor: Tensor) -> None:
    tensor.flags = r.choice([0, 1, 2, 2**32 - 1])


def change_data(r: Random, tensor: Tensor) -> None:
    tensor.data = None


# The sizes of a valid call vary too, down to nothing at all.
LOWEST = {"N": 0, "C": 0, "H": 1, "W": 2, "inputSize": 0, "outputSize": 0, "nInputPlane": 0, "nOutputPlane": 0}

CHANGES = [change_rank, change_size, change_stride, drop_batch, lay_out, change_flags, change_data]


def extent(tensor: Tensor) -> tuple[int, int] | None:
    """Lowest and highest element that the view touches; None if it has no elements, or is none."""
    n = tensor.nDimension
    if not 0 < n <= 8 or any(size <= 0 for size in tensor.size[:n]):
        return None
    reaches = [(size - 1) * stride for size, stride in zip(tensor.size[:n], tensor.stride[:n], strict=True)]
    return sum(min(reach, 0) for reach in reaches), sum(max(reach, 0) for reach in reaches)


def settle(call: Call, name: str) -> np.ndarray | None:
    """Gives the view of an argument its memory: an arena of random values, if it fits there."""
    tensor = call.values[name]
    array = call.arrays[name]
    if tensor is None or tensor.data is None:
        return None
    span = extent(tensor)
    elements = math.prod(tensor.size[: max(0, min(tensor.nDimension, 8))])
    if span is not None and (-span[0] > ARENA // 2 or span[1] >= ARENA // 2 - 8 or elements > MOST_WORK):
        tensor.data = None
        return None
    arena = FILLED[array.dtype].copy()
    tensor.data = arena.ctypes.data + ARENA // 2 * arena.itemsize
    return arena


def written_elements(tensor: Tensor) -> np.ndarray:
    """Returns a mask of the arena's elements that belong to the view."""
    mine = np.zeros(ARENA, bool)
    n = tensor.nDimension
    if extent(tensor) is not None:
        view = np.lib.stride_tricks.as_strided(mine[ARENA // 2 :], tensor.size[:n], tensor.stride[:n])
        view[...] = True
    return mine


def example(r: Random, function: Function, real: str) -> Call:
    chosen = {name: r.randint(low, 6) for name, low in LOWEST.items()}
    chosen |= {"oH": chosen["H"] - 1, "oW": chosen["W"] - 2, "oC": max(chosen["C"] - 1, 0)}
    usual = r.random() < 0.25  # some functions accept no others
    call = capi.valid(function, real, capi.SIZES if usual else capi.SIZES | chosen)
    tensors = [a.name for a in function.arguments if is_tensor(a)]
    for _ in range(r.randint(0, 4)):
        argument = r.choice([a for a in function.arguments if a.name != "state"])
        if argument.name in tensors:
            target = call.values[argument.name]
            if target is not None:
                r.choice(CHANGES)(r, target)
            if r.randint(0, 15) == 0:
                call.values[argument.name] = None
        elif argument.type in NUMBERS:
            call.values[argument.name] = NUMBERS[argument.type](r)
    return call


def run(call: Call) -> int:
    """Makes the call and proves that it kept the rules of the header's first page."""
    written = {a.name for a in call.function.arguments if is_tensor(a) and is_written(a)}
    names = [a.name for a in call.function.arguments if is_tensor(a)]
    arenas = {name: settle(call, name) for name in names}
    status = call()
    assert capi.OK <= status <= capi.VERSION
    if status != capi.OK:
        assert capi.last_error().startswith(f"{call.name}: ")
    for name, arena in arenas.items():
        if arena is None:
            continue
        changed = arena != FILLED[arena.dtype]
        if status == capi.OK and name in written:
            changed &= ~written_elements(call.values[name])
        if changed.any():
            places = np.flatnonzero(changed) - ARENA // 2
            raise AssertionError(f"{name} was changed where it must not be, status {status}: {places}")
    return status


@pytest.mark.parametrize("real", capi.REALS)
@rows("function", [(function.layer, function.name, function) for function in GENERIC])
def test_any_arguments(function: Function, real: str) -> None:
    """Plain random numbers: under a sanitizer, a search for the smallest example would take longer than all else."""
    for seed in range(50):
        try:
            run(example(Random(f"{function.name} {seed}"), function, real))
        except AssertionError as error:
            error.add_note(f"example {seed}")
            raise


def reads_indices(function: Function) -> bool:
    return any("Long" in a.type and "IN" in a.tags and a.name != "sizes" for a in function.arguments)


@pytest.mark.parametrize("real", capi.REALS)
@rows("function", [(function.layer, function.name, function) for function in filter(reads_indices, GENERIC)])
def test_any_index(function: Function, real: str) -> None:
    """Indices and labels out of range are found before anything is read or written with them."""
    name = next(a.name for a in function.arguments if "Long" in a.type and "IN" in a.tags)
    expected = f"THNN_{real}{function.name}: {name}: expected 0 to "

    def outcome(index: int, place: int) -> int | None:
        """The largest legal index according to the error's text, None if there is no error."""
        call = capi.valid(function, real)
        call.arrays[name].flat[place % call.arrays[name].size] = index
        before = call.contents()
        if call() == capi.OK:
            return None
        assert capi.last_error().startswith(expected)
        assert call.contents() == before
        return int(capi.last_error().removeprefix(expected).partition(",")[0])

    beside = (-1, capi.SCALARS["ignore_index"])  # no cell, no label

    @settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.integers(-(2**63), 2**63 - 1), st.integers(0, 10**6))
    def try_one(index: int, place: int) -> None:
        largest = outcome(2**63 - 1, place)
        assert largest is not None
        if index not in beside:
            assert outcome(index, place) == (None if 0 <= index <= largest else largest)

    try_one()


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("deviceType", ctypes.c_int32),
        ("deviceId", ctypes.c_int32),
        ("nDimension", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byteOffset", ctypes.c_uint64),
    ]


@settings(max_examples=300, deadline=None, database=None, derandomize=True)
@given(st.data(), st.sampled_from(["Float", "Double", "Long", "Byte"]))
def test_any_dlpack(data: Any, kind: str) -> None:
    """A DLTensor is refused, or described as it is; its memory is not read."""
    draw = data.draw
    shape = draw(st.lists(st.one_of(st.integers(0, 5), st.sampled_from(HUGE)), min_size=8, max_size=8))
    code, bits = {"Float": (2, 32), "Double": (2, 64), "Long": (0, 64), "Byte": (1, 8)}[kind]
    dl = DLTensor(
        64,
        draw(st.sampled_from([1, 1, 1, 2, 3, 10])),
        0,
        draw(st.one_of(st.integers(-1, 9), st.sampled_from([2**31 - 1, -(2**31)]))),
        draw(st.sampled_from([code, code, code, 5])),
        draw(st.sampled_from([bits, bits, bits, 16])),
        draw(st.sampled_from([1, 1, 1, 4])),
        (ctypes.c_int64 * 8)(*shape) if draw(st.booleans()) else None,
        (ctypes.c_int64 * 8)(*shape) if draw(st.booleans()) else None,
        draw(st.sampled_from([0, 8])),
    )
    n = dl.nDimension
    legal = dl.deviceType in (1, 3) and (dl.code, dl.bits, dl.lanes) == (code, bits, 1) and 0 <= n <= 8
    legal = legal and (n == 0 or bool(dl.shape)) and all(size >= 0 for size in shape[:n])
    legal = legal and math.prod(size or 1 for size in shape[:n]) < 2**63
    tensor = Tensor()
    status = getattr(capi.lib, f"THNN_{kind}Tensor_fromDLPack")(ctypes.byref(tensor), ctypes.byref(dl))
    assert (status == capi.OK) == legal
    if legal:
        expected = shape[:n] or [1]  # a scalar
        assert (tensor.data, tensor.nDimension, tensor.flags) == (64 + dl.byteOffset, len(expected), 0)
        assert tensor.size[: len(expected)] == expected
    else:
        assert capi.last_error().startswith(f"THNN_{kind}Tensor_fromDLPack: dlTensor: ")
        assert bytes(tensor) == bytes(Tensor())


def test_dlpack_there_and_back() -> None:
    """A view of NumPy's becomes a tensor, and a DLTensor again."""
    array = np.arange(24, dtype=np.float64).reshape(4, 6)[::2, ::-1]
    capsule = array.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    tensor, again = Tensor(), DLTensor()
    given = ctypes.c_void_p(pointer(capsule, b"dltensor"))
    assert capi.lib.THNN_DoubleTensor_fromDLPack(ctypes.byref(tensor), given) == capi.OK
    expected = capi.describe(array)
    assert bytes(tensor) == bytes(expected)
    assert capi.lib.THNN_DoubleTensor_toDLPack(ctypes.byref(tensor), ctypes.byref(again)) == capi.OK
    assert (again.data, again.nDimension, again.code, again.bits, again.lanes) == (array.ctypes.data, 2, 2, 64, 1)
    assert (again.shape[:2], again.strides[:2]) == ([2, 6], [12, -1])
    assert (again.deviceType, again.byteOffset) == (1, 0)


def test_dlpack_of_scalars_and_of_nothing() -> None:
    """No dimension is a scalar there, and the empty tensor here."""
    number, tensor, given = np.array(3.5), Tensor(), DLTensor()
    scalar = DLTensor(number.ctypes.data, 1, 0, 0, 2, 64, 1, None, None, 0)
    assert capi.lib.THNN_DoubleTensor_fromDLPack(ctypes.byref(tensor), ctypes.byref(scalar)) == capi.OK
    assert (tensor.nDimension, tensor.size[0], tensor.stride[0], tensor.data) == (1, 1, 1, number.ctypes.data)
    assert capi.lib.THNN_DoubleTensor_toDLPack(ctypes.byref(Tensor()), ctypes.byref(given)) == capi.OK
    assert (given.nDimension, given.shape[0]) == (1, 0)
    for dimensions in (-1, 9):
        tensor.nDimension = dimensions
        assert capi.lib.THNN_DoubleTensor_toDLPack(ctypes.byref(tensor), ctypes.byref(given)) == capi.SHAPE
