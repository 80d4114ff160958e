"""Includes of THNN and THCUNN form no circle: a file can be read after those that it includes, without any of them needing it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)
ENDINGS = {".c", ".h", ".cu", ".cuh", ".cpp"}
REPEATED = {"THNN/THNN.h": "it includes itself, once for each element type"}


def includes(root: Path, library: str) -> dict[str, set[str]]:
    """Returns the files of a library and those that they include. THCUNN's folders are searched before THNN's."""
    folders = [root / "THNN"] if library == "THNN" else [root / "THCUNN", root / "THNN"]
    found: dict[str, set[str]] = {}
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in ENDINGS):
        places = [[base / name for base in (*folders, path.parent)] for name in INCLUDE.findall(path.read_text(encoding="utf-8"))]
        targets = {next((place.resolve() for place in several if place.exists()), None) for several in places}
        found[path.relative_to(root).as_posix()] = {target.relative_to(root.resolve()).as_posix() for target in targets if target}
    return found


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """Returns a chain of files each of which includes the next one and the last one the first, or nothing."""
    left = {name: others & arrows.keys() for name, others in arrows.items()}
    while leaves := [name for name, others in left.items() if not others & left.keys()]:
        for name in leaves:
            del left[name]
    chain = sorted(left)[:1]
    while chain and (after := min(left[chain[-1]] & left.keys())) not in chain:
        chain.append(after)
    return chain[chain.index(after) :] if chain else []


@pytest.mark.parametrize("library", ["THNN", "THCUNN"])
def test_no_file_includes_itself_through_others(library: str) -> None:
    arrows = includes(ROOT, library)
    for name in REPEATED:
        assert name in arrows[name]
        arrows[name].discard(name)
    assert circle(arrows) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    for name, text in {
        "a.c": '#include "pooling/b.h"',
        "pooling/b.h": '#  include "c.h"',
        "pooling/c.h": '#include "pooling/b.h"',
    }.items():
        (tmp_path / "THNN" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "THNN" / name).write_text(text)
    assert circle(includes(tmp_path, "THNN")) == ["THNN/pooling/b.h", "THNN/pooling/c.h"]
