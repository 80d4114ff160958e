"""Compiles the C of networks, and runs it in this process or in one of its own."""

from __future__ import annotations

import ctypes
import os
import re
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
    assert done.returncode == 0, f"{words[0]}\n{done.stdout[-5000:]}{done.stderr[-5000:]}"
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


COUNTING = """\
/* With COUNTS, counts what is allocated while `isCounting` is set. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <THNN.h>

static int isCounting, count;
static int hasNaN;

/* The i-th number of an input. */
static double number(int i) { return hasNaN ? (i % 7 ? 1 : 0.0 / 0.0) : (i * 7919 % 1000) / 500.0 - 1; }

#ifdef COUNTS
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { return count += isCounting, __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return count += isCounting, __libc_calloc(n, size); }
void *realloc(void *memory, size_t size) { return count += isCounting, __libc_realloc(memory, size); }
void *memalign(size_t unit, size_t size) { return count += isCounting, __libc_memalign(unit, size); }
void *aligned_alloc(size_t unit, size_t size) { return count += isCounting, __libc_memalign(unit, size); }
int posix_memalign(void **memory, size_t unit, size_t size)
{
  return count += isCounting, *memory = __libc_memalign(unit, size), *memory ? 0 : ENOMEM;
}
void *mmap(void *start, size_t size, int access, int flags, int file, off_t offset)
{
  return count += isCounting, (void *)syscall(SYS_mmap, start, size, access, flags, file, offset);
}
#endif

static void check(int32_t status)
{
  if (status == THNN_OK) return;
  puts(THNN_lastError());
  exit(1);
}
"""
"""The beginning of a program that counts allocations."""


def host(header: Path) -> str:
    """Returns a C function that runs a network for several n, and prints how often it allocated.

    Its name is that of the network and ``_host``.
    """
    name, verb, opening, running = _declared(header)
    ports = re.findall(r"(const )?(\w+) \*(\w+)", running.partition(",")[2])
    isBatched = "int64_t n" in running
    lines = [f"static void {name}_host(void)", "{", f"  struct {name} *network;"]
    for isInput, type, port in ports:
        size = f"{name.upper()}_{port.upper()}" + "(5)" * isBatched if port != "loss" else "1"
        lines.append(f"  {type} *{port} = ({type} *)calloc({size}, sizeof({type}));")
        if isInput:
            lines.append(
                f"  for (int i = 0; i < {size}; i++) {port}[i] = {'number(i)' if type in ('float', 'double') else 'i % 3'};"
            )
    given = [f'"{header.with_suffix(".bin")}"'] * ("bin" in opening) + ["5"] * ("most" in opening)
    lines += ["  isCounting = 1;", f"  check({name}_open({', '.join(['&network', *given])}));", "  isCounting = 0;"]
    lines += [f'  printf("{name} open %d\\n", count);', "  const int samples[] = {1, 2, 5, 3, 4, 1};"]
    arguments = ", ".join(["network", *["n"] * isBatched, *(port for _, _, port in ports)])
    run = [f"    check({name}_{verb}({arguments}));"]
    if f"{name}_forget" in header.read_text():
        run += [*run, f"    check({name}_forget(network));"]
    lines += ["  for (int i = 0; i < 6; i++) {", "    const int n = samples[i];", "    isCounting = 1, count = 0;", *run,
              "    isCounting = 0;", f'    printf("{name} %d %d\\n", n, count);']  # fmt: skip
    lines += ["  }", f"  check({name}_close(network));", *(f"  free({port});" for _, _, port in ports), "}", ""]
    return "\n".join(lines)


def _declared(header: Path) -> tuple[str, str, str, str]:
    """Returns the name of a network, how it runs ("run", or "step"), and the parameters of the functions that open and run it."""
    found = re.findall(r"^int32_t (\w+)_(open|run|step)\(([^;]*)\);", header.read_text(), re.MULTILINE)
    (name, _, opening), (_, verb, running) = found
    return name, verb, opening, running


_TYPES = {"float": np.float32, "double": np.float64, "int64_t": np.int64, "uint8_t": np.uint8}


class Network:
    """A network of a library: `net(x, y)` is a run.

    Parameters
    ----------
    library : CDLL
    header : path
        Its header, from which the types of its outputs are read. The file of weights lies beside it, unless they are embedded.
    most : int
        The largest number of samples, if the functions take it.
    bin : path, optional
        Another file of weights.
    """

    def __init__(self, library: ctypes.CDLL, header: Path, most: int = 1, bin: Any = None) -> None:
        self.library = library
        self.handle = ctypes.c_void_p()
        self._lib = ctypes.CDLL(str(backend.library_path))
        self._lib.THNN_lastError.restype = ctypes.c_char_p
        self.name, self._verb, opening, running = _declared(header)
        self.isBatched = "int64_t n" in running
        self.outputs = [_TYPES[type] for type in re.findall(r"[,(]\s*(\w+) \*", f",{running.partition(',')[2]}")]
        given = [os.fsencode(bin or header.with_suffix(".bin"))] if "bin" in opening else []
        self.call("open", ctypes.byref(self.handle), *given, *([ctypes.c_int64(most)] if "most" in opening else []))

    def call(self, function: str, *arguments: Any) -> None:
        """Calls a function, and raises the exception of its status."""
        status = getattr(self.library, f"{self.name}_{function}")(*arguments)
        if status:
            raise from_status(status, self._lib.THNN_lastError().decode())

    def run(self, inputs: Sequence[Any], outputs: Sequence[Any], n: int | None = None) -> None:
        """Runs the network on dense arrays, or on None."""
        addresses = [ctypes.c_void_p(one.ctypes.data if one is not None else None) for one in [*inputs, *outputs]]
        count = [ctypes.c_int64(len(inputs[0]) if n is None else n)] if self.isBatched else []
        self.call(self._verb, self.handle, *count, *addresses)

    def __call__(self, inputs: Sequence[Any], like: Sequence[Any], n: int | None = None) -> list[Any]:
        """Returns the outputs, which have the shapes of those in `like`."""
        assert len(like) == len(self.outputs)
        outputs = [np.full(np.shape(one), 77, dtype) for one, dtype in zip(like, self.outputs, strict=True)]
        self.run([np.ascontiguousarray(one) for one in inputs], outputs, n)
        return outputs

    def differs(self, inputs: Sequence[Any], expected: Sequence[Any], n: int | None = None) -> str:
        """Returns a text about an output whose bits are not as expected, or nothing."""
        for place, (one, other) in enumerate(zip(self(inputs, expected, n), expected, strict=True)):
            other = np.asarray(other)
            if one.tobytes() != other.astype(one.dtype).tobytes() or other.dtype.kind not in (one.dtype.kind, "b"):
                return f"output {place + 1}: expected {other}, got {one}"
        return ""

    def close(self) -> None:
        """Frees the network."""
        self.call("close", self.handle)
        self.handle = ctypes.c_void_p()
