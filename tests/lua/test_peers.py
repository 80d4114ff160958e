"""The suites of others, where PYTORCH_LEGACY_PEERS names the folder with the suites of others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from . import peers


@pytest.mark.long
@pytest.mark.parametrize("suite", [*peers.SUITES, "dpnn --python", "optim --python"])
def test_suite(suite: str) -> None:
    """A suite runs in a process of its own, because tests number their modules from the first one of a process."""
    folder = os.environ.get("PYTORCH_LEGACY_PEERS")
    if not folder or not (Path(folder) / suite.split()[0]).is_dir():
        pytest.skip("needs PYTORCH_LEGACY_PEERS, a folder with the suites of others")
    command = [sys.executable, "-m", "tests.lua.peers", "--short", folder, *suite.split()]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
