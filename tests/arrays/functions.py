"""Calls the array functions of libTHNN on NumPy arrays as they lie: any strides, any alignment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytorch_legacy.backend.library import ffi, lib

Array = NDArray[Any]
TYPES = {np.dtype(np.float32): 0, np.dtype(np.float64): 1, np.dtype(np.int64): 2, np.dtype(np.uint8): 3, np.dtype(np.bool_): 3}
DTYPES = ["float32", "float64", "int64", "uint8"]
MAPPED = "negative absolute square sqrt exp log log1p expm1 tanh sin cos floor ceil trunc rint sign reciprocal"
JUDGED = "logical_not isnan isinf isfinite"
COMBINED = "add subtract multiply divide maximum minimum power floor_divide remainder hypot arctan2"
COMPARED = "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor"
MAP = {name: number for number, name in enumerate(f"{MAPPED} {JUDGED}".split())}
TRUTHS = COMPARED.split()
APPLY = {name: number for number, name in enumerate(COMBINED.split())} | {name: 16 + number for number, name in enumerate(TRUTHS)}
REDUCE = {"sum": 0, "prod": 1, "max": 2, "min": 3, "any": 4, "all": 5}
OK, ERR_NULL, ERR_SHAPE, ERR_VALUE, ERR_INDEX, ERR_MEMORY = range(6)


def describe(a: Array) -> Any:
    """Returns the THNNArray of an array."""
    view = ffi.new("THNNArray *")
    view.data = ffi.cast("void *", a.__array_interface__["data"][0])
    view.nDimension, view.type, view.flags = a.ndim, TYPES[a.dtype], not a.flags.writeable
    for d in range(a.ndim):
        view.size[d], view.stride[d] = a.shape[d], a.strides[d] // a.itemsize
    return view


def status(name: str, *arguments: Any, state: Any = ffi.NULL) -> int:
    """Calls THNN_`name` and returns what it returns."""
    given = [describe(a) if isinstance(a, np.ndarray) else (ffi.NULL if a is None else a) for a in arguments]
    return int(getattr(lib, f"THNN_{name}")(state, *given))


def error() -> str:
    """Returns the text of the latest error."""
    return ffi.string(lib.THNN_lastError()).decode()


def call(name: str, *arguments: Any, state: Any = ffi.NULL) -> None:
    """Calls THNN_`name`, which must succeed."""
    assert status(name, *arguments, state=state) == OK, error()


class Layouts:
    """Arrays of random values in random layouts: transposed, with gaps, backward, unaligned, repeated."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def shape(self, rank: int | None = None, most: int = 7) -> tuple[int, ...]:
        rank = int(self.rng.integers(1, 5)) if rank is None else rank
        longest = int(self.rng.integers(0, rank)) if rank and self.rng.random() < 0.3 else -1
        return tuple(int(self.rng.integers(200, 700) if d == longest else self.rng.integers(1, most)) for d in range(rank))

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """An array to write to."""
        rng, rank = self.rng, len(shape)
        order = rng.permutation(rank) if rng.random() < 0.5 else np.arange(rank)
        gaps = [int(rng.integers(1, 3)) if rng.random() < 0.3 else 1 for _ in shape]
        sizes = [shape[d] * gaps[d] for d in order]
        itemsize = np.dtype(dtype).itemsize
        offset = int(rng.integers(0, itemsize)) if rng.random() < 0.3 else 0
        memory = np.zeros(int(np.prod(sizes)) * itemsize + itemsize, np.uint8)
        a = memory[offset : offset + int(np.prod(sizes)) * itemsize].view(dtype).reshape(sizes)
        a = a.transpose(np.argsort(order))
        steps = tuple(slice(None, None, gap) if rng.random() < 0.7 else slice(None, None, -gap) for gap in gaps)
        a = a[steps]
        assert a.shape == shape
        return a

    def values(self, shape: tuple[int, ...], dtype: Any, special: bool = True) -> Array:
        """An array to read; some are repeated along dimensions."""
        rng = self.rng
        repeated = tuple(1 if rng.random() < 0.15 else n for n in shape)
        a = self.empty(repeated, dtype)
        if a.dtype.kind == "f":
            a[...] = rng.normal(0, 3, repeated)
            if special and rng.random() < 0.5:
                mask = rng.random(repeated) < 0.2
                a[mask] = rng.choice([0, -0.0, 1, -1, 2, np.inf, -np.inf, np.nan, 1e-30, 1e25], int(mask.sum()))
        elif a.dtype == np.int64:
            a[...] = rng.integers(-9, 10, repeated)
            if special and rng.random() < 0.2:
                a[rng.random(repeated) < 0.2] = np.iinfo(np.int64).min
        else:
            a[...] = rng.integers(0, 256, repeated) if a.dtype == np.uint8 else rng.random(repeated) < 0.5
            if rng.random() < 0.3:
                a[...] = a % 2
        return np.broadcast_to(a, shape)


def same(got: Array, expected: Array) -> None:
    """The same bits, but for the sign and payload of NaN."""
    assert got.dtype == expected.dtype and got.shape == expected.shape
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, expected)
        return
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    known = ~np.isnan(expected)
    integer = np.int32 if got.dtype == np.float32 else np.int64
    np.testing.assert_array_equal(got[known].view(integer), expected[known].view(integer))


def near(got: Array, expected: Array, ulps: float) -> None:
    """Within so many units in the last place."""
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(got[~finite], expected[~finite])
    unit = np.spacing(np.abs(expected[finite]))
    assert (np.abs(got[finite] - expected[finite]) <= ulps * unit).all()
