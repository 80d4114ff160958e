"""Properties of the convolutions beyond their cases: all divisions of large work, initial values, old files."""

from itertools import product

import numpy as np
import pytest

from pytorch_legacy import backend, cudnn, nn, random
from pytorch_legacy.errors import ArgumentError, ShapeError, ValueRangeError
from tests.cases.filters import numbers
from tests.trees import assert_close

# name: batch, nInputPlane, height, width, then nOutputPlane and the window kW, kH, dW, dH, padW, padH
SHAPES = {
    "many tiles of one sample": (1, 3, 40, 50, 5, 3, 3, 1, 1, 1, 1),
    "sums over parts of the planes": (1, 40, 9, 9, 6, 3, 3, 1, 1, 1, 1),
    "parts of tiles": (1, 90, 20, 21, 3, 3, 3, 1, 1, 1, 1),
    "groups of planes": (2, 70, 12, 12, 3, 3, 3, 1, 1, 0, 0),
    "chunks of tiles": (9, 2, 21, 20, 4, 5, 3, 1, 1, 2, 1),
    "samples side by side": (20, 3, 6, 6, 4, 3, 3, 1, 1, 0, 0),
    "side by side, more than a tile": (50, 2, 4, 4, 3, 2, 2, 1, 1, 0, 0),
    "side by side, in parts": (5, 64, 4, 4, 8, 3, 3, 1, 1, 1, 1),
    "one place each": (30, 5, 3, 4, 6, 4, 3, 1, 1, 0, 0),
    "planes as they are": (2, 7, 30, 30, 5, 1, 1, 1, 1, 0, 0),
    "planes as they are, in parts": (1, 300, 10, 10, 4, 1, 1, 1, 1, 0, 0),
    "planes side by side": (30, 40, 2, 3, 20, 1, 1, 1, 1, 0, 0),
    "a kernel as large as a tile": (1, 1, 80, 80, 2, 60, 55, 1, 1, 0, 0),
    "steps longer than the kernel": (2, 2, 17, 30, 3, 2, 2, 3, 4, 0, 0),
    "steps of two": (2, 3, 35, 33, 4, 3, 5, 2, 2, 1, 2),
    "rows longer than a tile": (1, 1, 3, 900, 2, 3, 3, 1, 1, 1, 1),
    "padding beyond the kernel": (2, 2, 5, 4, 3, 2, 3, 1, 2, 7, 5),
}


# The layers beyond SpatialConvolution: class, arguments, shape of the input.
OTHERS = {
    "dilated, many tiles": (nn.SpatialDilatedConvolution, (3, 5, 3, 3, 1, 1, 2, 2, 2, 2), (1, 3, 40, 50)),
    "dilated, steps of two": (nn.SpatialDilatedConvolution, (3, 4, 3, 2, 2, 2, 3, 1, 3, 4), (2, 3, 25, 33)),
    "dilated, side by side": (nn.SpatialDilatedConvolution, (4, 3, 2, 2, 1, 1, 0, 0, 2, 3), (30, 4, 6, 7)),
    "volumes, many tiles": (nn.VolumetricConvolution, (3, 4, 2, 3, 3, 1, 1, 1, 1, 1, 1), (2, 3, 6, 13, 17)),
    "volumes, side by side": (nn.VolumetricConvolution, (5, 6, 2, 3, 2), (20, 5, 3, 4, 4)),
    "volumes, sums over parts": (nn.VolumetricConvolution, (40, 6, 3, 3, 3, 1, 1, 1, 1), (1, 40, 4, 7, 7)),
    "volumes, long steps": (nn.VolumetricConvolution, (2, 3, 1, 2, 2, 3, 4, 3), (2, 2, 9, 17, 18)),
    "volumes as they are": (nn.VolumetricConvolution, (7, 5, 1, 1, 1), (2, 7, 5, 12, 11)),
    "volumes, padding beyond the kernel": (nn.VolumetricConvolution, (2, 3, 2, 1, 2, 1, 1, 2, 3, 4, 5), (2, 2, 2, 3, 4)),
    "dilated volumes": (nn.VolumetricDilatedConvolution, (2, 3, 2, 3, 2, 2, 1, 1, 1, 2, 0, 3, 2, 2), (3, 2, 7, 9, 8)),
    "transposed": (nn.SpatialFullConvolution, (6, 5, 4, 4, 2, 2, 1, 1), (2, 6, 20, 21)),
    "transposed, side by side": (nn.SpatialFullConvolution, (40, 9, 4, 3, 2, 3, 1, 1, 1, 2), (20, 40, 4, 5)),
    "transposed, one cell": (nn.SpatialFullConvolution, (30, 20, 1, 1), (3, 30, 11, 12)),
    "transposed, one cell each": (nn.SpatialFullConvolution, (30, 20, 4, 4), (20, 30, 1, 1)),
    "transposed, gaps": (nn.SpatialFullConvolution, (3, 4, 2, 1, 3, 2), (2, 3, 19, 20)),
    "transposed volumes": (nn.VolumetricFullConvolution, (5, 3, 3, 4, 2, 2, 2, 1, 1, 1, 0, 1, 0, 0), (2, 5, 4, 9, 10)),
    "sequences": (nn.TemporalConvolution, (20, 30, 3, 2), (5, 200, 20)),
    "long sequences": (nn.TemporalConvolution, (2, 3, 5), (2, 3000, 2)),
    "short sequences": (nn.TemporalConvolution, (7, 5, 2), (40, 4, 7)),
}


def slopes(x, y, weight, bias, g, stride, pad, dilation):
    """Returns a convolution from x to the shape of y, and its gradients, in double precision, one cell of the kernel at a time.

    Returns bias + the output, the gradients of x and of the weight for a gradient g of the output, and the sum of g.
    """
    dims = len(stride)
    padded = np.pad(x, [(0, 0)] * 2 + [(p, p + d) for p, d in zip(pad, stride, strict=True)])
    output = np.zeros(y) + (0 if bias is None else bias.reshape(-1, *[1] * dims))
    gradPadded, gradWeight = np.zeros(padded.shape), np.zeros(weight.shape)
    for cell in np.ndindex(*weight.shape[2:]):
        places = zip(cell, dilation, stride, y[2:], strict=True)
        cells = (..., *(slice(i * e, i * e + d * (n - 1) + 1, d) for i, e, d, n in places))
        filters = weight[(..., *cell)]
        output += np.einsum("oc,nc...->no...", filters, padded[cells])
        gradPadded[cells] += np.einsum("oc,no...->nc...", filters, g)
        gradWeight[(..., *cell)] = np.einsum("noz,ncz->oc", g.reshape(*g.shape[:2], -1), padded[cells].reshape(*x.shape[:2], -1))
    inner = (..., *(slice(p, p + n) for p, n in zip(pad, x.shape[2:], strict=True)))
    return output, gradPadded[inner], gradWeight, g.sum((0, *range(2, 2 + dims)))


def expected(module, x, g):
    """Output, gradInput, gradWeight and gradBias of a module."""
    weight, bias = module.weight.astype("d"), module.bias.astype("d")
    if isinstance(module, nn.TemporalConvolution):
        frames = weight.reshape(weight.shape[0], module.kW, -1).swapaxes(1, 2)
        found = slopes(x.swapaxes(1, 2), g.swapaxes(1, 2).shape, frames, bias, g.swapaxes(1, 2), [module.dW], [0], [1])
        return found[0].swapaxes(1, 2), found[1].swapaxes(1, 2), found[2].swapaxes(1, 2).reshape(weight.shape), found[3]
    stride, pad, dilation = (numbers(module, name) for name in ("d", "pad", "dilation"))
    if not hasattr(module, "adjW"):
        return slopes(x, g.shape, weight, bias, g, stride, pad, dilation)
    # The other way round: what is the gradient there is the output here.
    back, output, gradWeight, _ = slopes(g, x.shape, weight, None, x, stride, pad, dilation)
    dims = len(stride)
    return output + bias.reshape(-1, *[1] * dims), back, gradWeight, g.sum((0, *range(2, 2 + dims)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [*SHAPES, *OTHERS])
def test_cuts(name, dtype):
    if name in SHAPES:
        batch, planes, height, width, outputs, *window = SHAPES[name]
        make, arguments, shape = nn.SpatialConvolution, (planes, outputs, *window), (batch, planes, height, width)
    else:
        make, arguments, shape = OTHERS[name]
    rng = np.random.default_rng(0)
    module = make(*arguments).type(dtype)
    x = rng.standard_normal(shape).astype(dtype)
    g = rng.standard_normal(module.forward(x).shape).astype(dtype)
    truths = expected(module, x.astype("d"), g.astype("d"))
    first = None
    try:
        for threads in (1, 3, 20):  # more than a loop has sections (team.c)
            backend.set_num_threads(threads)
            module.output.fill(np.nan)
            module.forward(x)
            module.zeroGradParameters()
            module.gradInput = np.full_like(x, np.nan)
            module.backward(x, g)
            results = [module.output, module.gradInput, module.gradWeight, module.gradBias]
            for result, truth in zip(results, truths, strict=True):
                assert_close(result, truth, {"float64": 1e-12, "float32": 1e-5}[dtype])
            first = first or [result.copy() for result in results]
            for result, before in zip(results, first, strict=True):
                np.testing.assert_array_equal(result, before)
    finally:
        backend.set_num_threads(0)


def test_reset():
    """Weight before bias; the limit is 1 / sqrt(fan-in), or makes the standard deviation what is asked for."""
    random.manualSeed(3)
    module = nn.SpatialConvolution(2, 3, 4, 5)
    random.manualSeed(3)
    s = 1 / np.sqrt(2 * 4 * 5)
    np.testing.assert_array_equal(module.weight, random.uniform(-s, s, (3, 2, 5, 4)))
    np.testing.assert_array_equal(module.bias, random.uniform(-s, s, 3))
    module = nn.SpatialConvolutionMM(30, 50, 3, 3)
    module.reset(0.5)
    assert module.weight.std() == pytest.approx(0.5, rel=0.02)
    module.reset(0)
    assert not module.weight.any()


@pytest.mark.parametrize("make", [nn.SpatialConvolution, nn.SpatialConvolutionMM])
def test_old_fields(make):
    new = make(2, 3, 3, 2, 1, 1, 1)
    fields = dict(new._toTorch7(), finput=np.zeros(3, "f"), padding=1)
    del fields["padW"], fields["padH"], fields["gradWeight"], fields["gradBias"]
    fields["weight"] = new.weight.reshape(3, 12)
    old = make.__new__(make)
    old._fromTorch7(fields, 1)
    assert (old.padW, old.padH) == (1, 1)
    assert old.weight.shape == new.weight.shape == old.gradWeight.shape
    assert np.shares_memory(old.weight, new.weight)
    assert not hasattr(old, "finput") and not hasattr(old, "padding")
    x = np.random.default_rng(0).standard_normal((2, 2, 4, 5)).astype("f")
    np.testing.assert_array_equal(old.forward(x), new.forward(x))
    fields.pop("padding")
    old = make.__new__(make)
    old._fromTorch7(fields, 1)
    assert (old.padW, old.padH) == (0, 0)


def test_old_dilation():
    """A file without dilations is a plain convolution; a transposed one without adj has none."""
    for make, field in ((nn.SpatialDilatedConvolution, "dilation"), (nn.SpatialFullConvolution, "adj")):
        new = make(2, 3, 2, 2)
        fields = {key: value for key, value in new._toTorch7().items() if not key.startswith(field)}
        old = make.__new__(make)
        old._fromTorch7(fields | {"ones": np.zeros(3, "f"), "columns": np.zeros(3, "f")}, 1)
        x = np.random.default_rng(0).standard_normal((2, 4, 5)).astype("f")
        np.testing.assert_array_equal(old.forward(x), new.forward(x))
        assert not hasattr(old, "ones") and not hasattr(old, "columns")
        assert str(old) == str(new)


def test_old_VolumetricFullConvolution():
    """Files of before adj: the weight is nOutputPlane x nInputPlane, and the padding pT, pW, pH."""
    new = nn.VolumetricFullConvolution(2, 3, 2, 2, 1, 1, 1, 1, 1, 0, 0)
    fields = {key: value for key, value in new._toTorch7().items() if not key.startswith(("adj", "pad"))}
    fields |= {"pT": 1, "pW": 0, "pH": 0, "weight": new.weight.swapaxes(0, 1).copy()}
    del fields["gradWeight"]
    old = nn.VolumetricFullConvolution.__new__(nn.VolumetricFullConvolution)
    old._fromTorch7(fields, 1)
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5)).astype("f")
    np.testing.assert_array_equal(old.forward(x), new.forward(x))
    assert old.weight.shape == old.gradWeight.shape == (2, 3, 2, 1, 2)
    assert (old.padT, old.adjT) == (1, 0) and not hasattr(old, "pT")


def test_full_convolution_of_two_inputs():
    """The second input decides the size of the output only; both ways of calling can take turns."""
    module = nn.SpatialFullConvolution(1, 2, 3, 3, 2, 2, 1, 1)
    x, like = np.ones((1, 3, 4), "f"), np.full((1, 6, 7), np.nan, "f")
    assert module.forward([x, like]).shape == (2, 6, 7)
    gradInput = module.backward([x, like], np.ones((2, 6, 7), "f"))
    assert [g.shape for g in gradInput] == [(1, 3, 4), (1, 6, 7)] and not gradInput[1].any()
    assert module.forward(x).shape == (2, 5, 7)
    assert module.backward(x, np.ones((2, 5, 7), "f")).shape == x.shape
    module.gradInput = None
    assert module.updateGradInput([x, like], np.ones((2, 6, 7), "f")) is None


def test_transpose():
    """<conv(x), y> = <x, full(y)> for the same weight without a bias."""
    rng = np.random.default_rng(0)
    dense = nn.VolumetricConvolution(3, 4, 2, 3, 3, 2, 1, 2, 1, 0, 1).noBias().double()
    full = nn.VolumetricFullConvolution(4, 3, 2, 3, 3, 2, 1, 2, 1, 0, 1).noBias().double()
    full.weight[...] = dense.weight
    x = rng.standard_normal((2, 3, 6, 7, 8))
    y = rng.standard_normal(dense.forward(x).shape)
    np.testing.assert_allclose((dense.output * y).sum(), (x * full.forward([y, x])).sum(), rtol=1e-10)


def test_no_gradInput():
    module = nn.SpatialConvolution(1, 1, 2, 2)
    module.gradInput = None
    x = np.ones((1, 3, 3), "f")
    module.forward(x)
    assert module.backward(x, np.ones((1, 2, 2), "f")) is None
    assert (module.gradWeight == 4).all()


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ((0, 1, 1, 1), ValueRangeError, "nn.SpatialConvolution: nInputPlane: expected 1 or more, got 0"),
        ((1, -1, 1, 1), ValueRangeError, "nOutputPlane: expected 1 or more, got -1"),
        ((1, 1, 0, 1), ValueRangeError, "kW: expected 1 or more, got 0"),
        ((1, 1, 1, "1"), ArgumentError, "kH: expected an integer, got '1'"),
    ],
)
def test_bad_sizes(arguments, error, message):
    with pytest.raises(error, match=message):
        nn.SpatialConvolution(*arguments)


@pytest.mark.parametrize(
    "layer, shape, sizes",
    [
        (nn.SpatialFullConvolution(2, 3, 3, 4, 2, 3, 1, 1), (2, 5, 4), ((14, 16), (7, 8))),
        (nn.VolumetricFullConvolution(2, 1, 2, 3, 3, 2, 1, 2), (2, 3, 4, 5), ((6, 7), (9, 10), (7, 7))),
        (cudnn.SpatialFullConvolution(2, 3, 3, 4, 2, 3, 1, 1), (2, 5, 4), ((14, 16), (7, 8))),
    ],
)
def test_targets_of_full_convolutions_can_be_reached(layer, shape, sizes):
    """Each axis from `least` to `most`; another size is an error, and not another output."""
    x = np.random.default_rng(1).standard_normal((2, *shape)).astype(np.float32)
    for ends in product(*sizes):
        like = np.zeros((2, 7, *ends), np.float32)
        output = layer.forward([x, like])
        assert output.shape[2:] == ends
        assert layer.backward([x, like], output)[0].shape == x.shape
    ends = tuple(least for least, _ in sizes)
    for axis, (least, most) in enumerate(sizes):
        for wrong in (least - 1, most + 1, most + 40, 1):
            like = np.zeros((7, *ends[:axis], wrong, *ends[axis + 1 :]), np.float32)
            for method in (lambda like=like: layer.forward([x[0], like]), lambda like=like: layer.backward([x[0], like], output)):
                with pytest.raises(ShapeError, match=rf"input\[1\]: expected a \w+ of {least} to {most}, .* got {wrong}"):
                    method()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("window", [(3, 3, 1, 1, 1, 1), (3, 3, 1, 2, 1, 1), (5, 3, 1, 1, 2, 1), (1, 3, 1, 1, 0, 1)])
def test_padding_of_the_last_band(window, dtype):
    """A thread that begins with the last band, which has fewer rows, has memory that another call has left: of NaN, here."""
    module = nn.SpatialConvolution(180, 3, *window).type(dtype)
    x = np.random.default_rng(0).standard_normal((1, 180, 20, 21)).astype(dtype)
    nothing = np.full((1000, 2000), np.nan, dtype)[:, ::2]
    try:
        backend.set_num_threads(1)
        expected = module.forward(x).copy()
        for threads in (2, 3):
            backend.set_num_threads(threads)
            for _ in range(10):
                nn.Tanh().type(dtype).forward(nothing)
                np.testing.assert_array_equal(module.forward(x), expected)
    finally:
        backend.set_num_threads(0)
