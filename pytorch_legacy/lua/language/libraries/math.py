"""The library ``math``, with LuaJIT's generator of random numbers."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..arguments import MISSING, integer, number
from ..operators import MAX_EXACT, power

if TYPE_CHECKING:
    from ..state import State

_MASK = 2**64 - 1
_STEPS = ((63, 31, 18), (58, 19, 28), (55, 24, 7), (47, 21, 8))  # k, q, s of each of the four generators
_MANTISSA = 2**52 - 1


class Random:
    """LuaJIT's generator: four Tausworthe generators that are combined, of period 2^223.

    Parameters
    ----------
    seed : float
        As ``math.randomseed`` takes it. LuaJIT begins with 0.
    """

    def __init__(self, seed: float = 0.0) -> None:
        self.seed(seed)

    def seed(self, seed: float) -> None:
        """Begins anew."""
        self._state = []
        for k, _, _ in _STEPS:
            seed = seed * 3.14159265358979323846 + 2.7182818284590452354
            [bits] = struct.unpack("<Q", struct.pack("<d", seed))
            least = 1 << (64 - k)
            self._state.append((bits + least if bits < least else bits) & _MASK)
        for _ in range(10):
            self._bits()

    def _bits(self) -> int:
        found = 0
        for i, (k, q, s) in enumerate(_STEPS):
            z = self._state[i]
            z = (((z << q ^ z) & _MASK) >> (k - s)) ^ ((z & (_MASK << (64 - k) & _MASK)) << s & _MASK)
            found ^= z
            self._state[i] = z
        return found

    def __call__(self) -> float:
        """Returns a number from 0 on, below 1."""
        return (self._bits() & _MANTISSA) / 2.0**52


def _unary(name: str, compute: Callable[[float], float], atError: float = math.nan) -> Callable[..., float]:
    def function(x: Any = MISSING, *_: Any) -> float:
        if x.__class__ is not float:
            x = number(x, 1, name)
        try:
            return compute(x)
        except ValueError:
            return math.nan
        except OverflowError:
            return atError

    return function


def floor(x: Any = MISSING, *_: Any) -> float:
    if x.__class__ is not float:
        x = number(x, 1, "floor")
    return x // 1.0 if -MAX_EXACT < x < MAX_EXACT else x  # type: ignore[no-any-return]


def ceil(x: Any = MISSING, *_: Any) -> float:
    if x.__class__ is not float:
        x = number(x, 1, "ceil")
    return -(-x // 1.0) if -MAX_EXACT < x < MAX_EXACT else x  # type: ignore[no-any-return]


def absolute(x: Any = MISSING, *_: Any) -> float:
    return abs(number(x, 1, "abs"))


def sqrt(x: Any = MISSING, *_: Any) -> float:
    if x.__class__ is not float:
        x = number(x, 1, "sqrt")
    return math.sqrt(x) if x >= 0 else math.nan


def log(x: Any = MISSING, base: Any = MISSING, *_: Any) -> float:
    found = _logarithm(number(x, 1, "log"), math.log)
    return found if base is MISSING else found / _logarithm(number(base, 2, "log"), math.log)


def log10(x: Any = MISSING, *_: Any) -> float:
    return _logarithm(number(x, 1, "log10"), math.log10)


def _logarithm(x: float, compute: Callable[[float], float]) -> float:
    if x > 0:
        return compute(x)
    return math.nan if x else -math.inf


def atan2(y: Any = MISSING, x: Any = MISSING, *_: Any) -> float:
    return math.atan2(number(y, 1, "atan2"), number(x, 2, "atan2"))


def pow_(x: Any = MISSING, y: Any = MISSING, *_: Any) -> float:
    return power(number(x, 1, "pow"), number(y, 2, "pow"))


def fmod(x: Any = MISSING, y: Any = MISSING, *_: Any) -> float:
    a, b = number(x, 1, "fmod"), number(y, 2, "fmod")
    return math.fmod(a, b) if b and math.isfinite(a) else math.nan


def modf(x: Any = MISSING, *_: Any) -> tuple[float, float]:
    fraction, whole = math.modf(number(x, 1, "modf"))
    return whole, fraction


def frexp(x: Any = MISSING, *_: Any) -> tuple[float, float]:
    mantissa, exponent = math.frexp(number(x, 1, "frexp"))
    return mantissa, float(exponent)


def ldexp(x: Any = MISSING, exponent: Any = MISSING, *_: Any) -> float:
    a, n = number(x, 1, "ldexp"), integer(exponent, 2, "ldexp")
    try:
        return math.ldexp(a, n)
    except OverflowError:
        return math.copysign(math.inf, a)


def largest(x: Any = MISSING, *others: Any) -> float:
    found = number(x, 1, "max")
    for i, other in enumerate(others, 2):
        value = number(other, i, "max")
        if value > found:
            found = value
    return found


def smallest(x: Any = MISSING, *others: Any) -> float:
    found = number(x, 1, "min")
    for i, other in enumerate(others, 2):
        value = number(other, i, "min")
        if value < found:
            found = value
    return found


def library(state: State) -> dict[str, Any]:
    """Returns the functions of the library."""
    draw = state.random

    def random(low: Any = MISSING, high: Any = MISSING, *_: Any) -> float:
        x = draw()
        if low is MISSING:
            return x
        a, b = (1.0, number(low, 1, "random")) if high is MISSING else (number(low, 1, "random"), number(high, 2, "random"))
        place = x * (b - a + 1.0)
        return (math.floor(place) if math.isfinite(place) else place) + a

    def randomseed(seed: Any = MISSING, *_: Any) -> tuple[()]:
        draw.seed(number(seed, 1, "randomseed"))
        return ()

    plain = ("sin", "cos", "tan", "asin", "acos", "atan", "tanh")
    functions: dict[str, Any] = {name: _unary(name, getattr(math, name)) for name in plain}
    functions |= {name: _unary(name, getattr(math, name), math.inf) for name in ("exp", "cosh")}
    functions["sinh"] = _unary("sinh", lambda x: math.sinh(x) if abs(x) < 711 else math.copysign(math.inf, x))
    functions |= {"deg": _unary("deg", lambda x: x * (180.0 / math.pi)), "rad": _unary("rad", lambda x: x * (math.pi / 180.0))}
    functions |= {"abs": absolute, "floor": floor, "ceil": ceil, "sqrt": sqrt, "log": log, "log10": log10, "atan2": atan2}
    functions |= {"pow": pow_, "fmod": fmod, "mod": fmod, "modf": modf, "frexp": frexp, "ldexp": ldexp}
    functions |= {"max": largest, "min": smallest, "random": random, "randomseed": randomseed}
    return {**functions, "pi": math.pi, "huge": math.inf}
