"""The packages ``qt``, ``qtwidget`` and their kin. There are no windows: each object is one that takes all calls.

``image.display`` writes its pictures to the session's folder, without these packages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..language.table import Table
from .stubs import stub

if TYPE_CHECKING:
    from ..language.state import State


def valid(*_: Any) -> bool:
    """False, so that loops over the events of a window end."""
    return False


def library(state: State) -> Table:
    """Returns the package's table."""
    state.require("torch")
    return stub(valid=valid)
