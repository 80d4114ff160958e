"""Compiles a ``.cu`` file into a library of its own: by nvcc for a GPU, or by g++ for kernels that run on the CPU.

Such a library needs no libTHCUNN. It has its own part of the core (states, scratch memory, checks), compiled once and kept.
Where there is no nvcc, runtime.py compiles for a GPU.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from .compiler import INCLUDE, cxx_compiler, host_compiler, identity, kept, run

REALS = {"Cuda": "float", "CudaDouble": "double", "CudaHalf": "__half"}
PLACES = [f"-I{INCLUDE}", f"-I{INCLUDE / 'THCUNN'}", f"-I{INCLUDE / 'THNN'}"]
CORE = INCLUDE / "THCUNN" / "core"


def shared_library(source: Path, declares: Path, emulates: bool) -> Path:
    """The library of `source`, for single, double and half precision; `declares` is where its functions are declared."""
    compiler, flags = (cxx_compiler(), emulating()) if emulates else (_nvcc(), _FOR_NVCC)
    core = core_objects(compiler, flags, [CORE / "call.cu", CORE / "state.cu", CORE / "cublas.cu"], [CORE / "gemm.cu"])
    if emulates:
        core.append(emulation())
    options = [*flags, *PLACES, f"-I{source.parent}", "-DTHNN_CUDA"]

    def make(target: Path) -> str:
        told: list[str] = []
        objects = []
        for Real in REALS:
            objects.append(str(target.with_name(f"{Real}.o")))
            around = target.with_name(f"{Real}.cu")
            around.write_text(with_declarations(source, declares), encoding="utf-8")
            said = run([*compiler, *options, *typed(Real), "-c", str(around), "-o", objects[-1]], source)
            if said and said not in told:
                told.append(said)
        run([*compiler, "-shared", "-o", str(target), *objects, *map(str, core), "-ldl"], source)
        return "\n".join(told)

    key = [identity(compiler), *compiler, *options, *texts(source, declares), *(file.parent.name for file in core)]
    return kept(f"{source.stem}-{'emulated' if emulates else 'cuda'}.so", key, make)[0]


def with_declarations(source: Path, declares: Path) -> str:
    """A file around the layer's: its declarations first, so that a function that does not agree with its own is found."""
    first = "" if declares.suffix == ".c" else f'#include "{declares}"\n'
    return f'#include "THNN/layer.h"\n{first}#include "{source}"\n'


def typed(Real: str) -> list[str]:
    return [f"-DReal={Real}", f"-DTHNN_REAL={REALS[Real]}"]


def texts(source: Path, declares: Path) -> list[str]:
    """Returns the texts that a layer's ``.cu`` file consists of."""
    read = sorted({*source.parent.glob("*.h"), *source.parent.glob("*.cuh"), source.with_suffix(".c"), declares, source})
    return [file.read_text(encoding="utf-8", errors="replace") for file in read if file.is_file()]


def emulating() -> list[str]:
    """Returns the options that make g++ take CUDA for C++, with the header of the emulation."""
    flags = ["-x", "c++", "-std=gnu++20", "-include", str(INCLUDE / "THCUNN" / "host" / "emulation.h"), "-DTHCUNN_HOST"]
    quiet = ["-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Wno-unknown-pragmas"]
    return [*flags, "-fPIC", "-O1", "-ffp-contract=off", "-fvisibility=hidden", *quiet]


# For the GPU that is there.
_FOR_NVCC = [
    "-std=c++20", "-O3", "-arch=native", "--expt-relaxed-constexpr",
    "-Xcompiler=-fPIC,-fvisibility=hidden,-Wall,-Wextra,-Wno-missing-field-initializers",
]  # fmt: skip


def nvcc() -> str | None:
    """Returns the path of nvcc, or None."""
    homes = [os.environ.get(variable, "") for variable in ("CUDA_HOME", "CUDA_PATH")]
    places = [str(Path(home) / "bin" / "nvcc") for home in homes if home]
    return next(filter(None, map(shutil.which, [*places, "nvcc"])), None)


def _nvcc() -> tuple[str, ...]:
    found = nvcc()
    assert found is not None
    return (found,)


def core_objects(compiler: tuple[str, ...], flags: list[str], untyped: Sequence[Path], real: Sequence[Path]) -> list[Path]:
    """The objects of what every such library has: these files of the core, `real` for each element type, and libTHNN's checks."""
    command = (*compiler, *flags, "-DTHNN_CUDA")
    parts = [(file, command) for file in untyped] + [(file, (*command, *typed(Real))) for Real in REALS for file in real]
    plain = (*host_compiler(), "-std=gnu11", "-fPIC", "-O2", "-fvisibility=hidden")
    parts += [(INCLUDE / "THNN" / "core" / f"{name}.c", plain) for name in ("check", "environment", "space", "status")]
    return [_object(*part) for part in parts]


def emulation() -> Path:
    """The object of what runs kernels on the CPU."""
    command = (*cxx_compiler(), "-std=gnu++20", "-fPIC", "-O1", "-fvisibility=hidden")
    return _object(INCLUDE / "THCUNN" / "host" / "emulation.cpp", command)


def headers() -> str:
    """All that is installed for layers to include."""
    return "".join(file.read_text(encoding="utf-8") for file in sorted(INCLUDE.rglob("*.h")))


def _object(part: Path, command: tuple[str, ...]) -> Path:
    def make(target: Path) -> str:
        run([*command, *PLACES, "-w", "-c", str(part), "-o", str(target)], part)
        return ""

    key = [identity(command[:1]), *command, str(part), part.read_text(encoding="utf-8"), headers()]
    return kept(f"{part.stem}.o", key, make)[0]
