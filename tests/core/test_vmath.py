"""Compiles test_vmath.c as the library is compiled, and runs it: the vector functions of core/vmath.h against libm."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
COMPILER = shutil.which(os.environ.get("CC", "gcc"))
FLAGS = ["-std=gnu11", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-Wall", "-Wextra"]


@pytest.mark.parametrize("options", [[], ["-DTHNN_NO_CLONES"]], ids=["chosen when loaded", "one for all processors"])
@pytest.mark.skipif(COMPILER is None, reason="needs gcc, or the environment variable CC")
def test_vector_functions(tmp_path: Path, options: list[str]) -> None:
    program = tmp_path / "test_vmath"
    include = HERE.parent.parent / "THNN"
    assert COMPILER
    command = [COMPILER, *FLAGS, *options, f"-I{include}", HERE / "test_vmath.c", "-o", program, "-lm"]
    subprocess.run(command, check=True, timeout=300)
    done = subprocess.run([program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
