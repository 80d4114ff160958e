"""Quotients by a product and a shift are those of a division."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
THCUNN = ROOT / "THCUNN"


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_quotients(tmp_path: Path) -> None:
    program, source = tmp_path / "divisor", Path(__file__).with_name("divisor.cu")
    command = ["g++", "-std=gnu++20", "-O1", "-fopenmp", "-DTHNN_CUDA", "-DTHCUNN_HOST", "-DReal=Cuda", "-DTHNN_REAL=float"]
    command += ["-include", f"{THCUNN}/host/emulation.h", f"-I{THCUNN}", f"-I{ROOT}/THNN"]
    subprocess.run([*command, "-x", "c++", source, "-o", program], check=True)
    assert subprocess.run([program], check=False).returncode == 0
