"""FusedConvolution gives the bits of a convolution, a sum and an activation one after the other, whatever the way."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import backend, cudnn, nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend.library import CONVOLUTION, fixed_convolutions
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.nn.Module import Module
from tests.nn.test_convolution_ways import WAYS, layers

AXES = ("T", "W", "H")
ACTIVATIONS: dict[str, tuple[int, float, float, Module]] = {
    "none": (0, 0.0, 0.0, nn.Identity()),
    "threshold": (1, 0.1, -0.3, nn.Threshold(0.1, -0.3)),
    "clamp": (2, -0.2, 0.4, nn.HardTanh(-0.2, 0.4)),
    "leak": (3, 0.3, 0.0, nn.LeakyReLU(0.3)),
}


def fused(module: Any, x: Tensor, y: Tensor, other: Any, activation: int, a: float, b: float, algorithm: int = 0) -> Tensor:
    """Calls the function in place of the layer's own; y is written."""
    weight, result = module.weight, y
    if isinstance(module, nn.TemporalConvolution):
        x, y, other = (None if array is None else array.swapaxes(-1, -2) for array in (x, y, other))
        weight = weight.reshape(len(weight), module.kW, -1).swapaxes(1, 2)
    elif weight.ndim == 2:
        weight = weight.reshape(len(weight), -1, *module._kernel())
    arguments = (x, y, weight, module.bias, other, *numbers_of(module), activation, a, b, algorithm)
    module._call("FusedConvolution_updateOutput", *arguments)
    return result


def numbers_of(module: Any) -> tuple[int, ...]:
    """Returns the numbers of the axes, and of groups."""
    defaults = {"d": 1, "pad": 0, "dilation": 1, "adj": 0}
    numbers = [getattr(module, name + axis, default) for name, default in defaults.items() for axis in AXES]
    return (*numbers, getattr(module, "groups", 1), int("Full" in module._layer))


def apart(convolved: Tensor, other: Tensor | None, activation: Module) -> Tensor:
    y = convolved.copy()
    if other is not None:
        with np.errstate(all="ignore"):
            y += other
    return activation.type(y.dtype.name).forward(y).copy()


def gappy(shape: tuple[int, ...], dtype: Any) -> Tensor:
    """A view that is not contiguous."""
    return np.full((*shape, 2), np.nan, dtype)[..., 1]


def compare(module: Any, x: Tensor, random: Any, counts: tuple[int, ...] = (1, 3)) -> None:
    """All activations, with another tensor and without, on each number of threads."""
    z = random.standard_normal(module.forward(x).shape).astype(x.dtype)
    view = gappy(z.shape, x.dtype)
    view[...] = z
    for threads in counts:
        pl.setNumThreads(threads)
        convolved = module.forward(x).copy()
        for activation, a, b, layer in ACTIVATIONS.values():
            for other in (None, z, view):
                expected = apart(convolved, other, layer)
                for y in (np.full_like(z, np.nan), gappy(z.shape, x.dtype)):
                    np.testing.assert_array_equal(fused(module, x, y, other, activation, a, b), expected)
                if other is not None:  # the added tensor may be the output itself
                    y = gappy(z.shape, x.dtype) if other is view else np.empty_like(z)
                    y[...] = z
                    np.testing.assert_array_equal(fused(module, x, y, y, activation, a, b), expected)


@pytest.mark.parametrize("way", ["definition", *WAYS])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits(dtype: str, way: str) -> None:
    """All layers compute the same bits, on random shapes and views. Only those of `test_cases` are large enough for threads."""
    pl.setConvolution(way)
    for seed in range(1 if way == "definition" else 3):
        random = np.random.default_rng(seed)
        for module, shape in layers(random):
            x = np.flip(random.standard_normal((*shape[:-1], 2 * shape[-1])).astype(dtype)[..., ::2], axis=1)
            compare(module.type(dtype), x, random, (1,))


CASES: dict[str, tuple[Module, tuple[int, ...]]] = {
    "bands": (nn.SpatialConvolution(40, 24, 5, 5, 1, 1, 2, 2), (1, 40, 70, 61)),
    "1x1": (nn.SpatialConvolution(70, 33, 1, 1), (2, 70, 19, 23)),
    "1x1 strided": (nn.SpatialConvolution(16, 33, 1, 1, 2, 2), (1, 16, 28, 28)),
    "winograd": (nn.SpatialConvolution(32, 40, 3, 3, 1, 1, 1, 1), (1, 32, 33, 29)),
    "many winograd tiles": (nn.SpatialConvolution(16, 8, 3, 3, 1, 1, 1, 1), (2, 16, 90, 70)),
    "few places": (nn.SpatialConvolution(20, 70, 3, 3, 1, 1, 1, 1), (1, 20, 5, 5)),
    "long sums": (nn.SpatialConvolution(600, 9, 2, 2), (1, 600, 9, 9)),
    "one plane": (nn.SpatialConvolution(8, 1, 3, 3, 1, 1, 1, 1), (1, 8, 40, 40)),
    "a matrix": (nn.SpatialConvolution(7, 300, 4, 4), (3, 7, 4, 4)),
    "no batch": (nn.SpatialConvolution(3, 5, 3, 3), (3, 9, 9)),
    "without bias": (nn.SpatialConvolution(3, 5, 3, 3).noBias(), (2, 3, 9, 9)),
    "dilated": (nn.SpatialDilatedConvolution(6, 9, 3, 3, 1, 1, 2, 2, 2, 2), (2, 6, 20, 21)),
    "transposed": (nn.SpatialFullConvolution(6, 9, 4, 4, 2, 2, 1, 1), (2, 6, 11, 12)),
    "transposed with gaps": (nn.SpatialFullConvolution(6, 9, 2, 2, 3, 3), (2, 6, 7, 8)),
    "transposed matrix": (nn.SpatialFullConvolution(6, 9, 4, 4), (2, 6, 1, 1)),
    "transposed volumes": (nn.VolumetricFullConvolution(3, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1), (2, 3, 3, 4, 5)),
    "volumes": (nn.VolumetricConvolution(3, 8, 3, 3, 3, 1, 1, 1, 1, 1, 1), (2, 3, 6, 9, 9)),
    "groups": (cudnn.SpatialConvolution(12, 9, 3, 3, 2, 2, 1, 1, 3), (2, 12, 9, 8)),
    "transposed groups": (cudnn.SpatialFullConvolution(6, 4, 3, 3, 2, 2, 1, 1, 1, 0, 2), (2, 6, 5, 6)),
    "transposed groups with gaps": (cudnn.SpatialFullConvolution(6, 4, 1, 1, 2, 2, 0, 0, 1, 0, 2), (2, 6, 5, 6)),
    "sequences": (nn.TemporalConvolution(12, 30, 3), (2, 40, 12)),
    "weight as a matrix": (nn.SpatialConvolutionMM(4, 6, 3, 3), (2, 4, 9, 9)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_cases(name: str) -> None:
    for dtype in ("float32", "float64"):
        random, (module, shape) = np.random.default_rng(0), CASES[name]
        compare(module.type(dtype), random.standard_normal(shape).astype(dtype), random)


def test_empty_batch() -> None:
    module = nn.SpatialConvolution(3, 5, 3, 3).float()
    x, y = np.zeros((0, 3, 9, 9), "f"), np.zeros((0, 5, 7, 7), "f")
    assert fused(module, x, y, y.copy(), 1, 0.0, 0.0).size == 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 3e38])
def test_what_is_not_finite(way: str, value: float) -> None:
    """A convolution that was computed again, since a transform spread it, is finished once; what is added may be infinite."""
    pl.setConvolution(way)
    random = np.random.default_rng(3)
    for place in ("input", "weight", "other"):
        module = nn.SpatialConvolution(18, 9, 3, 3, 1, 1, 1, 1).float()
        x, z = (random.standard_normal((2, planes, 13, 14)).astype("f") for planes in (18, 9))
        array = {"input": x, "weight": module.weight, "other": z}[place]
        array[np.unravel_index(random.integers(array.size), array.shape)] = value
        convolved = module.forward(x).copy()
        for activation, a, b, layer in ACTIVATIONS.values():
            expected = apart(convolved, z, layer)
            np.testing.assert_array_equal(fused(module, x, np.zeros_like(z), z, activation, a, b), expected)


def algorithm_of(module: Any, x: Tensor) -> int:
    """Returns the algorithm that the library chooses."""
    answer = backend.ffi.new("int64_t[1]")
    module._call("FusedConvolution_algorithm", x, module.weight, *numbers_of(module), answer)
    return int(answer[0])


BATCHES = (1, 2, 3, 5, 8, 17)
INDEPENDENT: dict[str, tuple[Module, tuple[int, ...], str]] = {
    "3x3 of 14x14": (nn.SpatialConvolution(256, 256, 3, 3, 1, 1, 1, 1), (256, 14, 14), "winograd"),
    "3x3 of 7x7": (nn.SpatialConvolution(512, 512, 3, 3, 1, 1, 1, 1), (512, 7, 7), ""),
    "3x3 of 8x8": (nn.SpatialConvolution(128, 136, 3, 3, 1, 1, 1, 1), (128, 8, 8), ""),
    "3x3 of 33x29": (nn.SpatialConvolution(32, 40, 3, 3, 1, 1, 1, 1), (32, 33, 29), "winograd"),
    "transposed 3x3": (nn.SpatialFullConvolution(64, 48, 3, 3, 1, 1, 1, 1), (64, 14, 14), "winograd"),
    "transposed, two phases": (nn.SpatialFullConvolution(40, 32, 3, 5, 1, 2, 1, 2), (40, 15, 14), ""),
    "volumes of one frame": (nn.VolumetricConvolution(32, 32, 1, 3, 3, 1, 1, 1, 0, 1, 1), (32, 1, 20, 20), "winograd"),
    "a matrix": (nn.SpatialConvolution(64, 300, 7, 7), (64, 7, 7), "plain"),
    "long sums": (nn.SpatialConvolution(600, 9, 2, 2), (600, 9, 9), "plain"),
    **{
        name: (module, shape[1:], "")
        for name, (module, shape) in CASES.items()
        if len(shape) > 3 and name not in ("many winograd tiles", "a matrix", "long sums", "weight as a matrix")
    },
}


@pytest.mark.parametrize("name", INDEPENDENT)
def test_a_sample_has_the_same_bits_in_all_batches(name: str) -> None:
    """The convolution has the algorithm that the library chooses, on one thread and three."""
    given, shape, expected = INDEPENDENT[name]
    for dtype in ("float32", "float64"):
        module, random = given.type(dtype), np.random.default_rng(6)
        x = random.standard_normal((17, *shape)).astype(dtype)
        algorithm = algorithm_of(module, x)
        assert {algorithm_of(module, x[:n]) for n in BATCHES} == {algorithm_of(module, x[0])} == {algorithm}
        assert algorithm > 0
        assert CONVOLUTION[algorithm].startswith(expected if dtype == "float32" else "plain")
        whole = fused(module, x, np.zeros_like(module.forward(x)), None, 1, 0.0, 0.0, algorithm)
        for threads in (1, 3):
            pl.setNumThreads(threads)
            for n in BATCHES:
                for _ in range(3 if n == 1 else 1):  # weights are packed for the call, or kept from the third pass on
                    y = np.full_like(whole[:n], np.nan)
                    np.testing.assert_array_equal(fused(module, x[:n], y, None, 1, 0.0, 0.0, algorithm), whole[:n])


@pytest.mark.parametrize("name", INDEPENDENT)
def test_fixed_algorithms_are_those_that_the_library_tells(name: str) -> None:
    """The layer's own function takes them; its gradients are those of the fast way, which depends on the batch."""
    given, shape, _ = INDEPENDENT[name]
    module, random = given.type("float32"), np.random.default_rng(6)
    x = random.standard_normal((5, *shape)).astype("f")
    algorithm = algorithm_of(module, x)
    for n in (1, 2, 5):
        pl.setConvolution("fast")
        gradOutput = random.standard_normal(module.forward(x[:n]).shape).astype("f")
        gradients = [module.updateGradInput(x[:n], gradOutput).copy()]
        module.zeroGradParameters()
        module.accGradParameters(x[:n], gradOutput)
        gradients.append(module.gradWeight.copy())
        pl.setConvolution("fixed")
        expected = fused(module, x[:n], np.zeros_like(gradOutput), None, 0, 0.0, 0.0, algorithm)
        np.testing.assert_array_equal(module.forward(x[:n]), expected)
        np.testing.assert_array_equal(module.updateGradInput(x[:n], gradOutput), gradients[0])
        module.zeroGradParameters()
        module.accGradParameters(x[:n], gradOutput)
        np.testing.assert_array_equal(module.gradWeight, gradients[1])


@pytest.mark.parametrize("way", ["plain", "definition", "places", "outputs", "winograd2", "winograd4"])
def test_algorithms(way: str) -> None:
    """Each one that is asked for gives the bits that THNN_setConvolution gives. An algorithm named there takes precedence."""
    module = nn.SpatialConvolution(32, 40, 3, 3, 1, 1, 1, 1).float()
    x = np.random.default_rng(8).standard_normal((2, 32, 15, 17)).astype("f")
    outputs = []
    for of_state, own in ((way, 0), ("fast", CONVOLUTION.index(way)), (way, 1 if way == "winograd4" else 6)):
        pl.setConvolution(of_state)
        outputs.append(fused(module, x, np.zeros((2, 40, 15, 17), "f"), None, 0, 0.0, 0.0, own))
    np.testing.assert_array_equal(outputs[1], outputs[0])
    np.testing.assert_array_equal(outputs[2], outputs[0])


REFUSED: dict[str, tuple[Module, tuple[int, ...], str]] = {
    "5x5": (nn.SpatialConvolution(16, 16, 5, 5), (1, 16, 20, 20), "float32"),
    "strided": (nn.SpatialConvolution(16, 16, 3, 3, 2, 2), (1, 16, 20, 20), "float32"),
    "dilated": (nn.SpatialDilatedConvolution(16, 16, 3, 3, 1, 1, 0, 0, 2, 2), (1, 16, 20, 20), "float32"),
    "groups": (cudnn.SpatialConvolution(16, 16, 3, 3, 1, 1, 0, 0, 2), (1, 16, 20, 20), "float32"),
    "a matrix": (nn.SpatialConvolution(16, 16, 3, 3), (1, 16, 3, 3), "float32"),
    "volumes": (nn.VolumetricConvolution(16, 16, 3, 3, 3), (1, 16, 6, 9, 9), "float32"),
    "transposed": (nn.SpatialFullConvolution(16, 16, 3, 3, 2, 2), (1, 16, 9, 9), "float32"),
    "double": (nn.SpatialConvolution(16, 16, 3, 3), (1, 16, 20, 20), "float64"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_algorithm_that_sizes_do_not_allow_is_an_error(name: str) -> None:
    module, shape, dtype = REFUSED[name][0].type(REFUSED[name][2]), *REFUSED[name][1:]
    x = np.ones(shape, dtype)
    y = np.full_like(module.forward(x), 7)
    for algorithm in (5, 6):
        with pytest.raises(ValueRangeError, match=rf"algorithm: expected 0 to 4, .*, got {algorithm}"):
            fused(module, x, y, None, 0, 0.0, 0.0, algorithm)
    for algorithm in (-1, 7):
        with pytest.raises(ValueRangeError, match=rf"algorithm: expected 0 to 6, got {algorithm}"):
            fused(module, x, y, None, 0, 0.0, 0.0, algorithm)
    assert (y == 7).all()


@pytest.mark.parametrize("way", ["winograd2", "winograd4"])
def test_a_sample_that_is_not_finite_changes_no_other_one(way: str) -> None:
    module, random = nn.SpatialConvolution(20, 24, 3, 3, 1, 1, 1, 1).float(), np.random.default_rng(9)
    z = random.standard_normal((9, 24, 13, 14)).astype("f")
    finite = random.standard_normal((9, 20, 13, 14)).astype("f")
    for threads in (1, 3):
        pl.setNumThreads(threads)

        def run(x: Tensor, algorithm: int) -> Tensor:
            return fused(module, x, z[: len(x)].copy(), z[: len(x)], 1, 0.0, 0.0, algorithm)

        expected, plain = run(finite, CONVOLUTION.index(way)), run(finite, CONVOLUTION.index("plain"))
        assert (expected != plain).any()
        x = finite.copy()
        x[2, 3, 4, 5], x[5, 0, 0, 0], x[6, 19, 12, 13] = np.inf, np.nan, -np.inf
        wrong, found = [2, 5, 6], run(x, CONVOLUTION.index(way))
        others = [n for n in range(9) if n not in wrong]
        np.testing.assert_array_equal(found[others], expected[others])
        np.testing.assert_array_equal(found[wrong], run(x, CONVOLUTION.index("plain"))[wrong])


def test_errors() -> None:
    module = nn.SpatialConvolution(3, 5, 3, 3).float()
    x, y = np.zeros((1, 3, 9, 9), "f"), np.zeros((1, 5, 7, 7), "f")
    with pytest.raises(ValueRangeError, match=r"activation: expected 0 to 3, got 4"):
        fused(module, x, y, None, 4, 0.0, 0.0)
    with pytest.raises(ValueRangeError, match=r"b: expected more than a 1, got 1"):
        fused(module, x, y, None, 2, 1.0, 1.0)
    with pytest.raises(ShapeError, match=r"other: expected 1 x 5 x 7 x 7, got 1 x 5 x 7 x 6"):
        fused(module, x, y, np.zeros((1, 5, 7, 6), "f"), 0, 0.0, 0.0)
    memory = np.zeros(y.size + 1, "f")
    with pytest.raises(ValueRangeError, match=r"overlap"):  # the added tensor is read after some of the output was written
        fused(module, x, memory[1:].reshape(y.shape), memory[:-1].reshape(y.shape), 0, 0.0, 0.0)
    square = np.zeros((1, 5, 9, 9), "f")
    with pytest.raises(ValueRangeError, match=r"overlap"):
        fused(nn.SpatialConvolution(5, 5, 1, 1).float(), square, square, None, 0, 0.0, 0.0)


# The algorithm for some numbers of samples and rows; "fixed" chooses for two samples, and for weights that do not change. With
# vectors of AVX-512, the second row, products take half the time, but weights come from memory no faster. So Winograd's
# algorithm needs more products there to be worth the larger weights.
SMALL = [
    *((1, 7, "fast"), (1, 7, "fixed"), (8, 7, "fixed"), (6, 7, "fast"), (8, 7, "fast"), (1, 14, "fast"), (1, 14, "fixed")),
    *((3, 7, "fast"), (2, 10, "fixed")),
]
CHOSEN = [
    ["", "winograd2", "winograd2", *["winograd4"] * 4, "winograd4", "winograd4"],
    ["", "winograd2", "winograd2", *["winograd4"] * 4, "", "winograd2"],
]


def test_small_planes() -> None:
    """Weights that do not change are transformed once, so Winograd's way is worth it; others want more places."""
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    isWide = all(flag in flags for flag in ("avx512f", "avx512vl", "avx512dq", "avx512bw"))
    isOther = "PYTORCH_LEGACY_THNN" in os.environ or "THNN_PORTABLE" in os.environ.get("THNN_CMAKE_ARGS", "")
    assert [chosen(*row) for row in SMALL] in (CHOSEN if isOther else CHOSEN[isWide:][:1])


def chosen(samples: int, rows: int, how: str) -> str:
    """Returns the way that the library takes, by its bits; "" for the plain sum."""
    random = np.random.default_rng(7)
    module = nn.SpatialConvolution(128, 136, 3, 3, 1, 1, 1, 1).float()
    x = random.standard_normal((samples, 128, rows, rows)).astype("f")
    results = {}
    for way in ("plain", how, "winograd2", "winograd4"):
        pl.setConvolution(way)
        results[way] = fused(module, x, np.zeros((samples, 136, rows, rows), "f"), None, 0, 0.0, 0.0)
        assert np.abs(results[way] - results["plain"]).max() < 1e-5 * np.abs(results["plain"]).max()
    same = [way for way in ("winograd2", "winograd4") if np.array_equal(results[way], results[how])]
    assert same or np.array_equal(results[how], results["plain"])
    return "".join(same)


def test_fixed_convolutions_are_so_within_a_context() -> None:
    """The context holds in its thread alone. Another one may be entered within; an algorithm that is named takes precedence."""
    random = np.random.default_rng(7)
    module = nn.SpatialConvolution(128, 136, 3, 3, 1, 1, 1, 1).float()
    x = random.standard_normal((1, 128, 7, 7)).astype("f")
    results = {}
    for way in ("plain", "fast", "fixed"):
        pl.setConvolution(way)
        results[way] = module.forward(x).copy()
    assert (results["fixed"] != results["fast"]).any()
    pl.setConvolution("fast")
    with fixed_convolutions():
        np.testing.assert_array_equal(module.forward(x), results["fixed"])
        with fixed_convolutions():
            pl.setConvolution("plain")
            np.testing.assert_array_equal(module.forward(x), results["plain"])
            pl.setConvolution("fast")
        np.testing.assert_array_equal(module.forward(x), results["fixed"])
        with ThreadPoolExecutor(1) as pool:
            np.testing.assert_array_equal(pool.submit(module.clone().forward, x).result(), results["fast"])
    np.testing.assert_array_equal(module.forward(x), results["fast"])
