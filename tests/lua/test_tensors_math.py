"""Mathematics of Lua's tensors, against NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(4, 5))
Y = RANDOM.normal(size=(4, 5))
P = np.abs(X) + 0.5
V = RANDOM.normal(size=5)
M = RANDOM.normal(size=(5, 3))
S = RANDOM.normal(size=(4, 4))
D = S @ S.T + np.eye(4)
B = RANDOM.normal(size=(2, 4, 5))
C = RANDOM.normal(size=(2, 5, 3))
I = np.array([[7, -7, 3], [-3, 100, -128]], np.int8)  # noqa: E741
J = np.array([[2, 2, -2], [2, 3, 5]], np.int8)
K = np.array([3, 1, 3, 2, 1, 3, 0], float)
VALUES: dict[str, Any] = {"x": X, "y": Y, "p": P, "v": V, "m": M, "s": S, "d": D, "b": B, "c": C, "i": I, "j": J, "k": K}


def result(code: str) -> Any:
    """Returns what a program returns that has torch and copies of all values."""
    lua = pl.lua.Session(requires=["torch"])
    for name, array in VALUES.items():
        lua.globals[name] = array.copy()
    return lua.execute(code, "=t")


def check(code: str, expected: Any) -> None:
    """Compares all results of a program: arrays with their shapes, and numbers."""
    found = result(f"return {code}")
    wanted = expected if isinstance(expected, tuple) else (expected,)
    for one, value in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
        assert np.shape(one) == np.shape(value)
        np.testing.assert_allclose(np.asarray(one, float), np.asarray(value, float), 1e-12, 1e-12)


def _cut(a: Any, b: Any) -> Any:
    """Returns quotients of integers that are cut, as in C."""
    return np.trunc(np.asarray(a, float) / b)


ARITHMETIC: dict[str, Any] = {
    "x + y": X + Y,
    "x + 2": X + 2,
    "2 - x": 2 - X,
    "x - y": X - Y,
    "-x": -X,
    "2 * x": 2 * X,
    "x / 4": X / 4,
    "x % 0.3": np.mod(X, 0.3),
    "x * m": X @ M,
    "x * v": X @ V,
    "v * v": V @ V,
    "x:add(2)": X + 2,
    "x:add(y)": X + Y,
    "x:add(0.5, y)": X + 0.5 * Y,
    "x:add(y, 0.5, y)": 1.5 * Y,
    "torch.add(x, 3)": X + 3,
    "torch.add(y, x, 2, x)": 3 * X,
    "x:csub(y)": X - Y,
    "x:csub(1)": X - 1,
    "x:mul(3)": X * 3,
    "x:div(3)": X / 3,
    "x:cmul(y)": X * Y,
    "x:cdiv(y)": X / Y,
    "p:pow(2.5)": P**2.5,
    "torch.pow(2, x)": 2**X,
    "p:cpow(y)": P**Y,
    "x:fmod(0.4)": np.fmod(X, 0.4),
    "x:remainder(0.4)": np.mod(X, 0.4),
    "x:clamp(-0.5, 0.5)": np.clip(X, -0.5, 0.5),
    "x:cmax(y)": np.maximum(X, Y),
    "x:cmin(0.1)": np.minimum(X, 0.1),
    "x:lerp(y, 0.25)": X + 0.25 * (Y - X),
    "x:addcmul(2, y, p)": X + 2 * Y * P,
    "x:addcdiv(y, p)": X + Y / P,
    "torch.addcmul(x, 2, y, p)": X + 2 * Y * P,
    "x:addcmul(y, 3, p, p)": Y + 3 * P * P,
    "torch.atan2(x, y)": np.arctan2(X, Y),
    "x:cmul(y:view(5, 4))": X * Y.reshape(4, 5),
    "x:t():add(y:t())": (X + Y).T,
    "x:gt(0)": X > 0,
    "torch.le(x, y)": X <= Y,
    "x:eq(x)": np.ones((4, 5)),
    "torch.ne(x, y)": np.ones((4, 5)),
    "i:add(100)": (I.astype(int) + 100 + 128) % 256 - 128,
    "i:mul(2)": (I.astype(int) * 2 + 128) % 256 - 128,
    "i:div(2)": _cut(I, 2),
    "i:div(-2.9)": _cut(I, -2),
    "i:cdiv(j)": _cut(I, J),
    "i / 2": _cut(I, 2),
    "i:fmod(3)": np.fmod(I, 3),
    "i:remainder(3)": np.mod(I, 3),
    "i % 3": np.mod(I, 3),
    "i:gt(2.9)": I > 2,
    "i:bitand(6)": I & 6,
    "i:bitor(1)": I | 1,
    "i:bitxor(3)": I ^ 3,
    "i:cbitand(j)": I & J,
    "torch.cbitxor(i, j)": I ^ J,
    "i:rshift(1)": I >> 1,
    "i:abs()": np.abs(I),
    "x:sum() + 0": X.sum(),
}


@pytest.mark.parametrize("code", ARITHMETIC)
def test_arithmetic(code: str) -> None:
    check(code, ARITHMETIC[code])


def _sigmoid(a: Any) -> Any:
    return 1 / (1 + np.exp(-a))


UNARY: dict[str, Any] = {
    **{name: getattr(np, name) for name in ("exp", "abs", "ceil", "floor", "trunc", "sign")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{"neg": np.negative, "sigmoid": _sigmoid, "atan": np.arctan, "frac": lambda a: a - np.trunc(a), "cinv": lambda a: 1 / a},
    **{"round": lambda a: np.sign(a) * np.floor(np.abs(a) + 0.5)},
}  # fmt: skip
POSITIVE: dict[str, Any] = {
    **{"log": np.log, "sqrt": np.sqrt, "log1p": np.log1p, "rsqrt": lambda a: 1 / np.sqrt(a), "lgamma": np.vectorize(math.lgamma)},
    "asin": lambda a: np.arcsin(a / 10),
    "acos": lambda a: np.arccos(a / 10),
}


@pytest.mark.parametrize("name", [*UNARY, *POSITIVE])
def test_functions_of_one_operand(name: str) -> None:
    source, compute = ("x", UNARY[name]) if name in UNARY else ("p", POSITIVE[name])
    made = f"{source}:clone()" if name not in ("asin", "acos") else f"({source} / 10)"
    expected = compute(VALUES[source])
    check(f"torch.{name}({made})", expected)
    check(f"{made}:{name}()", expected)
    check(f"torch.{name}(torch.Tensor(), {made})", expected)
    value = result(f"return torch.{name}({made}[2][3])")
    assert value == pytest.approx(expected[1, 2], 1e-12)


def test_halves_are_rounded_away_from_zero() -> None:
    halves = result("return torch.Tensor{0.5, 1.5, -0.5, -2.5, 0.49999999999999994}:round()")
    assert halves.tolist() == [1, 2, -1, -3, 0]


REDUCTIONS: dict[str, Any] = {
    "x:sum(1)": X.sum(0, keepdims=True),
    "torch.sum(x, 2)": X.sum(1, keepdims=True),
    "x:prod()": X.prod(),
    "x:prod(2)": X.prod(1, keepdims=True),
    "x:mean()": X.mean(),
    "x:mean(2)": X.mean(1, keepdims=True),
    "x:std()": X.std(ddof=1),
    "x:var(1)": X.var(0, keepdims=True, ddof=1),
    "x:std(1, true)": X.std(0, keepdims=True),
    "x:cumsum(2)": X.cumsum(1),
    "torch.cumprod(x)": X.cumprod(0),
    "x:max()": X.max(),
    "x:max(1)": (X.max(0, keepdims=True), X.argmax(0)[None] + 1),
    "torch.min(x, 2)": (X.min(1, keepdims=True), X.argmin(1)[:, None] + 1),
    "x:norm()": np.sqrt((X * X).sum()),
    "x:norm(1)": np.abs(X).sum(),
    "x:norm(3, 2)": (np.abs(X) ** 3).sum(1, keepdims=True) ** (1 / 3),
    "x:norm(0)": 20,
    "x:dist(y)": np.sqrt(((X - Y) ** 2).sum()),
    "x:dot(y)": (X * Y).sum(),
    "s:trace()": S.trace(),
    "torch.histc(x, 4, -1, 1)": np.histogram(X, 4, (-1, 1))[0],
    "i:sum()": I.sum(),
    "i:max()": 100,
    "x:gt(0):sum()": (X > 0).sum(),
    "torch.Tensor(300):byte():fill(1):sum()": 300,
    "torch.cross(m:t(), m:t() * 2 + 1)": np.cross(M.T, M.T * 2 + 1, axis=0),
}


@pytest.mark.parametrize("code", REDUCTIONS)
def test_reductions(code: str) -> None:
    check(code, REDUCTIONS[code])


def test_truth_of_bytes() -> None:
    assert result("return torch.ByteTensor{1, 0}:all(), torch.ByteTensor{1, 0}:any(), x:gt(1e9):any()") == (False, True, False)


PRODUCTS: dict[str, Any] = {
    "torch.mm(x, m)": X @ M,
    "torch.mv(x, v)": X @ V,
    "torch.ger(v, k)": np.outer(V, K),
    "torch.bmm(b, c)": B @ C,
    "torch.Tensor():mm(x, m)": X @ M,
    "torch.ones(4, 3):addmm(x, m)": 1 + X @ M,
    "torch.ones(4, 3):addmm(0.5, x, m)": 1 + 0.5 * (X @ M),
    "torch.ones(4, 3):addmm(0.5, 2, x, m)": 0.5 + 2 * (X @ M),
    "torch.addmm(3, torch.ones(4, 3), 2, x, m)": 3 + 2 * (X @ M),
    "torch.addmm(torch.ones(4, 3), x, m)": 1 + X @ M,
    "torch.ones(4):addmv(1, 2, x, v)": 1 + 2 * (X @ V),
    "torch.zeros(5, 7):addr(v, k)": np.outer(V, K),
    "torch.ones(4, 3):addbmm(0, 1, b, c)": (B @ C).sum(0),
    "torch.ones(2, 4, 3):baddbmm(b, c)": 1 + B @ C,
}


@pytest.mark.parametrize("code", PRODUCTS)
def test_products(code: str) -> None:
    check(code, PRODUCTS[code])


SELECTED: dict[str, Any] = {
    "x:index(1, torch.LongTensor{3, 1, 3})": X[[2, 0, 2]],
    "torch.index(x, 2, torch.LongTensor{5})": X[:, [4]],
    "torch.zeros(3, 2):indexCopy(1, torch.LongTensor{3, 1}, torch.Tensor{{1, 2}, {3, 4}})": [[3, 4], [0, 0], [1, 2]],
    "torch.ones(3):indexAdd(1, torch.LongTensor{2, 2}, torch.Tensor{5, 6})": [1, 12, 1],
    "torch.ones(2, 3):indexFill(2, torch.LongTensor{1, 3}, 7)": [[7, 1, 7], [7, 1, 7]],
    "x:gather(2, torch.LongTensor{{1, 2}, {3, 4}, {5, 1}, {2, 2}})":
        np.take_along_axis(X, np.array([[0, 1], [2, 3], [4, 0], [1, 1]]), 1),
    "torch.zeros(2, 3):scatter(2, torch.LongTensor{{2}, {3}}, 4)": [[0, 4, 0], [0, 0, 4]],
    "torch.zeros(2, 3):scatter(2, torch.LongTensor{{2}, {3}}, torch.Tensor{{5}, {6}})": [[0, 5, 0], [0, 0, 6]],
    "x:maskedSelect(x:gt(0))": X[X > 0],
    "x:maskedFill(x:gt(0), 0)": np.minimum(X, 0),
    "torch.zeros(3):maskedCopy(torch.ByteTensor{1, 0, 1}, torch.Tensor{5, 6, 7})": [5, 0, 6],
    "k:nonzero()": np.argwhere(K) + 1,
    "x:clone():apply(function(a) return a * 2 end)": X * 2,
    "x:t():apply(function(a) if a > 0 then return 0 end end)": np.minimum(X, 0).T,
    "x:map(y, function(a, b) return a - b end)": X - Y,
    "x:map2(y, p, function(a, b, c) return a + b * c end)": X + Y * P,
}  # fmt: skip


@pytest.mark.parametrize("code", SELECTED)
def test_selection(code: str) -> None:
    check(code, SELECTED[code])


# ------------------------------------------------------------------------------------------------------ order


def test_sorted_elements() -> None:
    check("torch.sort(x, 1)", (np.sort(X, 0), np.argsort(X, 0) + 1))
    check("x:sort(2, true)", (-np.sort(-X, 1), np.argsort(-X, 1) + 1))
    check("x:topk(2, 2, true, true)", (-np.sort(-X, 1)[:, :2], np.argsort(-X, 1)[:, :2] + 1))
    check("x:kthvalue(2)", (np.sort(X, 1)[:, 1:2], np.argsort(X, 1)[:, 1:2] + 1))
    check("x:median()", (np.sort(X, 1)[:, 2:3], np.argsort(X, 1)[:, 2:3] + 1))
    check("k:mode()", ([3], [6]))


def test_the_order_of_equal_elements_is_that_of_quicksort() -> None:
    """With at most 11 elements Torch7 sorts by insertion, which keeps the order; with more its partition turns it."""
    few = result("return select(2, torch.zeros(11):sort())")
    assert few.tolist() == list(range(1, 12))
    many = result("return select(2, torch.zeros(12):sort())")
    assert sorted(many.tolist()) == list(range(1, 13))
    assert many.tolist() != list(range(1, 13))
    values, places = result("return torch.Tensor{2, 1, 2, 1, 0, 2, 1, 0, 2, 1, 2, 0, 1, 0, 2}:sort()")
    source = np.array([2, 1, 2, 1, 0, 2, 1, 0, 2, 1, 2, 0, 1, 0, 2], float)
    assert values.tolist() == sorted(source)
    assert source[places - 1].tolist() == sorted(source)


def test_comparison_with_nan() -> None:
    np.testing.assert_array_equal(result("return torch.cmax(torch.Tensor{0/0, 1}, torch.Tensor{1, 0/0})"), [1, np.nan])
    np.testing.assert_array_equal(result("return torch.Tensor{0/0, 1, 3}:cmin(2)"), [np.nan, 1, 2])
    assert result("return torch.Tensor{0/0, -2, 0}:sign()").tolist() == [0, -1, 0]


def test_norms_of_integers() -> None:
    assert result("return torch.ByteTensor{200, 200}:norm()") == np.hypot(200, 200)
    assert result("return torch.CharTensor{-128}:norm(1), torch.ByteTensor{1}:dist(torch.ByteTensor{3})") == (128.0, 2.0)


def test_histograms_need_an_end() -> None:
    with pytest.raises(pl.lua.LuaError, match="not finite"):
        result("return torch.histc(torch.Tensor{1, 1/0}, 3)")


def test_nan_is_the_largest() -> None:
    values, places = result("return torch.Tensor{3, 0/0, 1}:sort()")
    assert values[:2].tolist() == [1, 3]
    assert places.tolist() == [3, 1, 2]
    assert math.isnan(values[2])


def test_selection_of_the_largest_is_partial() -> None:
    """Without order, topk leaves elements as quickselect does: the smallest k are right, in any order."""
    values, places = result("return x:topk(3, 2)")
    assert np.array_equal(np.sort(values, 1), np.sort(X, 1)[:, :3])
    assert np.array_equal(np.take_along_axis(X, places - 1, 1), values)


# ------------------------------------------------------------------------------------------------------ convolutions


def _valid(x: Any, k: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, k.shape)
    return np.tensordot(windows, k, k.ndim)


def test_convolutions() -> None:
    k = M[:2, :2]
    full = np.pad(S, 1)
    check("torch.xcorr2(s, m[{{1, 2}, {1, 2}}])", _valid(S, k))
    check("torch.conv2(s, m[{{1, 2}, {1, 2}}])", _valid(S, k[::-1, ::-1]))
    check("torch.conv2(s, m[{{1, 2}, {1, 2}}], 'F')", _valid(full, k[::-1, ::-1]))
    check("torch.xcorr2(s, m[{{1, 2}, {1, 2}}], 'F')", _valid(full, k))
    kernels = C[:, :2, :2]
    check("torch.xcorr2(b, c[{{}, {1, 2}, {1, 2}}])", np.stack([_valid(x, one) for x, one in zip(B, kernels, strict=True)]))
    summed = sum(_valid(x, one) for x, one in zip(B, kernels, strict=True))
    check("torch.xcorr2(b, c[{{}, {1, 2}, {1, 2}}]:clone():view(1, 2, 2, 2))", np.stack([summed]))
    check("torch.conv3(b, c[{{1, 2}, {1, 2}, {1, 2}}])", _valid(B, kernels[::-1, ::-1, ::-1]))


# ------------------------------------------------------------------------------------------------------ algebra


def test_equations() -> None:
    check("torch.inverse(s)", np.linalg.inv(S))
    check("(torch.gesv(m[{{1, 4}}], s))", np.linalg.solve(S, M[:4]))
    check("(torch.gels(m[{{1, 5}, {1, 1}}], c[1]))", np.linalg.lstsq(C[0], M[:5, :1], rcond=None)[0])
    check("torch.potrf(d)", np.linalg.cholesky(D).T)
    check("torch.potrf(d, 'L')", np.linalg.cholesky(D))
    check("torch.potri(torch.potrf(d))", np.linalg.inv(D))
    check("torch.potrs(m[{{1, 4}}], torch.potrf(d))", np.linalg.solve(D, M[:4]))
    check("(torch.trtrs(m[{{1, 4}}], s, 'U', 'T'))", np.linalg.solve(np.triu(S).T, M[:4]))
    assert not result("return torch.inverse(s):isContiguous()")


def test_decompositions() -> None:
    values, vectors = result("return torch.symeig(d, 'V')")
    np.testing.assert_allclose(values, np.linalg.eigvalsh(D), 1e-12)
    np.testing.assert_allclose(vectors @ np.diag(values) @ vectors.T, D, 1e-10)
    u, s, v = result("return torch.svd(x)")
    assert (u.shape, s.shape, v.shape) == ((4, 4), (4,), (5, 4))
    np.testing.assert_allclose(u @ np.diag(s) @ v.T, X, 1e-10)
    q, r = result("return torch.qr(c[1])")
    np.testing.assert_allclose(q @ r, C[0], 1e-10)
    again = result("local f, t = torch.geqrf(c[1]) return torch.orgqr(f, t)")
    np.testing.assert_allclose(again, q, 1e-10)
    np.testing.assert_allclose(result("local f, t = torch.geqrf(c[1]) return torch.ormqr(f, t, torch.eye(5))")[:, :3], q, 1e-10)
    pairs = result("return (torch.eig(s))")
    np.testing.assert_allclose(sorted(pairs[:, 0] + 1j * pairs[:, 1]), sorted(np.linalg.eigvals(S)), 1e-10)
    factor, order = result("return torch.pstrf(d)")
    np.testing.assert_allclose(factor.T @ factor, D[np.ix_(order - 1, order - 1)], 1e-10)


# ------------------------------------------------------------------------------------------------------ results


def test_results_are_filled_in_place() -> None:
    code = """
    local r, n = torch.Tensor(), torch.LongTensor()
    local a = torch.add(r, x, 1)
    local s, i = torch.sort(r, n, x)
    local u = torch.Tensor(2)
    return a == r, s == r, i == n, u:cmul(x, y) == u, u:size(2), torch.max(r, n, x, 1) == r, r:size(1), n:size(1)
    """
    assert result(code) == (True, True, True, True, 5.0, True, 1.0, 1.0)


def test_single_precision_is_kept() -> None:
    found = result("local f = x:float() return f + y:float(), f:sum(1), torch.exp(f), f:mul(0.1)")
    assert {array.dtype for array in found} == {np.dtype(np.float32)}
    np.testing.assert_allclose(found[1], X.sum(0, keepdims=True), 1e-5)


def test_operands_may_overlap() -> None:
    assert result("local x = torch.range(1, 5) x:narrow(1, 2, 4):add(x:narrow(1, 1, 4)) return x").tolist() == [1, 3, 5, 7, 9]


@pytest.mark.parametrize("code, expected", [
    ("torch.IntTensor{1, 2}:gt(1.5)", [0, 1]),
    ("torch.IntTensor{1, 2}:eq(1.5)", [1, 0]),
    ("torch.IntTensor{-1, -2}:ge(-1.5)", [1, 0]),
    ("torch.ByteTensor{1, 255}:eq(-1)", [0, 1]),
    ("torch.ByteTensor{1, 255}:lt(300)", [1, 0]),
    ("torch.LongTensor{2^53}:add(1):eq(2^53)", [0]),
    ("torch.FloatTensor{0.1}:eq(0.1)", [1]),
])  # fmt: skip
def test_numbers_are_compared_as_elements_of_the_type(code: str, expected: list[int]) -> None:
    assert result(f"return {code}").tolist() == expected


def test_dot_products_of_integers_have_64_bits() -> None:
    code = "local x = torch.ByteTensor{255, 255} local y = torch.IntTensor{2^30, 2^30} return x * x, x:dot(x), y * y == y:dot(y)"
    assert result(code) == (130050, 130050, True)


def test_numbers_without_an_integer_of_c_are_cut_alike() -> None:
    code = "local function both(x) return torch.IntTensor{x}[1], torch.IntTensor(1):fill(x)[1] end "
    for number in ("1e300", "-1e300", "0/0", "2^32 + 5", "3e9"):
        made, filled = result(f"{code} return both({number})")
        assert made == filled == -(2**31), number
    assert result("return torch.LongTensor(1):fill(1e300)[1], torch.LongTensor{0/0}[1]") == (-(2.0**63),) * 2


def test_matrices_without_a_result_are_errors() -> None:
    for code in ("torch.svd(x)", "torch.eig(x)"):
        found = result(f"local x = torch.ones(2, 2) * (0/0) return select(2, pcall(function() return {code} end))")
        assert "Lapack Error" in found
