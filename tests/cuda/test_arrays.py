"""The array functions of libTHCUNN beside their twins in libTHNN: all types, layouts, special values, errors, and who calls them.

Needs a GPU, or PYTORCH_LEGACY_EMULATE, a library built with THCUNN=host: tests/cuda/run.sh sets it.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import nn
from pytorch_legacy.arrays import cupy
from pytorch_legacy.backend import cuda
from pytorch_legacy.backend.library import ffi
from pytorch_legacy.errors import IndexRangeError
from pytorch_legacy.nn import blocks
from tests.arrays import functions as host
from tests.arrays.functions import APPLY, DTYPES, ERR_INDEX, MAP, OK, REDUCE, TRUTHS, Array, Layouts, describe, near, same
from tests.arrays.test_functions import CALLS
from tests.cuda.gpu import IS_REAL, LIBRARY, need_device, pretended
from tests.cuda.gpu import gpu as gpu

need_device()
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
TIMES = 8
REALS = ["float32", "float64"]
ROUNDED = {"exp", "log", "log1p", "expm1", "tanh", "sin", "cos", "power", "hypot", "arctan2"}
INTEGER_MAPS = {"negative", "absolute", "square", "sign", "logical_not"}
dtypes = pytest.mark.parametrize("dtype", DTYPES)


def owner(a: Array) -> Array:
    while isinstance(a.base, np.ndarray):
        a = a.base
    return a


class Twins:
    """The functions of libTHCUNN, on arrays of NumPy as they lie. On a GPU their memory goes there and comes back."""

    def __init__(self) -> None:
        self.library = cuda._library(Path(str(LIBRARY)))
        memory = (cuda._pool_memory, cuda._pinned_memory(16)) if IS_REAL else (cuda._host_memory, cuda._host_memory(16))
        self.state = cuda._Waiting(self.library, *memory)

    def status(self, name: str, *arguments: Any) -> int:
        given = [describe(a) if isinstance(a, np.ndarray) else (ffi.NULL if a is None else a) for a in arguments]
        function = cuda._array_function(self.library, name)
        assert function is not None
        if not IS_REAL:
            return self.state.call(function, *given)
        gpu, there = cupy().cuda, {}
        for a, view in zip(arguments, given, strict=True):
            if not isinstance(a, np.ndarray):
                continue
            whole = owner(a)
            if id(whole) not in there:
                there[id(whole)] = (gpu.alloc(whole.nbytes), whole)
                gpu.runtime.memcpy(there[id(whole)][0].ptr, whole.ctypes.data, whole.nbytes, gpu.runtime.memcpyHostToDevice)
            view.data = ffi.cast("void *", there[id(whole)][0].ptr + a.ctypes.data - whole.ctypes.data)
        status = self.state.call(function, *given)
        gpu.runtime.deviceSynchronize()
        for memory, whole in there.values():
            gpu.runtime.memcpy(whole.ctypes.data, memory.ptr, whole.nbytes, gpu.runtime.memcpyDeviceToHost)
        return status

    def error(self) -> str:
        text: str = self.library.ffi.string(self.library.lib.THNN_CudaLastError()).decode()
        return text.replace("THNN_CudaA", "THNN_a")


@pytest.fixture(scope="module")
def twins() -> Twins:
    return Twins()


Both = Callable[..., tuple[Array, Array]]


@pytest.fixture
def both(twins: Twins) -> Both:
    """Calls a function of libTHNN and its twin on the same arrays, `output` filled with `initial`; returns both results."""

    def call(name: str, output: Array, *arguments: Any, initial: Any = 77) -> tuple[Array, Array]:
        results = []
        for status, error in ((host.status, host.error), (twins.status, twins.error)):
            output[...] = initial
            assert status(name, *arguments) == OK, error()
            results.append(output.copy())
        return results[0], results[1]

    return call


# ---------------------------------------------------------------------------------------------- element by element


@dtypes
def test_fill(both: Both, dtype: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        y = layouts.empty(layouts.shape(), dtype)
        for value in (2.75, -1.0, np.nan, 1e300):
            same(*both("arrayFill", y, y, value))


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_copy(both: Both, source: str, target: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        x, y = layouts.values(shape, source), layouts.empty(shape, target)
        same(*both("arrayCopy", y, x, y))


@dtypes
@pytest.mark.parametrize("name", MAP)
def test_map(both: Both, name: str, dtype: str) -> None:
    if np.dtype(dtype).kind != "f" and name not in INTEGER_MAPS:
        return
    target = "uint8" if MAP[name] >= MAP["logical_not"] else dtype
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        x, y = layouts.values(shape, dtype), layouts.empty(shape, target)
        expected, got = both("arrayMap", y, x, y, MAP[name])
        near(got, expected, 3) if name in ROUNDED else same(got, expected)


@dtypes
@pytest.mark.parametrize("name", APPLY)
def test_apply(both: Both, name: str, dtype: str) -> None:
    isReal = np.dtype(dtype).kind == "f"
    if not isReal and name in ("divide", "hypot", "arctan2"):
        return
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        x, z = layouts.values(shape, dtype), layouts.values(shape, dtype)
        y = layouts.empty(shape, "uint8" if name in TRUTHS else dtype)
        expected, got = both("arrayApply", y, x, z, y, APPLY[name])
        near(got, expected, 2) if isReal and name in ROUNDED else same(got, expected)


@dtypes
@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 5000])
def test_dense(both: Both, n: int, dtype: str) -> None:
    """Groups of elements and what is left, with numbers that are repeated, at addresses that are multiples of 16 and others."""
    layouts = Layouts(n)
    x, z = (layouts.values((n + 3,), dtype).copy() for _ in range(2))
    for first in (0, 1):
        y = np.empty(n + 3, dtype)[first : first + n]
        part, one = x[first : first + n], np.broadcast_to(z[0], (n,))
        for a, b in ((part, z[:n]), (part, one), (one, part), (one, one)):
            same(*both("arrayApply", y, a, b, y, APPLY["add"]))
            truths = np.empty(n, np.uint8)
            same(*both("arrayApply", truths, a, b, truths, APPLY["less"]))
            same(*both("arrayChoose", y, np.arange(n).astype(np.uint8) % 2, a, b, y))
        same(*both("arrayCopy", y, one, y))


@dtypes
def test_in_place(both: Both, dtype: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        y, z, x = layouts.empty(shape, dtype), layouts.values(shape, dtype), layouts.values(shape, dtype)
        same(*both("arrayApply", y, y, z, y, APPLY["add"], initial=x))
        same(*both("arrayApply", y, z, y, y, APPLY["multiply"], initial=x))
        same(*both("arrayMap", y, y, y, MAP["square"], initial=x))


@dtypes
def test_choose(both: Both, dtype: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        condition, y = layouts.values(shape, "uint8"), layouts.empty(shape, dtype)
        same(*both("arrayChoose", y, condition, layouts.values(shape, dtype), layouts.values(shape, dtype), y))


@dtypes
@pytest.mark.parametrize(("start", "step"), [(0, 1), (3, -1), (0.3, 0.7)])
def test_iota(both: Both, dtype: str, start: float, step: float) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        y = layouts.empty(layouts.shape(1, 60), dtype)
        same(*both("arrayIota", y, y, start, step))


@dtypes
def test_within(twins: Twins, dtype: str) -> None:
    text = ffi.new("char[]", b"indices")
    for seed in range(TIMES):
        layouts = Layouts(seed)
        x = layouts.empty(layouts.shape(), dtype)
        x[...] = layouts.rng.integers(2, 10, x.shape)
        assert twins.status("arrayWithin", x, 2.0, 9.0, text) == OK
        place = np.unravel_index(int(layouts.rng.integers(0, x.size)), x.shape)
        for bad in (1, 10) + ((2.5, np.nan, np.inf) if np.dtype(dtype).kind == "f" else ()):
            x[place] = bad
            for limits in ((2.0, 9.0), (-np.inf, np.inf), (np.nan, 1.0)):
                expected = host.status("arrayWithin", x, *limits, text)
                assert twins.status("arrayWithin", x, *limits, text) == expected
                if limits[0] == 2:
                    assert expected == ERR_INDEX and twins.error() == host.error()


def test_far_apart(both: Both) -> None:
    """Elements that lie more than 2^31 bytes apart are found by kernels that count in 64 bits."""
    if IS_REAL:
        pytest.skip("the host's memory is sparse, which a copy on the device would not be")
    far = 1 << 31
    memory = np.frombuffer(mmap.mmap(-1, far + (1 << 12)), np.uint8)
    for dtype in DTYPES:
        size = np.dtype(dtype).itemsize
        x = np.lib.stride_tricks.as_strided(memory.view(dtype), (2, 3, 5), (far, 6 * size, size))
        x[...] = np.arange(30).reshape(x.shape)
        indices = np.array([1, 0, 1])
        same(*both("arrayApply", y := np.empty(x.shape, dtype), x, x, y, APPLY["add"]))
        same(*both("arrayReduce", y := np.empty((1, 3, 1), dtype), x, y, REDUCE["max"]))
        same(*both("arrayReduceIndex", y := np.empty((1, 3, 5), np.int64), x, y, 0, REDUCE["max"]))
        same(*both("arrayScan", y := np.empty(x.shape, dtype), x, y, 0))
        same(*both("arrayTake", y := np.empty((3, 3, 5), dtype), x, indices, y, 0))
        same(*both("arrayTake", y := np.empty(x.shape, dtype), x, indices, y, 1))
        z = np.empty((2, 3, 5), dtype)
        same(*both("arrayPut", x, z, indices, x, 1, 1, initial=3))
        x[...] = 4
        same(*both("arrayCopy", x, z, x))


# ---------------------------------------------------------------------------------------------- along dimensions


def of_sums(got: Array, expected: Array, x: Array, scale: Array) -> None:
    """Sums of floats in two orders; `scale` has those of their magnitudes."""
    bound = np.where(np.isfinite(scale), scale, 0) * (1e-12 if got.dtype == np.float64 and x.dtype == np.float64 else 2e-7)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    known = np.isfinite(expected)
    np.testing.assert_array_equal(got[~known], expected[~known])
    assert (np.abs(got - expected)[known] <= np.broadcast_to(bound, got.shape)[known] + 1e-44).all()


def compare_reduced(both: Both, layouts: Layouts, x: Array, axes: tuple[int, ...], name: str) -> None:
    shape = tuple(1 if d in axes else n for d, n in enumerate(x.shape))
    y = layouts.empty(shape, np.uint8 if name in ("any", "all") else x.dtype)
    expected, got = both("arrayReduce", y, x, y, REDUCE[name])
    if x.dtype.kind == "f" and name == "sum":
        of_sums(got, expected, x, np.abs(x).astype(np.float64).sum(axis=axes, keepdims=True))
    elif x.dtype.kind == "f" and name == "prod":
        np.testing.assert_allclose(got, expected, 1e-6 if x.dtype == np.float32 else 1e-12)
    elif name in ("max", "min"):  # for 0 and -0 either is right
        np.testing.assert_array_equal(got, expected)
    else:
        same(got, expected)


@dtypes
@pytest.mark.parametrize("name", REDUCE)
def test_reduce(both: Both, name: str, dtype: str) -> None:
    for seed in range(2 * TIMES):
        layouts = Layouts(seed)
        x = layouts.values(layouts.shape(), dtype, special=name != "prod")  # a product may overflow in one order alone
        compare_reduced(both, layouts, x, tuple(d for d in range(x.ndim) if layouts.rng.random() < 0.5), name)


@dtypes
@pytest.mark.parametrize("name", REDUCE)
@pytest.mark.parametrize(
    "shape, axes",
    [((70000,), (0,)), ((2, 1100), (1,)), ((1030, 40), (1,)), ((900, 5), (0,)), ((3, 33000), (0,)), ((3, 300, 40), (0, 2))],
)
def test_reduce_in_parts(both: Both, shape: tuple[int, ...], axes: tuple[int, ...], name: str, dtype: str) -> None:
    """Parts, blocks and warps of several terms a thread."""
    layouts = Layouts(3)
    x = layouts.rng.normal(0, 3, shape).astype(dtype)
    if name == "prod" and x.dtype.kind == "f":
        x = np.exp(x / 500).astype(dtype)
    compare_reduced(both, layouts, x, axes, name)


@pytest.mark.parametrize("function", ["arrayReduce", "arrayReduceIndex", "arrayScan"])
def test_one_block(both: Both, function: str) -> None:
    """Threads that share memory; few of them, so that ThreadSanitizer has time for it."""
    x = np.arange(1100, dtype=np.int64)[None] % 7
    arguments = {"arrayReduce": (REDUCE["sum"],), "arrayReduceIndex": (1, REDUCE["max"]), "arrayScan": (1,)}[function]
    same(*both(function, y := np.empty((1, x.size if function == "arrayScan" else 1), np.int64), x, y, *arguments))


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("source, target", [("float32", "float64"), ("uint8", "int64")])
def test_reduce_to_the_wide_type(both: Both, name: str, source: str, target: str) -> None:
    layouts = Layouts(1)
    x, y = layouts.values((5, 300), source, special=False), layouts.empty((5, 1), target)
    expected, got = both("arrayReduce", y, x, y, REDUCE[name])
    np.testing.assert_allclose(got, expected, 1e-12, 1e-11 * 300)


def test_reduce_nothing(both: Both) -> None:
    x = np.zeros((0, 3), np.float32)
    for name in ("sum", "prod"):
        same(*both("arrayReduce", y := np.empty((1, 3), np.float32), x, y, REDUCE[name]))
    for name in ("any", "all"):
        same(*both("arrayReduce", y := np.empty((1, 3), np.uint8), x, y, REDUCE[name]))


@pytest.mark.parametrize("dtype", REALS)
def test_sums_depend_on_sizes_alone(both: Both, dtype: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        axes = tuple(d for d in range(len(shape)) if layouts.rng.random() < 0.5)
        out = tuple(1 if d in axes else n for d, n in enumerate(shape))
        x = layouts.values(shape, dtype, special=False)
        _, one = both("arrayReduce", y := layouts.empty(out, dtype), x, y, REDUCE["sum"])
        _, two = both("arrayReduce", y := np.empty(out, dtype), np.ascontiguousarray(x), y, REDUCE["sum"])
        same(one, two)


@dtypes
@pytest.mark.parametrize("name", ["max", "min"])
def test_reduce_index(both: Both, name: str, dtype: str) -> None:
    for seed in range(2 * TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape() if seed else (3, 2500)
        x = layouts.values(shape, dtype)
        if seed % 3 == 0:  # ties
            x = np.round(x / 4).astype(dtype)
        if seed == 5:
            x = np.full(shape, -np.inf if np.dtype(dtype).kind == "f" else 0, dtype)
        dimension = len(shape) - 1 - seed % len(shape)
        y = layouts.empty(tuple(1 if d == dimension else n for d, n in enumerate(shape)), "int64")
        same(*both("arrayReduceIndex", y, x, y, dimension, REDUCE[name]))


@dtypes
def test_scan(both: Both, dtype: str) -> None:
    for seed in range(2 * TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape() if seed > 3 else [(3000,), (2, 1500), (1500, 3), (40, 1030)][seed]
        x, y = layouts.values(shape, dtype), layouts.empty(shape, dtype)
        dimension = len(shape) - 1 - seed % len(shape) if seed > 3 else int(np.argmax(shape)) if seed < 3 else 0
        for expected, got in (
            both("arrayScan", y, x, y, dimension),
            both("arrayScan", y, y, y, dimension, initial=x),
        ):
            if y.dtype.kind == "f":
                of_sums(got, expected, x, np.abs(x).astype(np.float64).cumsum(dimension))
            else:
                same(got, expected)


# ---------------------------------------------------------------------------------------------- products, slices


@pytest.mark.parametrize("dtype", REALS)
def test_product(both: Both, dtype: str) -> None:
    for seed in range(3 * TIMES):
        layouts = Layouts(seed)
        batch = tuple(int(n) for n in layouts.rng.integers(1, 4, int(layouts.rng.integers(0, 3))))
        m, k, n = (int(layouts.rng.integers(1, 30)) for _ in range(3))
        a, b = (layouts.values((*batch, *two), dtype, special=False) for two in ((m, k), (k, n)))
        expected, got = both("arrayProduct", y := layouts.empty((*batch, m, n), dtype), a, b, y)
        scale = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
        assert (np.abs(got - expected) <= scale * (1e-14 if dtype == "float64" else 4e-6)).all()
    same(*both("arrayProduct", y := np.empty((2, 3, 4), dtype), np.zeros((2, 3, 0), dtype), np.zeros((2, 0, 4), dtype), y))


@dtypes
def test_take_and_put(both: Both, twins: Twins, dtype: str) -> None:
    for seed in range(2 * TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        dimension = int(layouts.rng.integers(0, len(shape)))
        k = int(layouts.rng.integers(0, 9)) if seed else 700
        indices = layouts.empty((k,), "int64")
        indices[...] = layouts.rng.integers(0, shape[dimension], k)
        x = layouts.values(shape, dtype)
        part = (*shape[:dimension], k, *shape[dimension + 1 :])
        same(*both("arrayTake", y := layouts.empty(part, dtype), x, indices, y, dimension))
        whole, given = layouts.empty(shape, dtype), layouts.values(part, dtype)
        for adds in (0, 1):
            same(*both("arrayPut", whole, given, indices, whole, dimension, adds, initial=x))
        if not k:
            continue
        for bad in (-1, shape[dimension]):
            indices[int(layouts.rng.integers(0, k))] = bad
            calls = {"arrayTake": (x, indices, y, dimension), "arrayPut": (given, indices, whole, dimension, 1)}
            for name, arguments in calls.items():
                before = whole.copy(), y.copy()
                assert twins.status(name, *arguments) == host.status(name, *arguments) == ERR_INDEX
                assert twins.error() == host.error()
                same(whole, before[0])
                same(y, before[1])
            indices[indices == bad] = 0


def test_bad_indices_are_left_out() -> None:
    """No call waits without a report; an element with a bad index is neither read nor written."""
    twins = Twins()
    twins.state.call(lambda *_: 0)  # the call passes the report to the library
    twins.library.lib.THNN_CudaState_setIndexReport(twins.state.pointer, twins.library.ffi.NULL, 0)
    x, y = np.arange(12.0).reshape(4, 3), np.full((5, 3), 7.0)
    indices = np.array([2, -1, 0, 4, 2**62])
    assert twins.status("arrayTake", x, indices, y, 0) == OK
    np.testing.assert_array_equal(y, [x[2], [7] * 3, x[0], [7] * 3, [7] * 3])
    assert twins.status("arrayPut", np.ones((5, 3)), indices, x, 0, 1) == OK
    np.testing.assert_array_equal(x, np.arange(12.0).reshape(4, 3) + np.array([[1], [0], [1], [0]]))


# ---------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("name", CALLS)
def test_errors_as_THNN(twins: Twins, name: str) -> None:
    """The same status and the same words for each array that is wrong, or whose memory reaches into another one."""
    given = [a.copy() if isinstance(a, np.ndarray) else a for a in CALLS[name]]
    assert twins.status(name, *given) == OK
    views = [at for at, a in enumerate(given) if isinstance(a, np.ndarray)]
    wrong: list[list[Any]] = []
    for at in views:
        for field, value in (("type", 4), ("type", 3), ("nDimension", 9), ("data", ffi.NULL), ("flags", 1)):
            view = describe(given[at])
            setattr(view, field, value)
            wrong.append([*given[:at], view, *given[at + 1 :]])
        for field, value in (("size", -1), ("size", 0), ("stride", 0)):
            view = describe(given[at])
            getattr(view, field)[0] = value
            wrong.append([*given[:at], view, *given[at + 1 :]])
        wrong.append([*given[:at], None, *given[at + 1 :]])
        if at != views[-1]:
            shifted = given[views[-1]].reshape(-1).view(np.uint8)[: given[at].nbytes - given[at].itemsize]
            if shifted.nbytes == given[at][..., :1].nbytes:
                wrong.append([*given[:at], shifted.view(given[at].dtype), *given[at + 1 :]])
    for at, a in enumerate(given):
        if type(a) is int:
            wrong += [[*given[:at], other, *given[at + 1 :]] for other in (-1, 11, 25)]
    for arguments in wrong:
        expected = host.status(name, *arguments)
        text = host.error()
        if expected == OK and IS_REAL:  # these descriptors are of the host's memory
            continue
        assert twins.status(name, *arguments) == expected, text
        if expected != OK:
            assert twins.error() == text


def test_unaligned_memory_wants_scratch(twins: Twins) -> None:
    """A state without scratch memory says how much it wants, and nothing is written."""
    memory = np.zeros(41, np.uint8)
    x, y = memory[1:].view(np.float32), np.full(10, 7, np.float32)
    lib, bare = twins.library.lib, Twins()
    function = cuda._array_function(bare.library, "arrayMap")
    assert function is not None
    if not IS_REAL:
        assert function(bare.state.pointer, describe(x), describe(y), MAP["square"]) == cuda.ERR_MEMORY
        wanted = bare.library.ffi.new("int64_t *")
        lib.THNN_CudaState_scratchWanted(bare.state.pointer, wanted)
        assert wanted[0] >= x.nbytes and (y == 7).all()
    assert bare.status("arrayMap", x, y, MAP["square"]) == OK
    assert (y == 0).all()


# ---------------------------------------------------------------------------------------------- from Python


@pytest.fixture
def withoutCupy(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """CuPy of pretence that computes nothing by itself."""
    if IS_REAL:
        return gpu

    def refuse(self: Any, ufunc: Any, *_: Any, **__: Any) -> Any:
        raise AssertionError(f"{ufunc} was left to CuPy")

    monkeypatch.setattr(gpu.ndarray, "__array_ufunc__", refuse)
    monkeypatch.setitem(gpu.METHODS, "fill", "none")
    return gpu


def numbers(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(5).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("ufunc", blocks.OPERATIONS, ids=lambda f: f.__name__)
def test_apply_by_blocks(withoutCupy: Any, ufunc: Any, dtype: str) -> None:
    x, z = numbers(4, 3, 5, dtype=dtype), numbers(4, 3, 5, dtype=dtype)[::-1].copy()
    there, other = withoutCupy.asarray(x), withoutCupy.asarray(z)
    for views in (lambda a: a, lambda a: a[:, :1], lambda a: a[0, 0], lambda a: a[::-1], lambda a: a[0, 0, 0]):
        expected, out = np.empty_like(x), withoutCupy.empty(x.shape, x.dtype)
        ufunc(x, views(z), out=expected)
        assert blocks.apply(ufunc, there, views(other), out=out) is out
        np.testing.assert_array_equal(out.get(), expected)
    for number in (2, 0.3, np.float32(0.7)):
        ufunc(x, np.full_like(x, number), out=expected)
        np.testing.assert_array_equal(blocks.apply(ufunc, there, number, out=out).get(), expected)
    ufunc(x, z, out=expected)
    np.testing.assert_array_equal(blocks.apply(ufunc, there, other, out=there).get(), expected)


@pytest.mark.parametrize("dtype", REALS)
def test_sums_copies_and_constants_by_blocks(withoutCupy: Any, dtype: str) -> None:
    x, f = numbers(4, 300, 5, dtype=dtype), numbers(4, 300, 5, dtype=dtype)[::-1].copy()
    there, factor = withoutCupy.asarray(x), withoutCupy.asarray(f)
    for shape in ((1, 300, 1), (4, 1, 5), (1, 1, 1), (4, 300, 5)):
        for others in ((), (f,)):
            start = numbers(*shape, dtype=dtype)
            expected = blocks.addUp(start.copy(), x, *others)
            got = blocks.addUp(withoutCupy.asarray(start), there, *(factor for _ in others)).get()
            bounds = (1e-12, 1e-11) if dtype == "float64" else (1e-5, 1e-4)
            np.testing.assert_allclose(got, expected, *bounds)
    target = withoutCupy.asarray(x)
    np.testing.assert_array_equal(blocks.add(target, factor, -0.3).get(), x + x.dtype.type(-0.3) * f)
    target = withoutCupy.empty(x.shape, x.dtype)
    np.testing.assert_array_equal(blocks.copy(target, there[:1, ::-1]).get(), np.broadcast_to(x[:1, ::-1], x.shape))
    np.testing.assert_array_equal(blocks.copy(target, 0.25).get(), np.full_like(x, 0.25))
    other = withoutCupy.empty(x.shape, np.float32 if dtype == "float64" else np.float64)
    np.testing.assert_array_equal(blocks.copy(other, there).get(), x.astype(other.dtype))
    np.testing.assert_array_equal(blocks.negate(there, target).get(), -x)
    assert not blocks.zero(target).get().any()
    assert not blocks.zero(withoutCupy.asarray(np.ones(5, np.int64))).get().any()


def test_what_is_left_to_cupy(gpu: Any) -> None:
    """Halves, integers, several types, operations that are none of ours, and memory that reaches into other memory."""
    half = gpu.asarray(numbers(3, 4, dtype=np.float16))
    np.testing.assert_array_equal(blocks.apply(np.add, half, half, out=gpu.empty((3, 4), np.float16)).get(), half.get() * 2)
    truths = gpu.asarray(np.array([True, False]))
    assert blocks.apply(np.add, truths, truths, out=gpu.empty(2, np.bool_)).get().tolist() == [True, False]
    single = gpu.asarray(numbers(3, 4))
    double = blocks.apply(np.add, single, gpu.asarray(numbers(3, 4, dtype=np.float64)), out=gpu.empty((3, 4), np.float64))
    np.testing.assert_array_equal(double.get(), numbers(3, 4) + numbers(3, 4, dtype=np.float64))
    np.testing.assert_allclose(blocks.apply(np.exp, single, out=gpu.empty((3, 4), np.float32)).get(), np.exp(numbers(3, 4)), 1e-6)
    row = gpu.asarray(numbers(9))
    np.testing.assert_array_equal(blocks.apply(np.add, row[:-1], 1, out=row[1:]).get(), numbers(9)[:-1] + np.float32(1))
    deep = gpu.asarray(numbers(*[1] * 9))
    np.testing.assert_array_equal(blocks.apply(np.add, deep, deep, out=gpu.empty(deep.shape, np.float32)).get(), 2 * deep.get())
    with pytest.raises(ValueError):
        blocks.apply(np.add, single, row, out=gpu.empty((3, 4), np.float32))
    integers = blocks.copy(gpu.empty(3, np.int64), gpu.asarray(np.array([1, 2, 3], np.uint8)))
    assert integers.get().tolist() == [1, 2, 3]


def test_layers_call_them(withoutCupy: Any) -> None:
    """Layers whose passes are nothing but such operations."""
    x, z = numbers(4, 6), numbers(4, 6)[::-1].copy()
    there = [withoutCupy.asarray(a) for a in (x, z)]
    for here, inputs in ((nn.CMul(6), x), (nn.CAdd(6), x), (nn.Mul(), x), (nn.CAddTable(), [x, z]), (nn.CMulTable(), [x, z])):
        moved = here.clone().cuda()
        given = there if isinstance(inputs, list) else there[0]
        np.testing.assert_allclose(moved.forward(given).get(), here.forward(inputs), 1e-6)


@pretended
def test_a_library_without_them(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """CuPy computes, as before there were array functions."""
    monkeypatch.setattr(cuda, "_array_function", lambda *_: None)
    x = gpu.asarray(numbers(3, 4))
    np.testing.assert_array_equal(blocks.apply(np.multiply, x, 2, out=gpu.empty((3, 4), np.float32)).get(), 2 * numbers(3, 4))
    total = blocks.addUp(gpu.asarray(np.zeros((1, 4), np.float32)), x, x)
    np.testing.assert_allclose(total.get(), np.square(numbers(3, 4)).sum(0, keepdims=True), 1e-6)
    assert (blocks.copy(gpu.empty(3, np.float32), 2).get() == 2).all() and not blocks.zero(x).get().any()


@pretended
def test_the_next_call_reports_a_number(gpu: Any) -> None:
    """arrayWithin leaves its error to the next call on the stream if it does not wait."""
    from pytorch_legacy.backend.arrays import call_on_device

    text = ffi.new("char[]", b"labels")
    assert call_on_device("arrayWithin", gpu.asarray(np.array([1.0, 2.5], np.float32)), 1.0, 3.0, text)
    with pytest.raises(IndexRangeError, match=r"an earlier call met the number 2\.5, which is out of range or not whole"):
        call_on_device("arrayFill", gpu.empty(3, np.float32), 0.0)
    assert call_on_device("arrayFill", gpu.empty(3, np.float32), 0.0)
