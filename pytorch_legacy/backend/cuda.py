"""Opens libTHCUNN and calls its functions.

It stands in the package's folder `lib`, if the package was built with it; the environment variable PYTORCH_LEGACY_THCUNN
names another file. Its functions take CuPy's arrays, on CuPy's current device and stream, with scratch memory from its pool.

The environment variable PYTORCH_LEGACY_EMULATE names a library that was built with ``THCUNN=host``: every layer function that it
has is then called there, on NumPy arrays, in place of libTHNN's. That is how the tests run CUDA kernels without a GPU.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..arrays import cupy
from ..errors import DeviceError
from . import library as host
from .library import SIGNATURES, raise_error

ERR_MEMORY = 5
REALS = {"Float": "Cuda", "Double": "CudaDouble", "Half": "CudaHalf"}
EMULATED = os.environ.get("PYTORCH_LEGACY_EMULATE")
MULTIPLIES = re.compile(r"^Linear_|Convolution")  # the functions that want cuBLAS

STATE = """
    const char *THNN_CudaLastError(void);
    int32_t THNN_CudaState_new(void **state);
    int32_t THNN_CudaState_free(void *state);
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

        self.path = str(path)
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

    def array_function(self, name: str) -> Callable[..., int] | None:
        """The twin of an array function of libTHNN, such as "arrayCopy"; None if the library was built without it."""
        symbol = f"THNN_CudaA{name.removeprefix('a')}"
        known = host.ffi.typeof(getattr(host.lib, f"THNN_{name}")).args
        types = ["void *" if one.kind == "pointer" else one.cname for one in known]
        self.ffi.cdef(f"int32_t {symbol}({', '.join(types)});", override=True)
        return getattr(self.lib, symbol, None)

    def prepare(self, state: State) -> None:
        """Prepares a state of the current device before its first call."""


class Settings(NamedTuple):
    """Settings of all states; a state adopts them at its next call."""

    waitForIndices: bool = False
    poolingBackward: int = 0


_settings = Settings()


class State:
    """A THNNCudaState and the memory that is lent to it: for one stream, and one thread at a time."""

    def __init__(self, library: Library, allocate: Callable[[int], tuple[Any, int]], report: tuple[Any, int]) -> None:
        self.library = library
        self.allocate = allocate  # bytes -> an object that owns them, their address
        self.report = report  # likewise, of memory for two int64 that host and device see: where bad indices are reported
        place = library.ffi.new("void **")
        library.check(library.lib.THNN_CudaState_new(place))
        self.pointer = library.ffi.gc(place[0], library.lib.THNN_CudaState_free)
        self.scratch: Any = None
        self.lent = 0
        self.settings: Settings | None = None
        self.hasAskedForCublas = False

    def call(self, function: Callable[..., int], *values: Any) -> int:
        """Call the function with this state; as long as it lacks scratch memory, lend it what it wants and call it again."""
        if self.settings is not _settings:
            self._apply(_settings)
        status = function(self.pointer, *values)
        while status == ERR_MEMORY and self._lend_more():
            status = function(self.pointer, *values)
        return status

    def _apply(self, settings: Settings) -> None:
        ffi, lib = self.library.ffi, self.library.lib
        lib.THNN_CudaState_setIndexReport(self.pointer, ffi.cast("int64_t *", self.report[1]), settings.waitForIndices)
        lib.THNN_CudaState_setPoolingBackward(self.pointer, settings.poolingBackward)
        self.settings = settings

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

    def lend_cublas(self) -> None:
        """Name CuPy's cuBLAS and its handle, if there is one; else libTHCUNN multiplies by itself, more slowly."""
        self.hasAskedForCublas = True
        try:
            from cuda.pathfinder import load_nvidia_dynamic_lib

            path = load_nvidia_dynamic_lib("cublas").abs_path
            handle = cupy().cuda.device.get_cublas_handle()
        except (ImportError, RuntimeError):
            return
        if path:
            ffi, lib = self.library.ffi, self.library.lib
            self.library.check(lib.THNN_CudaState_setCublas(self.pointer, path.encode(), ffi.cast("void *", handle)))


def set_cuda_index_check(wait: bool) -> None:
    """Sets whether a layer on the GPU waits for the check of its indices and labels, and raises the error itself.

    Without waiting, which is the default, a bad index has no effect on the pass that met it, and the next layer on the same
    stream raises the error. Nothing waits for the device then; for finding out who it was, waiting is better.
    """
    global _settings
    _settings = _settings._replace(waitForIndices=wait)


def cuda_index_check() -> bool:
    """Returns the last argument of `set_cuda_index_check`."""
    return _settings.waitForIndices


def set_pooling_backward(how: str) -> None:
    global _settings
    host.set_pooling_backward(how)
    _settings = _settings._replace(poolingBackward=host.POOLING_BACKWARD.index(how))


set_pooling_backward.__doc__ = host.set_pooling_backward.__doc__


# ---------------------------------------------------------------------------------------------- the device


def _path() -> Path:
    return Path(os.environ.get("PYTORCH_LEGACY_THCUNN") or host.library_path.parent / host.file_name("THCUNN"))


@cache
def _library(path: Path) -> Library:
    return Library(path)


def missing() -> list[str]:
    """Returns the requirements of calls on a device that are missing, and how to install them."""
    found = []
    try:
        count, problem = cupy().cuda.runtime.getDeviceCount(), "there is none"
    except ImportError as error:
        found.append(f'CuPy, which pip install "pytorch_legacy[cuda]" installs ({error})')
    except Exception as error:
        count, problem = 0, str(error)
    if not found and not count:
        found.append(f"a CUDA device and its driver ({problem})")
    if not _path().exists():
        found.append(
            f"libTHCUNN ({_path()}), which is built where nvcc is: PYTORCH_LEGACY_CUDA=cuda pip install . in the source tree"
        )
    return found


@cache
def _is_ready() -> bool:
    return not missing()


def require(who: str) -> None:
    """Raise DeviceError if there is no device, or no library for it; `who` begins the message."""
    if not _is_ready():
        _is_ready.cache_clear()
        raise DeviceError(f"{who}: needs a GPU; what is missing: {'; '.join(missing())}")


class _States(threading.local):
    """For each thread, a state for each stream of each device that it has used."""

    def __init__(self) -> None:
        self.states: dict[tuple[Library, int, int], State] = {}

    def current(self, library: Library) -> State:
        """Returns the state of CuPy's current device and stream; creates it on first use."""
        cuda = cupy().cuda
        key = library, cuda.runtime.getDevice(), cuda.get_current_stream().ptr
        try:
            return self.states[key]
        except KeyError:
            state = State(library, _pool_memory, _pinned_memory(16))
            ffi, lib = library.ffi, library.lib
            library.check(lib.THNN_CudaState_setStream(state.pointer, ffi.cast("void *", key[2])))
            library.prepare(state)
            self.states[key] = state
            return state


_states = _States()


def _pool_memory(count: int) -> tuple[Any, int]:
    memory = cupy().cuda.alloc(count)
    return memory, memory.ptr


def _pinned_memory(count: int) -> tuple[Any, int]:
    memory = cupy().cuda.alloc_pinned_memory(count)
    return memory, memory.ptr


def on_device(real: str, name: str) -> tuple[Callable[..., int] | None, Callable[..., None]]:
    """Returns the function for a module on a device (None: the layer has no twin), and the function that raises its errors."""
    return on_device_by(_library(_path()), real, name)


def on_device_by(library: Library, real: str, name: str) -> tuple[Callable[..., int] | None, Callable[..., None]]:
    """The same, of one library."""
    function = library.function(REALS[real], name)
    if function is None or SIGNATURES[name][0][1] != "state":
        return function, library.check
    multiplies = MULTIPLIES.search(name)

    def call(_: Any, *values: Any) -> int:
        state = _states.current(library)
        if multiplies and not state.hasAskedForCublas:
            state.lend_cublas()
        return state.call(function, *values)

    return call, library.check


@cache
def _array_function(library: Library, name: str) -> Callable[..., int] | None:
    return library.array_function(name)


def call_array(name: str, *values: Any) -> bool:
    """Calls the twin of an array function on the current device and stream; False, and nothing is done, where there is none."""
    library = _library(_path())
    function = _array_function(library, name)
    if function is None:
        return False
    state = _states.current(library)
    if name == "arrayProduct" and not state.hasAskedForCublas:
        state.lend_cublas()
    library.check(state.call(function, *values), f"pytorch_legacy.{name}")
    return True


# ---------------------------------------------------------------------------------------------- emulation


@cache
def _emulation() -> Library:
    assert EMULATED
    return Library(Path(EMULATED))


def _host_memory(count: int) -> tuple[Any, int]:
    memory = np.empty(count, np.uint8)
    return memory, memory.ctypes.data


class _Waiting(State):
    """Everything has happened when a call returns: indices are checked at once."""

    def _apply(self, settings: Settings) -> None:
        super()._apply(settings._replace(waitForIndices=True))
        self.settings = settings


class _Emulated(threading.local):
    """A state for each thread."""

    def __init__(self, library: Library) -> None:
        self.state = _Waiting(library, _host_memory, _host_memory(16))


@cache
def _emulated_states(library: Library) -> _Emulated:
    return _Emulated(library)


def emulated(real: str, name: str) -> Callable[..., int] | None:
    """Returns the function that replaces libTHNN's while kernels are emulated, or None if there is no twin or no emulation."""
    return emulated_by(_emulation(), real, name)[0] if EMULATED else None


def emulated_by(library: Library, real: str, name: str) -> tuple[Callable[..., int] | None, Callable[..., None]]:
    """The same of one library, and what raises its errors."""
    function = library.function(REALS[real], name)
    if function is None or SIGNATURES[name][0][1] != "state":
        return function, library.check
    states = _emulated_states(library)
    return lambda _, *values: states.state.call(function, *values), library.check


def check(status: int, function: str = "") -> None:
    """As library.check, for functions that `emulated` gave."""
    _emulation().check(status, function)
