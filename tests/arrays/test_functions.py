"""The array functions of libTHNN against NumPy: all types, layouts, special values, errors, threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytorch_legacy.backend.library import ffi, lib
from tests.arrays.functions import (
    APPLY,
    DTYPES,
    ERR_INDEX,
    ERR_MEMORY,
    ERR_NULL,
    ERR_SHAPE,
    ERR_VALUE,
    MAP,
    OK,
    REDUCE,
    TRUTHS,
    Array,
    Layouts,
    call,
    describe,
    error,
    near,
    same,
    status,
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
TIMES = 40


def state(threads: int) -> Any:
    made = ffi.new("THNNState **")
    assert lib.THNN_newState(made) == OK
    made = ffi.gc(made[0], lib.THNN_freeState)
    assert lib.THNN_setNumThreads(made, threads) == OK
    return made


# ---------------------------------------------------------------------------------------------- element by element


@pytest.mark.parametrize("dtype", DTYPES)
def test_fill(dtype: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        y = layouts.empty(layouts.shape(), dtype)
        call("arrayFill", y, 2.75)
        same(y, np.full(y.shape, 2.75, dtype))


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_copy(source: str, target: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        x, y = layouts.values(shape, source), layouts.empty(shape, target)
        call("arrayCopy", x, y)
        expected = x
        if np.dtype(source).kind == "f" and np.dtype(target).kind != "f":
            limits, other = ((-(2.0**63), 2.0**63), -(2**63)) if target == "int64" else ((-(2.0**31), 2.0**31), 0)
            isIn = (x >= limits[0]) & (x < limits[1])
            expected = np.where(isIn, np.where(isIn, x, 0).astype(np.int64), other)
        same(y, expected.astype(target))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", MAP)
def test_map(name: str, dtype: str) -> None:
    integers = ("negative", "absolute", "square", "sign", "logical_not")
    if np.dtype(dtype).kind != "f" and name not in integers:
        x = np.zeros(3, dtype)
        assert status("arrayMap", x, x.copy(), MAP[name]) == ERR_VALUE
        return
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        x = layouts.values(shape, dtype)
        expected = getattr(np, name)(x)
        if expected.dtype == np.bool_:
            expected = expected.astype(np.uint8)
        y = layouts.empty(shape, expected.dtype)
        call("arrayMap", x, y, MAP[name])
        if name in ("exp", "log", "log1p", "expm1", "tanh", "sin", "cos"):
            exact = getattr(np, name)(x.astype(np.longdouble)).astype(dtype)
            near(y, exact, 2.5 if name == "expm1" else 1.5)  # as core/vmath.h says
        else:
            same(y, expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", APPLY)
def test_apply(name: str, dtype: str) -> None:
    isReal = np.dtype(dtype).kind == "f"
    if not isReal and name in ("divide", "hypot", "arctan2"):
        x = np.zeros(3, dtype)
        assert status("arrayApply", x, x, x.copy(), APPLY[name]) == ERR_VALUE
        return
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        x, z = layouts.values(shape, dtype), layouts.values(shape, dtype)
        if name == "power" and not isReal:
            z = np.abs(z) % 12
        expected = getattr(np, name)(x, z)
        if name in TRUTHS:
            expected = expected.astype(np.uint8)
        y = layouts.empty(shape, expected.dtype)
        call("arrayApply", x, z, y, APPLY[name])
        if name in ("power", "hypot", "arctan2") and isReal:
            near(y, getattr(np, name)(x.astype(np.longdouble), z.astype(np.longdouble)).astype(dtype), 1)
        elif name in ("maximum", "minimum"):  # for 0 and -0 NumPy returns either, depending on the processor
            np.testing.assert_array_equal(y, expected)
        else:
            same(y, expected)


def test_product_of_repeated_matrices_beyond_memory() -> None:
    """Copies of them would have almost 2^63 bytes."""
    length = (2**60 - 1) // 3
    x, z = np.broadcast_to(np.float64(1), (3, length)), np.broadcast_to(np.float64(1), (length, 1))
    assert status("arrayProduct", x, z, np.empty((3, 1))) == ERR_MEMORY
    assert error() == f"THNN_arrayProduct: scratch memory: expected matrices of which copies fit into memory, got 3 x {length}"


def test_integer_power_has_whole_results() -> None:
    x, z = np.array([1, -1, -1, 2, 0, 3], np.int64), np.array([-3, -3, -2, -1, -1, 2], np.int64)
    y = np.empty_like(x)
    call("arrayApply", x, z, y, APPLY["power"])
    np.testing.assert_array_equal(y, [1, -1, 1, 0, 0, 9])


@pytest.mark.parametrize("dtype", DTYPES)
def test_in_place(dtype: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        y, z = layouts.empty(shape, dtype), layouts.values(shape, dtype)
        y[...] = layouts.values(shape, dtype)
        x = y.copy()
        call("arrayApply", y, z, y, APPLY["add"])
        same(y, x + z)
        call("arrayApply", z, y, y, APPLY["multiply"])
        same(y, z * (x + z))
        call("arrayMap", y, y, MAP["square"])
        same(y, np.square(z * (x + z)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_choose(dtype: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        condition = layouts.values(shape, "uint8")
        x, z, y = layouts.values(shape, dtype), layouts.values(shape, dtype), layouts.empty(shape, dtype)
        call("arrayChoose", condition, x, z, y)
        same(y, np.where(condition, x, z))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("start", "step"), [(0, 1), (3, -1), (0.3, 0.7)])
def test_iota(dtype: str, start: float, step: float) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        y = layouts.empty(layouts.shape(1, 60), dtype)
        call("arrayIota", y, start, step)
        first, second = (np.array(v).astype(np.int64).astype(dtype) if dtype == "uint8" else np.array(v).astype(dtype)
                         for v in (start, start + step))  # fmt: skip
        if dtype == "uint8" and step < 0:
            second = np.array(2, np.uint8)
        expected = (first + np.arange(y.size).astype(dtype) * (second - first)).astype(dtype)
        expected[1:2] = second
        same(y, expected)


@pytest.mark.parametrize("dtype", DTYPES)
def test_within(dtype: str) -> None:
    text = ffi.new("char[]", b"indices")
    for seed in range(TIMES):
        layouts = Layouts(seed)
        x = layouts.empty(layouts.shape(), dtype)
        x[...] = layouts.rng.integers(2, 10, x.shape)
        call("arrayWithin", x, 2.0, 9.0, text)
        place = np.unravel_index(int(layouts.rng.integers(0, x.size)), x.shape)
        for bad in (1, 10) + ((2.5, np.nan, np.inf) if np.dtype(dtype).kind == "f" else ()):
            x[place] = bad
            assert status("arrayWithin", x, 2.0, 9.0, text) == ERR_INDEX
            assert error() == f"THNN_arrayWithin: indices: expected a whole number from 2 to 9, got {bad:g}"
            assert status("arrayWithin", x, -np.inf, np.inf, text) == (OK if bad in (1, 10, np.inf) else ERR_INDEX)
    assert status("arrayWithin", np.zeros(2), np.nan, 1.0, text) == ERR_INDEX
    assert status("arrayWithin", np.zeros(2), 0.0, 1.0, None) == ERR_NULL


# ---------------------------------------------------------------------------------------------- along dimensions


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REDUCE)
def test_reduce(name: str, dtype: str) -> None:
    for seed in range(3 * TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        x = layouts.values(shape, dtype)
        axes = tuple(d for d in range(len(shape)) if layouts.rng.random() < 0.5)
        isReal, isSum = x.dtype.kind == "f", name in ("sum", "prod")
        exact = np.float64 if isReal else np.int64
        expected = getattr(np, name)(x, axis=axes, keepdims=True, **({"dtype": exact} if isSum else {}))
        target = np.uint8 if name in ("any", "all") else dtype
        y = layouts.empty(expected.shape, target)
        call("arrayReduce", x, y, REDUCE[name])
        if isSum and isReal:
            scale = np.abs(x).astype(np.float64).sum(axis=axes, keepdims=True) if name == "sum" else np.abs(expected)
            bound = np.where(np.isfinite(scale), scale, 0) * (1e-12 if dtype == "float64" else 1e-6)
            tiny = expected.astype(target)
            np.testing.assert_array_equal(np.isnan(y), np.isnan(tiny))
            np.testing.assert_array_equal(y[np.isinf(tiny)], tiny[np.isinf(tiny)])
            known = np.isfinite(tiny)
            assert (np.abs(y[known].astype(np.float64) - expected[known]) <= bound[known] + 1e-44).all()
        elif name in ("max", "min"):
            np.testing.assert_array_equal(y, expected.astype(target))
        else:
            same(y, expected.astype(target))


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize(("source", "target"), [("float32", "float64"), ("uint8", "int64")])
def test_reduce_to_the_wide_type(name: str, source: str, target: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        x = layouts.values((5, 300), source, special=False)
        y = layouts.empty((5, 1), target)
        call("arrayReduce", x, y, REDUCE[name])
        expected = getattr(np, name)(x, axis=1, keepdims=True, dtype=target)
        np.testing.assert_allclose(y, expected, 1e-12, 1e-11 * 300)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_depend_on_sizes_alone(dtype: str) -> None:
    for seed in range(3 * TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        axes = tuple(d for d in range(len(shape)) if layouts.rng.random() < 0.5)
        out = tuple(1 if d in axes else n for d, n in enumerate(shape))
        x = layouts.values(shape, dtype, special=False)
        y, z = layouts.empty(out, dtype), np.empty(out, dtype)
        call("arrayReduce", x, y, REDUCE["sum"])
        call("arrayReduce", np.ascontiguousarray(x), z, REDUCE["sum"])
        same(y, z)


def test_reduce_nothing() -> None:
    x, y = np.zeros((0, 3), np.float32), np.full((1, 3), 7, np.float32)
    for name, expected in (("sum", 0), ("prod", 1)):
        call("arrayReduce", x, y, REDUCE[name])
        assert (y == expected).all()
    assert status("arrayReduce", x, y, REDUCE["max"]) == ERR_SHAPE
    assert error() == "THNN_arrayReduce: input: expected elements to choose from, got 0 x 3"
    truth = np.full((1, 3), 7, np.uint8)
    for name, expected in (("any", 0), ("all", 1)):
        call("arrayReduce", x, truth, REDUCE[name])
        assert (truth == expected).all()
    call("arrayReduce", x, np.zeros((0, 3), np.float32), REDUCE["max"])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["max", "min"])
def test_reduce_index(name: str, dtype: str) -> None:
    for seed in range(3 * TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        x = layouts.values(shape, dtype)
        if layouts.rng.random() < 0.3:  # ties
            x = np.round(x / 4).astype(dtype)
        dimension = int(layouts.rng.integers(0, len(shape)))
        expected = getattr(np, f"arg{name}")(x, axis=dimension, keepdims=True)
        y = layouts.empty(expected.shape, "int64")
        call("arrayReduceIndex", x, y, dimension, REDUCE[name])
        same(y, expected.astype(np.int64))
    assert status("arrayReduceIndex", np.zeros((2, 0), np.float32), np.zeros((2, 1), np.int64), 1, REDUCE["max"]) == ERR_SHAPE


@pytest.mark.parametrize("dtype", DTYPES)
def test_scan(dtype: str) -> None:
    for seed in range(TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        x, y = layouts.values(shape, dtype), layouts.empty(shape, dtype)
        dimension = int(layouts.rng.integers(0, len(shape)))
        wide = np.float64 if x.dtype.kind == "f" else np.int64
        expected = np.cumsum(x, axis=dimension, dtype=wide).astype(dtype)
        call("arrayScan", x, y, dimension)
        same(y, expected)
        y[...] = x
        call("arrayScan", y, y, dimension)
        same(y, expected)


# ---------------------------------------------------------------------------------------------- products, slices


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_product(dtype: str) -> None:
    for seed in range(5 * TIMES):
        layouts = Layouts(seed)
        batch = layouts.shape(int(layouts.rng.integers(0, 3)))
        m, k, n = (int(layouts.rng.integers(1, 40)) for _ in range(3))
        a, b = (layouts.values((*batch, *two), dtype, special=False) for two in ((m, k), (k, n)))
        y, dense = layouts.empty((*batch, m, n), dtype), np.empty((*batch, m, n), dtype)
        call("arrayProduct", a, b, y)
        scale = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
        bound = scale * (1e-14 if dtype == "float64" else 2e-6)
        assert (np.abs(y - a.astype(np.float64) @ b.astype(np.float64)) <= bound).all()
        call("arrayProduct", np.ascontiguousarray(a), np.ascontiguousarray(b), dense)
        same(y, dense)


def test_product_of_nothing_is_zero() -> None:
    y = np.full((2, 3, 4), 7, np.float32)
    call("arrayProduct", np.zeros((2, 3, 0), np.float32), np.zeros((2, 0, 4), np.float32), y)
    assert (y == 0).all()
    call("arrayProduct", np.zeros((0, 3, 5), np.float32), np.zeros((0, 5, 4), np.float32), np.zeros((0, 3, 4), np.float32))


@pytest.mark.parametrize("dtype", DTYPES)
def test_take_and_put(dtype: str) -> None:
    for seed in range(3 * TIMES):
        layouts = Layouts(seed)
        shape = layouts.shape()
        dimension = int(layouts.rng.integers(0, len(shape)))
        k = int(layouts.rng.integers(0, 9))
        indices = layouts.empty((k,), "int64")
        indices[...] = layouts.rng.integers(0, shape[dimension], k)
        x = layouts.values(shape, dtype)
        part = (*shape[:dimension], k, *shape[dimension + 1 :])
        y = layouts.empty(part, dtype)
        call("arrayTake", x, indices, y, dimension)
        same(y, np.take(x, indices, dimension))

        whole, given = layouts.empty(shape, dtype), layouts.values(part, dtype)
        for adds in (0, 1):
            whole[...] = x
            expected = np.moveaxis(x.copy(), dimension, 0)
            for i, index in enumerate(indices):
                slices = np.moveaxis(given, dimension, 0)[i]
                expected[index] = expected[index] + slices if adds else slices
            call("arrayPut", given, indices, whole, dimension, adds)
            same(whole, np.moveaxis(expected, 0, dimension))

        if k:
            for bad in (-1, shape[dimension]):
                before = whole.copy()
                indices[int(layouts.rng.integers(0, k))] = bad
                assert status("arrayTake", x, indices, y, dimension) == ERR_INDEX
                assert (
                    error()
                    == f"THNN_arrayTake: indices: expected 0 to {shape[dimension] - 1}, got {indices.min() if bad < 0 else bad}"
                )
                assert status("arrayPut", given, indices, whole, dimension, 1) == ERR_INDEX
                same(whole, before)
                indices[indices == bad] = 0


# ---------------------------------------------------------------------------------------------- threads


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(2, 300, 70, 40)).astype(np.float32)
    x = x.transpose(1, 0, 2)
    z = z.transpose(1, 0, 2)[:, ::-1]
    w = rng.normal(size=(70, 40, 30)).astype(np.float32)
    indices = rng.integers(0, 70, 900)

    def results(threads: int) -> list[Array]:
        s = state(threads)
        made = [np.empty_like(x), np.empty_like(x), np.empty((70, 1, 40), np.float32), np.empty((1, 300, 1), np.float32)]
        made += [
            np.empty((70, 300, 1), np.int64),
            np.empty((1, 300, 40), np.int64),
            np.empty_like(x),
            np.empty((70, 300, 30), np.float32),
        ]
        made += [
            np.empty((900, 300, 40), np.float32),
            x.copy(),
            x.astype(np.float64),
            x.copy(),
            np.empty((70, 300, 30), np.float32),
        ]
        call("arrayApply", x, z, made[0], APPLY["add"], state=s)
        call("arrayMap", x, made[1], MAP["tanh"], state=s)
        call("arrayReduce", x, made[2], REDUCE["sum"], state=s)
        call("arrayReduce", x, made[3], REDUCE["sum"], state=s)
        call("arrayReduceIndex", x, made[4], 2, REDUCE["max"], state=s)
        call("arrayReduceIndex", x, made[5], 0, REDUCE["max"], state=s)
        call("arrayScan", x, made[6], 1, state=s)
        call("arrayProduct", x, w, made[7], state=s)
        call("arrayTake", x, indices, made[8], 0, state=s)
        call("arrayPut", made[8], indices, made[9], 0, 1, state=s)
        call("arrayPut", made[8].transpose(1, 0, 2), indices, made[11].transpose(1, 0, 2), 1, 1, state=s)
        call("arrayCopy", z, made[10], state=s)
        call("arrayProduct", np.broadcast_to(x[:1], x.shape), w, made[12], state=s)
        return made

    for one, four in zip(results(1), results(4), strict=True):
        np.testing.assert_array_equal(one, four)
    one = results(4)
    same(one[0], x + z)
    same(one[8], x[indices])
    np.testing.assert_array_equal(one[4], x.argmax(2, keepdims=True))


# ---------------------------------------------------------------------------------------------- errors

F, L, B = (np.zeros((2, 3), dtype) for dtype in ("float32", "int64", "uint8"))
D = F.astype(np.float64)
CALLS: dict[str, list[Any]] = {
    "arrayFill": [F, 1.0],
    "arrayCopy": [F, D],
    "arrayMap": [F, F.copy(), 0],
    "arrayApply": [F, F.copy(), F.copy(), 0],
    "arrayReduce": [F, F[:, :1].copy(), 0],
    "arrayReduceIndex": [F, L[:, :1].copy(), 1, 2],
    "arrayScan": [F, F.copy(), 0],
    "arrayProduct": [F, np.zeros((3, 4), np.float32), np.zeros((2, 4), np.float32)],
    "arrayTake": [F, L[0], np.zeros((3, 3), np.float32), 0],
    "arrayPut": [np.zeros((3, 3), np.float32), L[0], F.copy(), 0, 0],
    "arrayChoose": [B, F, F.copy(), F.copy()],
    "arrayIota": [F[0].copy(), 0.0, 1.0],
    "arrayWithin": [F, 0.0, 1.0, ffi.new("char[]", b"x")],
}
OUTPUT = {"arrayFill": 0, "arrayCopy": 1, "arrayMap": 1, "arrayApply": 2, "arrayReduce": 1, "arrayReduceIndex": 1, "arrayScan": 1,
          "arrayProduct": 2, "arrayTake": 2, "arrayPut": 2, "arrayChoose": 3, "arrayIota": 0}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_errors(name: str) -> None:
    arguments = CALLS[name]
    call(name, *arguments)
    for at, argument in enumerate(arguments):
        if not isinstance(argument, np.ndarray):
            continue

        def wrong(given: Any, at: int = at) -> int:
            return status(name, *arguments[:at], given, *arguments[at + 1 :])

        assert wrong(None) == ERR_NULL and error().startswith(f"THNN_{name}: ") and "got NULL" in error()
        assert wrong(np.zeros((2, 3, 4, 5), argument.dtype)) in ((OK,) if name in ("arrayFill", "arrayWithin") else (ERR_SHAPE,))
        view = describe(argument)
        view.type = 4
        assert wrong(view) == ERR_VALUE and "got type 4" in error()
        view = describe(argument)
        view.nDimension = 9
        assert wrong(view) == ERR_SHAPE
        view = describe(argument)
        view.size[0] = -1
        assert wrong(view) == ERR_SHAPE
        view = describe(argument)
        view.data = ffi.NULL
        assert wrong(view) == ERR_NULL
        if at != OUTPUT.get(name):
            continue
        view = describe(argument)
        view.flags = 1
        assert wrong(view) == ERR_VALUE and "read-only" in error()
        if argument.size > 1 and argument.shape[0] > 1:
            view = describe(argument)
            view.stride[0] = 0
            assert wrong(view) == ERR_VALUE and "at one address" in error()


@pytest.mark.parametrize("name", [name for name in CALLS if name in OUTPUT and name not in ("arrayFill", "arrayIota")])
def test_outputs_that_reach_into_inputs(name: str) -> None:
    arguments = list(CALLS[name])
    output = arguments[OUTPUT[name]]
    for at, argument in enumerate(arguments):
        if not isinstance(argument, np.ndarray) or at == OUTPUT[name]:
            continue
        memory = np.zeros(1000, np.uint8)
        for shift in (argument.itemsize, 1):
            x = memory[: argument.nbytes].view(argument.dtype).reshape(argument.shape)
            y = memory[shift : shift + output.nbytes].view(output.dtype).reshape(output.shape)
            given = [*arguments]
            given[at], given[OUTPUT[name]] = x, y
            expected = OK if shift >= argument.nbytes else ERR_VALUE
            assert status(name, *given) == expected and (expected == OK or "overlaps" in error())


def test_interleaved_memory_is_apart() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        memory = np.arange(200, dtype=np.float32)
        views = []
        for _ in range(2):
            shape = tuple(int(rng.integers(1, 4)) for _ in range(2))
            steps = sorted((int(rng.integers(1, 4)), int(rng.integers(8, 20))))
            views.append((int(rng.integers(0, 60)), shape, steps))
        shape = views[0][1]
        x, y = (np.lib.stride_tricks.as_strided(memory[first:], shape, [4 * s for s in steps]) for first, _, steps in views)
        cells = [
            {first + i * steps[0] + j * steps[1] for i in range(shape[0]) for j in range(shape[1])} for first, _, steps in views
        ]
        if len(cells[1]) < y.size:
            continue
        same_view = x.__array_interface__ == y.__array_interface__
        expected = OK if same_view or not cells[0] & cells[1] else ERR_VALUE
        got = status("arrayMap", x, y, MAP["square"])
        assert got in (expected, ERR_VALUE if "at one address" in error() else expected)


def test_operations_in_range() -> None:
    x, y = np.zeros(3, np.float32), np.zeros(3, np.float32)
    for name, good in (("arrayMap", MAP.values()), ("arrayApply", APPLY.values())):
        for operation in (-1, 11, 12, 21, 25, 1000):
            if operation in good:
                continue
            inputs = (x,) if name == "arrayMap" else (x, x)
            assert status(name, *inputs, y, operation) == ERR_VALUE
            assert error() == f"THNN_{name}: operation: expected one that floats have, got {operation}"
    one = np.zeros(1, np.float32)
    for operation in (-1, 6):
        assert status("arrayReduce", x, one, operation) == ERR_VALUE
        assert status("arrayReduceIndex", x, np.zeros(1, np.int64), 0, operation) == ERR_VALUE
    for dimension in (-1, 1):
        assert status("arrayScan", x, y, dimension) == ERR_VALUE
        assert status("arrayReduceIndex", x, np.zeros(1, np.int64), dimension, 2) == ERR_VALUE
        assert status("arrayTake", x, np.zeros(3, np.int64), y, dimension) == ERR_VALUE
        assert status("arrayPut", x, np.zeros(3, np.int64), y, dimension, 0) == ERR_VALUE


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("hasDimensions", [True, False])
def test_empty_arrays(name: str, hasDimensions: bool) -> None:
    """Without dimensions, or with a size of 0; matrices must be matrices."""
    given = list(CALLS[name])
    for at, argument in enumerate(given):
        if isinstance(argument, np.ndarray):
            given[at] = describe(argument)
            given[at].size[0] = 0
            if name == "arrayProduct":
                given[at].size[1] = 0
            given[at].data = ffi.NULL
            if not hasDimensions:
                given[at].nDimension = 0
        elif name == "arrayReduceIndex" and at == 2 and not hasDimensions:
            given[at] = 0
    if name == "arrayProduct" and not hasDimensions:
        assert status(name, *given) == ERR_SHAPE
    else:
        call(name, *given)
