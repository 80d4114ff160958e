"""Callers of functions of libTHNN for arrays that belong to no module."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..arrays.device import recorder


class Callers(threading.local):
    """One for each element type and thread: what remembers a call serves one at a time.

    Parameters
    ----------
    name : str
        What errors name.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        dtypes = np.dtype(np.float32), np.dtype(np.float64)
        self._known = {
            (dtype, device): SimpleNamespace(_dtype=dtype, _typename=name, _onDevice=device)
            for dtype in dtypes
            for device in (False, True)
        }

    def get(self, dtype: np.dtype[Any], device: bool = False) -> Any:
        """Returns the caller for an element type, on the device or on the host; None if libTHNN does not have that type."""
        known = self._known.get((dtype, device))
        if known is not None and recorder() is not None:  # a pass that is recorded cannot use its remembered calls
            return SimpleNamespace(_dtype=dtype, _typename=self.name)
        return known
