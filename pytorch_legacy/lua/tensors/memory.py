"""New memory, refused with an error that a script understands where the machine has none left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..language.errors import raise_error

_SMALL = 1 << 28  # bytes that nobody asks for in vain
_LARGEST = 1 << 62


def _number(path: str) -> int | None:
    """Returns the number in a file of the system."""
    try:
        return int(Path(path).read_text())
    except (OSError, ValueError):
        return None


def _available() -> int:
    """Returns how many bytes the machine, or the group of this process, has left; what is not known is no limit."""
    left = _LARGEST
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        left = next((int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable")), left)
    except OSError:
        pass
    for limit, used in (("memory.max", "memory.current"), ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes")):
        most, now = _number(f"/sys/fs/cgroup/{limit}"), _number(f"/sys/fs/cgroup/{used}")
        if most is not None and now is not None:
            left = min(left, most - now)
    return left


def check(shape: Sequence[int], itemsize: int) -> int:
    """Returns the number of elements of a size, or raises an error if there is no memory for them."""
    n = 1
    for size in shape:
        n *= size
    if n * itemsize > _SMALL and (n * itemsize > _LARGEST or n * itemsize > _available()):
        raise_error(f"$ Torch: not enough memory: you tried to allocate {n * itemsize >> 30}GB. Buy new RAM!")
    return n


def check_copy(array: np.ndarray[Any, Any]) -> None:
    """Raises an error if there is no memory for a copy of an array, whose elements may lie in one place."""
    if array.nbytes > _SMALL:
        check(array.shape, array.itemsize)


def zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray[Any, Any]:
    """Returns a new array of zeros. Memory is taken as it is written to."""
    check(shape, np.dtype(dtype).itemsize)
    try:
        return np.zeros(shape, dtype)
    except (MemoryError, ValueError):
        raise_error("$ Torch: not enough memory")
