"""How the benchmarks time, ours, theirs and the limit in turn, and how their figures stand side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import beside, measure


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


def test_runs_side_by_side() -> None:
    row = "SpatialMaxPooling              2x2 s2, pad 0    {}      4.387    63.619  {}    41.0 GB/s   {} %"
    one = ["day, one", "", row.format("forward", 14.93, 94), row.format("backward", 4.5, 64)]
    two = ["day, two", row.format("forward", 1.5, 107), "Linear      4 to 4     forward   1.0   2.0   2.00    3.1 GB/s   7 %"]
    table = [" ".join(line.split()) for line in beside.beside([one, two])]
    assert table[:2] == ["1: day, one", "2: day, two"]
    assert table[4:] == ["SpatialMaxPooling 2x2 s2, pad 0 forward 14.93 94 % 1.5 107 %"]


def test_published_runs_have_the_same_rows() -> None:
    files = sorted((Path(__file__).parents[1] / "docs" / "benchmarks").glob("*.txt"))
    runs = [beside.figures(path.read_text().splitlines()) for path in files]
    assert len(runs) > 1
    assert len(runs[0]) > 200
    assert all(run.keys() == runs[0].keys() for run in runs)
