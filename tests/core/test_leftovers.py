"""Scratch memory holds what earlier calls left. A kernel may take a vector of it too much, and not use the result.

But a product with a denormal number, as which a small integer appears, takes a hundred times as long as any other. The processor
notes whether there was one.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import backend, nn, rnn
from pytorch_legacy.backend.header import Function
from pytorch_legacy.extension.loader import LAYER_VERSION
from tests import capi
from tests.capi import GENERIC, last_error
from tests.rows import all_of, rows

isKnown = platform.machine() == "x86_64" and platform.system() == "Linux"
isFilled = "libasan" in os.environ.get("LD_PRELOAD", "")
pytestmark = [
    pytest.mark.skipif(not isKnown, reason="reads the flags of x86-64 where Linux has them"),
    pytest.mark.skipif(isFilled, reason="AddressSanitizer's build fills scratch memory with NaN"),
]

functions = rows("function", [(f.layer, f.name, f) for f in GENERIC])
reals = all_of("real", capi.REALS)
DENORMAL = 2  # a flag of MXCSR: an operand was a denormal number
soiling = nn.SpatialUpSamplingNearest(1).float()
LEFT = np.full((1, 1, 1024, 1024), np.uint32(1)).view(np.float32).transpose(0, 1, 3, 2)  # denormal numbers for floats and doubles


def takes_denormals(call: Callable[[], Any]) -> bool:
    """Returns True if a call on one thread computes with numbers that the call before left in memory."""
    soiling.forward(LEFT)  # a view, which is copied into scratch memory
    libm, environment = ctypes.CDLL("libm.so.6"), (ctypes.c_uint32 * 8)()
    libm.fegetenv(environment)
    environment[7] &= ~0x3F
    libm.fesetenv(environment)
    call()
    libm.fegetenv(environment)
    return bool(environment[7] & DENORMAL)


@pytest.fixture(autouse=True, scope="module")
def keeps_flags() -> Iterator[None]:
    """Lets the function that restores the caller's flags return at once, so that the flags of a call can be read."""
    lib, libc = capi.lib, ctypes.CDLL(None)
    lib.THNN_layerInterface.restype = ctypes.POINTER(ctypes.c_void_p)
    leaveEnvironment = lib.THNN_layerInterface(LAYER_VERSION)[2]  # after the versions and enterEnvironment
    page = ctypes.c_void_p(leaveEnvironment & -mmap.PAGESIZE)
    read, write, execute = 1, 2, 4
    assert libc.mprotect(page, mmap.PAGESIZE, read | write | execute) == 0
    kept = ctypes.string_at(leaveEnvironment, 1)
    ctypes.memmove(leaveEnvironment, b"\xc3", 1)  # ret
    yield
    ctypes.memmove(leaveEnvironment, kept, 1)
    assert libc.mprotect(page, mmap.PAGESIZE, read | execute) == 0


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = pl.getNumThreads()
    pl.setNumThreads(1)
    yield
    pl.setNumThreads(threads)
    pl.setConvolution("fast")


def used() -> int:
    """Bytes of memory that the process has been given."""
    with open("/proc/self/statm") as pages:
        return int(pages.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_the_call_before_leaves_something() -> None:
    """Without this the tests below would ask for nothing."""
    soiling.forward(LEFT)
    grown = []
    for _ in range(3):  # Python gives back some small blocks of its own now and then
        assert backend.lib.THNN_freeScratch(backend.ffi.NULL) == 0
        before = used()
        soiling.forward(LEFT)
        grown.append(used() - before)
    assert max(grown) >= LEFT.nbytes
    assert takes_denormals(lambda: nn.MulConstant(2).float().forward(np.ascontiguousarray(LEFT)))


@functions
@reals
def test_functions(function: Function, real: str) -> None:
    call = capi.valid(function, real)
    for _ in range(2):  # the second one finds as much memory as it needs
        assert call() == capi.OK, last_error()
    assert not takes_denormals(call)


# kernel, stride, dilation, planes, outputs, rows, samples
SHAPES = [
    *((3, 1, 1, 70, 65, 13, 1), (3, 1, 1, 40, 40, 4, 1), (3, 1, 1, 60, 61, 11, 3), (3, 1, 1, 20, 3, 30, 1)),
    *((3, 1, 1, 130, 140, 7, 1), (3, 2, 1, 64, 100, 15, 1), (3, 1, 2, 60, 61, 11, 2), (1, 1, 1, 33, 45, 7, 1)),
    *((1, 2, 1, 100, 64, 15, 1), (5, 1, 1, 17, 130, 9, 1), (7, 2, 1, 3, 20, 30, 1)),
    (3, 1, 1, 12, 20, 37, 2),
]


@pytest.mark.parametrize("way", ["fast", "places", "outputs", "winograd2", "winograd4"])
@pytest.mark.parametrize("shape", SHAPES)
def test_convolutions(shape: tuple[int, ...], way: str) -> None:
    kernel, stride, dilation, planes, outputs, size, samples = shape
    pad = kernel // 2 * dilation
    layer = nn.SpatialDilatedConvolution(planes, outputs, *[kernel] * 2, *[stride] * 2, *[pad] * 2, *[dilation] * 2).float()
    pl.setConvolution(way)
    check(layer, (samples, planes, size, size))


LAYERS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "sequences": (lambda: nn.TemporalConvolution(60, 70, 3), (2, 45, 60)),
    "volumes": (lambda: nn.VolumetricConvolution(20, 33, 3, 3, 3, 1, 1, 1, 1, 1, 1), (1, 20, 7, 9, 9)),
    "transposed": (lambda: nn.SpatialFullConvolution(60, 33, 4, 4, 2, 2, 1, 1), (1, 60, 9, 9)),
    "groups": (lambda: pl.cudnn.SpatialConvolution(96, 96, 3, 3, 1, 1, 1, 1, 8), (2, 96, 9, 9)),
    "depth-wise": (lambda: nn.SpatialDepthWiseConvolution(50, 1, 5, 5, 1, 1, 2, 2), (2, 50, 7, 7)),
    "depth-wise, stride": (lambda: nn.SpatialDepthWiseConvolution(20, 2, 3, 3, 2, 2, 1, 1), (2, 20, 31, 31)),
    "tables": (lambda: nn.SpatialConvolutionMap(nn.tables.random(20, 30, 4), 5, 5), (2, 20, 15, 15)),
    "local": (lambda: nn.SpatialConvolutionLocal(10, 13, 9, 9, 3, 3, 1, 1, 1, 1), (2, 10, 9, 9)),
    **{f"rows of {n}": (lambda n=n: nn.Linear(100, n), (7, 100)) for n in (1, 3, 77, 130)},
    **{f"steps of {n}": (lambda n=n: rnn.SeqLSTM(70, n), (9, 5, 70)) for n in (36, 72)},
    **{f"steps of {n}, one sample": (lambda n=n: rnn.SeqLSTM(70, n), (9, 1, 70)) for n in (36, 72)},
}  # type: ignore[misc]


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("type", ["float", "double"])
def test_layers(name: str, type: str) -> None:
    make, shape = LAYERS[name]
    check(getattr(make(), type)(), shape)


def check(layer: Any, shape: tuple[int, ...]) -> None:
    """No pass computes with what other calls left."""
    x = np.random.default_rng(0).standard_normal(shape).astype(layer._dtype)
    g = np.ones_like(layer.forward(x))
    passes = {
        "updateOutput": lambda: layer.updateOutput(x),
        "updateGradInput": lambda: layer.updateGradInput(x, g),
        "accGradParameters": lambda: layer.accGradParameters(x, g),
    }
    for run in [*passes.values()] * 2:
        run()
    assert [name for name, run in passes.items() if takes_denormals(run)] == []
