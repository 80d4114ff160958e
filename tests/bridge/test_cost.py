"""The memory that a conversion needs. ``python -m benchmarks.bridge`` measures its time."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the kernel counts memory on Linux alone")
def test_resnet_50() -> None:
    """Three times its weights at most, proof and file included."""
    command = [sys.executable, "-m", "benchmarks.bridge"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=300)
    assert run.returncode == 0, run.stderr
    times = re.search(r"([\d.]+) times its weights", run.stdout)
    assert times and float(times[1]) < 3, run.stdout
