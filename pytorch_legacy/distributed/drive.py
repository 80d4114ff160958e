"""Hands the pieces of a run to the workers of Dask, and takes what comes. A worker that ends loses nothing but time."""

from __future__ import annotations

import math
import time
from asyncio import CancelledError
from collections import deque
from collections.abc import Callable, Iterator
from concurrent import futures
from queue import Empty, SimpleQueue
from typing import Any

from distributed import Client, Future, KilledWorker

from pytorch_legacy.inference.problem import Problem

from .plan import Plan
from .sources import Source
from .work import failed, work


class Stopped(Problem):
    """The workers are gone. What they did is kept, and another run can go on with the rest."""


Span = tuple[int, int]
"""First row of a piece, and the one after its last."""

_PER_THREAD = 2  # pieces that are handed out: one that runs, and one that waits
_LOOK = 5  # seconds after which the workers are counted again: they come and go
_PATIENCE = 60  # seconds without any worker


def spans(missing: list[Span], span: int, unit: int) -> Iterator[Span]:
    """Pieces of at most `span` rows. They begin where batches begin, also behind what another run has left."""
    for start, stop in missing:
        while start < stop:
            end = min(start + (span if start % unit == 0 else unit - start % unit), stop)
            yield start, end
            start = end


def drive(
    client: Client,
    key: str,
    source: Source,
    plan: Plan,
    pieces: Iterator[Span],
    finished: Callable[[int, int, Any, dict[str, bytes]], None],
) -> None:
    """Hands out pieces, no more than the workers are busy with, until each one is done.

    What a worker had that ends is done again by another. Dask gives a piece up with which workers end again and again; it may
    have been beside the cause. Such pieces are suspects: when the others are done, each runs while nothing else does, and is cut
    in two if workers end with it again. A single row with which they do is the cause, and gets an error.

    Raises
    ------
    Stopped
        If the scheduler is gone, or all workers are and none comes for a minute.
    """
    suspects: deque[Span] = deque()
    running: dict[str, Span] = {}
    ended: SimpleQueue[Future] = SimpleQueue()
    crew = _Crew(client)

    def submit(span: Span) -> None:
        start, stop = span
        name = f"{key}-{start}-{stop}-{time.monotonic_ns()}"  # one that failed is not asked again by its name
        future = client.submit(work, key, source.cut(start, stop), start, key=name, pure=False)
        running[future.key] = span
        future.add_done_callback(ended.put)

    while True:
        while len(running) < _PER_THREAD * crew.threads() and (span := next(pieces, None)):
            submit(span)
        isAlone = not running
        if isAlone:
            if not suspects:
                return
            submit(suspects.popleft())
        future = _next(ended, crew)
        start, stop = running.pop(future.key)
        try:
            result = future.result()
        except KilledWorker:
            if not isAlone:
                suspects.append((start, stop))
            elif stop - start > 1:
                middle = _middle(start, stop, plan.unit)
                suspects.extendleft([(middle, stop), (start, middle)])
            else:
                finished(start, stop, failed(plan, source.cut(start, stop), start, "worker processes end with it"), {})
        except (OSError, CancelledError, futures.CancelledError):
            if future.status == "error":  # it is the piece's own
                raise
            raise _lost() from None
        else:
            finished(start, stop, *result)


class _Crew:
    """The number of workers' threads, updated from time to time."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._threads = 0
        self._asked, self._seen = -math.inf, time.monotonic()

    def threads(self) -> int:
        """At least one, while there is hope."""
        now = time.monotonic()
        if now >= self._asked + _LOOK:
            try:
                self._threads = sum(self._client.nthreads().values())
            except (OSError, CancelledError, futures.CancelledError):
                raise _lost() from None
            self._asked = now
            if self._threads:
                self._seen = now
            elif now > self._seen + _PATIENCE:
                raise Stopped("all workers are gone")
        return max(1, self._threads)


def _next(ended: SimpleQueue[Future], crew: _Crew) -> Future:
    """The next one that ended. Meanwhile the workers are watched."""
    while True:
        try:
            return ended.get(timeout=_LOOK)
        except Empty:
            crew.threads()


def _middle(start: int, stop: int, unit: int) -> int:
    """Returns the row that splits a range in two: between batches if there are several."""
    half = (stop - start) // 2
    return start + (max(half // unit, 1) * unit if stop - start > unit else half)


def _lost() -> Stopped:
    return Stopped("the scheduler of Dask is gone, or has cancelled what it had")
