"""Compiles the C of networks, and runs it in this process or in one of its own."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pytorch_legacy import backend
from pytorch_legacy.backend import installed
from pytorch_legacy.errors import from_status

CC = shutil.which(os.environ.get("CC", "gcc"))
CXX = shutil.which(os.environ.get("CXX", "g++"))
WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Werror")


def run(*command: Any, **environment: str) -> str:
    """Returns the standard output of a command; a failure shows both outputs."""
    words = [*map(str, command)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, env={**os.environ, **environment})
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout[-5000:]}{done.stderr[-5000:]}"
    return done.stdout


def linked() -> list[Any]:
    """Returns the options that link a program with the library that the package uses, as docs/building.md has them."""
    return [backend.library_path, f"-Wl,-rpath,{backend.library_path.parent}"]


def library(folder: Path, sources: Sequence[Path], *options: str) -> ctypes.CDLL:
    """Returns a shared library of C files, which the compiler has no warning about."""
    target = folder / "networks.so"
    flags = ["-std=c11", "-O1", *WARNINGS, f"-I{installed.library}", "-shared", "-fPIC", *options]
    run(CC, *flags, *sources, "-o", target, *linked())
    return ctypes.CDLL(str(target))


def check_cpp(sources: Sequence[Path]) -> None:
    """Asserts that files are C++17, too, without a warning."""
    run(CXX, "-std=c++17", "-x", "c++", *WARNINGS, f"-I{installed.library}", "-fsyntax-only", *sources)


class Network:
    """A network of a library: `net(x)` is a run.

    Parameters
    ----------
    library : CDLL
    name : str
    bin : path or None
        The file of weights; None if these are part of the library.
    most : int or None
        The largest number of samples; None if the network has a fixed size.
    """

    def __init__(self, library: ctypes.CDLL, name: str, bin: Any, most: int | None) -> None:
        self.name = name
        self.library = library
        self.isBatched = most is not None
        self.handle = ctypes.c_void_p()
        self._lib = ctypes.CDLL(str(backend.library_path))
        self._lib.THNN_lastError.restype = ctypes.c_char_p
        given = [] if bin is None else [os.fsencode(bin) if not isinstance(bin, bytes) else bin]
        self._check("open", ctypes.byref(self.handle), *given, *([] if most is None else [ctypes.c_int64(most)]))

    def _check(self, function: str, *arguments: Any) -> None:
        status = getattr(self.library, f"{self.name}_{function}")(*arguments)
        if status:
            raise from_status(status, self._lib.THNN_lastError().decode())

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any], n: int | None = None) -> None:
        """Runs the network on dense arrays."""
        addresses = [ctypes.c_void_p(one.ctypes.data if one is not None else None) for one in [*inputs, *outputs]]
        count = [ctypes.c_int64(len(inputs[0]) if n is None else n)] if self.isBatched else []
        self._check("run", self.handle, *count, *addresses)

    def __call__(self, inputs: Sequence[Any], like: Sequence[Any], n: int | None = None) -> list[Any]:
        """Returns the outputs, which are arrays as those of `like`."""
        outputs = [np.full_like(np.asarray(one), 77) for one in like]
        self.run([np.ascontiguousarray(one) for one in inputs], outputs, n)
        return outputs

    def forget(self) -> None:
        """Deletes the state."""
        self._check("forget", self.handle)

    def close(self) -> None:
        """Frees the network."""
        self._check("close", self.handle)
        self.handle = ctypes.c_void_p()
