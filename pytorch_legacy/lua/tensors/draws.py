"""Random numbers: single ones, tensors of them, and outcomes of distributions, in Torch7's order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.errors import ShapeError, ValueRangeError

from ..language.arguments import MISSING
from ..language.errors import raise_error
from ..language.table import Table, rawget, sequence
from .generators import drawing, generator_of
from .signatures import Form, described, forms
from .tensor import Array, Tensor, Types
from .values import LONG, cast, integer, store

_TWO32 = 2.0**32
_AT_ONCE = 1 << 18  # draws of one call


def _number(value: Any, name: str, default: float | None) -> float:
    if value is None and default is not None:
        return default
    if value.__class__ is not float:
        raise_error(f"bad argument to '{name}' (number expected, got {'no value' if value is None else described(value)})")
    return value  # type: ignore[no-any-return]


def _check(name: str, numbers: list[float]) -> None:
    """Refuses parameters that no distribution has."""
    if name in ("normal", "logNormal") and not numbers[1] > 0:
        raise_error(f"bad argument to '{name}' (standard deviation must be strictly positive)")
    if name in ("cauchy", "exponential") and not numbers[-1] > 0:
        raise_error(f"bad argument to '{name}' (must be strictly positive)")
    if name == "geometric" and not 0 < numbers[0] < 1:
        raise_error("bad argument to 'geometric' (must be > 0 and < 1)")
    if name == "bernoulli" and not 0 <= numbers[0] <= 1:
        raise_error("bad argument to 'bernoulli' (must be >= 0 and <= 1)")


def _draw(name: str, numbers: list[float], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    found: Array = getattr(random, name)(*numbers, shape, np.float32 if dtype == np.float32 else np.float64)
    return found


def _distribution(name: str, *defaults: float | None) -> tuple[Any, Any]:
    """Returns the method ``x:name(...)`` and the function ``torch.name(...)`` of a distribution."""

    def numbers_of(rest: tuple[Any, ...]) -> list[float]:
        numbers = [_number(rest[i] if i < len(rest) else None, name, default) for i, default in enumerate(defaults)]
        _check(name, numbers)
        return numbers

    def method(x: Any = MISSING, *arguments: Any) -> Tensor:
        if not isinstance(x, Tensor):
            raise_error(f"bad argument #1 to '{name}' (Tensor expected, got {described(x)})")
        generator, rest = generator_of(arguments)
        with drawing(generator):
            if name == "bernoulli" and rest and isinstance(rest[0], Tensor):
                x.array[...] = _chances(rest[0], x.array.shape)
            elif x.array.size:
                x.array[...] = cast(_draw(name, numbers_of(rest), x.array.shape, x.dtype), x.dtype)
        return x

    def function(*arguments: Any) -> Any:
        if arguments and isinstance(arguments[0], Tensor):
            return method(*arguments)
        generator, rest = generator_of(arguments)
        with drawing(generator):
            return float(_draw(name, numbers_of(rest), (1,), np.dtype(float))[0])

    return method, function


def _chances(chances: Tensor, shape: tuple[int, ...]) -> Array:
    """Returns draws of 0 and 1, each with a chance of its own."""
    p = chances.array.astype(np.float64)
    if p.size != math.prod(shape):
        raise_error("bad argument to 'bernoulli' (expected as many chances as elements)")
    if p.size and not (p.min() >= 0 and p.max() <= 1):
        raise_error("bad argument to 'bernoulli' (must be >= 0 and <= 1)")
    return (random.uniform(0, 1, shape, np.float64) <= p.reshape(shape)).astype(np.uint8)


# ------------------------------------------------------------------------------------------------------ integers


def _raw(shape: tuple[int, ...]) -> Array:
    """Returns draws of 32 bits."""
    drawn: Array = (random.uniform(0, 1, shape, np.float64) * _TWO32).astype(np.int64)
    return drawn


_MASKS = {"f8": 2**53 + 1, "f4": 2**24 + 1, "f2": 2**11 + 1, "u1": 256, "i1": 128, "i2": 2**15, "i4": 2**31, "i8": 2**62}


def _integers(x: Tensor, low: int | None, high: int | None) -> Tensor:
    drawn = _raw(x.array.shape)
    if low is None or high is None:
        drawn = drawn % _MASKS[x.dtype.str[1:]]
    else:
        drawn = low + drawn % (high - low + 1)
    x.array[...] = cast(drawn, x.dtype)
    return x


def random_(*arguments: Any) -> Any:
    """Returns ``torch.random`` and ``x:random``: draws of integers."""
    x = arguments[0] if arguments and isinstance(arguments[0], Tensor) else None
    generator, rest = generator_of(arguments if x is None else arguments[1:])
    bounds = [integer(one, "random") for one in rest if one is not None]
    low, high = (None, None) if not bounds else (1, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
    if low is not None and high is not None and not -(2**53) <= low <= high <= 2**53:
        raise_error("bad argument to 'random' (upper bound must be larger than lower bound)")
    with drawing(generator):
        if x is not None:
            return _integers(x, low, high) if x.array.size else x
        drawn = random.random()
    return float(drawn if low is None or high is None else low + drawn % (high - low + 1))


# ------------------------------------------------------------------------------------------------------ outcomes


def _multinomial(result: Tensor | None, generator: Any, x: Tensor, n: float, isReplaced: bool) -> Tensor:
    wanted = integer(n, "multinomial")
    if x.array.ndim not in (1, 2) or not x.array.size:
        raise_error("bad argument #2 to 'multinomial' (prob_dist must be 1 or 2 dim)")
    if not 0 < wanted < 2**31:
        raise_error("bad argument #3 to 'multinomial' (cannot sample n_sample < 0 samples)")
    try:
        with drawing(generator):
            drawn = random.multinomial(x.array.astype(np.float64), wanted, isReplaced)
    except (ShapeError, ValueRangeError) as error:
        raise_error(f"bad argument to 'multinomial' ({error})")
    return store(result, drawn + 1, x.types.tensors[LONG])


def _alias_setup(types: Types) -> Any:
    def multinomialAliasSetup(chances: Any = MISSING, state: Any = None, *_: Any) -> Table:
        if not isinstance(chances, Tensor) or chances.array.ndim != 1 or not chances.array.size:
            raise_error("bad argument #1 to 'multinomialAliasSetup' (probs must be 1-dimensional)")
        known = [rawget(state, 1.0), rawget(state, 2.0)] if isinstance(state, Table) else [None, None]
        others, shares = _aliases(chances.array.astype(np.float64))
        results = [one if isinstance(one, Tensor) else None for one in known]
        return sequence(store(results[0], others + 1, types.tensors[LONG]), store(results[1], shares, chances.__class__))

    return multinomialAliasSetup


def _aliases(chances: Array) -> tuple[Array, Array]:
    """Returns the alternative of each outcome, and the share of its column that it keeps itself."""
    n = len(chances)
    shares, others = (chances / chances.sum() * n).tolist(), list(range(n))
    small = [i for i, share in enumerate(shares) if share < 1]
    large = [i for i, share in enumerate(shares) if share >= 1]
    while small and large:
        low, high = small.pop(), large.pop()
        others[low] = high
        shares[high] += shares[low] - 1
        (small if shares[high] < 1 else large).append(high)
    for i in small + large:
        shares[i] = 1.0
    return np.array(others, LONG), np.array(shares)


def multinomialAlias(output: Any = MISSING, state: Any = None, *_: Any) -> Tensor:
    others, shares = (rawget(state, 1.0), rawget(state, 2.0)) if isinstance(state, Table) else (None, None)
    if not isinstance(output, Tensor) or not isinstance(others, Tensor) or not isinstance(shares, Tensor):
        raise_error("bad argument to 'multinomialAlias' (expected a LongTensor, and the table of multinomialAliasSetup)")
    found = np.empty(output.array.size, LONG)
    for part in np.array_split(found, found.size // _AT_ONCE + 1):
        drawn = random.uniform(0, 1, (part.size, 2), np.float64)
        column = (drawn[:, 0] * len(shares.array)).astype(LONG)
        part[:] = np.where(drawn[:, 1] <= shares.array[column], column + 1, others.array[column])
    output.array[...] = found.reshape(output.array.shape)
    return output


_DISTRIBUTIONS: dict[str, tuple[float | None, ...]] = {
    "uniform": (0.0, 1.0),
    "normal": (0.0, 1.0),
    "cauchy": (0.0, 1.0),
    "logNormal": (1.0, 2.0),
    "exponential": (1.0,),
    "geometric": (None,),
    "bernoulli": (0.5,),
}
METHODS: dict[str, Callable[..., Any]] = {"random": random_}
FUNCTIONS: dict[str, Callable[..., Any]] = {"random": random_, "multinomialAlias": multinomialAlias}
for _name, _defaults in _DISTRIBUTIONS.items():
    METHODS[_name], FUNCTIONS[_name] = _distribution(_name, *_defaults)
FORMS: dict[str, tuple[Form, ...]] = {"multinomial": forms("*L g T n b=false", _multinomial)}


def functions(types: Types) -> dict[str, Any]:
    """Returns the functions of ``torch`` that draw."""
    return {**FUNCTIONS, "multinomialAliasSetup": _alias_setup(types)}
