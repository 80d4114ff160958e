"""Torch7's random numbers: the same seed gives the sequence that Lua got.

One Mersenne Twister serves the whole process. It starts from a seed of the operating system, as Torch7's did.

>>> from pytorch_legacy import random
>>> random.manualSeed(123)
>>> random.random()
2991312382
"""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np

from .backend import call, library
from .storage import Tensor

_BY_DTYPE = {dtype: SimpleNamespace(_dtype=dtype) for dtype in (np.dtype(np.float32), np.dtype(np.float64))}


def manualSeed(seed: int) -> None:
    """Start the sequence of `seed`; the same number in Torch7 starts the same one."""
    library.manual_seed(seed)


def seed() -> int:
    """Start a sequence that nobody can foresee, and return its seed."""
    number = int.from_bytes(os.urandom(4), "little")
    manualSeed(number)
    return number


def random() -> int:
    """The next raw draw: an integer of 32 bits."""
    return library.random()


def _drawn(name: str, shape: tuple[int, ...] | int, dtype: Any, *numbers: float) -> Tensor:
    array = np.empty(shape, dtype)
    call(_BY_DTYPE[array.dtype], name, array, *numbers)
    return array


def uniform(low: float, high: float, shape: tuple[int, ...] | int, dtype: Any = np.float32) -> Tensor:
    """An array of uniform draws from [low, high), filled in row-major order as ``tensor:uniform(low, high)``."""
    return _drawn("uniform", shape, dtype, low, high)


def normal(mean: float, stdv: float, shape: tuple[int, ...] | int, dtype: Any = np.float32) -> Tensor:
    """An array of normal draws, as ``tensor:normal(mean, stdv)``."""
    return _drawn("normal", shape, dtype, mean, stdv)


def bernoulli(p: float, shape: tuple[int, ...] | int, dtype: Any = np.float32) -> Tensor:
    """An array of ones with probability `p` and zeros, as ``tensor:bernoulli(p)``."""
    return _drawn("bernoulli", shape, dtype, p)


seed()
