"""The suites of others, where PYTORCH_LEGACY_PEERS names the folder with the suites of others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from . import peers


@pytest.mark.parametrize("suite", peers.SUITES)
def test_suite(suite: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = os.environ.get("PYTORCH_LEGACY_PEERS")
    if not folder or not (Path(folder) / suite).is_dir():
        pytest.skip("needs PYTORCH_LEGACY_PEERS, a folder with the suites of others")
    assert peers.report(suite, Path(folder).resolve()), capsys.readouterr().out
