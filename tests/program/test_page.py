"""The examples of docs/programs.md run."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_page_shows_what_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
    text = "\n".join(re.findall(r"^```pycon\n(.*?)^```", page, re.DOTALL | re.MULTILINE))
    test = doctest.DocTestParser().get_doctest(text, {}, "programs.md", "docs/programs.md", 0)
    assert len(test.examples) >= 7
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert not result.failed
