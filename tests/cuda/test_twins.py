"""Every function of libTHCUNN on small arrays, in its three element types, beside its twin in libTHNN.

Needs a GPU, or PYTORCH_LEGACY_EMULATE, a library built with THCUNN=host: tests/cuda/run.sh sets it. ThreadSanitizer sees the
same calls.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytorch_legacy import arrays
from pytorch_legacy.backend import header
from pytorch_legacy.backend.header import Function
from pytorch_legacy.backend.library import USES
from tests import capi
from tests.capi import GENERIC, Call
from tests.cuda.gpu import IS_REAL, LIBRARY, on_a_device
from tests.rows import all_of, rows

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REALS: dict[str, np.dtype[Any]] = {
    "Cuda": np.dtype(np.float32),
    "CudaDouble": np.dtype(np.float64),
    "CudaHalf": np.dtype(np.float16),
}
NEAR = {"Cuda": 1e-5, "CudaDouble": 1e-12, "CudaHalf": 1e-2}
FAMILIES = {layer: path.parent.name for layer, path in header.definitions(ROOT).items()}
TWINS = [function for function in GENERIC if function.layer in FAMILIES]
ARRAYS = {f"THNN_CudaA{name.removeprefix('a')}" for name in USES if name.startswith("array")}
TESTED = TWINS if LIBRARY else TWINS[:1]  # without a device one test is skipped

twins = rows("function", [(f.layer, f.name, f) for f in TESTED])
reals = pytest.mark.parametrize("real", REALS)

# Windows of so many cells, or channels, that kernels share them out otherwise than small ones.
LARGE = [f for f in TESTED if ("Pool" in f.layer and {"kH", "kW"} <= {a.name for a in f.arguments}) or "CrossMapLRN" in f.layer]
LARGE_SIZES = capi.SIZES | {"C": 20, "H": 12, "W": 14, "oH": 2, "oW": 3}
LARGE_SCALARS = {"kH": 8, "kW": 9, "dH": 3, "dW": 2, "size": 17}
# Numbers beyond those that kernels of pooling compute in 32 bits: a step, or how many adaptive windows there are.
FAR = [f for f in LARGE if "dH" in {a.name for a in f.arguments}] + [f for f in TESTED if "Adaptive" in f.layer]
FAR_SIZES = {
    "sliding": LARGE_SIZES | {"oH": 1},
    "adaptive": capi.SIZES | {"N": 1, "C": 1, "T": 2, "H": 3, "oT": 1, "oH": 2, "oW": 33000, "oL": 33000},
}
FAR_SCALARS = LARGE_SCALARS | {"dH": 1 << 30}


class Emulated:
    """The emulated library, with a state that has scratch memory."""

    def __init__(self) -> None:
        self.lib = ctypes.CDLL(str(LIBRARY))
        self.lib.THNN_CudaLastError.restype = ctypes.c_char_p
        self.state = ctypes.c_void_p()
        assert self.lib.THNN_CudaState_new(ctypes.byref(self.state)) == 0
        self.memory = self.lend()

    def lend(self) -> Any:
        scratch, report = np.zeros(1 << 20, np.uint8), np.zeros(2, np.int64)
        self.tell(scratch.ctypes.data, scratch.size, report.ctypes.data)
        return scratch, report

    def tell(self, scratch: int, size: int, report: int) -> None:
        self.lib.THNN_CudaState_setScratch(self.state, ctypes.c_void_p(scratch), ctypes.c_int64(size))
        self.lib.THNN_CudaState_setIndexReport(self.state, ctypes.c_void_p(report), ctypes.c_int32(1))

    def __call__(self, call: Call, real: str, shift: int = 0) -> int:
        state = {"state": self.state} if "state" in call.values else {}
        return int(getattr(self.lib, f"THNN_{real}{call.function.name}")(*call.arguments(**state)))

    def last_error(self) -> str:
        return self.lib.THNN_CudaLastError().decode()


class Real(Emulated):
    """A GPU: arrays travel there and back. They may lie some elements behind the beginning of their memory."""

    def lend(self) -> Any:
        scratch, report = arrays.cupy().cuda.alloc(1 << 26), arrays.cupy().cuda.alloc_pinned_memory(16)
        self.tell(scratch.ptr, 1 << 26, report.ptr)
        return scratch, report

    def __call__(self, call: Call, real: str, shift: int = 0) -> int:
        gpu, there = arrays.cupy().cuda, {}
        for name, array in call.arrays.items():
            if call.values[name] is not None:
                there[name] = memory = gpu.alloc((array.size + shift) * array.itemsize + 1)
                call.values[name].data = memory.ptr + shift * array.itemsize
                gpu.runtime.memcpy(call.values[name].data, array.ctypes.data, array.nbytes, gpu.runtime.memcpyHostToDevice)
        status = super().__call__(call, real)
        gpu.runtime.deviceSynchronize()
        for name in there:
            array, tensor = call.arrays[name], call.values[name]
            gpu.runtime.memcpy(array.ctypes.data, tensor.data, array.nbytes, gpu.runtime.memcpyDeviceToHost)
            tensor.data = array.ctypes.data
        return status


Device = Real if IS_REAL else Emulated


@pytest.fixture(scope="module")
def device() -> Emulated:
    return Device()


def valid(function: Function, sizes: dict[str, int] = capi.SIZES) -> Call:
    """As capi.valid, with values on both sides of where layers bend, and with indices that the layer itself has found."""
    call = capi.valid(function, "Double", sizes)
    if FAMILIES[function.layer] == "activation" and function.layer != "Sqrt":
        call.arrays["input"].flat[::2] *= -1
    if function.layer == "BCECriterion":  # its input is probabilities
        call.arrays["input"] /= 2
    if function.layer == "MultiLabelMarginCriterion":
        call.arrays["target"][...] = [2, 0, -1], [1, -1, 0]
        call.arrays["isTarget"][...] = [1, 0, 1], [0, 1, 0]
    if "indices" in call.arrays and not function.name.endswith("_updateOutput"):
        forward = rounded(capi.valid(next(f for f in GENERIC if f.name == f"{function.layer}_updateOutput"), "Double", sizes))
        assert forward() == 0
        call.arrays["indices"][...] = forward.arrays["indices"]
    return call


def rounded(call: Call) -> Call:
    """The same call, of numbers that halves have too."""
    for array in call.arrays.values():
        if array.dtype.kind == "f":
            array[...] = array.astype(np.float16)
    return call


def converted(call: Call, dtype: np.dtype[Any]) -> Call:
    """The same call with elements of another type, in memory of its own."""
    other = Call(call.function, call.real, {}, dict(call.values))
    for name, array in call.arrays.items():
        other.arrays[name] = array.astype(dtype if array.dtype.kind == "f" else array.dtype)
        other.values[name] = capi.describe(other.arrays[name])
    if "size" in other.values and not isinstance(other.values["size"], (int, float)):
        other.values["size"] = (ctypes.c_int64 * 8)()
    return other


@on_a_device
@twins
@reals
@all_of("how", ["gather", "scatter"])
def test_as_THNN(device: Emulated, function: Function, real: str, how: str) -> None:
    if how == "scatter" and FAMILIES[function.layer] != "pooling":
        pytest.skip("the same call")
    compare(device, valid(function), real, how)


@on_a_device
@pytest.mark.parametrize("function", LARGE, ids=lambda f: f.name)
@reals
def test_large_as_THNN(device: Emulated, function: Function, real: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in LARGE_SCALARS.items():
        monkeypatch.setitem(capi.SCALARS, name, value)
    compare(device, valid(function, LARGE_SIZES), real, "gather")


@on_a_device
@pytest.mark.parametrize("function", FAR, ids=lambda f: f.name)
@all_of("how", ["gather", "scatter"])
def test_far_as_THNN(device: Emulated, function: Function, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in FAR_SCALARS.items():
        monkeypatch.setitem(capi.SCALARS, name, value)
    compare(device, valid(function, FAR_SIZES["adaptive" if "Adaptive" in function.layer else "sliding"]), "Cuda", how)


def compare(device: Emulated, here: Call, real: str, how: str) -> None:
    """The call in libTHNN, of the layer's definition if it has one, and its twin, on numbers that both can hold."""
    function, here = here.function, rounded(here)
    there = converted(here, REALS[real])
    assert capi.lib.THNN_setKernels(None, 1) == 0
    assert here() == 0, capi.last_error()
    if function.name == "RReLU_updateOutput":  # slopes are made of the numbers that the host has drawn
        lower, upper = here.values["lower"], here.values["upper"]
        there.arrays["noise"][...] = (here.arrays["noise"] - lower) / (upper - lower)
    device.lib.THNN_CudaState_setPoolingBackward(device.state, 1 if how == "gather" else 2)
    assert device(there, real) == 0, device.last_error()
    for name, array in here.arrays.items():
        np.testing.assert_allclose(
            there.arrays[name].astype(np.float64), array, rtol=0, atol=NEAR[real] * max(1, abs(array).max())
        )
    if "size" in here.values and function.name.endswith("_outputSize"):
        assert list(there.values["size"]) == list(here.values["size"])


@pytest.mark.skipif(not IS_REAL, reason="needs a GPU, where threads have no order of their own")
@twins
@reals
def test_same_bits(device: Emulated, function: Function, real: str) -> None:
    """Twice the same, and the same anywhere in memory."""
    device.lib.THNN_CudaState_setPoolingBackward(device.state, 1)
    results = []
    for shift in (0, 0, 1):
        call = converted(rounded(valid(function)), REALS[real])
        assert device(call, real, shift) == 0, device.last_error()
        results.append(call.contents())
    assert results[0] == results[1] == results[2]


@on_a_device
@twins
@reals
def test_errors_as_THNN(device: Emulated, function: Function, real: str) -> None:
    """NULL for each argument that must be there: the same status, the same words."""
    for argument in function.arguments:
        if not capi.is_tensor(argument) or "OPTIONAL" in argument.tags:
            continue
        here = capi.valid(function, "Double")
        there = converted(here, REALS[real])
        here.values[argument.name] = there.values[argument.name] = None
        assert device(there, real) == here() == capi.NULL
        assert device.last_error() == capi.last_error().replace("THNN_Double", f"THNN_{real}")


@on_a_device
@twins
def test_scratch_is_asked_for(function: Function) -> None:
    """A state without scratch memory: all well, or a status that says how much is wanted, and nothing written."""
    device = Device()
    device.lib.THNN_CudaState_setScratch(device.state, None, ctypes.c_int64(0))
    call = capi.valid(function, "Float")
    before = call.contents()
    status = device(call, "Cuda")
    if status == capi.MEMORY:
        wanted = ctypes.c_int64()
        device.lib.THNN_CudaState_scratchWanted(device.state, ctypes.byref(wanted))
        assert wanted.value > 0
        assert call.contents() == before
    else:
        assert status == 0


@on_a_device
@pytest.mark.parametrize("layer", ["SpatialConvolutionMap", "SpatialFullConvolutionMap"])
def test_links_that_lead_nowhere(layer: str) -> None:
    """Without an index report, a link with a bad plane is left out: as one whose kernel is zero."""
    device = Device()
    device.lib.THNN_CudaState_setIndexReport(device.state, None, ctypes.c_int32(0))
    function = next(f for f in TWINS if f.name == f"{layer}_updateOutput")
    bad, zero = capi.valid(function, "Float"), capi.valid(function, "Float")
    bad.arrays["connTable"][...] = [[0, 1], [-5, 2], [2, 10**12], [1, 0], [2, 3]]
    zero.arrays["connTable"][...] = [[0, 1], [1, 2], [2, 0], [1, 0], [2, 3]]
    zero.arrays["weight"][1:3] = 0
    assert device(bad, "Cuda") == device(zero, "Cuda") == 0
    np.testing.assert_array_equal(bad.arrays["output"], zero.arrays["output"])


MANY_ELEMENTS = capi.SIZES | {"N": 50, "L": 100, "nnz": 5000, "nIndex": 3000, "nOutput": 3, "inputSize": 3000, "outputSize": 3}


def of_many_rows(name: str, **values: float) -> Call:
    """Rows for several digits of a sort, and places for many tiles: one row comes often, many never."""
    call = valid(next(f for f in TWINS if f.name == name), MANY_ELEMENTS)
    rng = np.random.default_rng(2)
    rows = np.where(rng.random(5000) < 0.2, 77, rng.integers(0, 3000, 5000))
    samples = np.sort(rng.integers(0, 50, 5000))
    for argument, array in call.arrays.items():
        if array.dtype != np.int64:
            array[...] = rng.normal(size=array.shape)
        elif argument == "offset2bag":
            array[...] = samples
        elif argument in ("seq_length", "sizes"):
            array[...] = np.bincount(samples, minlength=50)
        else:
            array[...] = rows.reshape(array.shape)
    call.values |= values
    return call


@on_a_device
@reals
@pytest.mark.parametrize("byFrequency", [0, 1])
@pytest.mark.parametrize("name", ["LookupTable_accGradParameters", "LookupTableBag_accGradParameters"])
def test_many_rows(device: Emulated, name: str, byFrequency: int, real: str) -> None:
    compare(device, of_many_rows(name, scaleGradByFreq=byFrequency, paddingValue=5, mode=1, scale=0.5), real, "gather")


@on_a_device
@pytest.mark.parametrize("byFrequency", [0, 1])
def test_rows_that_are_not_there(byFrequency: int) -> None:
    """Without an index report, an index that is out of range is left out: as one whose gradient is zero."""
    device = Device()
    device.lib.THNN_CudaState_setIndexReport(device.state, None, ctypes.c_int32(0))
    name, values = "LookupTable_accGradParameters", {"scaleGradByFreq": byFrequency, "scale": 0.5}
    bad, zero = of_many_rows(name, **values), of_many_rows(name, **values)
    rows = bad.arrays["input"].reshape(-1)
    rows[::7], rows[1::77] = 3000, -1
    rows[2::77] = 2**62
    left_out = (rows < 0) | (rows >= 3000)
    zero.arrays["input"].reshape(-1)[left_out] = 3  # no other gradient arrives there
    zero.arrays["gradOutput"].reshape(5000, -1)[left_out] = 0
    assert 3 not in rows
    assert zero() == device(bad, "CudaDouble") == 0
    np.testing.assert_allclose(bad.arrays["gradWeight"], zero.arrays["gradWeight"], rtol=0, atol=1e-12)


@on_a_device
@pytest.mark.parametrize("real", ["Cuda", "CudaDouble"])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("function", [f for f in TWINS if f.layer == "IndexLinear"], ids=lambda f: f.name)
def test_many_keys(device: Emulated, function: Function, normalize: bool, real: str) -> None:
    call = of_many_rows(function.name, keysOffset=20, weightDecay=0.01, scale=0.1)
    for name in ("keys", "runningKeys"):
        if name in call.arrays:
            call.arrays[name] -= 20
    columns = {"weight": 7, "gradWeight": 6}
    for name in columns.keys() & call.arrays.keys() if normalize else ():
        call.arrays[name] = np.random.default_rng(3).normal(size=(len(call.arrays[name]), columns[name]))
        call.values[name] = capi.describe(call.arrays[name])
    compare(device, call, real, "gather")


@on_a_device
def test_exports() -> None:
    """The library exports its header, and nothing else."""
    assert exported(str(LIBRARY)) == {f"THNN_{real}{function.name}" for function in TWINS for real in REALS} | ARRAYS


def exported(library: str) -> set[str]:
    """The layer functions that a library offers."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1].partition("@")[0] for line in lines.splitlines() if line.split()[-2] in "TtWw"}
    return {name for name in names if "State" not in name} - {"THNN_CudaLastError", "THNN_CudaAbiVersion"}


def test_header_can_be_made(tmp_path: Path) -> None:
    target = tmp_path / "THCUNN.h"
    subprocess.run([sys.executable, str(ROOT / "THCUNN" / "declare.py"), str(target)], check=True)
    text = target.read_text()
    for function in TWINS:
        assert all(f"THNN_{real}{function.name}(" in text for real in REALS)
    assert all(f"{name}(\n    THNNCudaState *state" in text for name in ARRAYS)
    assert "@" not in text


def test_coverage() -> None:
    """Every layer has a CUDA twin."""
    assert {function.layer for function in GENERIC if function.layer} - set(FAMILIES) == set()
