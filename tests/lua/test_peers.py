"""The suites of others, where PYTORCH_LEGACY_PEERS names the folder with the suites of others."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from . import peers


def test_suites(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    folder = os.environ.get("PYTORCH_LEGACY_PEERS")
    if not folder or not (Path(folder) / "luajit").is_dir():
        pytest.skip("needs PYTORCH_LEGACY_PEERS, a folder with the suites of others")
    monkeypatch.setattr(sys, "argv", ["peers", folder])
    assert peers.main() == 0, capsys.readouterr().out
