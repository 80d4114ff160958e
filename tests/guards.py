"""The guards of a layer: ``python -m tests.guards SpatialMaxPooling`` runs all that must hold for a new or a changed one, and
``python -m tests.guards --where SpatialMaxPooling`` prints its files and where it stands in them.

First comes the form of its files, then the tests that hold header, lists, pages and examples together, then every check of the
class's cases, of its C functions and of its rule for PyTorch. What fails says what to write or to run. Kernels have a command of
their own, which is named at the end.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from pytorch_legacy.backend import header

_END = re.compile(r"\);\s*(/\*.*\*/)?$")
HERE = Path(__file__).parent
ROOT = HERE.parent
TOGETHER = (
    "test_header.py",
    "test_symbols.py",
    "test_abi_pages.py",
    "nn/test_native.py",
    "test_examples.py::test_every_public_class_has_an_example_that_shows_a_result",
    "test_examples.py::test_examples_run_as_printed[nn]",
    "test_layers.py::test_every_class_has_cases",
    "test_layers.py::test_every_function_has_cases",
    "nn/test_arguments.py",
    "nn/test_at_the_prompt.py",
    "explain/test_gallery.py",
    "explain/test_chapter.py",
)
OF_A_CLASS = (
    "test_layers.py",
    "test_layer_errors.py",
    "test_layer_memory.py",
    "test_null_arguments.py",
    "test_definitions.py",
    "bridge/test_cases.py",  # skipped without torch
)


def missing(name: str) -> list[str]:
    """Returns the missing files of a class, without which there is nothing to test."""
    from pytorch_legacy import nn

    found = []
    if not isinstance(getattr(nn, name, None), type):
        found.append(f"no folder of pytorch_legacy/nn has a {name}.py with that class, or its __init__.py calls it a base")
    if not (HERE / "cases" / f"{name}.py").exists():
        found.append(f"there is no tests/cases/{name}.py")
    return found


def where(name: str) -> list[header.Place]:
    """The files of a class that people write, and its lines in them: declarations, C and CUDA, Python, and its cases."""
    found = header.where(name, ROOT)
    known = [place.path for place in found]
    beside = [
        path for one in known for path in sorted(one.parent.glob(f"{one.stem}*")) if _hasStem(path, one) and path not in known
    ]
    python = [path for folder in ("pytorch_legacy/nn/*", "tests/cases") for path in ROOT.glob(f"{folder}/{name}.py")]
    return [*declared(name), *found, *map(_whole, [*beside, *python])]


def declared(name: str) -> list[header.Place]:
    """Returns the lines of THNN.h that declare the C functions of a class. Functions one below the other are one place."""
    path = ROOT / "THNN" / "THNN.h"
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    found: list[header.Place] = []
    for function in header.parse(text):
        if function.layer != name:
            continue
        first = function.line
        last = next(number for number in range(first, len(lines) + 1) if _END.search(lines[number - 1]))
        if found and first - found[-1].last <= 2:  # a blank line is between them
            first = found.pop().first
        found.append(header.Place(path, first, last))
    return found


def _hasStem(path: Path, c: Path) -> bool:
    """Returns whether a file has the name of a C file, or this name and an ending such as _fast."""
    return path.suffix in (".c", ".h", ".cu", ".cuh") and path.stem.partition("_")[0] == c.stem


def _whole(path: Path) -> header.Place:
    return header.Place(path, 1, len(path.read_text(encoding="utf-8").splitlines()))


def styles(names: list[str]) -> list[list[str]]:
    """Commands that look at the form of files; of the tools that are there."""
    found = list(dict.fromkeys(place.path for name in names for place in where(name)))
    python = [str(path) for path in found if path.suffix == ".py"]
    c = [str(path) for path in found if path.suffix != ".py"]
    ways = {"clang-format": (["--dry-run", "--Werror"], c), "ruff": (["check", "-q"], python)}
    return [[tool, *options, *paths] for tool, (options, paths) in ways.items() if paths and shutil.which(tool)]


def commands(name: str) -> list[list[str]]:
    """Returns the commands that test a class, one after the other."""
    python = [sys.executable, "-m", "pytest", "-q"]
    return [
        [*python, *(str(HERE / guard) for guard in TOGETHER)],
        [*python, *(str(HERE / guard) for guard in OF_A_CLASS), "-k", f"[{name}] or {name}_ or test_fast_as_defined[{name}-"],
    ]


def main(names: list[str]) -> int:
    if not names:
        print("usage: python -m tests.guards [--where] CLASS ...", file=sys.stderr)
        return 2
    if names[0] == "--where":
        for place in [place for name in names[1:] for place in where(name)]:
            print(f"{place.path.relative_to(ROOT).as_posix()}:{place.first}-{place.last}")
        return 0
    if lacks := [line for name in names for line in missing(name)]:
        print("\n".join(lacks), file=sys.stderr)
        return 1
    first, *_ = commands(names[0])
    runs = [*styles(names), first, *(commands(name)[1] for name in names)]
    failed = [command for command in runs if subprocess.run(command, cwd=ROOT).returncode]
    if any(command[0] == "clang-format" for command in failed):
        print("the form of C or CUDA is not that of .clang-format: run tests/format.sh -i", file=sys.stderr)
    for name in names:
        if header.where(name, ROOT):
            print(f"left to run: tests/cuda/run.sh layer {name}, which runs it as on a GPU, with emulated kernels")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
