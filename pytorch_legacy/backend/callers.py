"""Callers of functions of libTHNN for arrays that belong to no module."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ..arrays.device import recorder
from .binding import call


class Caller:
    """Calls functions for arrays of one element type, in one thread. Descriptors remain for the next call, arrays do not.

    Parameters
    ----------
    name : str
        The name of the caller in errors.
    dtype : dtype
    onDevice : bool
    """

    def __init__(self, name: str, dtype: np.dtype[Any], onDevice: bool) -> None:
        self._typename = name
        self._dtype = dtype
        self._onDevice = onDevice

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function as `binding.call` does."""
        try:
            call(self, name, *arguments)
        finally:
            bindings = self.__dict__.get("_bindings")
            if bindings is not None and name in bindings.calls:
                bindings.calls[name].release()


class Callers(threading.local):
    """The callers for each element type. Each thread has its own, because a prepared call serves one at a time.

    Parameters
    ----------
    name : str
        The name of the callers in errors.
    hasHalf : bool
        Whether there are callers for arrays of float16 on a device, too.
    """

    def __init__(self, name: str, hasHalf: bool = False) -> None:
        self._name = name
        keys = [(np.dtype(kind), device) for kind in (np.float32, np.float64) for device in (False, True)]
        keys += [(np.dtype(np.float16), True)] if hasHalf else []
        self._known = {key: Caller(name, *key) for key in keys}

    def get(self, dtype: np.dtype[Any], device: bool = False) -> Any:
        """Returns the caller for an element type, on the device or on the host; None if libTHNN does not have that type."""
        known = self._known.get((dtype, device))
        if known is not None and recorder() is not None:  # a prepared call is of no use to a pass that is recorded
            return Caller(self._name, dtype, device)
        return known
