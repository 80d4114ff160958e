"""How the benchmarks time: ours, theirs and the limit in turn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks import measure


def test_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share of the limit is the median of rounds in which both met the same moment of the machine."""
    turns: list[str] = []
    slow: Iterator[float] = iter([1.0] * 2 + [s for s in (1.0, 4.0, 2.0) for _ in range(3)])  # how slow the machine is
    times = {"ours": 2.0, "theirs": 6.0, "copy": 1.0}

    def seconds(job: measure.Job, calls: int) -> float:
        turns.append(str(job()))
        return times[turns[-1]] * next(slow)

    monkeypatch.setattr(measure, "seconds", seconds)
    result = measure.pair(lambda: "ours", lambda: "theirs", 0.1, 3, measure.Limit(lambda: "copy", 10))
    assert turns == ["ours", "theirs"] + ["ours", "theirs", "copy"] * 3
    assert (result.ours, result.theirs, result.ratio) == (4.0, 12.0, 3.0)
    assert result.perByte == pytest.approx(0.05)  # of 20 bytes we move as many per second as the copy
