"""examples/ddp.py, as its user runs it: two processes, stopped, and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import pytorch_legacy as pl
from tests.terminal import as_foreground

ROOT = Path(__file__).resolve().parent.parent.parent
EPOCHS = 6


def started(out: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(ROOT / "examples" / "ddp.py"), "--out", str(out), "--epochs", str(EPOCHS), *options]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, env=environment,
        preexec_fn=as_foreground,
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, errors = process.communicate(timeout=200)
    return process.returncode, out, errors


def arrays(checkpoint: dict[str, Any]) -> list[Any]:
    """All that training moves: parameters, running statistics, and the optimizer's momentum."""
    net = checkpoint["model"]
    statistics = [getattr(net[i], name) for i in (1, 5) for name in ("running_mean", "running_var")]
    return [*net.parameters()[0], *statistics, *checkpoint["momentum"]]


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    """Bit for bit. Ctrl-C at a terminal goes to all processes."""
    status, out, errors = ended(started(tmp_path / "whole.t7"))
    assert status == 0 and not errors, errors
    assert [line.split(":")[0] for line in out.splitlines()] == [f"epoch {i} of {EPOCHS}" for i in range(1, EPOCHS + 1)]
    whole = pl.load(tmp_path / "whole.t7")

    process, until = started(stopped := tmp_path / "stopped.t7"), time.monotonic() + 100
    while not stopped.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGINT)
    status, _, errors = ended(process)
    assert status == 130 and errors == "stopped; the same command goes on after the last epoch that is done\n"
    done = pl.load(stopped)["epoch"]
    assert 1 <= done < EPOCHS
    status, out, errors = ended(started(stopped))
    assert status == 0 and f"has {done} epochs of {EPOCHS}: going on" in out and f"epoch {done + 1} of" in out, errors
    resumed = pl.load(stopped)
    assert len(arrays(whole)) == len(arrays(resumed)) == 10 + 4 + 10
    for one, other in zip(arrays(whole), arrays(resumed), strict=True):
        np.testing.assert_array_equal(one, other)
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("whole.t7", "stopped.t7")] == []

    digits = pl.load(ROOT / "examples" / "digits" / "digits_test.t7")
    x = (digits["images"].astype(np.float32) / 255 - np.float32(whole["mean"])) / np.float32(whole["std"])
    net = whole["model"].evaluate()
    assert (net.forward(x).argmax(1) == digits["labels"] - 1).mean() > 0.85

    for options, words in (
        ((), "nothing is left to do"),
        (("--batch", "8"), "expected a checkpoint of a run with {'processes': 2"),
    ):
        status, out, errors = ended(started(stopped, *options))
        assert words in out + errors and status == (1 if options else 0)


def test_a_killed_process_ends_the_run(tmp_path: Path) -> None:
    process = started(tmp_path / "out.t7", "--batch", "1")
    children, until = Path(f"/proc/{process.pid}/task/{process.pid}/children"), time.monotonic() + 100
    while not (tmp_path / "out.t7").exists() and time.monotonic() < until:
        time.sleep(0.01)
    pids = [int(pid) for pid in children.read_text().split()]
    ours = [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert len(ours) == 2
    os.kill(ours[1], signal.SIGKILL)
    assert ended(process)[0] == 1
    assert not any(Path(f"/proc/{pid}").exists() for pid in ours)
    assert 1 <= pl.load(tmp_path / "out.t7")["epoch"] < EPOCHS
