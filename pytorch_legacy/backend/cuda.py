"""Opens libTHCUNN and calls its functions.

The environment variable PYTORCH_LEGACY_EMULATE names a library that was built with ``THCUNN=host``: every layer function that it
has is then called there, on NumPy arrays, in place of libTHNN's. That is how the tests run CUDA kernels without a GPU.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DeviceError
from ._signatures import SIGNATURES  # type: ignore[import-not-found,unused-ignore]
from .library import raise_error

ERR_MEMORY = 5
REALS = {"Float": "Cuda", "Double": "CudaDouble", "Half": "CudaHalf"}
EMULATED = os.environ.get("PYTORCH_LEGACY_EMULATE")

STATE = """
    const char *THNN_CudaLastError(void);
    int32_t THNN_CudaState_new(void **state);
    int32_t THNN_CudaState_setStream(void *state, void *stream);
    int32_t THNN_CudaState_setScratch(void *state, void *memory, int64_t bytes);
    int32_t THNN_CudaState_scratchWanted(void *state, int64_t *bytes);
    int32_t THNN_CudaState_setIndexReport(void *state, int64_t *report, int32_t wait);
    int32_t THNN_CudaState_setCublas(void *state, const char *path, void *handle);
    int32_t THNN_CudaState_setPoolingBackward(void *state, int32_t how);
"""


class Library:
    """libTHCUNN: its functions are declared when they are asked for. Descriptors are those of libTHNN."""

    def __init__(self, path: Path) -> None:
        import cffi

        self.ffi = cffi.FFI()
        self.ffi.cdef(STATE)
        try:
            self.lib = self.ffi.dlopen(str(path))
        except OSError as error:
            raise DeviceError(f"cannot open {path}: {error}") from error

    def check(self, status: int, function: str = "") -> None:
        """Raise the exception of a status code that is not THNN_OK."""
        if status:
            raise_error(status, self.ffi.string(self.lib.THNN_CudaLastError()).decode(errors="replace"), function)

    def function(self, real: str, name: str) -> Callable[..., int] | None:
        """The C function, or None if the layer has no twin."""
        symbol = f"THNN_{real}{name}"
        types = ["void *" if "*" in ctype else ctype for ctype, _ in SIGNATURES[name]]
        self.ffi.cdef(f"int32_t {symbol}({', '.join(types)});", override=True)
        return getattr(self.lib, symbol, None)


class State:
    """A THNNCudaState and the memory that is lent to it: for one stream, and one thread at a time."""

    def __init__(self, library: Library, allocate: Callable[[int], tuple[Any, int]]) -> None:
        self.library = library
        self.allocate = allocate  # bytes -> an object that owns them, their address
        place = library.ffi.new("void **")
        library.check(library.lib.THNN_CudaState_new(place))
        self.pointer = place[0]
        self.scratch: Any = None
        self.lent = 0

    def call(self, function: Callable[..., int], *values: Any) -> int:
        """Call the function with this state; as long as it lacks scratch memory, lend it what it wants and call it again."""
        status = function(self.pointer, *values)
        while status == ERR_MEMORY and self._lend_more():
            status = function(self.pointer, *values)
        return status

    def _lend_more(self) -> bool:
        ffi, lib = self.library.ffi, self.library.lib
        wanted = ffi.new("int64_t *")
        lib.THNN_CudaState_scratchWanted(self.pointer, wanted)
        if wanted[0] <= self.lent:
            return False
        self.scratch, address = self.allocate(wanted[0])
        self.lent = wanted[0]
        lib.THNN_CudaState_setScratch(self.pointer, ffi.cast("void *", address), wanted[0])
        return True


# ---------------------------------------------------------------------------------------------- emulation


@cache
def _emulation() -> Library:
    assert EMULATED
    return Library(Path(EMULATED))


def _host_memory(count: int) -> tuple[Any, int]:
    memory = np.empty(count, np.uint8)
    return memory, memory.ctypes.data


class _Emulated(threading.local):
    """A state for each thread."""

    def __init__(self) -> None:
        self.state = State(_emulation(), _host_memory)
        self.report = np.zeros(2, np.int64)
        ffi = self.state.library.ffi
        _emulation().lib.THNN_CudaState_setIndexReport(self.state.pointer, ffi.cast("int64_t *", self.report.ctypes.data), 1)


@cache
def _emulated_states() -> _Emulated:
    return _Emulated()


def emulated(real: str, name: str) -> Callable[..., int] | None:
    """What to call instead of libTHNN's function while kernels are emulated; None where that has no twin, and usually."""
    if not EMULATED or (function := _emulation().function(REALS[real], name)) is None:
        return None
    if SIGNATURES[name][0][1] != "state":
        return function
    states = _emulated_states()
    return lambda _, *values: states.state.call(function, *values)


def check(status: int, function: str = "") -> None:
    """As library.check, for functions that `emulated` gave."""
    _emulation().check(status, function)
