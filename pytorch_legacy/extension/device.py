"""Compiles a ``.cu`` file into a library of its own: with nvcc for a GPU, or with g++ for kernels that run on the CPU.

Such a library needs no libTHCUNN. It has its own part of the core (states, scratch memory, checks), compiled once and kept.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ..errors import ExtensionError
from .compiler import INCLUDE, cxx_compiler, host_compiler, identity, kept, run

REALS = {"Cuda": "float", "CudaDouble": "double", "CudaHalf": "__half"}
_UNTYPED = ("call", "state", "cublas")
_CHECKS = ("check", "space", "status")
_PLACES = [f"-I{INCLUDE}", f"-I{INCLUDE / 'THCUNN'}", f"-I{INCLUDE / 'THNN'}"]


def shared_library(source: Path, declares: Path, emulates: bool) -> Path:
    """The library of `source`, for single, double and half precision; `declares` is where its functions are declared."""
    compiler, flags = _emulating() if emulates else _nvcc(source)
    core = _core(compiler, flags, emulates)
    options = [*flags, *_PLACES, f"-I{source.parent}", "-DTHNN_CUDA"]

    def make(target: Path) -> str:
        told: list[str] = []
        objects = []
        for Real, real in REALS.items():
            objects.append(str(target.with_name(f"{Real}.o")))
            # A file around the layer's: its declarations first, so that a function that does not agree with its own is found.
            around = target.with_name(f"{Real}.cu")
            first = "" if declares.suffix == ".c" else f'#include "{declares}"\n'
            around.write_text(f'#include "THNN/layer.h"\n{first}#include "{source}"\n', encoding="utf-8")
            defines = [f"-DReal={Real}", f"-DTHNN_REAL={real}"]
            said = run([*compiler, *options, *defines, "-c", str(around), "-o", objects[-1]], source)
            if said and said not in told:
                told.append(said)
        run([*compiler, "-shared", "-o", str(target), *objects, *map(str, core), "-ldl"], source)
        return "\n".join(told)

    read = sorted({*source.parent.glob("*.h"), *source.parent.glob("*.cuh"), source.with_suffix(".c"), declares, source})
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in read if file.is_file()]
    key = [identity(compiler), *compiler, *options, *texts, *(file.parent.name for file in core)]
    return kept(f"{source.stem}-{'emulated' if emulates else 'cuda'}.so", key, make)[0]


def _emulating() -> tuple[tuple[str, ...], list[str]]:
    """g++, which takes CUDA for C++ with the header of the emulation."""
    flags = ["-x", "c++", "-std=gnu++20", "-include", str(INCLUDE / "THCUNN" / "host" / "emulation.h"), "-DTHCUNN_HOST"]
    quiet = ["-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Wno-unknown-pragmas"]
    return cxx_compiler(), [*flags, "-fPIC", "-O1", "-ffp-contract=off", "-fvisibility=hidden", *quiet]


def _nvcc(source: Path) -> tuple[tuple[str, ...], list[str]]:
    """nvcc, for the GPU that is there."""
    homes = [os.environ.get(variable, "") for variable in ("CUDA_HOME", "CUDA_PATH")]
    places = [str(Path(home) / "bin" / "nvcc") for home in homes if home]
    nvcc = next(filter(None, map(shutil.which, [*places, "nvcc"])), None)
    if nvcc is None:
        raise ExtensionError(
            f"{source}: needs nvcc, which is in no folder of PATH, CUDA_HOME or CUDA_PATH; install NVIDIA's CUDA toolkit, or "
            "test the kernels on the CPU with pl.extension.load(..., emulate=True)"
        )
    host = "-Xcompiler=-fPIC,-fvisibility=hidden,-Wall,-Wextra,-Wno-missing-field-initializers"
    return (nvcc,), ["-std=c++20", "-O3", "-arch=native", "--expt-relaxed-constexpr", host]


def _core(compiler: tuple[str, ...], flags: list[str], emulates: bool) -> list[Path]:
    """The objects of what every such library has."""
    device, host = INCLUDE / "THCUNN", INCLUDE / "THNN" / "core"
    parts = [(device / "core" / f"{name}.cu", (*compiler, *flags, "-DTHNN_CUDA")) for name in _UNTYPED]
    for Real, real in REALS.items():
        command = (*compiler, *flags, "-DTHNN_CUDA", f"-DReal={Real}", f"-DTHNN_REAL={real}")
        parts.append((device / "core" / "gemm.cu", command))
    plain = (*host_compiler(), "-std=gnu11", "-fPIC", "-O2", "-fvisibility=hidden")
    parts += [(host / f"{name}.c", plain) for name in _CHECKS]
    if emulates:
        parts.append((device / "host" / "emulation.cpp", (*compiler, "-std=gnu++20", "-fPIC", "-O1", "-fvisibility=hidden")))
    headers = "".join(file.read_text(encoding="utf-8") for file in sorted(INCLUDE.rglob("*.h")))
    objects = []
    for part, command in parts:
        key = [identity(command[:1]), *command, str(part), part.read_text(encoding="utf-8"), headers]
        objects.append(kept(f"{part.stem}.o", key, lambda target, p=part, c=command: _compiled(p, c, target))[0])  # type: ignore[misc]
    return objects


def _compiled(part: Path, command: tuple[str, ...], target: Path) -> str:
    run([*command, *_PLACES, "-w", "-c", str(part), "-o", str(target)], part)
    return ""
