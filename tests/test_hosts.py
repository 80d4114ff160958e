"""Programs in C, LuaJIT and Python that embed libTHNN without this package: they build, run, and print the same."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import backend
from pytorch_legacy.backend import header

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "THNN" / "THNN.h"
EMBED = ROOT / "examples" / "embed"
DECLARATIONS = backend.library_path.with_name("THNN_ffi.h")
COMPILER = shutil.which(os.environ.get("CC", "cc"))

EXPECTED = """\
pooled     2.5 4.5 10.5 12.5
scores     1 8
gradImage  0.25 0.25 -0.5 -0.5 0.25 0.25 -0.5 -0.5 0.5 0.5 -0.25 -0.25 0.5 0.5 -0.25 -0.25
gradWeight 2.5 4.5 10.5 12.5 -2.5 -4.5 -10.5 -12.5
error 2: THNN_FloatSpatialAdaptiveAveragePooling_updateOutput: output: expected 1 x 3 x 3, got 1 x 2 x 2
"""

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler (cc, or the environment variable CC)")
needs_luajit = pytest.mark.skipif(shutil.which("luajit") is None, reason="needs luajit (apt-get install luajit)")


def run(*command: str | Path, **environment: str) -> str:
    """The command's standard output; a failure shows both outputs."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, **environment})
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


def compiled(source: Path, directory: Path, *more: str) -> Path:
    """Build a host against the library that the package uses."""
    for name in ("libTHNN.so", "libTHNN.so.1"):  # the linker looks for the one, the loader for the other
        (directory / name).symlink_to(backend.library_path.resolve())
    program = directory / source.stem
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{HEADER.parent}", "-pthread", *more]
    link = [f"-L{directory}", "-lTHNN", f"-Wl,-rpath,{directory}"]
    run(COMPILER, *flags, source, "-o", program, *link)
    return program


@needs_compiler
def test_c(tmp_path: Path) -> None:
    assert run(compiled(EMBED / "embed.c", tmp_path)) == EXPECTED


@needs_compiler
def test_c_of_the_readme(tmp_path: Path) -> None:
    """The program in README.md compiles, prints what its comment says, and ends with the code of its mistake."""
    (text,) = re.findall(r"```c\n(.*?int main.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    source = tmp_path / "readme.c"
    source.write_text(text)
    done = subprocess.run([compiled(source, tmp_path)], capture_output=True, text=True)
    (promised,) = re.findall(r"printf.*/\* (.*) \*/", text)
    assert (done.stdout.strip(), done.returncode) == (promised, 2)


@needs_compiler
def test_c_threads_and_fork(tmp_path: Path) -> None:
    lines = run(compiled(ROOT / "tests" / "hosts" / "threads.c", tmp_path, "-fopenmp")).splitlines()
    assert "a parallel region of the host" in lines
    assert lines[-1] == "a child forked while 6 threads run"


@needs_luajit
def test_luajit() -> None:
    assert run("luajit", EMBED / "embed.lua", backend.library_path, DECLARATIONS) == EXPECTED


@needs_luajit
def test_a_network_in_luajit(tmp_path: Path) -> None:
    """A .thnn file gives the bits of the program that wrote it."""
    program = pl.compile(pl.load(ROOT / "examples" / "digits" / "digits.t7")["model"], (None, 1, 8, 8))
    program.save(tmp_path / "digits.thnn")
    x = np.random.default_rng(3).standard_normal((1, 1, 8, 8)).astype(np.float32)
    x.tofile(tmp_path / "x.bin")
    host, libraries = EMBED / "program.lua", (backend.library_path, DECLARATIONS)
    *numbers, error = run("luajit", host, tmp_path / "digits.thnn", *libraries, tmp_path / "x.bin").splitlines()
    np.testing.assert_array_equal(np.float32([*map(float, numbers)]), program(x)[0])
    assert error == "error: THNN_planProgram: inputs[0]: expected floats n x 1 x 8 x 8, got floats 0 x 1 x 8 x 8"


@needs_luajit
def test_luajit_knows_every_function(tmp_path: Path) -> None:
    """ffi.cdef takes the declarations as they are, and ffi.load finds a symbol for each."""
    script = tmp_path / "symbols.lua"
    script.write_text(
        "local ffi = require 'ffi'\n"
        "ffi.cdef(io.open(arg[2]):read('*a'))\n"
        "local THNN = ffi.load(arg[1])\n"
        "for name in io.lines(arg[3]) do assert(THNN[name], name) end\n"
        "print(ffi.sizeof 'THFloatTensor', ffi.sizeof 'THLongTensor')\n"
    )
    names = tmp_path / "names.txt"
    names.write_text("\n".join(name for function in header.read(HEADER) for name in function.exports))
    assert run("luajit", script, backend.library_path, DECLARATIONS, names).split() == ["144", "144"]


def test_ctypes() -> None:
    """In a Python that cannot even see this package."""
    assert run(sys.executable, "-I", "-S", EMBED / "embed.py", backend.library_path) == EXPECTED


@needs_compiler
@pytest.mark.parametrize("name", ["THNN.h", "THNN_base.h", "THNN_array.h", "THNN_program.h"])
@pytest.mark.parametrize("language", ["c -std=c11", "c++ -std=c++17"])
def test_header_stands_alone(language: str, name: str, tmp_path: Path) -> None:
    """Each header compiles by itself, without a warning, in the languages that hosts are written in."""
    compiler, standard = language.split()
    source = tmp_path / "alone.txt"
    source.write_text(f"#include <{name}>\n#include <{name}>\nint main(void) {{ return THNN_OK; }}\n")
    warnings = ["-pedantic", "-Wall", "-Wextra", "-Werror"]
    command = [COMPILER, "-x", compiler, standard, *warnings, "-fsyntax-only", f"-I{HEADER.parent}"]
    tried = subprocess.run([*command, "-"], input="int main(void) { return 0; }", capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"{COMPILER} does not know {language}")
    run(*command, source)
