"""Shows the progress of a command on the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from pytorch_legacy.files.t7.nodes import printable

from .problem import Problem


@contextmanager
def busy(text: str, remedy: str = "") -> Iterator[None]:
    """Shows `text` on the terminal while the block runs; nothing is shown to a file or a pipe.

    If there is not enough memory for the block, it raises a Problem with `text` and the remedy.
    """
    shown = Line()
    shown.show(f"{text} ...")
    try:
        yield
    except MemoryError as error:
        raise Problem(f"{text}: {out_of_memory(error)}{f'; {remedy}' if remedy else ''}") from None
    finally:
        shown.show("")


def out_of_memory(error: MemoryError) -> str:
    """Returns a text about a lack of memory, with the place if the error names it."""
    return f"there is not enough memory{f' ({error})' if str(error) else ''}"


class Line:
    """A line on the terminal that changes."""

    def __init__(self) -> None:
        self._watched = sys.stderr is not None and sys.stderr.isatty()
        self._width = 0

    def show(self, text: str) -> None:
        if self._watched:
            text = printable(text)
            print(text.ljust(self._width), end="\r", file=sys.stderr, flush=True)
            self._width = len(text)


class Progress:
    """Shows how many of `all` are done, the speed, and the remaining time."""

    def __init__(self, all: int, done: int) -> None:
        self._all, self._done, self._begin, self._first = all, done, time.monotonic(), done
        self._line = Line()

    def add(self, count: int, errors: int) -> None:
        self._done += count
        speed = (self._done - self._first) / max(time.monotonic() - self._begin, 1e-9)
        left = (self._all - self._done) / max(speed, 1e-9)
        words = f"{self._done:,} of {self._all:,}, {speed:,.3g} a second, {_duration(left)} left"
        self._line.show(words + (f", {errors:,} with an error" if errors else ""))

    def end(self) -> None:
        self._line.show("")


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
