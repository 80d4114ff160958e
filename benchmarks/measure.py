"""Interleaved timing: both contestants in turn, so that a drift of the machine meets both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

Job = Callable[[], object]


@dataclass
class Pair:
    """Median seconds of a call of each contestant, and the median of the ratios theirs / ours of all rounds."""

    ours: float
    theirs: float
    ratio: float


def seconds(job: Job, calls: int) -> float:
    """Seconds of one call: after one that is not counted, the mean of `calls`."""
    job()
    start = time.perf_counter()
    for _ in range(calls):
        job()
    return (time.perf_counter() - start) / calls


def pair(ours: Job, theirs: Job, budget: float = 0.6, rounds: int = 7) -> Pair:
    """Measure both contestants for about `budget` seconds in all.

    Between turns there is a pause: the threads of a library spin for a while after its last call, and would take the
    processors from the other one.
    """
    once = seconds(ours, 1) + seconds(theirs, 1)
    calls = max(1, min(1000, int(budget / rounds / once)))
    a, b = [], []
    for _ in range(rounds):
        time.sleep(0.005)
        a.append(seconds(ours, calls))
        time.sleep(0.005)
        b.append(seconds(theirs, calls))
    return Pair(statistics.median(a), statistics.median(b), statistics.median(y / x for x, y in zip(a, b, strict=True)))
