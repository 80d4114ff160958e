"""Printing that never fails: objects of broken files lack fields, contain themselves, or double without end."""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any


class _Printing(threading.local):
    """The objects that are being printed by this thread, one inside the other, and how many have been, all together."""

    def __init__(self) -> None:
        self.around: set[tuple[int, Any]] = set()
        self.count = 0


_printing = _Printing()
_MOST_PRINTED = 10_000  # an object that is shared is printed in every place: files can make that endless


def always(function: Callable[[Any], str]) -> Callable[[Any], str]:
    """The `__repr__` of a class, made safe."""

    @wraps(function)
    def __repr__(self: Any) -> str:
        this = id(self), function  # the function too: it may call that of its base class
        if this in _printing.around or _printing.count >= _MOST_PRINTED:
            return f"{self._typename} ({'around this one' if this in _printing.around else '...'})"
        _printing.around.add(this)
        _printing.count += 1
        try:
            return function(self)
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            return f"{self._typename} ({'nested too deep' if isinstance(error, RecursionError) else 'fields missing'})"
        finally:
            _printing.around.discard(this)
            if not _printing.around:
                _printing.count = 0

    return __repr__
