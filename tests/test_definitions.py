"""Fast loops compute what the plain loops in the layer's file define: random shapes, and numbers of several kinds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import backend, nn
from pytorch_legacy.backend import header
from pytorch_legacy.errors import ValueRangeError
from tests import capi
from tests.table import CLASSES
from tests.trees import leaves

Generator = np.random.Generator
NEAR = {"float32": 2e-5, "float64": 1e-12}


def drawn(rng: Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def axis(rng: Generator) -> int:
    """A size: most of them small, some longer than a register or a stretch that registers hold."""
    return drawn(rng, 1, 12) if rng.random() < 0.7 else drawn(rng, 1, 150)


def planes(rng: Generator, dims: int) -> tuple[int, ...]:
    last = [axis(rng)] + [drawn(rng, 1, 12) for _ in range(dims - 1)]
    return (*[drawn(rng, 1, 3)][: drawn(rng, 0, 1)], drawn(rng, 1, 5), *last[::-1])


def frames(rng: Generator) -> tuple[int, ...]:
    return (*[drawn(rng, 1, 3)][: drawn(rng, 0, 1)], axis(rng), axis(rng))


def padded(make: Callable[..., Any], dims: int, narrow: bool = False) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    def draw(rng: Generator) -> tuple[Any, tuple[int, ...]]:
        shape = planes(rng, dims)
        pads = []
        for size in shape[: -dims - 1 : -1]:
            cut = drawn(rng, 0, size - 1) if rng.random() < 0.3 else 0
            most = size - 1 if narrow else 5
            pads += [-cut, drawn(rng, 0, most)] if rng.random() < 0.5 else [drawn(rng, 0, most), -cut]
        return make(*pads), shape

    return draw


def reach_past(
    kernels: list[int], dilations: list[int], sizes: tuple[int, ...], strides: list[int], pads: list[int], dilated: bool
) -> None:
    """Lets the only window along some axes reach past the far padding, by less than the stride."""
    rng = np.random.default_rng([*kernels, *sizes])  # its own: other draws stay as they were
    for i, (size, stride, pad) in enumerate(zip(sizes, strides, pads, strict=True)):
        if stride > 1 and rng.random() < 0.4:
            reach = size + 2 * pad + drawn(rng, 1, stride - 1)
            isApart = dilated and pad < 2 and rng.random() < 0.5
            kernels[i], dilations[i] = (2, reach - 1) if isApart else (reach, 1)


def windowed(
    name: str, dims: int, dilated: bool = False, learned: bool = False
) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    def draw(rng: Generator) -> tuple[Any, tuple[int, ...]]:
        shape = planes(rng, dims)
        kernels, strides, pads, dilations = [], [], [], []
        for size in shape[-dims:]:
            pad = drawn(rng, 0, 2)
            dilation = drawn(rng, 1, 3) if dilated else 1
            kernel = drawn(rng, min(2 * pad, size + pad), max(1, min(size + pad, 9)))
            kernel, pad = max(kernel, 1), min(pad, kernel // 2)
            if (kernel - 1) * dilation + 1 > size + 2 * pad:
                dilation = 1
            kernels.append(kernel), strides.append(drawn(rng, 1, 4)), pads.append(pad), dilations.append(dilation)
        isCeil = bool(drawn(rng, 0, 1))
        if isCeil:
            reach_past(kernels, dilations, shape[-dims:], strides, pads, dilated)
        order = (lambda v: v[::-1]) if dims == 2 else (lambda v: [v[0], v[2], v[1]])  # W, H and T, W, H
        numbers = [n for v in (kernels, strides, pads, *([dilations] if dilated else [])) for n in order(v)]
        of = {"nInputPlane": shape[-dims - 1]} if learned and rng.random() < 0.5 else {}
        module = getattr(nn, name)(*numbers, **of)
        module.ceil_mode = isCeil
        if hasattr(module, "count_include_pad"):
            module.count_include_pad = bool(drawn(rng, 0, 1))
        return module, shape

    return draw


def adaptive(name: str, dims: int) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    def draw(rng: Generator) -> tuple[Any, tuple[int, ...]]:
        shape = planes(rng, dims)
        sizes = [drawn(rng, 1, 2 * size if rng.random() < 0.3 else size) for size in shape[-dims:]]
        return getattr(nn, name)(*sizes[::-1]), shape

    def volume(rng: Generator) -> tuple[Any, tuple[int, ...]]:
        shape = planes(rng, 3)
        t, h, w = (drawn(rng, 1, size + 2) for size in shape[-3:])
        return getattr(nn, name)(t, w, h), shape

    return volume if dims == 3 else draw


def sequences(name: str, *, isAdaptive: bool = False) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    def draw(rng: Generator) -> tuple[Any, tuple[int, ...]]:
        shape = frames(rng)
        numbers = [drawn(rng, 1, shape[-2] + 2)] if isAdaptive else [drawn(rng, 1, shape[-2]), drawn(rng, 1, 4)]
        return getattr(nn, name)(*numbers), shape

    return draw


def soft(name: str, dims: int) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    def draw(rng: Generator) -> tuple[Any, tuple[int, ...]]:
        module, shape = windowed(name, dims)(rng) if dims > 1 else sequences(name)(rng)
        module.beta = float(rng.choice([0, 0.5, 1, 3]))
        module.gradient = str(rng.choice(["exact", "published"]))
        return module, shape

    return draw


def drawing(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    module, shape = windowed("SpatialStochasticPooling", 2)(rng)
    module.fixNoise()
    return module.evaluate() if rng.random() < 0.5 else module, shape


def choosing(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    shape = planes(rng, 2)
    pool = drawn(rng, 1, min(*shape[-2:], 4))
    module = nn.SpatialS3Pooling(pool, pool * drawn(rng, 1, 3), pool * drawn(rng, 1, 3)).fixPoolingRegions()
    return module.evaluate() if rng.random() < 0.5 else module, shape


def bells(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    like, shape = windowed("SpatialAveragePooling", 2)(rng)
    numbers = like.kW, like.kH, like.dW, like.dH, like.padW, like.padH
    module = nn.SpatialGaussianPooling(shape[-3], *numbers, nKernel=drawn(rng, 1, 3))
    module.ceil_mode, module.count_include_pad = like.ceil_mode, like.count_include_pad
    module.mean[...] = rng.standard_normal(module.mean.shape)
    module.precision[...] = rng.standard_normal(module.precision.shape)
    return module, shape


def powers(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    like, shape = windowed("SpatialAveragePooling", 2)(rng)
    numbers = like.kW, like.kH, like.dW, like.dH, like.padW, like.padH
    module = nn.SpatialPowerAveragePooling(float(rng.choice([1, 1.5, 2, 2.5, 3, 4, 7, np.inf])), *numbers)
    module.ceil_mode = like.ceil_mode
    return module, shape


def features(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    width, stride, count = drawn(rng, 1, 5), drawn(rng, 1, 5), drawn(rng, 1, 5)
    shape = (drawn(rng, 1, 5), (count - 1) * stride + width + drawn(rng, 0, 2), *[drawn(rng, 1, 12)][: drawn(rng, 0, 1)])
    return nn.FeatureLPPooling(width, stride, float(rng.choice([1, 2, 4])), True), shape


def subsampling(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    shape = planes(rng, 2)
    kernels = [drawn(rng, 1, min(size, 9)) for size in shape[:-3:-1]]
    return nn.SpatialSubSampling(shape[-3], *kernels, drawn(rng, 1, 4), drawn(rng, 1, 4)), shape


def subframes(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    shape = frames(rng)
    return nn.TemporalSubSampling(shape[-1], drawn(rng, 1, shape[-2]), drawn(rng, 1, 4)), shape


def keeping(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    shape = frames(rng)
    return nn.TemporalDynamicKMaxPooling(drawn(rng, 1, shape[-2]), float(rng.random())), shape


def fractional(name: str, dims: int) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    """Sizes of an input as Torch7's two layers have them: H x W, and H x W x T."""

    def draw(rng: Generator) -> tuple[Any, tuple[int, ...]]:
        shape = tuple(size + 1 for size in planes(rng, dims))
        pools = [drawn(rng, 2, min(size, 5)) for size in shape[-dims:]]
        outputs = [drawn(rng, 1, size - pool + 1) for size, pool in zip(shape[-dims:], pools, strict=True)]
        order = (lambda v: v[::-1]) if dims == 2 else (lambda v: [v[2], v[1], v[0]])  # W, H and T, W, H
        return getattr(nn, name)(*order(pools), *order(outputs)).fixPoolingRegions(), shape

    return draw


def enlarging(name: str, dims: int) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    return lambda rng: (getattr(nn, name)(drawn(rng, 1, 5)), planes(rng, dims))


def stretching(name: str, dims: int) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    def draw(rng: Generator) -> tuple[Any, tuple[int, ...]]:
        shape = planes(rng, dims)
        sizes = {size: drawn(rng, 1, 20) for size in ("odepth", "oheight", "owidth")[-dims:]}
        return getattr(nn, name)(sizes), shape

    return draw


def local(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    shape = (drawn(rng, 1, 3), drawn(rng, 1, 4), drawn(rng, 1, 12), drawn(rng, 1, 12))
    pads, kernels = [drawn(rng, 0, 2), drawn(rng, 0, 2)], [drawn(rng, 1, min(size, 4)) for size in shape[:-3:-1]]
    strides = drawn(rng, 1, 3), drawn(rng, 1, 3)
    module = nn.SpatialConvolutionLocal(shape[1], drawn(rng, 1, 4), shape[3], shape[2], *kernels, *strides, *pads)
    module.weight /= 16  # sums of huge numbers stay finite, in whatever order
    return module, shape


def rows(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    frame, length = drawn(rng, 1, 80), axis(rng)
    module = nn.TemporalRowConvolution(frame, drawn(rng, 1, min(length, 5)), drawn(rng, 1, 3), bool(drawn(rng, 0, 1)))
    module._padW = drawn(rng, 0, 2)  # C has this padding, and Torch7's layer has not
    module.weight /= 16  # sums of huge numbers stay finite, in whatever order
    shape = (frame, length) if module.featFirst else (length, frame)
    return module if rng.random() < 0.7 else module.noBias(), (*[drawn(rng, 1, 3)][: drawn(rng, 0, 1)], *shape)


def connected(make: Callable[..., Any]) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    """Pairs of a table may appear more than once, and planes in none of them."""

    def draw(rng: Generator) -> tuple[Any, tuple[int, ...]]:
        table = np.stack([rng.integers(0, drawn(rng, 1, 5), (links := drawn(rng, 1, 20))), rng.integers(0, 4, links)], 1)
        kernels = drawn(rng, 1, 4), drawn(rng, 1, 4)
        module = make(table, *kernels, drawn(rng, 1, 3), drawn(rng, 1, 3))
        module.weight /= 64  # sums of huge numbers stay finite, in whatever order
        size = axis(rng) + kernels[1], axis(rng) % 20 + kernels[0]
        return module, (*[drawn(rng, 1, 3)][: drawn(rng, 0, 1)], module.nInputPlane, *size)

    return draw


def depthwise(rng: Generator) -> tuple[Any, tuple[int, ...]]:
    pads, kernels = (drawn(rng, 0, 3), drawn(rng, 0, 3)), (drawn(rng, 1, 5), drawn(rng, 1, 5))
    strides = (drawn(rng, 1, 2),) * 2 if rng.random() < 0.7 else (drawn(rng, 1, 4), drawn(rng, 1, 4))
    size = max(kernels[1] - 2 * pads[1], axis(rng)), max(kernels[0] - 2 * pads[0], axis(rng))
    module = nn.SpatialDepthWiseConvolution(drawn(rng, 1, 6), drawn(rng, 1, 3), *kernels, *strides, *pads)
    module.weight /= 64  # sums of huge numbers stay finite, in whatever order
    shape = (*[drawn(rng, 1, 3)][: drawn(rng, 0, 1)], module.nInputPlane, *size)
    return module if rng.random() < 0.7 else module.noBias(), shape


def looking(rng: Generator) -> tuple[Any, list[tuple[int, ...]]]:
    """So few places that planes are not turned, and more; channels of one, of a few and of more than a group."""
    samples, channels = drawn(rng, 1, 3), drawn(rng, 1, 3) if rng.random() < 0.6 else drawn(rng, 1, 40)
    places = (1, drawn(rng, 1, 3)) if rng.random() < 0.3 else (drawn(rng, 1, 12), axis(rng))
    return nn.SpatialGridSamplerBilinear(), [(samples, channels, drawn(rng, 1, 12), drawn(rng, 1, 12)), (samples, *places, 2)]


def twice(draw: Callable[[Generator], tuple[Any, tuple[int, ...]]]) -> Callable[[Generator], tuple[Any, list[tuple[int, ...]]]]:
    """For layers that take two inputs of one shape."""

    def both(rng: Generator) -> tuple[Any, list[tuple[int, ...]]]:
        module, shape = draw(rng)
        return module, [shape, shape]

    return both


def whole(name: str, shape: Callable[[Generator], tuple[int, ...]]) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    return lambda rng: (getattr(nn, name)(), shape(rng))


LAYERS: dict[str, Callable[[Generator], tuple[Any, tuple[int, ...] | list[tuple[int, ...]]]]] = {
    "SpatialZeroPadding": padded(nn.SpatialZeroPadding, 2),
    "SpatialReplicationPadding": padded(nn.SpatialReplicationPadding, 2),
    "SpatialReflectionPadding": padded(nn.SpatialReflectionPadding, 2, narrow=True),
    "VolumetricReplicationPadding": padded(nn.VolumetricReplicationPadding, 3),
    "SpatialAveragePooling": windowed("SpatialAveragePooling", 2),
    "VolumetricAveragePooling": windowed("VolumetricAveragePooling", 3),
    "TemporalAveragePooling": sequences("TemporalAveragePooling"),
    "SpatialAdaptiveAveragePooling": adaptive("SpatialAdaptiveAveragePooling", 2),
    "VolumetricAdaptiveAveragePooling": adaptive("VolumetricAdaptiveAveragePooling", 3),
    "TemporalAdaptiveAveragePooling": sequences("TemporalAdaptiveAveragePooling", isAdaptive=True),
    "SpatialGlobalAveragePooling": whole("SpatialGlobalAveragePooling", lambda rng: planes(rng, 2)),
    "VolumetricGlobalAveragePooling": whole("VolumetricGlobalAveragePooling", lambda rng: planes(rng, 3)),
    "TemporalGlobalAveragePooling": whole("TemporalGlobalAveragePooling", frames),
    "SpatialMaxPooling": windowed("SpatialMaxPooling", 2),
    "SpatialDilatedMaxPooling": windowed("SpatialDilatedMaxPooling", 2, dilated=True),
    "VolumetricMaxPooling": windowed("VolumetricMaxPooling", 3),
    "VolumetricDilatedMaxPooling": windowed("VolumetricDilatedMaxPooling", 3, dilated=True),
    "TemporalMaxPooling": sequences("TemporalMaxPooling"),
    "SpatialAdaptiveMaxPooling": adaptive("SpatialAdaptiveMaxPooling", 2),
    "VolumetricAdaptiveMaxPooling": adaptive("VolumetricAdaptiveMaxPooling", 3),
    "TemporalAdaptiveMaxPooling": sequences("TemporalAdaptiveMaxPooling", isAdaptive=True),
    "SpatialGlobalMaxPooling": whole("SpatialGlobalMaxPooling", lambda rng: planes(rng, 2)),
    "VolumetricGlobalMaxPooling": whole("VolumetricGlobalMaxPooling", lambda rng: planes(rng, 3)),
    "TemporalGlobalMaxPooling": whole("TemporalGlobalMaxPooling", frames),
    "SpatialSoftPool": soft("SpatialSoftPool", 2),
    "VolumetricSoftPool": soft("VolumetricSoftPool", 3),
    "TemporalSoftPool": soft("TemporalSoftPool", 1),
    "SpatialLocalImportancePooling": twice(windowed("SpatialLocalImportancePooling", 2)),
    "SpatialMixedPooling": windowed("SpatialMixedPooling", 2, learned=True),
    "SpatialGatedPooling": windowed("SpatialGatedPooling", 2, learned=True),
    "SpatialStochasticPooling": drawing,
    "SpatialS3Pooling": choosing,
    "SpatialGaussianPooling": bells,
    "SpatialPowerAveragePooling": powers,
    "FeatureLPPooling": features,
    "SpatialSubSampling": subsampling,
    "TemporalSubSampling": subframes,
    "TemporalDynamicKMaxPooling": keeping,
    "SpatialFractionalMaxPooling": fractional("SpatialFractionalMaxPooling", 2),
    "VolumetricFractionalMaxPooling": fractional("VolumetricFractionalMaxPooling", 3),
    "SpatialConvolutionLocal": local,
    "TemporalRowConvolution": rows,
    "SpatialConvolutionMap": connected(nn.SpatialConvolutionMap),
    "SpatialFullConvolutionMap": connected(nn.SpatialFullConvolutionMap),
    "SpatialDepthWiseConvolution": depthwise,
    "SpatialGridSamplerBilinear": looking,
    "SpatialUpSamplingNearest": enlarging("SpatialUpSamplingNearest", 2),
    "VolumetricUpSamplingNearest": enlarging("VolumetricUpSamplingNearest", 3),
    "SpatialUpSamplingBilinear": stretching("SpatialUpSamplingBilinear", 2),
    "VolumetricUpSamplingTrilinear": stretching("VolumetricUpSamplingTrilinear", 3),
}
"""Draws of a layer and of the shapes of its inputs, for every layer that has a definition beside what is fast."""


# Files whose layers tests/nn/test_convolution_ways.py compares with the definition, for each algorithm.
DENSE = ("Convolution.c", "FullConvolution.c")


def defined() -> list[str]:
    """Returns the layers whose C file has such a definition."""
    files = header.definitions(Path(__file__).resolve().parents[1])
    found = {name: path for name, path in files.items() if path.name not in DENSE}
    return sorted(name for name, path in found.items() if "The definition" in path.read_text(encoding="utf-8"))


def cases(name: str) -> Callable[[Generator], tuple[Any, tuple[int, ...]]]:
    """One of the cases of the layer, for who has no line above."""

    def draw(rng: Generator) -> tuple[Any, tuple[int, ...]]:
        case = CLASSES[name].CASES[drawn(rng, 0, len(CLASSES[name].CASES) - 1)]
        return case.make(), case.input(rng).shape

    return draw


LAYERS |= {name: cases(name) for name in defined() if name not in LAYERS}


def largest(*arrays: np.ndarray) -> float:
    return max(float(abs(a[np.isfinite(a)]).max(initial=1)) for a in arrays)


# The size of gradOutput beside an input of huge numbers: their products are added over all places, in any order, and stay finite.
SHARES = dict.fromkeys(("SpatialConvolutionMap", "SpatialFullConvolutionMap", "SpatialDepthWiseConvolution"), 1 / 4096)

SLOPES: dict[str, Callable[[Any, list[np.ndarray]], float]] = {
    "SpatialLocalImportancePooling": lambda module, inputs: largest(inputs[0]),
    "SpatialMixedPooling": lambda module, inputs: 1,
    "SpatialConvolutionLocal": lambda module, inputs: 9,
    "TemporalRowConvolution": lambda module, inputs: 9,
    "SpatialConvolutionMap": lambda module, inputs: 9,
    "SpatialFullConvolutionMap": lambda module, inputs: 9,
    "SpatialDepthWiseConvolution": lambda module, inputs: 9,
    "SpatialGridSamplerBilinear": lambda module, inputs: largest(inputs[0]) * max(inputs[0].shape),
    "SpatialGaussianPooling": lambda module, inputs: 9,
    "SpatialPowerAveragePooling": lambda module, inputs: 1,
    "FeatureLPPooling": lambda module, inputs: 1,
    "SpatialSubSampling": lambda module, inputs: 9,
    "TemporalSubSampling": lambda module, inputs: 9,
    "SpatialGatedPooling": lambda module, inputs: largest(inputs[0]),
    "SpatialStochasticPooling": lambda module, inputs: 4,
    **{f"{kind}SoftPool": lambda module, inputs: 1 + 9 * module.beta for kind in ("Spatial", "Volumetric", "Temporal")},
}
"""Bounds of the ratio of an input's gradient to an output's."""

INFINITE = ("SpatialSoftPool", "VolumetricSoftPool", "TemporalSoftPool", "SpatialLocalImportancePooling")
"""Layers that are compared for infinite gradients, too: each term of a sum is the definition's, infinite or not."""


def some(rng: Generator, array: np.ndarray, values: list[float]) -> np.ndarray:
    return np.where(rng.random(array.shape) < 0.1, rng.choice(values, array.shape), array)


KINDS: dict[str, Callable[[Generator, np.ndarray], np.ndarray]] = {
    "normal": lambda rng, x: x,
    "flat": lambda rng, x: np.full_like(x, 1.5),
    "ties": lambda rng, x: np.round(x),
    "nan": lambda rng, x: some(rng, x, [np.nan]),
    "infinite": lambda rng, x: some(rng, x, [np.inf, -np.inf]),
    "huge": lambda rng, x: np.finfo(x.dtype).max * (1 - 0.5 * rng.random(x.shape)),
    "denormal": lambda rng, x: x * float(np.finfo(x.dtype).tiny),
}


def numbers(rng: Generator, kind: str, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return KINDS[kind](rng, rng.standard_normal(shape).astype(dtype)).astype(dtype)


def assert_agree(fast: np.ndarray, plain: np.ndarray, of: np.ndarray, near: float, says: str) -> None:
    """Alike where they are not finite, and apart by no more than sums of numbers like those of `of` may be."""
    finite = np.isfinite(plain)
    np.testing.assert_array_equal(fast[~finite], plain[~finite], says)
    scale = float(abs(of[np.isfinite(of)]).max(initial=np.finfo(plain.dtype).tiny))
    np.testing.assert_allclose(fast[finite] / scale, plain[finite] / scale, rtol=near, atol=near, err_msg=says)


def both_ways(module: Any, input: Any, gradOutput: Callable[[tuple[int, ...]], np.ndarray]) -> list[list[Any]]:
    """Output, indices, gradients of inputs and of parameters: of what is fast, and of the definition."""
    found = []
    for kernels in ("fast", "plain"):
        backend.set_kernels(kernels)
        output = module.forward(input).copy()
        g = gradOutput(output.shape)
        module.zeroGradParameters()
        gradInput = [leaf.copy() for leaf in leaves(module.backward(input, g))]
        gradients = [gradient.copy() for gradient in (module.parameters() or ((), ()))[1]]
        found.append([output, getattr(module, "indices", np.zeros(0)).copy(), gradInput, gradients])
    return found


@pytest.mark.parametrize("dtype", NEAR)
@pytest.mark.parametrize("name", LAYERS)
@np.errstate(over="ignore", invalid="ignore")
def test_fast_as_defined(name: str, dtype: str) -> None:
    rng = np.random.default_rng(len(name))
    for draw in range(8 * len(KINDS)):
        kind = list(KINDS)[draw % len(KINDS)]
        module, shape = LAYERS[name](rng)
        module.type(f"torch.{'Float' if dtype == 'float32' else 'Double'}Tensor")
        pl.setPoolingBackward(str(rng.choice(["gather", "scatter", "default"])))
        shapes = shape if isinstance(shape, list) else [shape]
        inputs, seed = [numbers(rng, kind, each, dtype) for each in shapes], drawn(rng, 0, 1000)

        # Terms of a difference may be infinite where the difference is not.
        usual = name in SLOPES and (kind == "huge" or (kind == "infinite" and name not in INFINITE))
        ofGradients = "normal" if usual else kind
        if kind == "infinite" and name in INFINITE and rng.random() < 0.5:  # the gradients alone
            inputs = [numbers(rng, "normal", each, dtype) for each in shapes]
        share = SHARES.get(name, 1 / 64) if kind == "huge" else 1

        def gradOutput(shape: tuple[int, ...], kind: str = ofGradients, seed: int = seed, share: float = share) -> np.ndarray:
            return (numbers(np.random.default_rng(seed), kind, shape, dtype) * share).astype(dtype)

        fast, plain = both_ways(module, inputs if len(inputs) > 1 else inputs[0], gradOutput)
        says = f"{kind}, {module}, {shape}"
        np.testing.assert_array_equal(fast[1], plain[1], says)
        if "Max" in name:
            np.testing.assert_array_equal(fast[0], plain[0], says)
        else:
            assert_agree(fast[0], plain[0], inputs[0], NEAR[dtype], says)
        gradients = np.append(gradOutput(fast[0].shape), 0).astype(np.float64) * 9
        if name in SLOPES:
            gradients *= SLOPES[name](module, inputs)
        for mine, defined in zip(fast[2], plain[2], strict=True):
            assert_agree(mine, defined, gradients, NEAR[dtype], says)
        sums = np.minimum(abs(gradients).sum() * largest(inputs[0]), np.finfo(dtype).max)
        for mine, defined in zip(fast[3], plain[3], strict=True):
            if kind == "infinite":  # for infinities the order of a sum matters
                mine, defined = (np.where(np.isfinite(sum), sum, np.nan) for sum in (mine, defined))
            assert_agree(mine, defined, np.array([sums]), NEAR[dtype], says)


def test_layers_without_a_line_are_drawn_from_their_cases() -> None:
    assert len(defined()) > 35 and "SpatialMaxPooling" in defined()
    module, shape = cases("SpatialMaxPooling")(np.random.default_rng(0))
    assert isinstance(module, nn.SpatialMaxPooling) and len(shape) == 4


def test_definitions_run() -> None:
    """Sums of floats in another order differ in their last digits: plain is another way."""
    x = np.random.default_rng(1).standard_normal((4, 40, 40)).astype("f")
    fast, plain = both_ways(nn.SpatialAveragePooling(9, 9), x, lambda shape: np.ones(shape, "f"))
    assert (fast[0] != plain[0]).any() and (fast[2][0] != plain[2][0]).any()


@np.errstate(invalid="ignore")
def test_infinite_gradients_of_windows_with_infinite_means() -> None:
    """Terms of gradLogit are infinite. They are not added to 0 times an infinite slope."""
    x, logit = np.random.default_rng(2).standard_normal((2, 2, 12, 30)).astype("f")
    x[:, ::5, ::4] = -np.inf

    def gradOutput(shape: tuple[int, ...]) -> np.ndarray:
        return np.where(np.arange(np.prod(shape)).reshape(shape) % 3 == 0, np.inf, 1).astype("f")

    fast, plain = both_ways(nn.SpatialLocalImportancePooling(3, 3, 2, 2), [x, logit], gradOutput)
    assert np.isinf(plain[2][1]).sum() > 100
    np.testing.assert_array_equal(np.isnan(fast[2][1]), np.isnan(plain[2][1]))
    np.testing.assert_array_equal(np.isinf(fast[2][1]), np.isinf(plain[2][1]))


def test_setting() -> None:
    with pytest.raises(ValueRangeError, match="set_kernels: kernels: expected one of fast, plain, got 'quick'"):
        backend.set_kernels("quick")
    assert capi.lib.THNN_setKernels(None, 2) == capi.VALUE
    assert capi.last_error() == "THNN_setKernels: kernels: expected 0 to 1, got 2"
