"""Short programs and what they return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import pytorch_legacy as pl

Row = tuple[str, Any]


def rows(*pairs: Row) -> pytest.MarkDecorator:
    """Runs a test for each program with its result."""
    return pytest.mark.parametrize("code, expected", pairs, ids=[" ".join(code.split())[:60] for code, _ in pairs])


def result(code: str, requires: Sequence[str] = (), **values: Any) -> Any:
    """Returns what a program returns that has these packages and globals."""
    session = pl.lua.Session(requires=requires)
    session.globals.update(values)
    return session.execute(code, "=t")


def error(code: str, requires: Sequence[str] = (), **values: Any) -> str:
    """Returns the message of the error that a program ends with."""
    with pytest.raises(pl.lua.LuaError) as caught:
        result(code, requires, **values)
    return str(caught.value.value)
