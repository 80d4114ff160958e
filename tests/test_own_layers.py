"""The layers of examples/own: built, and proven against their formulas."""

from __future__ import annotations

import doctest
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import arrays
from pytorch_legacy.backend import binding, cuda, library
from pytorch_legacy.extension import device
from tests.cuda import fake_cupy

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "own"

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")
random = np.random.default_rng(0)


@pytest.fixture(scope="module", autouse=True)
def own(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.syspath_prepend(str(FOLDER))
        yield
    for name in [name for name, owner in binding.owners.items() if owner.path.parent == FOLDER]:  # no other test finds them
        del binding.owners[name], library.SIGNATURES[name]
    for name in ("GlobalAveragePooling", "GaussianPooling"):
        sys.modules.pop(name, None)


def layers():
    from GaussianPooling import GaussianPooling
    from GlobalAveragePooling import GlobalAveragePooling

    return GlobalAveragePooling, GaussianPooling


def gaussian(pool, x: np.ndarray) -> np.ndarray:
    """The formula, window by window."""
    planes, height, width = x.shape
    rows = range(-pool.padH, height + pool.padH - pool.kH + 1, pool.dH)
    columns = range(-pool.padW, width + pool.padW - pool.kW + 1, pool.dW)
    y = np.zeros((planes, len(rows), len(columns)))
    for c, (i, top), (j, left) in ((c, r, k) for c in range(planes) for r in enumerate(rows) for k in enumerate(columns)):
        down, right = range(max(top, 0), min(top + pool.kH, height)), range(max(left, 0), min(left + pool.kW, width))
        cells = [(v, u) for v in down for u in right]
        far = np.array([(v - top - (pool.kH - 1) / 2) ** 2 + (u - left - (pool.kW - 1) / 2) ** 2 for v, u in cells])
        weights = np.exp(-far / (2 * np.exp(pool.weight[c])))
        y[c, i, j] = weights @ [x[c, v, u] for v, u in cells] / weights.sum()
    return y


@pytest.mark.parametrize("shape", [(3, 5, 7), (2, 3, 4, 1), (3, 40, 41), (0, 3, 2, 2)])
def test_global_average(shape: tuple[int, ...]) -> None:
    pool, x = layers()[0](), random.standard_normal(shape)
    expected = x.mean((-2, -1), keepdims=True)
    np.testing.assert_allclose(pool.forward(x.astype("f")), expected, atol=1e-6)
    np.testing.assert_allclose(pool.double().forward(x[..., ::-1]), expected, atol=1e-14)
    same = pl.nn.SpatialGlobalAveragePooling().double()
    np.testing.assert_allclose(pool.backward(x, expected), same.backward(x, same.forward(x)), atol=1e-14)


def test_global_average_of_large_numbers_is_finite() -> None:
    x = np.full((1, 8, 8), 1e308)
    np.testing.assert_allclose(layers()[0]().double().forward(x), [[[1e308]]])


@pytest.mark.parametrize("numbers", [(2, 2), (3, 2, 2, 1), (5, 4, 2, 3, 2, 1), (1, 1)])
def test_gaussian(numbers: tuple[int, ...]) -> None:
    pool, x = layers()[1](2, *numbers, variance=1.7).double(), random.standard_normal((3, 2, 6, 9))
    pool.weight[...] = [-0.7, 1.3]
    np.testing.assert_allclose(pool.forward(x), [gaussian(pool, sample) for sample in x], atol=1e-13)
    assert pl.testing.jacobian(pool, x[:2]) < 1e-6 and pl.testing.jacobian(pool, x[0]) < 1e-6


def test_gaussian_of_extreme_variances() -> None:
    pool, x = layers()[1](1, 3, 3).double(), random.standard_normal((1, 3, 3))
    for exponent, expected in ((-1e9, x[:, 1:2, 1:2]), (800, x.mean((1, 2), keepdims=True)), (np.nan, [[[np.nan]]])):
        pool.weight[...] = exponent
        np.testing.assert_allclose(pool.forward(x), expected, atol=1e-12)
        pool.zeroGradParameters()
        pool.backward(x, np.ones((1, 1, 1)))
        assert np.isfinite(pool.gradWeight[0]) or np.isnan(exponent)


def test_gaussian_learns_its_variance() -> None:
    _, GaussianPooling = layers()
    goal, pool = (GaussianPooling(2, 5, 5, 2, 2, variance=variance).double() for variance in (0.6, 3))
    loss = pl.nn.MSECriterion().double()
    parameters, gradients = pool.getParameters()
    for _ in range(300):
        x = random.standard_normal((4, 2, 9, 9))
        target = goal.forward(x)
        loss.forward(pool.forward(x), target)
        gradients[...] = 0
        pool.backward(x, loss.backward(pool.output, target))
        parameters -= 5 * gradients
    np.testing.assert_allclose(np.exp(pool.weight), [0.6, 0.6], rtol=1e-3)
    before = pool.weight.copy()
    pool.accUpdateGradParameters(x, np.ones_like(target), 0.1)
    assert (pool.weight != before).all()


def test_threads_and_copies() -> None:
    Global, Gaussian = layers()
    x, threads = random.standard_normal((2, 4, 64, 64)).astype("f"), pl.getNumThreads()
    for layer in (Global(), Gaussian(4, 5, 5, 2, 2, 2, 2)):
        assert pl.testing.survives(layer, x)
        results = []
        try:
            for count in (1, 4):
                pl.setNumThreads(count)
                layer.zeroGradParameters()
                y = layer.forward(x)
                parts = [y, layer.backward(x, y), *(layer.parameters() or ([], []))[1]]
                results.append([part.copy() for part in parts])
        finally:
            pl.setNumThreads(threads)
        for one, other in zip(*results, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_programs(dtype: type) -> None:
    GlobalAveragePooling, GaussianPooling = layers()
    net = pl.nn.Sequential(GaussianPooling(3, 3, 3, 2, 2, 1, 1), pl.nn.Tanh(), GlobalAveragePooling()).type(dtype)
    program = pl.compile(net, (None, 3, 11, 9))
    for n in (1, 6):
        x = random.standard_normal((n, 3, 11, 9)).astype(dtype)
        np.testing.assert_array_equal(program(x), net.evaluate().forward(x))


def test_like_ours() -> None:
    """In a network, printed, summarized, explained."""
    Global, Gaussian = layers()
    net = pl.nn.Sequential().add(Gaussian(3, 3, 3, 2, 2)).add(Global())
    assert "(1): own.GaussianPooling(3, 3x3, 2,2, 0,0)\n  (2): own.GlobalAveragePooling" in repr(net)
    assert "own.GlobalAveragePooling" in str(net.summary((3, 9, 9)))
    assert str(pl.explain.windows(Gaussian(1, 3, 3, 2, 2), 7).axes[0].cells(1)) == "[2 3 4]"


def test_errors() -> None:
    Global, Gaussian = layers()
    with pytest.raises(pl.THNNError, match=r"own.GlobalAveragePooling: input: expected .*C x H x W"):
        Global().forward(np.zeros((2, 2), "f"))
    with pytest.raises(pl.THNNError, match=r"own.GaussianPooling: logVariance: expected 2, got 3"):
        Gaussian(3, 2, 2).forward(np.zeros((2, 4, 4), "f"))
    with pytest.raises(TypeError, match=r"own.GaussianPooling: kW: expected an integer, got 'x'"):
        Gaussian(3, "x", 2)
    with pytest.raises(ValueError, match=r"own.GaussianPooling: variance: expected a number above 0, got 0"):
        Gaussian(3, 2, 2, variance=0)


def test_size_and_examples() -> None:
    assert all(len(file.read_text().splitlines()) < 150 for file in FOLDER.glob("*.c"))
    layers()
    for name in ("GlobalAveragePooling", "GaussianPooling"):
        assert doctest.testmod(sys.modules[name], optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


compiled = pytest.mark.skipif(not os.environ.get("PYTORCH_LEGACY_OWN_KERNELS"), reason="compiles for a minute: .ci/run does")


@compiled
@pytest.mark.parametrize("shape", [(3, 5, 7), (2, 3, 40, 41), (2, 3, 1, 1)])
def test_kernels(shape: tuple[int, ...]) -> None:
    pool, x = layers()[0]().double(), random.standard_normal(shape)
    expected = pool.forward(x).copy(), pool.backward(x, pool.output).copy()
    file = FOLDER / "GlobalAveragePooling.cu"
    pl.extension.load(file, emulate=True)
    try:
        kernels = pool.clone()
        for one, other in zip((kernels.forward(x), kernels.backward(x, kernels.output)), expected, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-14)
        np.testing.assert_allclose(pool.clone().float().forward(x.astype("f")), expected[0], atol=1e-6)
    finally:
        pl.extension.load(file)


@compiled
def test_kernels_on_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """A layer that moves to a device, a pretended one here, and back; one without kernels says so there."""
    Global, Gaussian = layers()
    file = FOLDER / "GlobalAveragePooling.cu"
    extension = pl.extension.load(file, emulate=True)
    x = random.standard_normal((2, 3, 5, 7)).astype("f")
    try:
        monkeypatch.setenv("PYTORCH_LEGACY_THCUNN", extension._twin.path)
        fake_cupy.install(monkeypatch)
        monkeypatch.setattr(cuda, "_states", cuda._States())
        cuda._is_ready.cache_clear()
        net = pl.nn.Sequential().add(Global()).cuda()
        for name in ("torch.CudaTensor", "torch.CudaDoubleTensor", "torch.CudaHalfTensor"):
            y = net.type(name).forward(arrays.to_device(x.astype(net.dtype), True))
            assert arrays.on_device(y) and y.dtype == net.dtype
            np.testing.assert_allclose(arrays.to_device(y, False), x.mean((2, 3), keepdims=True), atol=1e-3)
        with pytest.raises(pl.THNNError, match=r"own.GaussianPooling: has no CUDA kernel; use .float\(\) or .double\(\)"):
            Gaussian(3, 2, 2).cuda().forward(arrays.to_device(x, True))
    finally:
        cuda._is_ready.cache_clear()
        pl.extension.load(file)


@compiled
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
@pytest.mark.filterwarnings("ignore:.*Cannot find valid GPU")
def test_kernels_compile_for_a_gpu() -> None:
    assert device.shared_library(FOLDER / "GlobalAveragePooling.cu", FOLDER / "GlobalAveragePooling.h", False).exists()


def test_rows_of_the_benchmark(tmp_path: Path):
    """The benchmark measures the same computation in both, forward and backward."""
    torch = pytest.importorskip("torch", reason="the benchmarks need PyTorch")
    from benchmarks.rows import gradient_of, rows_of

    found = list(rows_of(str(FOLDER / "benchmark.py"), []))
    assert {row.layer for row in found} == {"own.GlobalAveragePooling", "own.GaussianPooling"}
    assert [row.layer for row in rows_of(str(FOLDER / "benchmark.py"), ["Gaussian"])] == ["own.GaussianPooling"]
    for row in found[1:]:
        x, module = row.arrays(), row.module()
        tensor = torch.from_numpy(x.copy()).requires_grad_()
        output, peer = module.forward(x), row.peer(module, tensor)
        np.testing.assert_allclose(output, peer.detach().numpy(), atol=1e-5)
        gradOutput = gradient_of(output)
        module.backward(x, gradOutput)
        peer.backward(torch.from_numpy(gradOutput))
        np.testing.assert_allclose(module.gradInput, tensor.grad.numpy(), atol=1e-5)
        for parameter in getattr(module, "peer", []):
            np.testing.assert_allclose(module.gradWeight, parameter.grad.numpy(), rtol=1e-3, atol=1e-2)
    (tmp_path / "other.py").write_text("x = 1")
    with pytest.raises(SystemExit, match=r"expected a function rows\(\)"):
        rows_of(str(tmp_path / "other.py"), [])
