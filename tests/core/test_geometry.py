"""Compiles test_geometry.c, and holds adaptive windows to integers that cannot overflow.

The windows of outputs and the outputs of cells are the same rule with the two sizes exchanged.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
COMPILER = shutil.which(os.environ.get("CC", "gcc"))
FLAGS = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover"]
MOST = 2**31 - 1  # windows
CELLS = 2**61  # the largest tensor of floats

SMALL = [(7, 3), (3, 7), (1, 1), (MOST, MOST)]
LARGE = [(2**33 + 1, MOST), (2**37 - 1, MOST), (2**40, 3), (CELLS, MOST), (CELLS - 1, 1), (CELLS, 5)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("geometry") / "test_geometry"
    assert COMPILER
    include = HERE.parent.parent / "THNN"
    subprocess.run([COMPILER, *FLAGS, f"-I{include}", HERE / "test_geometry.c", "-o", target], check=True, timeout=60)
    return target


@pytest.mark.skipif(COMPILER is None, reason="needs gcc, or the environment variable CC")
@pytest.mark.parametrize("of", ["outputs", "cells"])
def test_adaptive_windows_of_all_sizes(program: Path, of: str) -> None:
    rng = random.Random(3)
    drawn = [(rng.randint(1, 2 ** rng.randint(1, 61)), rng.randint(1, 2 ** rng.randint(1, 31) - 1)) for _ in range(300)]
    lines = []
    for cells, windows in SMALL + LARGE + drawn:
        size, count = (cells, windows) if of == "outputs" else (windows, cells)
        chosen = {0, 1, count // 2, count - 2, count - 1, rng.randrange(count)}
        lines += [(o, size, count) for o in chosen if 0 <= o < count]
    text = "\n".join(" ".join(map(str, line)) for line in lines)
    done = subprocess.run([program], input=text, capture_output=True, text=True, timeout=60, check=True)
    found = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert found == [(o * size // count, -(-(o + 1) * size // count)) for o, size, count in lines]
