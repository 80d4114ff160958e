"""A layer of array operations compiles to a program that gives what NumPy gives, for inputs that the proof has not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import CompileError, IndexRangeError, ValueRangeError

W = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
ORDER = np.array([2, 0, 1])
ENDS = np.array([-1, 0, 2])


class Layer(nn.Module):
    """A layer of a user, whose pass is a function."""

    changesDtype = True

    def __init__(self, function: Callable[[Any], Any]) -> None:
        super().__init__()
        self.function = function
        self.weight = W.copy()

    def updateOutput(self, input: Any) -> Any:
        self.output = self.function(input)
        return self.output


def changed(change: Callable[[Any, Any], None], start: Callable[[Any], Any] = lambda x: x.copy()) -> Callable[[Any], Any]:
    """A function that changes a new array and returns it."""

    def function(x: Any) -> Any:
        y = start(x)
        change(y, x)
        return y

    return function


def put(key: Any, value: Any = 2) -> Callable[[Any], Any]:
    return changed(lambda y, x: y.__setitem__(key, value(x) if callable(value) else value))


def at(key: Any, value: Any = 1.5) -> Callable[[Any], Any]:
    return changed(lambda y, x: np.add.at(y, key, value))


def longs(x: Any) -> Any:
    return np.isfinite(x).astype(np.int64) * 5 - np.arange(4)


AXES: list[Any] = [None, 0, 1, 2, -1, -2, (0, 1), (1, 2), (-1, 0)]
UNARY = [
    np.negative, np.absolute, np.fabs, np.square, np.sqrt, np.exp, np.log, np.log1p, np.expm1, np.tanh, np.sin, np.cos, np.floor,
    np.ceil, np.trunc, np.rint, np.sign, np.reciprocal, np.logical_not, np.isnan, np.isinf, np.isfinite, np.positive, np.signbit,
]  # fmt: skip
BINARY = [
    np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.float_power, np.floor_divide, np.remainder,
    np.arctan2, np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.logical_and, np.logical_or,
    np.logical_xor, np.fmax, np.fmin, np.power,
]  # fmt: skip
OPERANDS: dict[str, Callable[[Any], Any]] = {
    "reversed": lambda x: x[:, ::-1],
    "column": lambda x: x[:, :1],
    "2": lambda x: 2,
    "-1.5": lambda x: -1.5,
    "0": lambda x: 0,
    "constant": lambda x: W,
    "double": lambda x: np.float64(1.5),
    "longs": lambda x: ENDS[:, None] + 2,
    "truth": lambda x: x > 0,
    "nan": lambda x: np.nan,
}

TABLE: dict[str, Callable[[Any], Any]] = {
    "truth + truth": lambda x: (x > 0) + (x < 1),
    "truth * truth": lambda x: (x > 0) * (x < 1),
    "sum of truth": lambda x: (x > 0).sum(1),
    "longs // 2": lambda x: longs(x) // 2,
    "longs % -3": lambda x: longs(x) % -3,
    "longs // 0": lambda x: longs(x) // 0,
    "longs / 2": lambda x: longs(x) / 2,
    "longs ** 3": lambda x: longs(x) ** 3,
    "floor of longs": lambda x: np.floor(longs(x)),
    "isfinite of longs": lambda x: np.isfinite(longs(x)),
    "isnan of longs": lambda x: np.isnan(longs(x)),
    "fmax of longs": lambda x: np.fmax(longs(x), 1),
    "large longs": lambda x: np.full(x.shape, 2**53 + 1, np.int64, like=x) + np.isfinite(x),
    "bytes wrap": lambda x: np.isfinite(x).astype(np.uint8) * 200 + np.isfinite(x).astype(np.uint8) * 100,
    "to bool": lambda x: x.astype(bool),
    "to int64": lambda x: x.astype(np.int64),
    "to float64": lambda x: x.astype(np.float64),
    "truth of 0.5": lambda x: np.full_like(x > 0, 0.5) | (x > 0),
    "where": lambda x: np.where(x > 0, x, 0),
    "where of numbers": lambda x: np.where(x > 0, 1.0, 0.0),
    "where of longs": lambda x: np.where(x > 0, 1, 0),
    "where of x": lambda x: np.where(x, x, -1),
    "where of doubles": lambda x: np.where(x > 0, x, np.float64(2)),
    "clip": lambda x: x.clip(-1, 1),
    "clip by names": lambda x: np.clip(x, a_min=-1, a_max=1),
    "clip by short names": lambda x: x.clip(min=-1, max=0.5),
    "clip by arrays": lambda x: np.clip(x, x[:, :1], 1),
    "clip the wrong way": lambda x: np.clip(x, 1, -1),
    "clip from above": lambda x: np.clip(x, None, 0.5),
    "pad": lambda x: np.pad(x, ((0, 0), (1, 2), (0, 3))),
    "pad with -2": lambda x: np.pad(x, ((0, 0), (1, 1), (1, 1)), constant_values=-2),
    "roll": lambda x: np.roll(x, 5, axis=2),
    "roll back": lambda x: np.roll(x, -1, -1),
    "tile": lambda x: np.tile(x[:, :, ::-1], (1, 1, 3)),
    "tile by nothing": lambda x: np.tile(x, (1, 0, 1)),
    "repeat": lambda x: np.repeat(x[:, ::-1], 2, axis=-2),
    "repeat by numbers": lambda x: np.repeat(x, [1, 0, 2], 1),
    "along": lambda x: np.take_along_axis(x, x.argmin(-1)[..., None], -1),
    "along, from the end": lambda x: np.take_along_axis(x, -x.argmax(1, keepdims=True), 1),
    "along, constant": lambda x: np.take_along_axis(x, np.array([[[0, -1, 2, 1]]]).repeat(len(x), 0).repeat(3, 1), 2),
    "take": lambda x: x.take([0, -1], axis=2),
    "take, clipped": lambda x: np.take(x, [0, 5], 1, mode="clip"),
    "take, wrapped": lambda x: x.take([0, 5, -4], 1, mode="wrap"),
    "take by masks": lambda x: x[:, np.array([True, False, True])],
    "take by a mask of two axes": lambda x: x[:, W > 0],
    "take by pairs": lambda x: x[:, ORDER, ENDS],
    "take by a table": lambda x: x[:, np.array([[0, 1], [2, -1]])],
    "take nothing": lambda x: x[:, []],
    "put at the ends": put(np.s_[:, ENDS]),
    "put by a table": put(np.s_[:, np.array([[0, 1], [2, -1]])], 3),
    "put by a mask of data": changed(lambda y, x: y.__setitem__(x > 0, -7)),
    "put by a mask of rows": changed(lambda y, x: y.__setitem__(x[:, 0, 0] > 0, -7)),
    "put a row": put(np.s_[:, 0], [1, 2, 3, 4]),
    "put shifted": put(np.s_[:, 1:], lambda x: x[:, :-1]),
    "put along": changed(lambda y, x: np.put_along_axis(y, x.argmin(1, keepdims=True), 7, 1)),
    "put along, from the end": changed(lambda y, x: np.put_along_axis(y, -x.argmax(-1, keepdims=True), x[..., 1:2], -1)),
    "put in reverse": changed(lambda y, x: y[:, ::-1].__setitem__(np.s_[...], y)),
    "swap": changed(lambda y, x: y.__setitem__(np.s_[:, [0, 1]], y[:, [1, 0]])),
    "add at": at(np.s_[:, np.array([0, 0, 2])]),
    "add at the ends": at(np.s_[:, ENDS]),
    "add at places": at(np.s_[:, 1:]),
    "put 2.7 into longs": changed(lambda y, x: y.__setitem__(np.s_[:, 1], 2.7), longs),
    "put floats into longs": changed(lambda y, x: y.__setitem__(np.s_[...], x), longs),
    "put a large number into longs": changed(lambda y, x: y.__setitem__(np.s_[:, 0], 2**53 + 1), longs),
    "product with a transposed constant": lambda x: x @ W.T,
    "product with a vector": lambda x: x @ W[0],
    "product of a vector": lambda x: W[:, 0] @ x,
    "product of batches": lambda x: x @ x.swapaxes(1, 2),
    "product in reverse": lambda x: x[:, ::-1, ::-1] @ W.T[::-1],
    "product of nothing": lambda x: x[:, :, :0] @ W.T[:0],
    "dot": lambda x: np.dot(x, W.T),
    "norm": lambda x: np.linalg.norm(x, axis=1),
    "concatenate": lambda x: np.concatenate([x, x[:, :1], x > 0], 1),
    "concatenate all": lambda x: np.concatenate([x, x], None),
    "concatenate doubles": lambda x: np.concatenate([x, x.astype(np.float64)], -1),
    "stack": lambda x: np.stack([x, -x], -1),
    "sum over nothing": lambda x: x[:, :0].sum(1),
    "no elements": lambda x: x[:, :0] * 2,
    "variance": lambda x: x.var(-1),
    "deviation": lambda x: x.std(1, ddof=1, keepdims=True),
    "argmax of all": lambda x: np.argmax(x, keepdims=True),
    "softmax": lambda x: np.exp(x - x.max(-1, keepdims=True)) / np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True),
    "of mixed precision": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "a constant in Fortran's order": lambda x: x * np.asfortranarray(W),
    "rows in a loop": lambda x: np.stack([row * 2 for row in x]),
    "centred rows": lambda x: x - x.mean(0),
    "halves": lambda x: x[: (len(x) + 1) // 2],
    "pairs": lambda x: x[:, 0][np.arange(len(x)), x[:, 0].argmax(-1)],
    "views": lambda x: [x.T, x[:, ::-1], x.reshape(len(x), -1), x.swapaxes(1, 2).reshape(len(x), -1), np.flip(x)],
}  # fmt: skip
for _ufunc in UNARY:
    TABLE[_ufunc.__name__] = lambda x, f=_ufunc: f(x)  # type: ignore[misc]
    TABLE[f"{_ufunc.__name__} with out="] = lambda x, f=_ufunc: f(x[:, ::-1], out=np.empty(x.shape, f(x).dtype, like=x))  # type: ignore[misc]
for _ufunc in BINARY:
    for _name, _operand in OPERANDS.items():
        TABLE[f"{_ufunc.__name__}, {_name}"] = lambda x, f=_ufunc, g=_operand: f(x, g(x))  # type: ignore[misc]
    TABLE[f"{_ufunc.__name__} of 3"] = lambda x, f=_ufunc: f(3, x)  # type: ignore[misc]
    TABLE[f"{_ufunc.__name__} in place"] = lambda x, f=_ufunc: f(x, x[:, :1], out=x.copy())  # type: ignore[misc]
    TABLE[f"{_ufunc.__name__} where"] = lambda x, f=_ufunc: f(x, x, where=x > 0, out=np.zeros(x.shape, f(x, x).dtype, like=x))  # type: ignore[misc]
for _axis in AXES:
    for _function in (np.sum, np.max, np.min, np.any, np.all, np.mean, np.var, np.std):
        TABLE[f"{_function.__name__} along {_axis}"] = lambda x, f=_function, a=_axis: f(x, axis=a, keepdims=True)  # type: ignore[misc]
        if isinstance(_axis, int):
            TABLE[f"{_function.__name__} along {_axis}, views"] = lambda x, f=_function, a=_axis: f(x[:, ::-1, ::2], axis=a)  # type: ignore[misc]
    if not isinstance(_axis, tuple):
        TABLE[f"argmax along {_axis}"] = lambda x, a=_axis: np.argmax(x, axis=a, keepdims=True)  # type: ignore[misc]
        TABLE[f"argmin along {_axis}"] = lambda x, a=_axis: np.argmin(x, axis=a, keepdims=True)  # type: ignore[misc]
        TABLE[f"cumsum along {_axis}"] = lambda x, a=_axis: np.cumsum(x, axis=a)  # type: ignore[misc]

CANCELLING = {"mean along None", "sum along None", "mean along (0, 1)", "mean along (-1, 0)", "mean along (1, 2)"}
"""Means of few numbers, of both signs, may be small by chance: their rounding is of the numbers' scale, not of the means'."""


def inputs(batch: int, dtype: Any) -> list[Any]:
    draw, shape = np.random.default_rng(batch), (batch, 3, 4)
    if np.dtype(dtype).kind != "f":
        return [draw.integers(0, top, shape).astype(dtype) for top in (1, 3, 9)]
    found = [
        draw.standard_normal(shape),
        np.round(2 * draw.standard_normal(shape)),
        np.zeros(shape),
        1e25 * draw.standard_normal(shape),
    ]
    found.append(np.where(draw.random(shape) < 0.3, np.nan, draw.standard_normal(shape)))
    found.append(draw.choice([0, np.inf, -np.inf, 1, -1, 2, 0.5, -3, -2.5], shape))
    return [one.astype(dtype) for one in found]


def assert_close(expected: Any, found: Any, tolerance: float) -> None:
    if isinstance(expected, list):
        assert isinstance(found, list) and len(found) == len(expected)
        for one, other in zip(expected, found, strict=True):
            assert_close(one, other, tolerance)
        return
    assert found.shape == expected.shape and found.dtype == expected.dtype
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(found, expected)
        return
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    if finite.all() or not np.isnan(found).any():
        np.testing.assert_array_equal(found[~finite], expected[~finite])
    scale = np.abs(expected[finite]).max(initial=np.finfo(expected.dtype).tiny)
    assert np.abs(found[finite] - expected[finite]).max(initial=0) <= tolerance * scale


@pytest.mark.parametrize("name", [name for name in TABLE if name not in CANCELLING])
def test_a_program_gives_what_numpy_gives(name: str) -> None:
    net = Layer(TABLE[name])
    program = pl.compile(net, (None, 3, 4))
    for batch in (2, 1, 3, 2, 5):
        for x in inputs(batch, np.float32):
            with np.errstate(all="ignore"):
                expected = net.forward(x.copy())
            kept = x.copy()
            assert_close(expected, program(x), 2e-6)
            np.testing.assert_array_equal(x, kept)


OF_ALL_TYPES = [f"{ufunc.__name__}, reversed" for ufunc in BINARY] + [one.__name__ for one in UNARY if one is not np.reciprocal]
OF_ALL_TYPES += [name for name in TABLE if name.split(",")[0] in ("take", "along", "swap") or name.startswith(("put", "where"))]
OF_ALL_TYPES += [
    "max along 1",
    "min along -1",
    "any along 0",
    "argmax along 2",
    "variance",
    "clip",
    "pad",
    "roll",
    "tile",
    "repeat",
]


NOT_OF_BYTES = {one.__name__ for one in UNARY} | {"arctan2, reversed", "divide, reversed"}
NOT_OF_BYTES |= {"where of x", "put by a mask of data", "put by a mask of rows", "clip"}


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint8])
@pytest.mark.parametrize("name", OF_ALL_TYPES)
def test_of_other_types(name: str, dtype: Any) -> None:
    if np.dtype(dtype) == np.uint8 and name in NOT_OF_BYTES:
        pytest.skip("half precision, or negative numbers")
    net = Layer(TABLE[name])
    net._dtype = np.dtype(dtype) if np.dtype(dtype).kind == "f" else net._dtype
    program = pl.compile(net, inputs(2, dtype)[1])
    for x in inputs(2, dtype):
        with np.errstate(all="ignore"):
            expected = net.forward(x.copy())
        assert_close(expected, program(x), 2e-6)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "reshape in another order": lambda x: np.reshape(x, (len(x), -1), order="F"),
    "pad in another mode": lambda x: np.pad(x, 1, mode="reflect"),
    "clip with where": lambda x: np.clip(x, 0, 1, where=x > 0),
    "reciprocal of longs": lambda x: np.reciprocal(longs(x)),
    "add floats at places of longs": changed(lambda y, x: np.add.at(y, np.s_[:, np.array([0, 1])], 1.5), longs),
    "a masked array": lambda x: x * np.ma.array(np.ones(4, np.float32), mask=[0, 1, 0, 0]),
    "mean where": lambda x: np.mean(x, 1, where=x > 0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_recorded_is_refused(name: str) -> None:
    with pytest.raises(CompileError):
        pl.compile(Layer(REFUSED[name]), (None, 3, 4))


def test_indices_of_data_count_from_the_end_as_well_and_are_checked() -> None:
    class Rows(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = W.copy()

        def updateOutput(self, input: Any) -> Any:
            self.output = self.weight[input]
            return self.output

    program = pl.compile(Rows(), np.array([0, -1, 2]))
    np.testing.assert_array_equal(program(np.array([-3, 1, -2])), W[[-3, 1, -2]])
    for wrong in (3, -4):
        with pytest.raises(IndexRangeError):
            program(np.array([0, wrong, 0]))
    along = pl.compile(
        Layer(lambda x: np.take_along_axis(W.T * np.ones_like(x), x.astype(np.int64), 1)), np.zeros((4, 3), np.float32)
    )
    with pytest.raises(IndexRangeError):  # and not an element of another row
        along(np.full((4, 3), 3, np.float32))


def test_integers_have_no_negative_powers() -> None:
    program = pl.compile(Layer(lambda x: 2**x), np.array([0, 1, 2]))
    assert program(np.array([5, 0, 1])).tolist() == [32, 1, 2]
    with pytest.raises(ValueRangeError, match="power"):
        program(np.array([5, 0, -1]))


def test_numbers_among_the_outputs_keep_their_kind() -> None:
    x = np.ones((2, 3, 4), np.float32)
    for function, kind in ((np.any, bool), (np.argmax, int), (np.max, float)):
        result = pl.compile(Layer(function), (None, 3, 4))(x)
        assert type(result) is kind and result == function(x)


@pytest.mark.parametrize("isChanged", [False, True])
def test_weights_of_any_order_of_axes(isChanged: bool) -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = np.arange(24, dtype=np.float32).reshape(2, 3, 4).transpose(1, 0, 2).copy("K")

        def updateOutput(self, input: Any) -> Any:
            if isChanged:
                self.weight[0, 0] = input[0, 0]
            self.output = input[:, :, None] * self.weight
            return self.output

    net = Scaled()
    program = pl.compile(net, (None, 3, 4))
    for x in inputs(3, np.float32)[:2]:
        np.testing.assert_array_equal(program(x), net.forward(x))


def test_an_exception_of_numpy_in_the_proof() -> None:
    net = Layer(lambda x: np.take_along_axis(x, np.where(x > 1e10, 7, 1)[:, :1], 1))
    program = pl.compile(net, (None, 3, 4))
    assert program(np.ones((2, 3, 4), np.float32)).shape == (2, 1, 4)
    with pytest.raises(IndexRangeError):
        program(np.full((2, 3, 4), 1e20, np.float32))


def test_sums_of_products_of_integers() -> None:
    x = np.array([[200, 100, 7], [255, 255, 255]], np.uint8)
    for one in (x, x.astype(np.int64) << 40):
        norms = pl.compile(Layer(lambda x: np.linalg.norm(x, axis=1)), one)
        np.testing.assert_allclose(norms(one), np.linalg.norm(one, axis=1), rtol=1e-12)
        product = pl.compile(Layer(lambda x: np.vdot(x, x[:, ::-1])), one)(one)
        assert product == np.vdot(one, one[:, ::-1])
    assert pl.compile(Layer(lambda x: x.sum(1, dtype=np.int64)), x)(x).tolist() == [307, 765]
    for function in (np.sum, np.cumsum):  # to uint64 in NumPy
        with pytest.raises(CompileError, match=r"pass dtype=np\.int64"):
            pl.compile(Layer(lambda x, f=function: f(x, 1)), x)


def test_a_norm_of_a_matrix() -> None:
    with pytest.raises(CompileError, match="order 2"):
        pl.compile(Layer(lambda x: np.linalg.norm(x, 2)), (None, 4))


CHANGES: dict[str, Callable[[Any], Any]] = {
    "sort": lambda w: w.sort(),
    "put": lambda w: w.put(0, w.item(0) + 1),
    "flat": lambda w: w.flat.__setitem__(0, 5),
    "data": lambda w: w.data.__setitem__((0, 0), 5),
}


@pytest.mark.parametrize("name", CHANGES)
def test_changes_of_constants_that_are_not_recorded(name: str) -> None:
    with pytest.raises(CompileError, match="read-only"):
        pl.compile(Changing(CHANGES[name]), (None, 4))


class Changing(Layer):
    """Changes its weight in each pass."""

    def updateOutput(self, input: Any) -> Any:
        self.function(self.weight)
        self.output = input * self.weight[0]
        return self.output


def test_exceptions_by_numbers() -> None:
    def inverse(x: Any) -> Any:
        with np.errstate(divide="raise"):
            return 1 / np.where(x > 1e30, 0, x)

    with pytest.raises(CompileError, match=r"np\.errstate"):
        pl.compile(Layer(inverse), (None, 4))
