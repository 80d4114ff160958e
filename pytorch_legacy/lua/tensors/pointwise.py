"""Functions of elements: arithmetic, comparison, bits, and functions of C's library."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..language.errors import raise_error
from ..language.operators import power
from .memory import check_copy
from .signatures import Form, forms
from .tensor import Array, Tensor
from .values import BYTE, LONG, cast, like, resize, scalar, store

FORMS: dict[str, tuple[Form, ...]] = {}


def _put(result: Tensor | None, compute: Callable[..., Any], source: Tensor, *operands: Any) -> Tensor:
    """Stores ``compute(source, *operands)``, without a temporary array where there is a result of the same size."""
    array = source.array
    if result is source and source.isFloat and compute.__class__ is np.ufunc:
        compute(array, *operands, out=array)
        return result
    if result is None:
        check_copy(array)
        return source.__class__(cast(np.asarray(compute(array, *operands)), source.dtype))
    if result is not source and result.array.shape != array.shape:
        resize(result, array.shape)
    out = result.array
    if result.isFloat and isinstance(compute, np.ufunc):
        compute(array, *operands, out=out)
    else:
        out[...] = cast(np.asarray(compute(array, *operands)), out.dtype)
    return result


# ------------------------------------------------------------------------------------------------------ integers


def _check_divisor(divisor: Any) -> None:
    if np.any(np.equal(divisor, 0)):
        raise_error("division by zero: integers have no quotient by 0")


def _divide(a: Array, b: Any) -> Any:
    """Returns quotients: of integers they are cut, as in C."""
    if a.dtype.kind == "f":
        return np.divide(a, b)
    _check_divisor(b)
    quotient = np.floor_divide(a, b)
    return quotient + ((np.remainder(a, b) != 0) & ((a < 0) != (b < 0))).astype(a.dtype)


def _fmod(a: Array, b: Any) -> Any:
    if a.dtype.kind != "f":
        _check_divisor(b)
    return np.fmod(a, b)


def _remainder(a: Array, b: Any) -> Any:
    """Returns ``a - b * floor(a / b)``, and NaN for the remainder by 0."""
    if a.dtype.kind != "f":
        _check_divisor(b)
        return np.remainder(a, b)
    return np.where(np.equal(b, 0), np.nan, a - b * np.floor(a / b))


def _bits(compute: Any) -> Callable[..., Any]:
    def computed(a: Array, b: Any) -> Any:
        if a.dtype.kind == "f":
            raise_error("bit operations are not defined for tensors of floating point numbers")
        return compute(a, b)

    return computed


def _lshift(a: Array, n: Any) -> Any:
    return a * np.power(2.0, n) if a.dtype.kind == "f" else np.left_shift(a, n)


def _rshift(a: Array, n: Any) -> Any:
    return a / np.power(2.0, n) if a.dtype.kind == "f" else np.right_shift(a, n)


def _pow(a: Array, b: Any) -> Any:
    if a.dtype.kind == "f":
        return np.power(a, b)
    return np.power(a.astype(float), np.asarray(b, float))


# ------------------------------------------------------------------------------------------------------ one operand


def _sigmoid(a: Array) -> Any:
    return 1 / (1 + np.exp(-a))


def _digamma(a: Array) -> Any:
    """Returns the derivative of the logarithm of gamma, by its recurrence up to 6 and its asymptotic series."""
    x = np.array(a, float)
    poles = (x <= 0) & (x == np.floor(x))
    isNegative = x < 0
    reflected = np.where(isNegative, -np.pi / np.tan(np.pi * x), 0)
    x = np.where(isNegative, 1 - x, x)
    shift = np.zeros_like(x)
    while (low := x < 10).any():
        shift -= np.where(low, 1 / x, 0)
        x = np.where(low, x + 1, x)
    z = 1 / (x * x)
    series = z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132 - z * 691 / 32760)))))
    return np.where(poles, np.nan, shift + np.log(x) - 0.5 / x - series + reflected)


def _elementwise(function: Callable[[float], float]) -> Callable[[Array], Any]:
    def computed(a: Array) -> Any:
        return np.array([function(x) for x in a.ravel().tolist()], float).reshape(a.shape)

    return computed


def _lgamma(x: float) -> float:
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


def _rounded(a: Array) -> Any:
    whole = np.trunc(a)
    return np.where(np.abs(a - whole) == 0.5, whole + np.sign(a), np.rint(a))


UNARY: dict[str, Any] = {
    **{name: getattr(np, name) for name in ("exp", "log", "log1p", "sqrt", "abs", "ceil", "floor", "trunc")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "neg": np.negative, "round": _rounded, "sigmoid": _sigmoid},
    **{"frac": lambda a: a - np.trunc(a), "rsqrt": lambda a: 1 / np.sqrt(a), "cinv": lambda a: 1 / a},
    "sign": lambda a: (a > 0).astype(a.dtype) - (a < 0).astype(a.dtype),  # 0 of NaN
    **{"lgamma": _elementwise(_lgamma), "digamma": _digamma, "square": np.square},
    **{"erf": _elementwise(math.erf), "expm1": np.expm1},
}
_WHOLE = ("abs", "ceil", "floor", "trunc", "round", "sign", "neg", "square")  # functions of integers, too


def _unary(name: str, compute: Any) -> tuple[Form, ...]:
    def of_tensor(result: Tensor | None, source: Tensor) -> Tensor:
        if source.dtype.kind != "f" and name in _WHOLE:
            isSame = name in ("ceil", "floor", "trunc", "round")
            return _put(result, (lambda a: a.copy()) if isSame else compute, source)
        return _put(result, compute, source)

    def of_number(value: float) -> float:
        return float(compute(np.array([value]))[0])

    return forms("*T T=", of_tensor, "n", of_number)


for _name, _compute in UNARY.items():
    FORMS[_name] = _unary(_name, _compute)

# ------------------------------------------------------------------------------------------------------ with a number


def _with_number(compute: Any, of_numbers: Callable[[float, float], float] | None = None) -> tuple[Any, ...]:
    def of_tensor(result: Tensor | None, source: Tensor, value: float) -> Tensor:
        return _put(result, compute, source, scalar(source.dtype, value))

    return ("*T T= n", of_tensor, *(("n n", of_numbers) if of_numbers else ()))


def _with_tensor(compute: Any) -> tuple[Any, ...]:
    def of_tensors(result: Tensor | None, source: Tensor, other: Tensor) -> Tensor:
        return _put(result, compute, source, like(source.array, other.array))

    return "*T T= T", of_tensors


def _add_scaled(result: Tensor | None, source: Tensor, value: float, other: Tensor) -> Tensor:
    a, b = source.array, other.array
    if b.shape != a.shape:
        b = like(a, b)
    if value == 1.0:
        if result is source:
            np.add(a, b, a)
            return source
        return _put(result, np.add, source, b)
    return _put(result, np.add, source, scalar(source.dtype, value) * b)


def _subtract_scaled(result: Tensor | None, source: Tensor, value: float, other: Tensor) -> Tensor:
    b = like(source.array, other.array)
    return _put(result, np.subtract, source, b if value == 1 else scalar(source.dtype, value) * b)


def _power_of_number(result: Tensor | None, value: float, exponents: Tensor) -> Tensor:
    return store(result, np.power(value, exponents.array), exponents.__class__)


def _limit(result: Tensor | None, source: Tensor, low: float, high: float) -> Tensor:
    a, b = scalar(source.dtype, low), scalar(source.dtype, high)
    return _put(result, lambda x: np.where(x < a, a, np.where(x > b, b, x)), source)


def _chosen(compare: Any, isReversed: bool = False) -> Callable[[Array, Any], Any]:
    """Returns a function that takes an element of a where ``compare(a, b)``, one of b elsewhere, or the other way round.

    So the larger one of NaN and a number is what Torch7's comparison gives.
    """
    if isReversed:
        return lambda a, b: np.where(compare(a, b), b, a)
    return lambda a, b: np.where(compare(a, b), a, b)


def _lerp(result: Tensor | None, a: Tensor, b: Tensor, weight: float) -> Tensor:
    return _put(result, lambda x: x + scalar(a.dtype, weight) * (like(x, b.array) - x), a)


def _scaled_product(compute: Any) -> tuple[Form, ...]:
    def computed(result: Tensor | None, source: Tensor, value: float, a: Tensor, b: Tensor) -> Tensor:
        x, y = like(source.array, a.array), like(source.array, b.array)
        factor = scalar(source.dtype, value)
        return _put(result, lambda s: s + compute(factor * x, y), source)

    return forms("*T T= n=1 T T", computed)


FORMS.update(
    add=forms(*_with_number(np.add), "*T T= n=1 T", _add_scaled),
    csub=forms(*_with_number(np.subtract), "*T T= n=1 T", _subtract_scaled),
    mul=forms(*_with_number(np.multiply)),
    div=forms(*_with_number(_divide)),
    fmod=forms(*_with_number(_fmod)),
    remainder=forms(*_with_number(_remainder)),
    pow=forms(*_with_number(_pow, power), "*T n T", _power_of_number),
    cmul=forms(*_with_tensor(np.multiply)),
    cdiv=forms(*_with_tensor(_divide)),
    cpow=forms(*_with_tensor(_pow)),
    cfmod=forms(*_with_tensor(_fmod)),
    cremainder=forms(*_with_tensor(_remainder)),
    cmax=forms(*_with_number(_chosen(np.less, True)), *_with_tensor(_chosen(np.greater))),
    cmin=forms(*_with_number(_chosen(np.greater, True)), *_with_tensor(_chosen(np.less))),
    clamp=forms("*T T= n n", _limit),
    lerp=forms("*T T= T n", _lerp, "n n n", lambda a, b, w: a + w * (b - a)),
    addcmul=_scaled_product(np.multiply),
    addcdiv=_scaled_product(_divide),
    lshift=forms(*_with_number(_lshift)),
    rshift=forms(*_with_number(_rshift)),
    clshift=forms(*_with_tensor(_lshift)),
    crshift=forms(*_with_tensor(_rshift)),
    atan2=forms(*_with_tensor(np.arctan2), "n n", math.atan2),
)
IN_PLACE = {"add": np.add, "csub": np.subtract, "cmul": np.multiply}  # functions of two tensors, without temporary arrays
FORMS["mod"] = FORMS["fmod"]
FORMS["cmod"] = FORMS["cfmod"]
for _name, _compute in {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}.items():
    FORMS[f"bit{_name}"] = forms(*_with_number(_bits(_compute)))
    FORMS[f"cbit{_name}"] = forms(*_with_tensor(_bits(_compute)))

# ------------------------------------------------------------------------------------------------------ comparison


def _comparison(compute: Any) -> tuple[Form, ...]:
    def with_number(result: Tensor | None, source: Tensor, value: float) -> Tensor:
        return store(result, compute(source.array, scalar(source.dtype, value)).view(np.uint8), source.types.tensors[BYTE])

    def with_tensor(result: Tensor | None, source: Tensor, other: Tensor) -> Tensor:
        found = compute(source.array, like(source.array, other.array)).view(np.uint8)
        return store(result, found, source.types.tensors[BYTE])

    pairs: list[Any] = []
    for result in ("*B", "*T"):
        pairs += [f"{result} T n", with_number, f"{result} T T", with_tensor]
    return forms(*pairs)


for _name, _compute in {
    "lt": np.less, "gt": np.greater, "le": np.less_equal, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal,
}.items():  # fmt: skip
    FORMS[_name] = _comparison(_compute)

# ------------------------------------------------------------------------------------------------------ operators


def _is_number(value: Any) -> bool:
    return value.__class__ is float


def _operator(name: str, number_first: Callable[[float, Tensor], Any], with_number: Any, with_tensor: Any) -> Any:
    def operator(a: Any = None, b: Any = None, *_: Any) -> Any:
        if isinstance(a, Tensor):  # a table may have this metatable, too
            if a.__class__ is b.__class__:
                return with_tensor(a, b)
            if _is_number(b):
                return with_number(a, b)
        elif _is_number(a) and isinstance(b, Tensor):
            return number_first(a, b)
        raise_error(f"invalid arguments of operator {name}: expected tensors of one type, or a tensor and a number")

    return operator


def _add_number(a: Tensor, value: float) -> Tensor:
    return _put(None, np.add, a, scalar(a.dtype, value))


def _new(compute: Any) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda a, b: _put(None, compute, a, like(a.array, b.array))


def _no_remainder(*_: Any) -> Any:
    raise_error("a number has no remainder by a tensor")


def _scaled(a: Tensor, value: float) -> Tensor:
    return _put(None, np.multiply, a, scalar(a.dtype, value))


def dot(a: Tensor, b: Tensor) -> float:
    """Returns the dot product; that of integers is computed with 64 bits."""
    x, y = a.array.ravel(), like(a.array, b.array).ravel()
    if a.dtype.kind == "f":
        return float(np.dot(x, y))
    return float((x.astype(LONG) * y.astype(LONG)).sum())


def matrix_product(a: Tensor, b: Tensor) -> Any:
    """Returns ``a * b``: a dot product, or a product with a matrix."""
    x, y = a.array, b.array
    if x.ndim == 1 and y.ndim == 1:
        return dot(a, b)
    if x.ndim == 2 and y.ndim in (1, 2):
        if x.shape[1] != y.shape[0]:
            raise_error(f"size mismatch, m1: {x.shape[0]}x{x.shape[1]}, m2: {'x'.join(map(str, y.shape))}")
        return a.__class__(np.matmul(x, y))
    raise_error(f"multiplication between {x.ndim}D and {y.ndim}D tensors not yet supported")


def _unm(a: Any = None, *_: Any) -> Tensor:
    if not isinstance(a, Tensor):
        raise_error("invalid argument of operator -: expected a tensor")
    return _put(None, np.negative, a)


OPERATORS = {
    "__add": _operator("+", lambda v, t: _add_number(t, v), _add_number, _new(np.add)),
    "__sub": _operator("-", lambda v, t: _put(None, lambda a: scalar(t.dtype, v) - a, t), lambda t, v: _add_number(t, -v),
                       _new(np.subtract)),
    "__mul": _operator("*", lambda v, t: _scaled(t, v), _scaled, matrix_product),
    "__div": _operator("/", lambda v, t: _put(None, lambda a: _divide(np.full_like(a, scalar(t.dtype, v)), a), t),
                       lambda t, v: _put(None, _divide, t, scalar(t.dtype, v)), _new(_divide)),
    "__mod": _operator("%", _no_remainder, lambda t, v: _put(None, _remainder, t, scalar(t.dtype, v)), _new(_remainder)),
    "__unm": _unm,
}  # fmt: skip
