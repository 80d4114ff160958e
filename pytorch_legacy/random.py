"""Torch7's random numbers: the same seed gives the sequence that Lua got.

One Mersenne Twister serves the whole process. It starts from a seed of the operating system, as Torch7's did. Where
`device` is true, the draws are copied to the CUDA device: the same seed gives the same run there.

>>> from pytorch_legacy import random
>>> random.manualSeed(123)
>>> random.random()
2991312382
>>> random.random(1, 6)
2
>>> random.randperm(5)
array([2, 3, 1, 0, 4])
"""

from __future__ import annotations

import os
from operator import index
from types import SimpleNamespace
from typing import Any

import numpy as np

from .arrays import placed
from .backend import call, call_random, library
from .errors import DtypeError, ValueRangeError
from .storage import Tensor

_BY_DTYPE = {dtype: SimpleNamespace(_dtype=dtype, _typename="random") for dtype in (np.dtype(np.float32), np.dtype(np.float64))}
_STATE_BYTES = 5048


# ---------------------------------------------------------------------------------------------- the generator


def manualSeed(seed: int) -> None:
    """Start the sequence of `seed`; the same number in Torch7 starts the same one."""
    library.manual_seed(_integer("manualSeed: seed", seed))


def seed() -> int:
    """Start a sequence that nobody can foresee, and return its seed."""
    number = int.from_bytes(os.urandom(4), "little")
    manualSeed(number)
    return number


def initialSeed() -> int:
    """The seed that started the present sequence."""
    return library.initial_seed()


def getRNGState() -> Tensor:
    """The generator's state, to be handed to ``setRNGState``: the bytes that Torch7 gives on 64-bit machines."""
    state = np.empty(_STATE_BYTES, np.uint8)
    call_random("getRNGState", "output", state)
    return state


def setRNGState(state: Tensor) -> None:
    """Goes on from where the generator was when it gave `state`, here or in Torch7 on a 64-bit machine."""
    if not isinstance(state, np.ndarray) or state.dtype != np.uint8:
        raise DtypeError("random.setRNGState: state: expected an array of uint8, as getRNGState gives it")
    call_random("setRNGState", "input", state)


# ---------------------------------------------------------------------------------------------- integers


def random(a: int | None = None, b: int | None = None) -> int:
    """One integer: the next raw draw of 32 bits, one of 1 to `a`, or one of `a` to `b`, both included."""
    if a is None:
        return library.random()
    low, high = (1, _integer("random: a", a)) if b is None else (_integer("random: a", a), _integer("random: b", b))
    if high < low:
        raise ValueRangeError(f"random.random: expected a range that is not empty, got {low} to {high}")
    return low + library.random() % (high - low + 1)


def randperm(n: int) -> Tensor:
    """The integers from 0 to ``n - 1`` in random order; ``torch.randperm`` gave the same ones plus 1."""
    if _integer("randperm: n", n) < 0:
        raise ValueRangeError(f"random.randperm: n: expected 0 or more, got {n}")
    order = np.empty(n, np.int64)
    call_random("randperm", "output", order)
    return order


def _integer(where: str, value: int) -> int:
    try:
        return index(value)
    except TypeError:
        raise DtypeError(f"random.{where}: expected an integer, got {value!r}") from None


# ---------------------------------------------------------------------------------------------- arrays


def _drawn(name: str, shape: tuple[int, ...] | int, dtype: Any, device: bool, *numbers: float) -> Tensor:
    """Draws are the host's on a device too, where they are copied to: one seed gives one sequence everywhere."""
    array = np.empty(shape, dtype)
    if array.dtype == np.float16:
        return placed(_drawn(name, shape, np.float32, False, *numbers), device, np.float16)
    if array.dtype not in _BY_DTYPE:
        raise DtypeError(f"random.{name}: dtype: expected float32 or float64, got {array.dtype}")
    call(_BY_DTYPE[array.dtype], name, array, *numbers)
    return placed(array, device)


def uniform(low: float, high: float, shape: tuple[int, ...] | int, dtype: Any = np.float32, device: bool = False) -> Tensor:
    """An array of uniform draws from `low` to `high`, filled in row-major order as ``tensor:uniform(low, high)``."""
    return _drawn("uniform", shape, dtype, device, low, high)


def normal(mean: float, stdv: float, shape: tuple[int, ...] | int, dtype: Any = np.float32, device: bool = False) -> Tensor:
    """An array of normal draws, as ``tensor:normal(mean, stdv)``."""
    return _drawn("normal", shape, dtype, device, mean, stdv)


def bernoulli(p: float, shape: tuple[int, ...] | int, dtype: Any = np.float32, device: bool = False) -> Tensor:
    """An array of ones with probability `p` and zeros, as ``tensor:bernoulli(p)``."""
    return _drawn("bernoulli", shape, dtype, device, p)


def exponential(rate: float, shape: tuple[int, ...] | int, dtype: Any = np.float32, device: bool = False) -> Tensor:
    """An array of exponential draws with mean ``1 / rate``, as ``tensor:exponential(rate)``."""
    return _drawn("exponential", shape, dtype, device, rate)


def cauchy(median: float, sigma: float, shape: tuple[int, ...] | int, dtype: Any = np.float32, device: bool = False) -> Tensor:
    """An array of draws from the Cauchy distribution, as ``tensor:cauchy(median, sigma)``."""
    return _drawn("cauchy", shape, dtype, device, median, sigma)


def geometric(p: float, shape: tuple[int, ...] | int, dtype: Any = np.float32, device: bool = False) -> Tensor:
    """An array of 1, 2, ..., where k has probability ``(1 - p) * p**(k - 1)``, as ``tensor:geometric(p)``."""
    return _drawn("geometric", shape, dtype, device, p)


def logNormal(mean: float, stdv: float, shape: tuple[int, ...] | int, dtype: Any = np.float32, device: bool = False) -> Tensor:
    """An array of exponentials of normal draws with this mean and deviation, as ``tensor:logNormal(mean, stdv)``.

    Releases of Torch7 before 2017 took the mean and the deviation of the result instead.
    """
    return _drawn("logNormal", shape, dtype, device, mean, stdv)


seed()
