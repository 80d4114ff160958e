"""The page on Lua is true: its examples run, and its figures are those of the tests."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from types import ModuleType

import pytest

import pytorch_legacy as pl
from pytorch_legacy.lua import session

from . import peers

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "lua.md").read_text(encoding="utf-8")


def test_the_examples_run() -> None:
    """The examples of docs/lua.md run."""
    examples = doctest.DocTestParser().get_doctest(re.sub("^```.*", "", PAGE, flags=re.MULTILINE), {}, "lua.md", "docs/lua.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
    assert len(examples.examples) >= 8
    assert runner.run(examples).failed == 0


@pytest.mark.parametrize("module", [pl.lua, session], ids=["package", "session"])
def test_the_examples_of_docstrings_run(module: ModuleType) -> None:
    found = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted and not found.failed


def test_the_number_of_expected_deviations() -> None:
    found = re.findall(r"(\d+) of (\d+) pass", PAGE)
    assert [int(count) - int(passed) for passed, count in found] == [len(expected) for expected in peers.EXPECTED.values()]
