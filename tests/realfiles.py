"""Files that other people made with Torch7. They are not part of the project: tests that need them are skipped without."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FOLDER = Path(os.environ.get("PYTORCH_LEGACY_REALFILES") or Path(__file__).parents[2] / "shared" / "realfiles")


def realfile(name: str) -> Path:
    """The path of a file in the folder that PYTORCH_LEGACY_REALFILES names, else in ../shared/realfiles."""
    if not (FOLDER / name).exists():
        pytest.skip(f"{FOLDER / name} is not there")
    return FOLDER / name
