"""Kernels that CuPy's runtime compiler makes: what NVRTC takes, and what the host's part asks of the driver.

There is no GPU here. A driver of pretence (driver.cpp) runs each kernel on the CPU, from nothing but what cuLaunchKernel got: a
function, a grid, a stream, and the addresses of the arguments. What a driver makes of NVRTC's code, these tests cannot say.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import arrays
from pytorch_legacy.backend import binding, cuda, library
from pytorch_legacy.errors import DeviceError, ExtensionError
from pytorch_legacy.extension import compiler, device, runtime
from tests.cuda import fake_cupy

try:
    from cupy.cuda import nvrtc as NVRTC

    NVRTC.getVersion()
except Exception:
    NVRTC = None

HERE = Path(__file__).parent
OWN = HERE.parents[1] / "examples" / "own"

pytestmark = [
    pytest.mark.skipif(not os.environ.get("PYTORCH_LEGACY_OWN_KERNELS"), reason="compiles for a minute: .ci/run does"),
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]
needs_nvrtc = pytest.mark.skipif(NVRTC is None, reason="needs CuPy and NVRTC: pip install 'cupy-cuda13x[ctk]'")
random = np.random.default_rng(0)

# Features that the finished layers lack: templates, overloads, a struct by value, a static kernel, a product, cleared memory,
# indices.
MIXED_CU = """\
#include "THNN/layer.h"
#include "core/device.h"
#include "core/gemm.h"

namespace {

template <class T> struct Times {
  T factor;
  __device__ T operator()(T x) const { return x * factor; }
};

template <class F, bool adds> __global__ void map(real *y, const real *x, F f, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) y[i] = (real)(f((accreal)x[i]) + (adds ? (accreal)y[i] : 0));
}

__global__ void shift(real *y, int32_t by, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) y[i] = (real)((accreal)y[i] + by);
}

__global__ void shift(real *y, const index_t *by, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) y[i] = (real)((accreal)y[i] + *by);
}

} // namespace

static __global__ void negate(real *y, int64_t n)
{
  for (int64_t i = firstThread(); i < n; i += allThreads()) y[i] = (real)-(accreal)y[i];
}

#ifndef __CUDACC_RTC__

static void forward(Call *call, real *t, const real *x, const index_t *by, int64_t n, double factor)
{
  clear(call, t, n * (int64_t)sizeof(real));
  launch(call, blocksFor(n), BLOCK, map<Times<accreal>, true>, t, x, Times<accreal>{(accreal)factor}, n);
  launch(call, blocksFor(n), BLOCK, (void (*)(real *, int32_t, int64_t))shift, t, 2, n);
  launch(call, blocksFor(n), 64, (void (*)(real *, const index_t *, int64_t))shift, t, by, n);
  launch(call, 3, 32, negate, t, n);
}

#include "Mixed.c"

#endif
"""

MIXED_C = """\
#include "THNN/layer.h"

THNN_API int32_t THNN_(Mixed_updateOutput)(
    THNNState *state,
    const THTensor *input,      /* [IN] N x N */
    THTensor *output,           /* [OUT] N x N */
    const THTensor *weight,     /* [IN] N x N */
    const THLongTensor *offset, /* [IN] 1 */
    double factor);

#ifdef THNN_CUDA
static void product(Call *call, real *y, const real *t, const real *w, int64_t n)
{
  THNN_(gemm)(call, {n, n, n}, 1, {0, t, n}, {1, w, n}, {0, y, n});
}
#else
static void product(Call *call, real *y, const real *t, const real *w, int64_t n)
{
  (void)call;
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) {
      y[i * n + j] = 0;
      for (int64_t k = 0; k < n; k++) y[i * n + j] += t[i * n + k] * w[j * n + k];
    }
}

static void forward(Call *call, real *t, const real *x, const index_t *by, int64_t n, double factor)
{
  (void)call;
  for (int64_t i = 0; i < n; i++) t[i] = (real)-(x[i] * factor + 2 + *by);
}
#endif

int32_t THNN_(Mixed_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, const THTensor *weight,
                                  const THLongTensor *offset, double factor)
{
  THNN_TRY(THNN_checkInput(__func__, "input", view(input), 2, 2, "N x N"));
  THNN_TRY(THNN_checkShape(__func__, "weight", view(weight), 2, input->size));
  THNN_TRY(THNN_checkOutput(__func__, "output", view(output), 2, input->size));
  const int64_t n = input->size[0];
  Call call;
  THNN_enter(&call, state, __func__);
  const real *x = THNN_in(&call, view(input)), *w = THNN_in(&call, view(weight));
  const index_t *by = THNN_in(&call, view(offset));
  real *y = THNN_out(&call, view(output)), *t = THNN_scratch(&call, n * n, sizeof(real));
  THNN_badIndices(&call, "offset", by, 1, 9, 0);
  if (THNN_ready(&call)) {
    forward(&call, t, x, by, n * n, factor);
    product(&call, y, t, w, n);
  }
  return THNN_leave(&call);
}
"""


class Nvrtc:
    """A compiler of pretence: it gives back what it got."""

    getVersion = staticmethod(lambda: (0, 0))
    getSupportedArchs = staticmethod(lambda: [80, 90])
    getLoweredName = staticmethod(lambda program, name: name)
    getProgramLog = staticmethod(lambda program: "")

    def __init__(self) -> None:
        self.options: list[tuple[str, ...]] = []

    def createProgram(self, text: str, name: str, headers: Any, names: Any) -> list[str]:
        return [text]

    def addNameExpression(self, program: list[str], name: str) -> None:
        program.append(name)

    def compileProgram(self, program: list[str], options: tuple[str, ...]) -> None:
        self.options.append(options)

    def getCUBIN(self, program: list[str]) -> bytes:
        return "\n".join(program).encode()

    getPTX = getCUBIN

    def destroyProgram(self, program: list[str]) -> None:
        program.clear()


class Pretended(runtime.Driver):
    """The library of driver.cpp, with the kernels of `twin`, which g++ compiles once more: for the emulation."""

    def __init__(self, twin: runtime.Runtime, declares: Path, folder: Path) -> None:
        cxx, flags, source = compiler.cxx_compiler(), device.emulating(), HERE / "driver.cpp"
        command = [*cxx, *flags, "-DTHNN_CUDA", *device.PLACES, f"-I{HERE}", f"-I{declares.parent}", "-w", "-c"]
        core = device.core_objects(cxx, flags, [device.CORE / "state.cu", device.CORE / "cublas.cu"], [])
        objects = [*map(str, core), str(device.emulation())]
        for unit in twin.units:
            rows = "".join(f"  ENTRY({name}),\n" for name in twin._table(unit))
            table = f'extern "C" __attribute__((visibility("default"))) Entry pretended_{unit.name}[] = {{\n{rows}{{}}}};\n'
            (folder / f"{unit.name}.cu").write_text(f'{unit.host}#include "driver.h"\n{table}')
            objects.append(str(folder / f"{unit.name}.o"))
            compiler.run([*command, *unit.defines, str(folder / f"{unit.name}.cu"), "-o", objects[-1]], unit.source)
        objects.append(str(folder / "driver.o"))
        compiler.run([*command, "-fvisibility=default", str(source), "-o", objects[-1]], source)
        compiler.run([*cxx, "-shared", "-o", str(folder / "driver.so"), *objects, "-ldl"], source)
        super().__init__(str(folder / "driver.so"))
        self.ffi.cdef(
            """
            typedef struct {
              const char *name; unsigned blocks, threads; void *stream; int bytes; unsigned char arguments[512];
            } Launch;
            typedef struct { const char *name; void *run, *describe; } Entry;
            int pretended_launches(void);
            const Launch *pretended_launch(int i);
            void pretended_forget(void);
            void pretended_fail(int error);
            """
            + "".join(f"extern Entry pretended_{unit.name}[];\n" for unit in twin.units)
        )
        self.images: dict[bytes, tuple[str, dict[str, str]]] = {}  # the unit of each image, and the meaning of its names

    def module(self, image: bytes) -> Any:
        assert super().module(image) != self.ffi.NULL
        return self.images[image]

    def function(self, module: Any, name: str) -> int:
        unit, expressions = module
        assert super().function(self.ffi.NULL, name) == 0
        table, i = getattr(self.lib, f"pretended_{unit}"), 0
        while table[i].name != self.ffi.NULL:
            if self.ffi.string(table[i].name).decode() == " ".join(expressions[name].split()):
                return int(self.ffi.cast("intptr_t", self.ffi.addressof(table, i)))
            i += 1
        raise AssertionError(name)

    def launches(self) -> list[SimpleNamespace]:
        found = [self.lib.pretended_launch(i) for i in range(self.lib.pretended_launches())]
        told = [
            SimpleNamespace(
                name=self.ffi.string(one.name).decode(), blocks=one.blocks, threads=one.threads,
                stream=int(self.ffi.cast("intptr_t", one.stream)), arguments=bytes(one.arguments)[: one.bytes],
            )
            for one in found
        ]  # fmt: skip
        self.lib.pretended_forget()
        return told


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(params=["pretended", pytest.param("real", marks=needs_nvrtc)])
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[Path], Any]]:
    """Loads a ``.cu`` file for a device of pretence, by NVRTC or by a compiler of pretence; gives its driver."""
    cupy = fake_cupy.install(monkeypatch)
    monkeypatch.setattr(cupy.cuda, "nvrtc", Nvrtc() if request.param == "pretended" else NVRTC, raising=False)
    monkeypatch.setattr(device, "nvcc", lambda: None)
    monkeypatch.setattr(cuda, "_states", cuda._States())
    monkeypatch.setattr(cuda, "_is_ready", lambda: True)

    def load(file: Path) -> Any:
        extension = pl.extension.load(file)
        twin = extension._twin
        assert isinstance(twin, runtime.Runtime)
        driver = Pretended(twin, file, tmp_path)
        compiles = runtime.compiled

        def compiled(unit: runtime.Unit, names: list[str], capability: int) -> tuple[bytes, dict[str, str]]:
            image, lowered = compiles(unit, names, capability)
            driver.images[image] = unit.name, {lowered[name]: name for name in names}
            return image, lowered

        monkeypatch.setattr(runtime, "compiled", compiled)
        monkeypatch.setattr(runtime, "_driver_library", lambda: driver)
        return driver

    yield load
    for name in [name for name, owner in binding.owners.items() if owner.path.parent in (OWN, tmp_path)]:
        del binding.owners[name], library.SIGNATURES[name]


class Global(pl.extension.Layer):
    _layer = "GlobalAveragePooling"


def test_it_computes_what_the_emulation_does(machine: Callable[[Path], Any]) -> None:
    file = OWN / "GlobalAveragePooling.cu"
    x = random.standard_normal((2, 3, 40, 41))[..., ::2]
    pl.extension.load(file, emulate=True)
    expected = {}
    for dtype in ("f", "d"):
        layer = Global().type("torch.FloatTensor" if dtype == "f" else "torch.DoubleTensor")
        y = layer.forward(x.astype(dtype)).copy()
        expected[dtype] = y, layer.backward(x.astype(dtype), y).copy()
    driver = machine(file)
    for name, dtype in (("torch.CudaTensor", "f"), ("torch.CudaDoubleTensor", "d")):
        layer, input = Global().type(name), arrays.to_device(x.astype(dtype), True)
        y = layer.forward(input)
        gx = layer.backward(input, y)
        for one, other in zip((y, gx), expected[dtype], strict=True):
            np.testing.assert_array_equal(arrays.to_device(one, False), other)
    driver.launches()
    layer = Global().type("torch.CudaHalfTensor")
    y = layer.forward(arrays.to_device(x.astype("e"), True))
    np.testing.assert_allclose(arrays.to_device(y, False), x.mean((2, 3), keepdims=True), atol=1e-3)
    assert [launch.name for launch in driver.launches()] == ["(void (*)(__half*, __half const*, long, long, bool))means"]


def test_what_the_driver_is_asked_for(machine: Callable[[Path], Any]) -> None:
    """Kernel, grid, stream, and each byte of the arguments."""
    driver = machine(OWN / "GlobalAveragePooling.cu")
    small, large = (arrays.to_device(np.zeros(shape, "f"), True) for shape in ((2, 50, 5, 7), (3, 64, 33)))
    layer = Global().type("torch.CudaTensor")
    with arrays.cupy().cuda.Stream(64):
        y = layer.forward(small)
        gx = layer.backward(small, y)
    one, two = driver.launches()
    at = [part.data.ptr for part in (y, small, gx)]
    assert (one.blocks, one.threads, one.stream) == (13, 256, 64)  # a warp for each of 100 planes, 8 in a block
    assert one.name == "(void (*)(float*, float const*, long, long, bool))means"
    assert one.arguments == struct.pack("=qqqq?", at[0], at[1], 100, 35, False)
    assert (two.blocks, two.threads, two.stream) == (14, 256, 64)  # a thread for each of 3500 cells
    assert two.name == "(void (*)(float*, float const*, long, long))shares"
    assert two.arguments == struct.pack("=qqqq", at[2], at[0], 100, 35)
    y = layer.forward(large)
    (one,) = driver.launches()
    assert (one.blocks, one.threads, one.stream) == (3, 256, 0)  # a block for each plane
    assert one.arguments == struct.pack("=qqqq?", y.data.ptr, large.data.ptr, 3, 64 * 33, True)
    layer.forward(arrays.to_device(np.zeros((3, 64, 66), "f"), True)[..., ::2])
    copy, _ = driver.launches()  # a kernel of the core copies arrays that are not contiguous first
    assert copy.name == "(void (*)(Strided, char*, long, long, bool))copyStrided<int>"


def test_templates_overloads_products_and_indices(machine: Callable[[Path], Any], tmp_path: Path) -> None:
    (tmp_path / "Mixed.cu").write_text(MIXED_CU)
    (tmp_path / "Mixed.c").write_text(MIXED_C)
    driver = machine(tmp_path / "Mixed.cu")

    class Mixed(pl.extension.Layer):
        _layer = "Mixed"

        def __init__(self) -> None:
            super().__init__()
            self.factor, self.weight, self.offset = 3.0, random.standard_normal((20, 20)).astype("f"), np.array([4])

    x = random.standard_normal((20, 20))
    for name, dtype, accuracy in (("CudaTensor", "f", 1e-4), ("CudaDoubleTensor", "d", 1e-12), ("CudaHalfTensor", "e", 0.5)):
        layer = Mixed().type(f"torch.{name}")
        y = layer.forward(arrays.to_device(x.astype(dtype), True))
        expected = -(x.astype(dtype).astype("d") * 3 + 6) @ arrays.to_device(layer.weight, False).astype("d").T
        np.testing.assert_allclose(arrays.to_device(y, False), expected, atol=accuracy)
        told = driver.launches()
        assert [re.sub(r".*\)(?=\w)|<.*", "", one.name) for one in told if "reportBadIndex" not in one.name] == [
            "map", "shift", "shift", "negate", "multiply",
        ]  # fmt: skip
        assert [(one.blocks, one.threads) for one in told[-4:-1]] == [(2, 256), (2, 64), (3, 32)]
    layer.offset[...] = 9
    pl.setCudaIndexCheck(True)
    try:
        with pytest.raises(pl.THNNError, match="offset: expected 0 to 8, got 9"):
            layer.forward(arrays.to_device(x.astype("e"), True))
    finally:
        pl.setCudaIndexCheck(False)
    layer.offset[...] = 0
    driver.lib.pretended_fail(700)
    with pytest.raises(DeviceError, match="launch: expected a kernel to start, got: a pretended error"):
        layer.forward(arrays.to_device(x.astype("e"), True))
    with pytest.raises(ExtensionError, match="the CUDA driver: cuModuleLoadData: a pretended error"):
        runtime.Driver.module(driver, b"image")
    driver.lib.pretended_fail(0)


def test_what_did_not_compile_is_compiled_again(machine: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    machine(OWN / "GlobalAveragePooling.cu")
    layer, x = Global().type("torch.CudaTensor"), arrays.to_device(np.ones((2, 3, 3), "f"), True)
    with monkeypatch.context() as patch:

        def compiled(*_: Any) -> Any:
            raise ExtensionError("a mistake")

        patch.setattr(runtime, "compiled", compiled)
        for _ in range(2):
            with pytest.raises(ExtensionError, match="a mistake"):
                layer.forward(x)
    assert (arrays.to_device(layer.forward(x), False) == 1).all()


KINDS = pl.extension.KINDS


@needs_nvrtc
@pytest.mark.parametrize("file", [OWN / "GlobalAveragePooling.cu", *KINDS], ids=str)
def test_nvrtc_compiles_all_kernels(file: Path | str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """To code of a GPU, and of one that is newer than NVRTC; with all kernels of the file, and nothing that is missing."""
    if isinstance(file, str):
        pl.extension.new_layer("Tried", kind=file, cuda=True, folder=tmp_path)
        file = next(tmp_path.rglob("Tried.cu"))
    monkeypatch.setattr(runtime, "nvrtc", lambda about: NVRTC)
    twin = runtime.library(file, file.with_suffix(".h"))
    written = set(re.findall(r"__global__ void (\w+)\(", file.read_text()))
    for unit in twin.units:
        table = [*twin._table(unit)]
        assert unit.source != file or {name.rpartition(")")[2] for name in table} == written
        for capability in (80, 90, 999):
            image, lowered = runtime.compiled(unit, table, capability)
            assert image.startswith(b"\x7fELF" if capability < 999 else b"//")
            assert all(name.encode() in image for name in lowered.values())
        assert b".extern" not in image  # a function that no driver has


@needs_nvrtc
@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("(real)-(accreal)y[i]", "(real)nothing", r'Mixed\.cu\({line}\): error: identifier "nothing" is undefined'),
        ("#ifndef __CUDACC_RTC__", "#ifndef X", r'"launch" is undefined(.|\n)*between #ifndef __CUDACC_RTC__ and #endif'),
    ],
)
def test_messages_have_file_and_line(
    right: str, wrong: str, expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text, file = MIXED_CU.replace(right, wrong), tmp_path / "Mixed.cu"
    file.write_text(text)
    (tmp_path / "Mixed.c").write_text(MIXED_C)
    monkeypatch.setattr(runtime, "nvrtc", lambda about: NVRTC)
    unit = runtime.Unit("Cuda", file, "", f'#include "{file}"\n', device.typed("Cuda"), [text])
    line = text[: text.index(wrong)].count("\n") + 1
    with pytest.raises(ExtensionError, match=rf"Mixed.cu: NVRTC says:\n(.|\n)*{expected.replace('{line}', str(line))}"):
        runtime.compiled(unit, [], 80)


def test_without_any_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ExtensionError, match=r"Mine.cu: needs nvcc, .*, or CuPy with NVRTC .*; install .*emulate=True"):
        runtime.library(tmp_path / "Mine.cu", tmp_path / "Mine.h")
