"""The example learns what it is to learn."""

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "sequences" / "adding.py"


def test_adding() -> None:
    assert runpy.run_path(str(EXAMPLE))["train"](300) < 0.05
