"""The benchmark of a GPU, as far as it runs without one: what it says when something lacks, and how it takes turns."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
cuda = pytest.importorskip("benchmarks.cuda")


def test_what_lacks_is_said_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTORCH_LEGACY_THCUNN", "nowhere.so")
    with pytest.raises(SystemExit, match=r"python -m benchmarks --device cuda: nn.Identity: .* libTHCUNN \(nowhere.so\)"):
        cuda.main([], 0.1, False, list, print)


def test_sets_are_larger_than_the_cache() -> None:
    for size in (1, 10_000_000, 1 << 30):
        assert 2 <= cuda.sets(size) <= 64
    assert cuda.sets(10_000_000) * 10_000_000 > cuda.LARGER_THAN_CACHE


def test_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """All sets in order, ours and theirs in turn; the ratio is theirs over ours."""
    calls: list[str] = []

    def once(job: Any) -> float:
        job()
        return 0.1 if calls[-1].startswith("ours") else 0.2

    monkeypatch.setattr(cuda, "once", once)
    ours = [lambda name=f"ours {i}": calls.append(name) for i in range(2)]
    theirs = [lambda name=f"theirs {i}": calls.append(name) for i in range(2)]
    result = cuda.pair(ours, theirs, 1.0, copy=1e3)
    assert calls[:4] == ["ours 0", "ours 1", "theirs 0", "theirs 1"]  # to warm up
    assert calls[4:8] == ["ours 0", "theirs 0", "ours 1", "theirs 1"]
    assert (result.ours, result.theirs, result.ratio) == (0.1, 0.2, 2.0)
    assert result.perByte == pytest.approx(0.01)  # a byte takes the copy a millisecond, which is a hundredth of our time
