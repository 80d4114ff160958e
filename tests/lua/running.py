"""Short programs and what they return."""

from __future__ import annotations

from typing import Any

import pytest

import pytorch_legacy as pl

Row = tuple[str, Any]


def rows(*pairs: Row) -> pytest.MarkDecorator:
    """Runs a test for each program with its result."""
    return pytest.mark.parametrize("code, expected", pairs, ids=[" ".join(code.split())[:60] for code, _ in pairs])


def result(code: str) -> Any:
    """Returns what a program returns."""
    return pl.lua.Session().execute(code, "=t")


def error(code: str) -> str:
    """Returns the message of the error that a program ends with."""
    with pytest.raises(pl.lua.LuaError) as caught:
        result(code)
    return str(caught.value.value)
