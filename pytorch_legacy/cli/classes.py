"""``--classes FILE.py``: a file whose classes a command uses beside those of this package."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.nn.Module import Module


def add_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--classes", metavar="FILE.py", action="append", default=[],
        help="Python file of your own classes (pl.register)",
    )  # fmt: skip


def imported(files: list[str]) -> dict[str, type[Module]]:
    """Imports the files, and returns their layers by name.

    A file is imported by its name from its folder, so that worker processes find its classes, too.
    """
    found: dict[str, type[Module]] = {}
    for file in files:
        path = Path(file).resolve()
        if path.suffix != ".py" or not path.is_file():
            raise Problem(f"--classes {file}: {'expected a file mine.py' if path.exists() else 'there is no such file'}")
        sys.path.insert(0, str(path.parent))
        try:
            module = importlib.import_module(path.stem)
        except Exception as error:
            raise Problem(f"--classes {file}: {type(error).__name__}: {error}") from None
        if Path(getattr(module, "__file__", None) or "").resolve() != path:
            raise Problem(f"--classes {file}: another module is called {path.stem}; choose another name for the file")
        layers: dict[str, Any] = {name: thing for name, thing in vars(module).items() if isinstance(thing, type)}
        found |= {name: thing for name, thing in layers.items() if issubclass(thing, Module)}
    return found
