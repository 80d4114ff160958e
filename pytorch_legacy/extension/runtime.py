"""Compiles a ``.cu`` file for a GPU without nvcc: its kernels by CuPy's runtime compiler (NVRTC), the host's part by g++.

NVRTC takes kernels and what they call, nothing of the host. That part of the file stands between ``#ifndef __CUDACC_RTC__``
and ``#endif``. g++ takes the whole file, with the header of the emulation. A kernel is a function there that never runs: `launch`
looks its address up, and hands cuLaunchKernel the addresses of its arguments (THCUNN/core/driver.h). Which kernels there are, and
of which types templates are made, the symbols of g++'s object tell. By these names NVRTC is asked for them.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ..arrays import cupy
from ..backend import cuda
from ..errors import ExtensionError
from .compiler import cxx_compiler, identity, kept, run
from .device import CORE, PLACES, REALS, core_objects, emulating, emulation, headers, texts, typed, with_declarations

# The headers of C that NVRTC does not know; THCUNN/core/rtc.h is what they have.
STANDARD = ("float.h", "limits.h", "math.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h")
# The meaning of __global__ for g++: the mark identifies kernels. Each is a function of its own.
_MARK = "__attribute__((__noinline__,__noclone__))"

_DRIVER = """
    int cuModuleLoadData(void **module, const void *image);
    int cuModuleGetFunction(void **function, void *module, const char *name);
    int cuGetErrorString(int error, const char **text);
    int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
    int cuMemsetD8Async(uint64_t, unsigned char, size_t, void *);
    int cuStreamSynchronize(void *);
"""
_TABLES = """
    typedef struct { const char *name; const void *address; void *function; } Kernel;
    typedef struct { void *launch, *clear, *wait, *errorText; int64_t count; const Kernel *kernels; } Driver;
    int32_t THNN_CudaState_setDriver(void *state, const Driver *driver);
"""


class Unit(NamedTuple):
    """A file that is compiled for one element type, or for none: what is told of errors, what g++ takes, and what NVRTC takes."""

    name: str
    source: Path
    host: str
    device: str
    defines: list[str]
    texts: list[str]


def library(source: Path, declares: Path) -> Runtime:
    """The library of `source`, for single, double and half precision; `declares` is where its functions are declared."""
    nvrtc(source)
    units = [_of_core("call", "call", [])]
    units += [_of_core("gemm", f"gemm{Real}", typed(Real)) for Real in REALS]
    host, kernels = with_declarations(source, declares), f'#include "THNN/layer.h"\n#include "{source}"\n'
    units += [Unit(Real, source, host, kernels, typed(Real), texts(source, declares)) for Real in REALS]
    return Runtime(_host_part(source, units), units)


def _of_core(file: str, name: str, defines: list[str]) -> Unit:
    source, text = CORE / f"{file}.cu", f'#include "core/{file}.cu"\n'
    return Unit(name, source, text, text, defines, [source.read_text(encoding="utf-8")])


# ---------------------------------------------------------------------------------------------- the host's part


def _host_part(source: Path, units: list[Unit]) -> Path:
    compiler, flags = cxx_compiler(), [*emulating(), "-DTHCUNN_DRIVER"]
    objects = [_host_object(unit, compiler, flags) for unit in units]
    objects += core_objects(compiler, flags, [CORE / "state.cu", CORE / "cublas.cu"], [])
    objects.append(emulation())  # kernels refer to these functions, though none runs

    def make(target: Path) -> str:
        return run([*compiler, "-shared", "-o", str(target), *map(str, objects), "-ldl"], source)

    return kept(f"{source.stem}-runtime.so", [identity(compiler), *(file.parent.name for file in objects)], make)[0]


def _host_object(unit: Unit, compiler: tuple[str, ...], flags: list[str]) -> Path:
    """The object of a unit, with a table of its kernels."""
    places = [*PLACES, f"-I{unit.source.parent}"]
    command = [*compiler, *flags, f"-D__global__={_MARK}", "-DTHNN_CUDA", *unit.defines, *places]

    def make(target: Path) -> str:
        around = target.with_name(f"{unit.name}.cu")
        around.write_text(unit.host, encoding="utf-8")
        expanded = target.with_suffix(".ii")
        run([*command, "-E", "-P", str(around), "-o", str(expanded)], unit.source)
        told = run([*command, "-c", str(around), "-o", str(target)], unit.source)
        symbols = target.with_suffix(".txt")
        run(["sh", "-c", 'nm -C --defined-only "$0" > "$1"', str(target), str(symbols)], unit.source)
        names = kernels(expanded.read_text(encoding="utf-8"), symbols.read_text(encoding="utf-8"))
        rows = "".join(f"  {{{json.dumps(name)}, (const void *)({name}), NULL}},\n" for name in names)
        table = f'extern "C" __attribute__((visibility("default"))) Kernel THNN_kernels{unit.name}[] = {{\n{rows}  {{}}}};\n'
        around.write_text(unit.host + table, encoding="utf-8")
        run([*command, "-w", "-c", str(around), "-o", str(target)], unit.source)
        return told

    return kept(f"{unit.name}.o", [identity(compiler), *command, unit.host, *unit.texts, headers()], make)[0]


def kernels(expanded: str, symbols: str) -> list[str]:
    """Returns expressions of C++ for the kernels of a file: the address of each, whatever its template or overloads.

    Parameters
    ----------
    expanded : str
        The file, preprocessed: kernels have the mark.
    symbols : str
        Output of ``nm -C`` for the file's object.
    """
    marked = set(re.findall(re.escape(_MARK) + r"[^;{}]*?(\w+)\s*\(", expanded))
    found = []
    for line in symbols.splitlines():
        match = re.fullmatch(r"[0-9a-f]+ [tTwW] (.+)", line)
        symbol = re.sub(r"\b_Float16\b", "__half", match[1].replace("(anonymous namespace)::", "")) if match else ""
        if not symbol.endswith(")"):
            continue
        begin = _parenthesis(symbol)
        name, parameters = symbol[:begin].removeprefix("void "), symbol[begin:]
        if name.partition("<")[0].rpartition("::")[2] in marked:
            found.append(f"(void (*){parameters}){name}")
    return sorted({*found})


def _parenthesis(symbol: str) -> int:
    """Returns the position of the parenthesis that the last one closes."""
    depth = 0
    for i in range(len(symbol) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(symbol[i], 0)
        if depth == 0:
            return i
    return len(symbol)


# ---------------------------------------------------------------------------------------------- kernels


def nvrtc(about: Path) -> Any:
    """CuPy's binding of NVRTC, which has been found."""
    try:
        found = cupy().cuda.nvrtc
        found.getVersion()
    except Exception as error:
        raise ExtensionError(
            f"{about}: needs nvcc, which is in no folder of PATH, CUDA_HOME or CUDA_PATH, or CuPy with NVRTC ({error}); "
            'install NVIDIA\'s CUDA toolkit, or pip install "cupy-cuda13x[ctk]"; pl.extension.load(..., emulate=True) tests the '
            "kernels on the CPU"
        ) from None
    return found


def compiled(unit: Unit, names: list[str], capability: int) -> tuple[bytes, dict[str, str]]:
    """The kernels `names` of a unit as the driver loads them, and what each is called there.

    Raises
    ------
    ExtensionError
        With NVRTC's messages, which have file and line.
    """
    compiler = nvrtc(unit.source)
    # For a device that is newer than this NVRTC, the driver compiles the rest.
    known = [arch for arch in compiler.getSupportedArchs() if arch <= capability]
    isExact = capability in known
    arch = f"-arch={'sm' if isExact else 'compute'}_{capability if isExact else max(known, default=capability)}"
    places = [*PLACES, f"-I{unit.source.parent}", *(f"-I{folder}" for folder in _cuda_headers())]
    options = (arch, "-std=c++20", "-default-device", "-DTHNN_CUDA", *unit.defines, *places)

    def make(target: Path) -> str:
        standard = (CORE / "rtc.h").read_bytes()
        program = compiler.createProgram(
            unit.device, f"{unit.source.stem}.kernels", [standard] * len(STANDARD), [name.encode() for name in STANDARD]
        )
        try:
            for name in names:
                compiler.addNameExpression(program, name)
            try:
                compiler.compileProgram(program, options)
            except Exception as error:
                said = compiler.getProgramLog(program).strip() or str(error)
                raise ExtensionError(f"{unit.source}: NVRTC says:\n{said}{_hint(said)}") from None
            lowered = {name: compiler.getLoweredName(program, name) for name in names}
            image = compiler.getCUBIN(program) if isExact else compiler.getPTX(program)
            told = compiler.getProgramLog(program)
        finally:
            compiler.destroyProgram(program)
        image = image.encode() if isinstance(image, str) else image
        target.write_bytes(json.dumps(lowered).encode() + b"\n" + image)
        return str(told).strip()

    key = [str(compiler.getVersion()), *options, unit.device, *unit.texts, headers(), *names]
    head, _, image = kept(f"{unit.name}.image", key, make)[0].read_bytes().partition(b"\n")
    return image, json.loads(head)


def _hint(said: str) -> str:
    if 'identifier "launch" is undefined' in said or "host functions are not allowed" in said:
        return "\nNVRTC compiles kernels alone: what is the host's stands between #ifndef __CUDACC_RTC__ and #endif"
    if "cuda_fp16.h" in said:
        return '\nthe headers of CUDA were not found: pip install "cupy-cuda13x[ctk]"'
    return ""


@lru_cache
def _cuda_headers() -> list[str]:
    """Returns the folder of cuda_fp16.h."""
    try:
        from cuda.pathfinder import find_nvidia_header_directory

        found = find_nvidia_header_directory("cudart")
    except (ImportError, RuntimeError):
        return []
    return [found] if found else []


# ---------------------------------------------------------------------------------------------- the device


class Runtime(cuda.Library):
    """A library whose kernels are compiled for a device, and loaded by its driver, when it is first used there."""

    def __init__(self, path: Path, units: list[Unit]) -> None:
        super().__init__(path)
        self.ffi.cdef(_TABLES + "".join(f"extern Kernel THNN_kernels{unit.name}[];\n" for unit in units))
        self.units = units
        self._drivers: dict[int, Any] = {}

    def prepare(self, state: cuda.State) -> None:
        """Gives the state the driver of the current device."""
        device = cupy().cuda.runtime.getDevice()
        if device not in self._drivers:
            self._drivers[device] = self._driver(int(cupy().cuda.Device().compute_capability))
        self.check(self.lib.THNN_CudaState_setDriver(state.pointer, self._drivers[device][0]))

    def _driver(self, capability: int) -> tuple[Any, ...]:
        driver, ffi = _driver_library(), self.ffi
        rows = []
        for unit in self.units:
            if table := self._table(unit):
                image, lowered = compiled(unit, [*table], capability)
                module = driver.module(image)
                functions = [ffi.cast("void *", driver.function(module, lowered[name])) for name in table]
                rows += [(ffi.NULL, *row) for row in zip(table.values(), functions, strict=True)]
        kernels = ffi.new("Kernel[]", rows)
        calls = [ffi.cast("void *", driver.address(name)) for name in _CALLS]
        return ffi.new("Driver *", (*calls, len(rows), kernels)), kernels  # as long as both are held

    def _table(self, unit: Unit) -> dict[str, Any]:
        rows, found = getattr(self.lib, f"THNN_kernels{unit.name}"), {}
        i = 0
        while rows[i].name != self.ffi.NULL:
            found[self.ffi.string(rows[i].name).decode()] = rows[i].address
            i += 1
        return found


_CALLS = ("cuLaunchKernel", "cuMemsetD8Async", "cuStreamSynchronize", "cuGetErrorString")


class Driver:
    """The library of the CUDA driver. CuPy has made the context of the current device the thread's."""

    def __init__(self, name: str) -> None:
        import cffi

        self.ffi = cffi.FFI()
        self.ffi.cdef(_DRIVER)
        self.lib = self.ffi.dlopen(name)

    def module(self, image: bytes) -> Any:
        """Kernels, loaded into the current context."""
        place = self.ffi.new("void **")
        self._check(self.lib.cuModuleLoadData(place, self.ffi.from_buffer(image + b"\0")), "cuModuleLoadData")
        return place[0]

    def function(self, module: Any, name: str) -> int:
        place = self.ffi.new("void **")
        self._check(self.lib.cuModuleGetFunction(place, module, name.encode()), f"cuModuleGetFunction: {name}")
        return int(self.ffi.cast("intptr_t", place[0]))

    def address(self, name: str) -> int:
        return int(self.ffi.cast("intptr_t", self.ffi.addressof(self.lib, name)))

    def _check(self, error: int, what: str) -> None:
        if error:
            text = self.ffi.new("const char **")
            self.lib.cuGetErrorString(error, text)
            said = self.ffi.string(text[0]).decode() if text[0] else f"error {error}"
            raise ExtensionError(f"the CUDA driver: {what}: {said}")


@lru_cache
def _driver_library() -> Driver:
    return Driver("libcuda.so.1")
