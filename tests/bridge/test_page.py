"""docs/bridges.py lists what has a rule. This needs no torch: rules are text."""

from __future__ import annotations

import re

from docs import bridges
from tests.test_coverage import CLASSES


def test_page_lists_classes_with_and_without_a_rule(monkeypatch) -> None:
    with_rules = bridges.page().partition("Without a rule: ")[0]
    listed = set(re.findall(r"`(\w+)`", with_rules))
    assert len(listed) >= 337, "a rule has gone"
    assert not set(CLASSES) - listed - {cls.__name__ for cls in bridges.BASES} - {"StochasticGradient"}
    find_rule = bridges.find_rule
    monkeypatch.setattr(bridges, "find_rule", lambda cls: None if cls.__name__ == "SpatialSoftPool" else find_rule(cls))
    assert "`pl.nn.SpatialSoftPool`" in bridges.page().partition("Without a rule: ")[2]
    assert "`SpatialSoftPool`" not in bridges.page()
