"""Finds and opens libTHNN.

The library stands in the package's folder `lib`; the environment variable PYTORCH_LEGACY_THNN names another file, for
example one built with sanitizers.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from pathlib import Path
from threading import local
from typing import Any, NoReturn

from ..errors import ValueRangeError, from_status
from . import installed

SYMBOL_PREFIX = re.compile(r"^THNN_(Float|Double|CudaDouble|CudaHalf|Cuda)")

KERNELS = ("fast", "plain")  # THNN_KERNELS_FAST, THNN_KERNELS_PLAIN
CONVOLUTION = ("fast", "plain", "definition", "places", "outputs", "winograd2", "winograd4", "fixed")  # THNN_FAST ... THNN_FIXED
POOLING_BACKWARD = ("default", "gather", "scatter")  # THNN_DEFAULT, THNN_GATHER, THNN_SCATTER

ABI_VERSION = 1
"""The ABI that the generated bindings were made for: THNN_ABI_VERSION of THNN.h."""


def _find() -> Path:
    if override := os.environ.get("PYTORCH_LEGACY_THNN"):
        return Path(override)
    return installed.library / file_name("THNN")


def file_name(name: str) -> str:
    """Returns the name by which programs that are linked with the library `name` load it: a wheel has no other file of it."""
    return f"lib{name}.{ABI_VERSION}.dylib" if sys.platform == "darwin" else f"lib{name}.so.{ABI_VERSION}"


def _open() -> tuple[Any, Any, Path]:
    try:
        from ._thnn import ffi  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise ImportError(
            f"pytorch_legacy is not built ({installed.HERE.parent}), and no other one is installed: install it with "
            "`pip install .` (or `pip install -e .`)"
        ) from error
    path = _find()
    try:
        lib = ffi.dlopen(str(path))
    except OSError as error:
        raise ImportError(f"cannot open {path}: {error}") from error
    if lib.THNN_abiVersion() != ABI_VERSION:
        raise ImportError(f"{path}: expected ABI version {ABI_VERSION}, got {lib.THNN_abiVersion()}; install the package again")
    return ffi, lib, path


class Missing:
    """Stands for the library where there is none: files can be read and weights moved, and whoever computes gets the error."""

    def __init__(self, error: ImportError) -> None:
        self.__error = error

    def __getattr__(self, name: str) -> NoReturn:
        rest = "without the library .t7 files are read and weights converted, but nothing is computed"
        raise ImportError(f"{self.__error}; {rest}")

    def __getitem__(self, name: str) -> NoReturn:
        self.__getattr__(name)

    def __iter__(self) -> NoReturn:
        self.__getattr__("")


ffi: Any
lib: Any
NULL: Any = None
try:
    ffi, lib, library_path = _open()
    NULL = ffi.NULL
    from ._signatures import SIGNATURES as SIGNATURES
    from ._signatures import USES as USES  # type: ignore[import-not-found,unused-ignore]
except ImportError as _error:
    library_path = _find()
    ffi = lib = SIGNATURES = USES = Missing(_error)  # type: ignore[assignment,unused-ignore]


def check(status: int, function: str = "") -> None:
    """Raise the exception of a status code that is not THNN_OK, with the library's own text.

    `function` is what to call the function there, if not by its own name.
    """
    if status:
        raise_error(status, ffi.string(lib.THNN_lastError()).decode(errors="replace"), function)


def raise_error(status: int, text: str, function: str) -> None:
    """Raise the exception of a status code with a library's text, in which `function` takes the place of the C name."""
    own, _, rest = text.partition(": ")
    raise from_status(status, f"{function or SYMBOL_PREFIX.sub('nn.', own)}: {_in_words(rest)}")


_NO_END = {"2147483647", "9223372036854775807"}


def _in_words(text: str) -> str:
    """Returns the message of a C function in the terms of a method's caller."""
    text = text.replace("expected a tensor, got NULL", "expected an array, got None")
    if text.startswith("indices: expected ") and ", got " in text:
        return text.replace("got 0", "got none") + "; forward() comes first, with the input that backward() gets"
    if found := re.search(r"expected (-?\d+) to (-?\d+), got (-?\d+)$", text):
        low, high, got = found.groups()
        if high in _NO_END and int(got) < int(low):
            return text.replace(f"{low} to {high}", f"{low} or more")
        if low == "-2147483647" and int(got) > int(high) and high not in _NO_END:
            return text.replace(f"{low} to {high}", f"{high} or less")
    return text


def version() -> str:
    """Version of the C library, for example "0.1.0"."""
    number = lib.THNN_versionNumber()
    return f"{number // 10000}.{number // 100 % 100}.{number % 100}"


def set_num_threads(threads: int) -> None:
    """Let each call use up to `threads` threads; 0 is the default, one per processor."""
    if isinstance(threads, bool) or not hasattr(threads, "__index__") or not abs(index(threads)) < 2**31:
        raise ValueRangeError(f"setNumThreads: threads: expected an integer from 0 to 1024, got {threads!r}")
    check(lib.THNN_setNumThreads(ffi.NULL, threads), "setNumThreads")


def get_num_threads() -> int:
    """Returns the number of threads that a call may use."""
    threads = ffi.new("int32_t *")
    check(lib.THNN_getNumThreads(ffi.NULL, threads), "getNumThreads")
    return int(threads[0])


def set_pooling_backward(how: str) -> None:
    """Let average and max pooling layers "gather" or "scatter" in their backward passes; "default" leaves it to them.

    A gather has each gradient of the input ask the windows that it is part of; a scatter has each window add to its
    cells. The results differ by rounding alone, and neither depends on the number of threads. On a GPU the default is to
    gather; a scatter there adds in any order.
    """
    if how not in POOLING_BACKWARD:
        raise ValueRangeError(f"setPoolingBackward: how: expected one of {', '.join(POOLING_BACKWARD)}, got {how!r}")
    check(lib.THNN_setPoolingBackward(ffi.NULL, POOLING_BACKWARD.index(how)))


def set_kernels(kernels: str) -> None:
    """Let layers compute with what is "fast", or with the "plain" loops of their definitions, to which tests compare that.

    Many layers have no loops but those of their definition, and compute the same either way; so does every layer on a GPU.
    """
    if kernels not in KERNELS:
        raise ValueRangeError(f"set_kernels: kernels: expected one of {', '.join(KERNELS)}, got {kernels!r}")
    check(lib.THNN_setKernels(ffi.NULL, KERNELS.index(kernels)))


def set_convolution(how: str) -> None:
    """Let dense convolutions on the CPU compute in the "fast" way, the default, or by the "plain" sum of products.

    The fast way of float32 and kernels of 3x3 that move by one may be Winograd's, whose rounding error is below 1e-5 of
    the output's scale; results that are not all finite are computed again by the plain sum. For tests and measurements
    one way can be named: "definition" (loops), "places" or "outputs" (what vectors go along), "winograd2" or "winograd4"
    (tiles of 2x2 or 4x4); layers that have none take the plain sum. "fixed" is fast, but the algorithm depends on the sizes
    of one sample alone, as in programs: then a sample's bits do not depend on the batch. Results never depend on the number of
    threads.
    """
    if how not in CONVOLUTION:
        raise ValueRangeError(f"setConvolution: how: expected one of {', '.join(CONVOLUTION)}, got {how!r}")
    global _convolution
    check(lib.THNN_setConvolution(ffi.NULL, CONVOLUTION.index(how)))
    _convolution = how


_convolution = "fast"


def convolution() -> str:
    """Returns how convolutions of the default THNNState compute."""
    return _convolution


def follow_convolution(state: Any) -> None:
    """Lets convolutions of this THNNState compute in the way that `set_convolution` has set for the default one."""
    check(lib.THNN_setConvolution(state, CONVOLUTION.index(_convolution)))


_thread = local()


@contextmanager
def fixed_convolutions() -> Iterator[None]:
    """Lets convolutions that are "fast" be "fixed" in this thread, so that its eager passes have the algorithms of programs."""
    before = getattr(_thread, "isFixed", False)
    _fix(True)
    try:
        yield
    finally:
        _fix(before)


def _fix(isFixed: bool) -> None:
    _thread.isFixed = isFixed
    check(lib.THNN_fixConvolutions(isFixed))


_cache_bytes = 512 << 20


def free_scratch(state: Any = None) -> None:
    """Frees the memory that the library keeps between calls: scratch memory and packed weights.

    Later calls allocate it again. `state` is a THNNState; None is the process-wide one.
    """
    check(lib.THNN_freeScratch(ffi.NULL if state is None else state), "free_scratch")


def set_cache_bytes(bytes: int) -> int:
    """Bounds the bytes of packed weights that convolutions cache. Returns the bound before.

    Weights are cached from the second pass with the same contents on. They take up to four times the memory of the weights
    themselves, and save the time to pack them again. The default is 512 MiB for the process; 0 caches nothing.
    """
    global _cache_bytes
    if isinstance(bytes, bool) or not hasattr(bytes, "__index__") or not 0 <= index(bytes) < 2**63:
        raise ValueRangeError(f"setCacheBytes: bytes: expected an integer from 0 to 2^63 - 1, got {bytes!r}")
    check(lib.THNN_setCacheBytes(ffi.NULL, bytes), "setCacheBytes")
    before, _cache_bytes = _cache_bytes, index(bytes)
    return before


def manual_seed(seed: int) -> None:
    """Start Torch7's random sequence anew."""
    check(lib.THNN_manualSeed(ffi.NULL, seed & 0xFFFFFFFFFFFFFFFF))


def random() -> int:
    """The next raw 32-bit draw."""
    value = ffi.new("uint32_t *")
    check(lib.THNN_random(ffi.NULL, value))
    return int(value[0])


def initial_seed() -> int:
    """The seed that started the present random sequence."""
    value = ffi.new("uint64_t *")
    check(lib.THNN_initialSeed(ffi.NULL, value))
    return int(value[0])
