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
>>> random.uniform(-1, 1), random.uniform(-1, 1, 2)
(-0.5462900430895388, array([-0.42309073,  0.10262909], dtype=float32))
"""

from __future__ import annotations

if not __package__:  # somebody asks for Python's own `random`, and gets this file
    raise ImportError("Python runs in the folder of pytorch_legacy, whose modules hide those of others: start it elsewhere")

import os
from types import SimpleNamespace
from typing import Any

import numpy as np

from pytorch_legacy.arguments import as_doubles, whole
from pytorch_legacy.arrays import Tensor, default_dtype

from .arrays import to_device
from .arrays.device import recorder
from .backend import Callers, call_random, library
from .errors import DtypeError, ShapeError, ValueRangeError

_callers = Callers("random")
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
    if active := recorder():
        raise active.refuse("draws from the random generator, which a program does not")
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
        return whole(value)
    except TypeError:
        raise DtypeError(f"random.{where}: expected an integer, got {value!r}") from None


# ---------------------------------------------------------------------------------------------- numbers and arrays


def _drawn(name: str, shape: tuple[int, ...] | int | None, dtype: Any, device: bool, *bounds: float) -> Any:
    """Draws are the host's on a device too, where they are copied to: one seed gives one sequence everywhere."""
    active = recorder()
    if shape is None:
        if active:
            raise active.refuse("draws a single number from the random generator, which a program does not")
        return _drawn(name, 1, np.float64, False, *bounds).item()
    try:
        array = (active or np).empty(shape, default_dtype() if dtype is None else dtype)
    except (TypeError, ValueError) as error:
        raise ShapeError(f"random.{name}: no array has the shape {shape!r:.60} and that dtype: {error}") from None
    if array.dtype == np.float16:
        return to_device(_drawn(name, shape, np.float32, False, *bounds), device, np.float16)
    caller = _callers.get(array.dtype)
    if caller is None:
        raise DtypeError(f"random.{name}: dtype: expected float32 or float64, got {array.dtype}")
    caller.call(name, np.atleast_1d(array), *bounds)
    return to_device(array, device)


def _rounded(dtype: Any, bound: float) -> float:
    """A bound as Torch7's float tensors took it: as a float. They computed with it in double."""
    isSingle = np.dtype(default_dtype() if dtype is None else dtype).itemsize < 8
    return float(np.float32(bound)) if isSingle and isinstance(bound, (int, float, np.number)) else bound


def _between(name: str, shape: tuple[int, ...] | int | None, dtype: Any, device: bool, *bounds: float) -> Any:
    return _drawn(name, shape, dtype, device, *(bounds if shape is None else (_rounded(dtype, bound) for bound in bounds)))


def uniform(
    low: float = 0, high: float = 1, shape: tuple[int, ...] | int | None = None, dtype: Any = None, device: bool = False
) -> Any:
    """Uniform draws from `low` to `high`.

    Parameters
    ----------
    low, high : float
        The bounds. For arrays of single precision they are rounded to it, as Torch7 did.
    shape : int or tuple of int, optional
        That of the array to return, filled in row-major order as ``tensor:uniform(low, high)`` is; without it one number is
        drawn, a double as ``torch.uniform(low, high)``.
    dtype
        float32 or float64; that of the default tensor type (``pl.setdefaulttensortype``) if not given.
    device : bool
        Whether the array lies on the CUDA device.
    """
    return _between("uniform", shape, dtype, device, low, high)


def normal(
    mean: float = 0, stdv: float = 1, shape: tuple[int, ...] | int | None = None, dtype: Any = None, device: bool = False
) -> Any:
    """Normal draws, as ``tensor:normal(mean, stdv)``; without a shape one number. The other arguments are those of `uniform`."""
    return _between("normal", shape, dtype, device, mean, stdv)


def bernoulli(p: float = 0.5, shape: tuple[int, ...] | int | None = None, dtype: Any = None, device: bool = False) -> Any:
    """Ones with probability `p` and zeros, as ``tensor:bernoulli(p)``; without a shape one integer."""
    drawn = _drawn("bernoulli", shape, dtype, device, p)
    return int(drawn) if shape is None else drawn


def exponential(rate: float, shape: tuple[int, ...] | int | None = None, dtype: Any = None, device: bool = False) -> Any:
    """Exponential draws with mean ``1 / rate``, as ``tensor:exponential(rate)``; without a shape one number."""
    return _between("exponential", shape, dtype, device, rate)


def cauchy(
    median: float = 0, sigma: float = 1, shape: tuple[int, ...] | int | None = None, dtype: Any = None, device: bool = False
) -> Any:
    """Draws from the Cauchy distribution, as ``tensor:cauchy(median, sigma)``; without a shape one number."""
    return _between("cauchy", shape, dtype, device, median, sigma)


def geometric(p: float, shape: tuple[int, ...] | int | None = None, dtype: Any = None, device: bool = False) -> Any:
    """Draws of 1, 2, ..., where k has probability ``(1 - p) * p**(k - 1)``, as ``tensor:geometric(p)``; or one integer."""
    drawn = _drawn("geometric", shape, dtype, device, p)
    return int(drawn) if shape is None else drawn


def logNormal(
    mean: float = 1, stdv: float = 2, shape: tuple[int, ...] | int | None = None, dtype: Any = None, device: bool = False
) -> Any:
    """Exponentials of normal draws with this mean and deviation, as ``tensor:logNormal(mean, stdv)``; without a shape one number.

    Releases of Torch7 before 2017 took the mean and the deviation of the result instead.
    """
    return _between("logNormal", shape, dtype, device, mean, stdv)


# ---------------------------------------------------------------------------------------------- outcomes


def multinomial(probabilities: Any, n: int, replacement: bool = False) -> Tensor:
    """Outcomes of a distribution over categories, as ``torch.multinomial``.

    Parameters
    ----------
    probabilities : array of K or of N x K
        Weights of the K categories: numbers from 0, whose sum need not be 1.
    n : int
        Number of outcomes to draw from each row.
    replacement : bool
        Whether a category may come again.

    Returns
    -------
    array of n or of N x n, int64
        Categories, which count from 0; Torch7's counted from 1.

    Raises
    ------
    ShapeError, ValueRangeError
        If the weights are no vector or matrix, if one is negative or not finite, or if fewer categories than needed weigh
        something.

    Notes
    -----
    A draw is a place in the running sums of a row; without replacement the drawn category is taken out of them. Rounding and
    order are Torch7's, so that one seed gives the same outcomes. A category that weighs nothing is never drawn (in Torch7 the
    first one was, once in 2**32 draws).
    """
    where = "random.multinomial"
    weights = as_doubles(SimpleNamespace(_typename=where), "probabilities", probabilities)
    if weights.ndim not in (1, 2) or not weights.shape[-1]:
        raise ShapeError(f"{where}: probabilities: expected K or N x K numbers, got the shape {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueRangeError(f"{where}: probabilities: expected numbers from 0, got {weights.min()} to {weights.max()}")
    if (n := _integer("multinomial: n", n)) < 1:
        raise ValueRangeError(f"{where}: n: expected 1 or more, got {n}")
    rows = np.atleast_2d(weights)
    available = int((rows > 0).sum(1).min(initial=n))
    if available < (1 if replacement else n):
        wanted = "one that is more than 0" if replacement else f"{n} that are more than 0, to draw {n} without replacement"
        raise ValueRangeError(f"{where}: probabilities: expected {wanted}, got {available} in a row")
    with np.errstate(over="ignore"):
        sums = rows.cumsum(1)
    if not np.isfinite(sums).all():
        raise ValueRangeError(f"{where}: probabilities: their sum is too large")
    drawn = np.empty((len(rows), n), np.int64)
    for row, outcomes, places in zip(rows, drawn, sums / sums[:, -1:], strict=True):
        draws = np.maximum(uniform(0, 1, n, np.float64), np.finfo(np.float64).tiny)
        if replacement:
            places[-1] = 1
            outcomes[:] = places.searchsorted(draws)
        else:
            _without_replacement(row, outcomes, places, draws)
    return drawn.reshape(*weights.shape[:-1], n)


def _without_replacement(row: Tensor, outcomes: Tensor, places: Tensor, draws: Tensor) -> None:
    rest = row.copy()
    for i, draw in enumerate(draws):
        places[-1] = 1
        k = int(places.searchsorted(draw))
        if not rest[k]:  # drawn already, by the rounding of what is subtracted below
            places = rest.cumsum() / rest.sum()
            places[-1] = 1
            k = int(places.searchsorted(draw))
        outcomes[i], rest[k] = k, 0
        mass = places[k] - (places[k - 1] if k else 0)
        places[k:] -= mass
        if mass < 1:
            places /= 1 - mass


if not isinstance(library.lib, library.Missing):
    seed()
