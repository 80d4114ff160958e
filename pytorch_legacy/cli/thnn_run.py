"""The command ``thnn-run``: hands over to the program in C (THNN/thnn-run/thnn-run.c), which lies beside libTHNN."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Runs thnn-run in place of this process."""
    path = Path(__file__).resolve().parents[1] / "lib" / "thnn-run"
    try:
        os.execv(path, ["thnn-run", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"thnn-run: {path}: {error.strerror}; install the package again")
