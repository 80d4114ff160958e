"""Interleaved timing: the contestants and the machine's limit in turn, so that a drift of the machine meets all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Job = Callable[[], object]


@dataclass
class Pair:
    """Median seconds of a call of each contestant, and the median of the ratios theirs / ours of all rounds.

    `perByte` is the share of the limit's rate that a byte amounts to which our call has to move: the median of the time that the
    limit takes for a byte over ours.
    """

    ours: float
    theirs: float
    ratio: float
    perByte: float = 0.0


@dataclass
class Limit:
    """A bound on all programs that move memory: a job, and the number of bytes that it moves."""

    job: Job
    bytes: int


def seconds(job: Job, calls: int) -> float:
    """Seconds of one call: after one that is not counted, the mean of `calls`."""
    job()
    start = time.perf_counter()
    for _ in range(calls):
        job()
    return (time.perf_counter() - start) / calls


def pair(ours: Job, theirs: Job, budget: float = 0.6, rounds: int = 7, limit: Limit | None = None) -> Pair:
    """Measure both contestants for about `budget` seconds in all, and a call of the limit in each round.

    Between turns there is a pause: the threads of a library spin for a while after its last call, and would take the
    processors from the other one.
    """
    once = seconds(ours, 1) + seconds(theirs, 1)
    calls = max(1, min(1000, int(budget / rounds / once)))
    a, b, perByte = [], [], []
    for _ in range(rounds):
        time.sleep(0.005)
        a.append(seconds(ours, calls))
        time.sleep(0.005)
        b.append(seconds(theirs, calls))
        if limit:
            time.sleep(0.005)
            perByte.append(seconds(limit.job, 1) / limit.bytes)
    return Pair(statistics.median(a), statistics.median(b), ratios(b, a), ratios(perByte, a) if limit else 0.0)


def ratios(a: list[float], b: list[float]) -> float:
    """The median of a / b of all rounds."""
    return statistics.median(x / y for x, y in zip(a, b, strict=True))


def rms_error(got: Any, exact: Any) -> float:
    """Returns the root mean square of the error of an array, or of a list of arrays, as a share of that of the exact ones."""
    got, exact = (np.concatenate([np.ravel(each) for each in _list(one)]).astype(np.float64) for one in (got, exact))
    scale = np.sqrt(np.mean(np.square(exact)))
    return float(np.sqrt(np.mean(np.square(got - exact))) / scale) if scale else float(np.abs(got).max())


def _list(arrays: Any) -> list[Any]:
    return [*arrays] if isinstance(arrays, (list, tuple)) else [arrays]
