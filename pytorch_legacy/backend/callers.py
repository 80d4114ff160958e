"""Who calls functions of libTHNN for arrays that are no module's."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np


class Callers(threading.local):
    """One for each element type and thread: what remembers a call serves one at a time.

    Parameters
    ----------
    name : str
        What errors name.
    """

    def __init__(self, name: str) -> None:
        dtypes = np.dtype(np.float32), np.dtype(np.float64)
        self._known = {dtype: SimpleNamespace(_dtype=dtype, _typename=name) for dtype in dtypes}

    def get(self, dtype: np.dtype[Any]) -> Any:
        """That of an element type; None if libTHNN does not have it."""
        return self._known.get(dtype)
