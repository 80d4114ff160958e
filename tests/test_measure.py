"""The benchmarks time ours, theirs and the limit in turn, and print their figures side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pytorch_legacy as pl
from benchmarks import beside, libraries, lua_programs, measure, ways
from pytorch_legacy import backend

DOCS = Path(__file__).parents[1] / "docs"


def test_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share of the limit is the median of rounds in which both met the same moment of the machine."""
    turns: list[str] = []
    slow: Iterator[float] = iter([1.0] * 2 + [s for s in (1.0, 4.0, 2.0) for _ in range(3)])  # the slowness of the machine
    times = {"ours": 2.0, "theirs": 6.0, "copy": 1.0}

    def seconds(job: measure.Job, calls: int) -> float:
        turns.append(str(job()))
        return times[turns[-1]] * next(slow)

    monkeypatch.setattr(measure, "seconds", seconds)
    result = measure.pair(lambda: "ours", lambda: "theirs", 0.1, 3, measure.Limit(lambda: "copy", 10))
    assert turns == ["ours", "theirs"] + ["ours", "theirs", "copy"] * 3
    assert (result.ours, result.theirs, result.ratio) == (4.0, 12.0, 3.0)
    assert result.perByte == pytest.approx(0.05)  # 20 bytes: we move as many per second as the copy


def test_runs_side_by_side() -> None:
    row = "SpatialMaxPooling              2x2 s2, pad 0    {}      4.387    63.619  {}    41.0 GB/s   {} %"
    one = ["day, one", "", row.format("forward", 14.93, 94), row.format("backward", 4.5, 64)]
    two = ["day, two", row.format("forward", 1.5, 107), "Linear      4 to 4     forward   1.0   2.0   2.00    3.1 GB/s   7 %"]
    table = [" ".join(line.split()) for line in beside.beside([one, two])]
    assert table[:2] == ["1: day, one", "2: day, two"]
    assert table[4:] == ["SpatialMaxPooling 2x2 s2, pad 0 forward 14.93 94 % 1.5 107 %"]


def published() -> list[list[str]]:
    return [path.read_text().splitlines() for path in sorted((DOCS / "benchmarks").glob("*.txt"))]


def test_published_runs_have_the_same_rows() -> None:
    runs = [beside.figures(run) for run in published()]
    assert len(runs) > 1
    assert len(runs[0]) > 200
    assert all(run.keys() == runs[0].keys() for run in runs)


def test_every_row_is_read() -> None:
    for run in published():
        assert len(beside.figures(run)) == sum(" GB/s " in line for line in run)


def test_the_published_table_is_that_of_the_published_runs() -> None:
    table = "\n".join(beside.families(published()))
    assert f"of all:\n\n{table}\n\n" in (DOCS / "performance.md").read_text()


def test_libraries_take_turns() -> None:
    turn: list[str] = []
    times = {"old": iter([2.0, 8.0, 6.0]), "new": iter([1.0, 4.0, 2.0])}

    def contestant(name: str) -> Callable[[], float]:
        def once() -> float:
            turn.append(name)
            return next(times[name])

        return once

    assert libraries.turns(contestant("old"), contestant("new"), 3) == (6.0, 2.0, 2.0)
    assert turn == ["new", "old", "old", "new", "new", "old"]


def test_libraries_in_several_runs() -> None:
    name = ("ReLU", "4x4", "forward")
    (line,) = libraries.summary({name: [(4e-3, 1e-3, 4.0), (1e-3, 2e-3, 0.5), (2e-3, 2e-3, 1.1)]})
    assert line.split() == ["ReLU", "4x4", "forward", "2.000", "2.000", "1.10", "0.50", "to", "4.00"]


def test_each_library_has_a_process() -> None:
    pytest.importorskip("torch", reason="the benchmarks need PyTorch")
    found = list(libraries.compare([backend.library_path] * 2, ["ReLU6"], threads=1, budget=0.02, rounds=3))
    assert [name[::2] for name, _ in found] == [("ReLU6", "forward"), ("ReLU6", "backward")]
    assert all(figure > 0 for _, figures in found for figure in figures)
    found = list(libraries.compare([backend.library_path] * 2, ["digits"], threads=1, budget=0.02, rounds=3))
    assert [name for name, _ in found] == [("digits", "1x1x8x8", "forward")]


def test_ways_take_turns(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["ways", "16@6", "--threads=1", "--rounds=1"])
    monkeypatch.setattr(ways, "SHAPES", ((16, 6, 2), (16, 5, 1)))
    ways.main()
    pl.setCacheBytes(512 << 20)  # as it was
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split()[-5:] == list(ways.WAYS)
    assert [row.split()[:3] for row in rows] == [["16@6", "x2", "frozen"], ["16@6", "x2", "training"]]
    assert all(float(figure) > 0 for row in rows for figure in row.split()[3:])


@pytest.mark.parametrize("option", ["--runs=0", "--rounds=0", "--threads=0", "--budget=0", "--budget=nan"])
def test_libraries_measured_not_at_all(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str) -> None:
    monkeypatch.setattr("sys.argv", ["libraries", __file__, __file__, option])
    with pytest.raises(SystemExit):
        libraries.main()
    assert f"{option.split('=')[0]}: expected" in capsys.readouterr().err


def test_a_library_that_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="the benchmarks need PyTorch")
    monkeypatch.setattr("sys.argv", ["libraries", str(backend.library_path), __file__, "ReLU6", "--budget=0.02", "--rounds=1"])
    with pytest.raises(SystemExit, match="one of the two processes ended"):
        libraries.main()


def test_the_step_of_char_rnn_is_the_same_in_both_languages() -> None:
    ours, theirs = lua_programs.steps(4, 2)
    losses = [[step() for _ in range(3)] for step in (ours, theirs)]
    assert losses[0] == losses[1] and losses[0][2] < losses[0][0]
