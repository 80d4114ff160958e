"""The library ``torch`` of a session."""

from __future__ import annotations

from ..language.state import State
from ..language.table import Table
from .tensor import Types


def library(state: State) -> Table:
    """Returns the table ``torch`` of a state, whose `Types` are ``state.types`` from then on."""
    state.types = Types()
    return Table()
