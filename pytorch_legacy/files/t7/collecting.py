"""The garbage collector rests while files are read, in any number of threads."""

import gc
import os
from threading import Lock


class _Rest:
    """``with``: the collector does not run. It goes on when the last thread leaves, if it ran when the first one came."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._ran = False

    def __enter__(self) -> None:
        with self._lock:
            if not self._count:
                self._ran = gc.isenabled()
                gc.disable()
            self._count += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._count = max(self._count - 1, 0)  # it was forgotten in a child
            if self._count or not self._ran:
                return
            if gc.get_count()[0] > gc.get_threshold()[0]:
                gc.collect(0)  # else the next object that somebody makes may begin a search of the whole process
            gc.enable()

    def forget(self) -> None:
        """A forked child has none of the other threads, which would have left."""
        if self._count and self._ran:
            gc.enable()
        self._lock, self._count = Lock(), 0


resting = _Rest()
os.register_at_fork(after_in_child=resting.forget)
