"""Modules on a CUDA device: what moves, what stays shared, what is refused, and what is asked of CuPy."""

from __future__ import annotations

import copy
import pickle
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import cli, nn, t7
from pytorch_legacy.arrays import base_storage, storage_offset
from pytorch_legacy.backend import cuda
from pytorch_legacy.errors import DeviceError, DtypeError, IndexRangeError, UnsupportedError
from tests.cuda import fake_cupy
from tests.cuda.gpu import gpu as gpu
from tests.cuda.gpu import pretended

pytestmark = pretended


def numbers(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return np.random.default_rng(5).standard_normal(shape).astype(dtype)


def network() -> nn.Sequential:
    """Two layers of one weight, between them others of every kind: kernels, array operations, tables."""
    pl.manualSeed(1)
    first, second = nn.Linear(4, 4), nn.Linear(4, 4)
    second.share(first, "weight", "gradWeight")
    branches = nn.ConcatTable().add(nn.Identity()).add(nn.Mul())
    return nn.Sequential().add(first).add(nn.ReLU()).add(branches).add(nn.JoinTable(1)).add(nn.Narrow(1, 0, 4)).add(second)


class TestMoving:
    def test_there_and_back(self, gpu: Any) -> None:
        net = network()
        before = [array.copy() for array in net.parameters()[0]]
        assert net.cuda() is net
        assert all(isinstance(array, gpu.ndarray) for arrays in net.parameters() for array in arrays)
        assert net.type() == net.get(0).type() == "torch.CudaTensor"
        assert isinstance(net.output, gpu.ndarray) and isinstance(net.get(3).output, gpu.ndarray)
        net.float()
        assert net.type() == "torch.FloatTensor" and not net._onDevice
        for array, old in zip(net.parameters()[0], before, strict=True):
            np.testing.assert_array_equal(array, old)

    @pytest.mark.parametrize(
        "convert, name, dtype",
        [
            (lambda m: m.type("torch.CudaDoubleTensor"), "torch.CudaDoubleTensor", np.float64),
            (lambda m: m.cuda().half(), "torch.CudaHalfTensor", np.float16),
            (lambda m: m.cuda().double(), "torch.DoubleTensor", np.float64),
            (lambda m: m.double().cuda(), "torch.CudaTensor", np.float32),
            (lambda m: m.cuda().half().float(), "torch.FloatTensor", np.float32),
        ],
    )
    def test_types(self, gpu: Any, convert: Any, name: str, dtype: Any) -> None:
        layer = convert(nn.Linear(3, 2))
        assert layer.type() == name
        assert layer.weight.dtype == layer.output.dtype == dtype
        assert isinstance(layer.weight, gpu.ndarray) == ("Cuda" in name)

    def test_integers_keep_their_dtype(self, gpu: Any) -> None:
        layer = nn.SpatialMaxPooling(2, 2)
        layer.forward(numbers(1, 4, 4))
        layer.cuda()
        assert isinstance(layer.indices, gpu.ndarray) and layer.indices.dtype == np.int64
        assert isinstance(layer.float().indices, np.ndarray)

    def test_what_is_shared_stays_shared(self, gpu: Any) -> None:
        net = network().cuda()
        first, second = net.get(0), net.get(5)
        assert first.weight is second.weight
        net.float()
        assert first.weight is second.weight

    def test_views_of_one_vector(self, gpu: Any) -> None:
        """After getParameters all weights live in one vector, on the way to the device and back."""
        net = network()
        flat, _ = net.getParameters()
        expected = flat.copy()
        offsets = [storage_offset(array) for array in net.parameters()[0]]
        for move in (net.cuda, net.clone, net.double, net.cuda, net.float):
            net = move()
            parameters = net.parameters()[0]
            assert len({id(base_storage(array)) for array in parameters}) == 1
            assert [storage_offset(array) for array in parameters] == offsets
        vector = base_storage(parameters[0])
        np.testing.assert_array_equal(vector, expected)
        vector += 1
        np.testing.assert_array_equal(net.get(0).bias.ravel(), expected[16:20] + 1)

    def test_getParameters(self, gpu: Any) -> None:
        net, host = network().cuda(), network()
        flat, gradient = net.getParameters()
        np.testing.assert_array_equal(flat.get(), host.getParameters()[0])
        flat += 1
        np.testing.assert_array_equal(net.get(0).bias.get(), host.get(0).bias + 1)
        assert net.get(0).weight is net.get(5).weight
        gradient.fill(2)
        assert (net.get(5).gradBias.get() == 2).all()
        assert nn.Sequential().add(nn.Tanh()).cuda().getParameters()[0].size == 0

    def test_copies(self, gpu: Any) -> None:
        net = network().cuda()
        for other in (net.clone(), copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
            assert other.type() == "torch.CudaTensor"
            assert isinstance(other.get(0).weight, gpu.ndarray)
            other.get(0).weight.fill(0)
            assert not other.get(5).weight.get().any()
        assert net.get(0).weight.get().any()
        assert net.clone("weight").get(0).weight is net.get(0).weight

    def test_clearState(self, gpu: Any) -> None:
        net = network().cuda()
        net.forward(gpu.asarray(numbers(2, 4)))
        net.clearState()
        assert isinstance(net.output, gpu.ndarray) and net.output.size == 0
        assert net.forward(gpu.asarray(numbers(2, 4))).shape == (2, 4)

    def test_draws_are_those_of_the_host(self, gpu: Any) -> None:
        here, there = nn.Linear(3, 2), nn.Linear(3, 2).cuda()
        for layer in (here, there):
            pl.manualSeed(7)
            layer.reset()
        np.testing.assert_array_equal(there.weight.get(), here.weight)

    def test_training(self, gpu: Any) -> None:
        """The optimizers of pl.optim, too, take the vectors as they are."""
        results = []
        for move in (lambda net: net, lambda net: net.cuda()):
            net = move(network())
            x = numbers(6, 4) if not net._onDevice else gpu.asarray(numbers(6, 4))
            flat, gradient = net.getParameters()
            state = {"learningRate": 0.1, "momentum": 0.9}

            def closure(_: Any, net: Any = net, x: Any = x, gradient: Any = gradient) -> Any:
                gradient.fill(0)
                output = net.forward(x)
                net.backward(x, output)
                return 0.0, gradient

            for _ in range(3):
                pl.optim.sgd(closure, flat, state)
            net.float()
            results.append(net.parameters()[0])
        for host, device in zip(*results, strict=True):
            np.testing.assert_allclose(device, host, rtol=1e-5, atol=1e-6)


class TestArrays:
    def test_outputs_are_reused(self, gpu: Any) -> None:
        net, x = network().cuda(), gpu.asarray(numbers(2, 4))
        output = net.forward(x)
        assert net.forward(x) is output

    def test_strided_input(self, gpu: Any) -> None:
        layer = nn.Linear(4, 3)
        expected = layer.forward(numbers(4, 5).T.copy()).copy()
        device = gpu.asarray(numbers(4, 5)).T
        np.testing.assert_allclose(layer.cuda().forward(device).get(), expected, rtol=1e-5)

    def test_half(self, gpu: Any) -> None:
        layer = nn.Linear(4, 3)
        expected = layer.forward(numbers(2, 4))
        output = layer.cuda().half().forward(gpu.asarray(numbers(2, 4).astype(np.float16)))
        assert output.dtype == np.float16
        np.testing.assert_allclose(output.get(), expected, atol=1e-2)

    def test_arrays_of_others(self, gpu: Any) -> None:
        """Arrays with __cuda_array_interface__ or DLPack are used without a copy."""
        here = gpu.asarray(numbers(2, 4))

        class ByInterface:
            __cuda_array_interface__ = here.__cuda_array_interface__

        class ByDLPack:
            def __dlpack_device__(self) -> tuple[int, int]:
                return 2, 0

            def __dlpack__(self, stream: Any = None) -> Any:
                return here

        layer = nn.Identity().cuda()
        for other in (ByInterface(), ByDLPack()):
            assert layer.forward(other).data.ptr == here.data.ptr
            assert layer.backward(other, other).data.ptr == here.data.ptr
            assert layer.forward([other])[0].data.ptr == here.data.ptr
        net = nn.Sequential().add(nn.Linear(4, 4)).cuda()
        assert isinstance(net.forward(ByDLPack()), gpu.ndarray)
        assert isinstance(net.backward(ByDLPack(), ByInterface()), gpu.ndarray)
        assert isinstance(nn.AbsCriterion().cuda()._ownFields(), dict)


class TestRefused:
    def test_a_host_array(self, gpu: Any) -> None:
        wanted = r"nn.Linear: input: expected a CuPy array of float32, got a NumPy array of float32; move it with cupy.asarray"
        with pytest.raises(DtypeError, match=wanted):
            nn.Linear(4, 3).cuda().forward(numbers(2, 4))
        with pytest.raises(DtypeError, match=r"in module 1 of nn.Sequential, nn.Tanh.*: expected a CuPy array"):
            nn.Sequential().add(nn.Tanh()).cuda().forward(numbers(2, 4))

    def test_a_device_array(self, gpu: Any) -> None:
        x = gpu.asarray(numbers(2, 4))
        wanted = r"nn.Linear: input: expected a float32 array, got a CuPy array of float32; move the module with .cuda\(\)"
        with pytest.raises(DtypeError, match=wanted):
            nn.Linear(4, 3).forward(x)
        layer = nn.Linear(4, 3)
        layer.forward(numbers(2, 4))
        with pytest.raises(DtypeError, match=r"nn.Linear: gradOutput: expected a float32 array, .*\.cuda\(\)"):
            layer.backward(numbers(2, 4), gpu.asarray(numbers(2, 3)))

    def test_another_dtype(self, gpu: Any) -> None:
        x = gpu.asarray(numbers(2, 4, dtype=np.float64))
        with pytest.raises(DtypeError, match=r"expected float32, got float64; pass x.astype\(cupy.float32\), or .*: .type\("):
            nn.Linear(4, 3).cuda().forward(x)

    def test_labels(self, gpu: Any) -> None:
        criterion, x = nn.ClassNLLCriterion().cuda(), gpu.asarray(numbers(2, 4))
        with pytest.raises(DtypeError, match=r"nn.ClassNLLCriterion: target: expected a CuPy array of int64, got a NumPy"):
            criterion.forward(x, np.array([1, 2]))
        assert isinstance(criterion.forward(x, gpu.asarray(np.array([1, 2]))), float)

    def test_half_on_the_host(self) -> None:
        layer = nn.Linear(4, 3).half()
        assert layer.type() == "torch.HalfTensor"
        with pytest.raises(DtypeError, match=r"use .float\(\) or .double\(\), or on a GPU .cuda\(\).half\(\)"):
            layer.forward(numbers(2, 4).astype(np.float16))

    def test_a_layer_without_kernels(self, gpu: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cuda.Library, "function", lambda *_: None)
        with pytest.raises(UnsupportedError, match=r"nn.Tanh: has no CUDA kernel; use .float\(\) or .double\(\)"):
            nn.Tanh().cuda().forward(gpu.asarray(numbers(2, 4)))

    def test_another_device(self, gpu: Any) -> None:
        layer, x = nn.Tanh().cuda(), gpu.asarray(numbers(2, 4))
        with (
            gpu.cuda.Device(1),
            pytest.raises(DeviceError, match="expected an array on the current device, 1, got one on device 0"),
        ):
            layer.forward(x)

    @pytest.mark.parametrize("gone", ["cupy", "device", "driver", "library"])
    def test_what_is_missing_is_said(self, gpu: Any, monkeypatch: pytest.MonkeyPatch, gone: str) -> None:
        def failing() -> int:
            raise RuntimeError("no driver")

        if gone == "cupy":
            monkeypatch.setitem(sys.modules, "cupy", None)
        elif gone == "library":
            monkeypatch.setenv("PYTORCH_LEGACY_THCUNN", "nowhere.so")
        else:
            monkeypatch.setattr(gpu.cuda.runtime, "getDeviceCount", failing if gone == "driver" else lambda: 0)
        said = {
            "cupy": r'CuPy, which pip install "pytorch_legacy\[cuda\]" installs',
            "device": r"a CUDA device and its driver \(there is none\)",
            "driver": r"a CUDA device and its driver \(no driver\)",
            "library": r"libTHCUNN \(nowhere.so\), which is built where nvcc is: PYTORCH_LEGACY_CUDA=cuda pip install",
        }
        with pytest.raises(DeviceError, match=f"nn.Linear: torch.CudaTensor: needs a GPU; what is missing: {said[gone]}"):
            nn.Linear(4, 3).cuda()


class Spy:
    """Stands before the library and keeps what the state was told."""

    def __init__(self, lib: Any) -> None:
        self.lib = lib
        self.calls: list[tuple[str, tuple[Any, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.lib, name)
        if "State" not in name:
            return function

        def told(*values: Any) -> Any:
            self.calls.append((name.removeprefix("THNN_CudaState_"), values))
            return 0 if name.endswith("setCublas") else function(*values)

        return told

    def told(self, name: str) -> list[tuple[Any, ...]]:
        return [values for called, values in self.calls if called == name]


@pytest.fixture
def spy(gpu: Any, monkeypatch: pytest.MonkeyPatch) -> Spy:
    library = cuda._library(cuda._path())
    found = Spy(library.lib)
    monkeypatch.setattr(library, "lib", found)
    return found


class TestCalls:
    def test_streams(self, gpu: Any, spy: Spy) -> None:
        """A state for each stream; it is told once."""
        layer, x = nn.Tanh().cuda(), gpu.asarray(numbers(2, 4))
        for stream in (None, 4096, 4096, None, 8192):
            if stream is None:
                layer.forward(x)
            else:
                with gpu.cuda.Stream(stream):
                    layer.forward(x)
        streams = [int(cuda._library(cuda._path()).ffi.cast("intptr_t", values[1])) for values in spy.told("setStream")]
        assert streams == [0, 4096, 8192]
        assert len({values[0] for values in spy.told("setStream")}) == 3

    def test_scratch_memory_is_of_the_pool(self, gpu: Any) -> None:
        layer, x = nn.Tanh().cuda(), gpu.asarray(numbers(4, 6)).T
        fake_cupy.allocated.clear()
        layer.forward(x)
        assert fake_cupy.allocated  # the view had to be copied
        size = len(fake_cupy.allocated)
        layer.forward(x)
        assert len(fake_cupy.allocated) == size

    def test_nothing_waits(self, gpu: Any) -> None:
        """Nor is anything copied from the host."""
        net, x = network().cuda(), gpu.asarray(numbers(2, 4))
        net.zeroGradParameters()
        fake_cupy.waits = fake_cupy.copiedToDevice = 0
        net.backward(x, net.forward(x))
        net.updateParameters(0.1)
        net.clearState()
        assert fake_cupy.waits == fake_cupy.copiedToDevice == 0

    def test_a_loss_is_a_number(self, gpu: Any) -> None:
        """The loss is copied from the device: the only wait in a training step."""
        criterion, x, labels = nn.ClassNLLCriterion().cuda(), gpu.asarray(numbers(2, 4)), gpu.asarray(np.array([1, 2]))
        fake_cupy.waits = 0
        assert isinstance(criterion.forward(x, labels), float)
        assert fake_cupy.waits == 1
        criterion.backward(x, labels)
        assert fake_cupy.waits == 1

    def test_bad_indices(self, gpu: Any) -> None:
        """They are told by the next layer, or by the one that met them if it is to wait."""
        criterion, x = nn.ClassNLLCriterion().cuda(), gpu.asarray(numbers(2, 4))
        bad, good = (gpu.asarray(np.array(labels)) for labels in ([1, 9], [1, 2]))
        criterion.forward(x, good)  # borrows the memory that the pass needs, because a repeated call may raise the error at once
        criterion.forward(x, bad)
        with pytest.raises(IndexRangeError, match="an earlier call met the index 9, which is out of range"):
            nn.Tanh().cuda().forward(x)
        assert np.isfinite(criterion.forward(x, good))
        pl.setCudaIndexCheck(True)
        try:
            with pytest.raises(IndexRangeError, match=r"nn.ClassNLLCriterion: target: expected 0 to 3, got 9"):
                criterion.forward(x, bad)
            with pytest.raises(IndexRangeError, match=r"nn.OneHot: input: expected indices from 0 to 3, got 9"):
                nn.OneHot(4).cuda().forward(bad)
        finally:
            pl.setCudaIndexCheck(False)
        assert nn.OneHot(10).cuda().forward(bad).shape == (2, 10)

    def test_pooling_backward(self, gpu: Any, spy: Spy) -> None:
        layer, x = nn.SpatialAveragePooling(2, 2).cuda(), gpu.asarray(numbers(1, 4, 4))
        layer.forward(x)
        pl.setPoolingBackward("scatter")
        try:
            layer.backward(x, layer.output)
        finally:
            pl.setPoolingBackward("default")
        layer.backward(x, layer.output)
        assert [values[1] for values in spy.told("setPoolingBackward")] == [0, 2, 0]

    def test_cublas_is_lent_to_those_who_multiply(self, gpu: Any, spy: Spy, monkeypatch: pytest.MonkeyPatch) -> None:
        pathfinder: Any = ModuleType("cuda.pathfinder")
        pathfinder.load_nvidia_dynamic_lib = lambda name: SimpleNamespace(abs_path=f"/where/it/is/lib{name}.so")
        monkeypatch.setitem(sys.modules, "cuda", ModuleType("cuda"))
        monkeypatch.setitem(sys.modules, "cuda.pathfinder", pathfinder)
        x = gpu.asarray(numbers(2, 4))
        nn.Tanh().cuda().forward(x)
        assert not spy.told("setCublas")
        layer = nn.Linear(4, 3).cuda()
        layer.forward(x)
        layer.forward(x)
        ((_, path, handle),) = spy.told("setCublas")
        assert path == b"/where/it/is/libcublas.so"
        assert int(cuda._library(cuda._path()).ffi.cast("intptr_t", handle)) == 4711


class TestFiles:
    def test_saved_as_cutorch_did(self, gpu: Any, tmp_path: Any) -> None:
        net = network().cuda()
        expected = net.forward(gpu.asarray(numbers(2, 4))).get()
        net.getParameters()
        file = tmp_path / "net.t7"
        pl.save(file, net)
        assert b"torch.CudaTensor" in file.read_bytes() and b"torch.CudaStorage" in file.read_bytes()
        assert b"torch.FloatTensor" not in file.read_bytes()
        assert t7.read(file).fields["_type"] == "torch.CudaTensor"
        back = pl.load(file)
        assert back.type() == "torch.FloatTensor"
        assert np.may_share_memory(back.get(0).weight, back.get(5).weight)
        assert len({id(base_storage(array)) for array in back.parameters()[0]}) == 1
        np.testing.assert_allclose(back.forward(numbers(2, 4)), expected, rtol=1e-5)

    def test_tables(self, gpu: Any, tmp_path: Any) -> None:
        array = gpu.asarray(numbers(2, 4, dtype=np.float64))
        table = {"model": nn.SpatialMaxPooling(2, 2).cuda(), "numbers": [array, array, np.arange(3)]}
        table["model"].forward(gpu.asarray(numbers(1, 4, 4)))
        pl.save(tmp_path / "table.t7", table)
        back = pl.load(tmp_path / "table.t7")
        np.testing.assert_array_equal(back["numbers"][0], array.get())
        assert back["numbers"][0] is back["numbers"][1]
        np.testing.assert_array_equal(back["model"].indices, table["model"].indices.get())
        assert b"torch.CudaDoubleTensor" in (tmp_path / "table.t7").read_bytes()
        assert isinstance(table["numbers"][0], gpu.ndarray)


class TestLayers:
    """Layers whose cases are made of host arrays."""

    def test_copy_moves(self, gpu: Any) -> None:
        net = nn.Sequential().add(nn.Copy("torch.FloatTensor", "torch.CudaTensor")).add(nn.Tanh().cuda())
        output = net.forward(numbers(2, 4))
        assert isinstance(output, gpu.ndarray)
        gradient = net.backward(numbers(2, 4), output)
        assert isinstance(gradient, np.ndarray)
        assert nn.Copy("torch.CudaTensor", "torch.FloatTensor").forward(output).dtype == np.float32
        with pytest.raises(DtypeError, match=r"nn.Copy: input: expected a float32 array"):
            net.forward(output)

    def test_dont_cast(self, gpu: Any) -> None:
        inside = nn.DontCast(nn.Tanh(), True)
        net = nn.Sequential().add(inside).cuda()
        assert inside.modules[0].type() == "torch.FloatTensor"
        assert isinstance(net.forward(gpu.asarray(numbers(2, 4))), gpu.ndarray)

    def test_convert(self, gpu: Any) -> None:
        layer = nn.Convert().cuda()
        assert isinstance(layer.forward(numbers(2, 4)), gpu.ndarray)


def test_command_line(gpu: Any, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """``--device cuda`` moves the network and its input, and brings the output back."""
    pl.save(tmp_path / "net.t7", nn.Sequential().add(nn.Linear(4, 4)).add(nn.Reshape(1, 2, 2)))
    np.save(tmp_path / "x.npy", numbers(2, 4))
    outputs = []
    for device in ("cpu", "cuda"):
        file = tmp_path / f"{device}.npy"
        arguments = ["run", tmp_path / "net.t7", tmp_path / "x.npy", "-o", file, "--device", device, "--time", "2"]
        assert cli.main([*map(str, arguments)]) == 0
        assert "2x4 in, 2x1x2x2 out" in capsys.readouterr().out
        outputs.append(np.load(file))
    np.testing.assert_allclose(*outputs, rtol=1e-5)
    gpu.cuda.runtime.getDeviceCount = lambda: 0
    cuda._is_ready.cache_clear()
    assert cli.main(["run", str(tmp_path / "net.t7"), str(tmp_path / "x.npy"), "--device", "cuda"]) == 1
    assert "torch.CudaTensor: needs a GPU; what is missing: a CUDA device" in capsys.readouterr().err
