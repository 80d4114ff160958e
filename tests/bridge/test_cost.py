"""What a conversion costs in memory. ``python -m benchmarks.bridge`` measures its time."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

from pytorch_legacy import nn

torch = pytest.importorskip("torch", reason='the bridge needs torch: pip install "pytorch-legacy[torch]"')


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="the kernel counts memory on Linux alone")
def test_resnet_50() -> None:
    """Three times its weights at most, proof and file included."""
    command = [sys.executable, "-m", "benchmarks.bridge"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=300)
    assert run.returncode == 0, run.stderr
    times = re.search(r"([\d.]+) times its weights", run.stdout)
    assert times and float(times[1]) < 3, run.stdout


def test_nothing_waits_for_the_garbage_collector() -> None:
    """Arrays are let go when the last line has read them: a missing attribute and a call of C leave no cycles."""
    gc.collect()
    gc.disable()
    try:
        layer = nn.Linear(4, 4)
        input = np.ones((2, 4), layer._dtype)
        seen = weakref.ref(input)
        assert not hasattr(layer, "missing")
        layer.forward(input)
        layer.__dict__.pop("_bindings")
        del input
        assert seen() is None
    finally:
        gc.enable()
