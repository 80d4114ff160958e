"""Every algorithm of dense convolutions gives what the loops that define them give (THNN/convolution/Convolution.c)."""

import ctypes
import mmap
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import cudnn, nn, optim
from pytorch_legacy.errors import ValueRangeError

WAYS = ("fast", "plain", "places", "outputs", "winograd2", "winograd4")
ROOT = Path(__file__).resolve().parents[2]


def layers(random):
    """A layer of each kind, with an input that it takes."""
    few = lambda most, least=1: int(random.integers(least, most + 1))  # noqa: E731
    planes, outputs, batch = few(20), few(24), few(3)
    kernel, stride, pad, dilation = ([few(4, low) for _ in range(3)] for low in (1, 1, 0, 1))
    wide = lambda n, least: few(n + least, least)  # noqa: E731
    size = [wide(9, max((k - 1) * d + 1 - 2 * p, 1)) for k, d, p in zip(kernel, dilation, pad, strict=True)]
    short = [wide(5, k) for k in kernel]
    t, h, w = 0, 1, 2
    plane = kernel[w], kernel[h], stride[w], stride[h], pad[w], pad[h]
    yield nn.SpatialConvolution(planes, outputs, 3, 3, 1, 1, pad[w] % 3, pad[h] % 3), (batch, planes, wide(17, 3), wide(60, 3))
    yield nn.SpatialConvolution(planes, outputs, 1, 1), (batch, planes, size[h], size[w])
    yield nn.SpatialDilatedConvolution(planes, outputs, *plane, dilation[w], dilation[h]), (batch, planes, size[h], size[w])
    yield nn.SpatialConvolution(planes, outputs, kernel[w], 1, stride[w]), (batch, planes, 1, 5 * kernel[w])
    yield nn.SpatialFullConvolution(planes, outputs, *plane[:4]), (batch, planes, few(7), few(7))
    groups = few(4, 2)
    each = groups * few(9, 2), groups * few(9)
    yield cudnn.SpatialConvolution(*each, *plane, groups), (batch, each[0], *(k + few(9) for k in kernel[1:]))
    yield cudnn.SpatialFullConvolution(*each, *plane[:4], 0, 0, 0, 0, groups), (batch, each[0], few(7), few(7))
    yield nn.TemporalConvolution(planes, outputs, 5), (batch, 5, planes)
    yield nn.TemporalConvolution(planes, outputs, kernel[w], stride[w]), (batch, 4 * kernel[w] + few(30), planes)
    yield nn.VolumetricConvolution(planes, outputs, *(kernel[a] for a in (t, w, h)), *stride), (batch, planes, *short)
    yield (
        nn.VolumetricFullConvolution(planes, outputs, *(kernel[a] for a in (t, w, h)), *(stride[a] for a in (t, w, h))),
        (batch, planes, few(4), few(4), few(4)),
    )


def passes(module, x, g):
    """Output, gradInput and the gradients of the parameters, as copies."""
    module.zeroGradParameters()
    module.forward(x)
    module.backward(x, g)
    return [np.array(a) for a in (module.output, module.gradInput, module.gradWeight, module.gradBias)]


def busy(module, x):
    """As many of these samples as give three threads work: half a million products each (Convolution_fast.c)."""
    places = x if module._isTransposed else module.forward(x)
    products = places.size * module.weight[0].size
    return np.concatenate([x] * min(max(2_000_000 // max(products, 1), 1), 200))


def gradient(module, x, random):
    return random.standard_normal(module.forward(x).shape).astype(x.dtype)


def assert_same(results, truths, tolerance):
    for result, truth in zip(results, truths, strict=True):
        np.testing.assert_array_equal(np.isfinite(result), np.isfinite(truth))
        np.testing.assert_array_equal(result[~np.isfinite(result)], truth[~np.isfinite(truth)])
        known = truth[np.isfinite(truth)]
        scale = np.abs(known).max(initial=1e-30)
        assert np.abs(result[np.isfinite(truth)] - known).max(initial=0) <= tolerance * scale


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_definition(dtype):
    """All layers, random shapes, views with gaps; for some of these, each number of threads gives the same bits."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        for module, shape in layers(random):
            module.type(dtype)
            x = np.flip(random.standard_normal((*shape[:-1], 2 * shape[-1])).astype(dtype)[..., ::2], axis=1)
            g = gradient(module, x, random)
            many = busy(module, x)
            gradients = gradient(module, many, random)
            pl.setConvolution("definition")
            truths = passes(module, x, g)
            for way in WAYS:
                pl.setConvolution(way)
                pl.setNumThreads(1)
                assert_same(passes(module, x, g), truths, {"float32": 1e-5, "float64": 1e-12}[dtype])
                if seed % 3:
                    continue
                results = passes(module, many, gradients)
                pl.setNumThreads(3)
                for one, three in zip(results, passes(module, many, gradients), strict=True):
                    np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 3e38])
def test_what_is_not_finite(way, value):
    """It goes where the definition has it: what transforms would spread is computed again. Padding is multiplied zeros."""
    random = np.random.default_rng(3)
    for place in ("input", "weight", "gradOutput"):
        module = nn.SpatialConvolution(18, 9, 3, 3, 1, 1, 1, 1).float()
        x = random.standard_normal((2, 18, 13, 14)).astype("float32")
        g = gradient(module, x, random)
        array = {"input": x, "weight": module.weight, "gradOutput": g}[place]
        array[np.unravel_index(random.integers(array.size), array.shape)] = value
        if value == 3e38:
            array[..., 0] *= np.float32(1e-30)
        pl.setConvolution("definition")
        truths = passes(module, x, g)
        pl.setConvolution(way)
        assert_same(passes(module, x, g), truths, 1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("pad", [0, 1, 3])
def test_short_rows(stride, pad, dtype):
    """Rows of a few cells are laid out as whole vectors. What lies beside them in memory is not seen: it is no number here."""
    random = np.random.default_rng(11)
    for columns in range(max(3 - 2 * pad, 1), 19):
        module = nn.SpatialConvolution(4, 9, 3, 3, stride, stride, pad, pad).type(dtype)
        x = random.standard_normal((2, 4, 5, columns)).astype(dtype)
        x[0, :, ::2, 0] = x[1, 1, 1, -1] = np.nan
        x[1, 3, 3, -1] = np.inf
        g = gradient(module, x, random)
        pl.setConvolution("definition")
        truths = passes(module, x, g)
        for way in ("fast", "places", "outputs"):
            pl.setConvolution(way)
            assert_same(passes(module, x, g), truths, {"float32": 1e-5, "float64": 1e-12}[dtype])


def at_edges(x):
    """The same array at both ends of memory beside which there is none that may be read."""
    page = mmap.PAGESIZE
    middle = -(-x.nbytes // page) * page
    memory = mmap.mmap(-1, middle + 2 * page)
    start = np.frombuffer(memory, np.uint8).ctypes.data
    libc = ctypes.CDLL(None, use_errno=True)
    for edge in (start, start + page + middle):
        assert libc.mprotect(ctypes.c_void_p(edge), ctypes.c_size_t(page), 0) == 0
    for offset in (page, page + middle - x.nbytes):
        array = np.frombuffer(memory, x.dtype, x.size, offset).reshape(x.shape)
        array[...] = x
        yield array


@pytest.mark.skipif(sys.platform != "linux", reason="protects pages as Linux does")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("k, pad, stride", [(3, 1, 1), (5, 2, 1), (3, 1, 2), (3, 0, 1), (1, 0, 1)])
def test_nothing_beside_the_input_is_read(k, pad, stride, dtype):
    """Whole vectors are read, but none that reaches beyond the array."""
    random = np.random.default_rng(5)
    for size in (4, 5, 7, 8, 11):
        for samples, planes in ((1, 1), (2, 3)):
            module = nn.SpatialConvolution(planes, 20, k, k, stride, stride, pad, pad).type(dtype)
            x = random.standard_normal((samples, planes, size, size)).astype(dtype)
            for way in WAYS:
                pl.setConvolution(way)
                truth = module.forward(x).copy()
                for array in at_edges(x):
                    np.testing.assert_array_equal(module.forward(array), truth)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("k, stride, dilation", [(3, 1, 1), (3, 2, 1), (1, 1, 1), (2, 1, 2), (5, 1, 1)])
@pytest.mark.parametrize(
    "inputs, outputs, size, batch", [(20, 37, 7, 1), (33, 50, 9, 2), (16, 6, 14, 1), (17, 19, 1, 3), (64, 3, 7, 1)]
)
def test_few_places(inputs, outputs, size, batch, k, stride, dilation, threads):
    """Few places beside many weights that change: they are packed where they are used, and their gradient is made at once."""
    random = np.random.default_rng(7)
    dilated = nn.SpatialDilatedConvolution(inputs, outputs, k, k, stride, stride, k - 1, k - 1, dilation, dilation).float()
    x = random.standard_normal((batch, inputs, size, size)).astype("float32")
    g = gradient(dilated, x, random)
    pl.setNumThreads(threads)
    for _ in range(2):
        dilated.weight[...] = random.standard_normal(dilated.weight.shape)
        pl.setConvolution("definition")
        truths = passes(dilated, x, g)
        for way in ("fast", "places", "outputs"):
            pl.setConvolution(way)
            assert_same(passes(dilated, x, g), truths, 1e-5)


SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
long sysconf(int name)
{
  static long (*next)(int);
  if (name == _SC_LEVEL2_CACHE_SIZE) return SIZE;
  if (!next) next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
  return next(name);
}
"""
BITS = """
import hashlib
import numpy as np
import pytorch_legacy as pl
from pytorch_legacy import nn
found = hashlib.sha256()
for planes, outputs, k, rows, columns in ((20, 30, 3, 70, 60), (3, 40, 5, 12, 449), (150, 140, 3, 30, 30), (64, 64, 3, 30, 449)):
    for threads in (1, 2):
        pl.setNumThreads(threads)
        net = nn.SpatialConvolution(planes, outputs, k, k, 1, 1, k // 2, k // 2).float()
        net.weight[...] = np.random.default_rng(planes).standard_normal(net.weight.shape)
        net.bias[...] = 0
        x = np.random.default_rng(rows).standard_normal((2, planes, rows, columns)).astype("f")
        y = net.forward(x)
        net.zeroGradParameters()
        gradInput = net.backward(x, np.random.default_rng(columns).standard_normal(y.shape).astype("f"))
        for array in (y, gradInput, net.gradWeight):
            found.update(array.tobytes())
print(found.hexdigest())
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc to compile what tells another size of the cache")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="LD_PRELOAD is Linux's")
def test_no_bit_depends_on_the_size_of_the_cache(tmp_path):
    """Bands and groups of rows follow from it, sums do not."""
    found = set()
    for size in (0, 256 << 10, 2 << 20):  # 0: the system does not know
        (tmp_path / "shim.c").write_text(SHIM)
        shim = tmp_path / f"shim{size}.so"
        subprocess.run(["gcc", "-shared", "-fPIC", f"-DSIZE={size}L", tmp_path / "shim.c", "-o", shim, "-ldl"], check=True)
        env = os.environ | {"LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')} {shim}"}
        ran = subprocess.run([sys.executable, "-c", BITS], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
        found.add(ran.stdout)
    assert len(found) == 1


TILED = [
    *((16, 16, 23, 24, 1), (33, 70, 60, 61, 1), (64, 64, 50, 51, 2), (128, 130, 30, 31, 4)),
    *((20, 150, 14, 15, 9), (300, 260, 10, 11, 13), (16, 17, 7, 910, 2)),
]


@pytest.mark.parametrize("planes, outputs, rows, columns, batch", TILED)
def test_gradient_in_tiles(planes, outputs, rows, columns, batch):
    """One slot or several, of one group of rows or several, and long sums; one sample decides that the plain sum is taken."""
    random = np.random.default_rng(planes)
    module = nn.SpatialConvolution(planes, outputs, 3, 3, 1, 1, 1, 0).float()
    x = random.standard_normal((batch, planes, rows, columns)).astype("float32")
    g = gradient(module, x, random)
    start = random.standard_normal(module.gradWeight.shape)

    def found(way, threads):
        pl.setConvolution(way)
        pl.setNumThreads(threads)
        module.gradWeight[...] = start
        module.accGradParameters(x, g, 0.5)
        return module.gradWeight.copy()

    fast, plain = found("fast", 1), found("plain", 1)
    assert_same([fast - start], [found("definition", 1) - start], 1e-5)
    assert (fast != plain).any()
    for threads in (1, 2, 3, 20):
        np.testing.assert_array_equal(found("winograd4", threads), fast)
    for value, array in ((np.nan, x), (-np.inf, g), (1e25, x), (1e25, g)):
        before, array[-1, 0, -1, -1] = array[-1, 0, -1, -1], value
        plain = found("plain", 1)
        for threads in (1, 3):
            np.testing.assert_array_equal(found("fast", threads), plain)
        array[-1, 0, -1, -1] = before


@pytest.mark.parametrize(
    "planes, outputs, size, batch", [(15, 16, 56, 1), (16, 15, 56, 1), (64, 64, 7, 1), (64, 64, 5, 40), (16, 16, 3, 0)]
)
def test_gradient_of_few(planes, outputs, size, batch):
    """The plain sum is taken if tiles do not pay."""
    random = np.random.default_rng(planes)
    module = nn.SpatialConvolution(planes, outputs, 3, 3, 1, 1, 1, 1).float()
    x = random.standard_normal((batch, planes, size, size)).astype("float32")
    g = random.standard_normal((batch, outputs, size, size)).astype("float32")
    results = []
    for way in ("fast", "plain"):
        pl.setConvolution(way)
        results.append(passes(module, x, g)[2])
    np.testing.assert_array_equal(*results)


def rms_error(array, exact):
    return np.sqrt(np.mean((array - exact) ** 2) / np.mean(exact**2))


# A sum of n terms, one after the other, has an error of about 1.3e-8 sqrt(n): 4.5e-7 for 1,152 terms. PyTorch has 2.2e-7.
@pytest.mark.parametrize(
    ("way", "most"), [("places", 2.6e-7), ("outputs", 2.6e-7), ("winograd2", 4e-7), ("winograd4", 7e-7), ("fast", 7e-7)]
)
def test_rounding(way, most):
    """A long sum is a sum of sums, whose rounding error grows with the number of terms in one of them."""
    random = np.random.default_rng(5)
    for planes, size in ((128, 14), (256, 9)):
        module = nn.SpatialConvolution(planes, 48, 3, 3, 1, 1, 1, 1).float()
        module.weight[...] = random.standard_normal(module.weight.shape)
        x = random.standard_normal((1, planes, size, size)).astype("float32")
        g = gradient(module, x, random)
        double = module.clone().double()
        exact = passes(double, x.astype("float64"), g.astype("float64"))
        pl.setConvolution(way)
        for result, truth in zip(passes(module, x, g)[:3], exact, strict=False):
            assert rms_error(result, truth) < most


@pytest.mark.parametrize("way", ["winograd2", "winograd4"])
@pytest.mark.parametrize("planes, outputs, size", [(1, 1, 5), (17, 5, 14), (150, 20, 9), (129, 31, 30), (300, 16, 7)])
def test_kernels_have_the_same_bits_wherever_they_are_transformed(planes, outputs, size, way):
    """For a block when it needs them, for all of them first, or in memory that is kept: the first, second and third passes."""
    random = np.random.default_rng(size)
    module = nn.SpatialConvolution(planes, outputs, 3, 3, 1, 1, 1, 1).float()
    x = random.standard_normal((2, planes, size, size + 3)).astype("float32")
    g = gradient(module, x, random)
    pl.setConvolution("definition")
    truths = passes(module, x, g)
    pl.setConvolution(way)
    results = []
    for threads in (1, 2, 3):
        pl.setNumThreads(threads)
        kept = pl.setCacheBytes(0)  # empties the cache
        results.append(passes(module, x, g))
        pl.setCacheBytes(kept)
        results += [passes(module, x, g) for _ in range(3)]
    assert_same(results[0][:2], truths[:2], 1e-5)
    for result in results[1:]:
        for one, other in zip(result[:2], results[0], strict=False):
            np.testing.assert_array_equal(one, other)


def test_weights_that_change():
    """Packed weights are kept while they are the same, and made anew when they are not, however they were changed."""
    random = np.random.default_rng(2)
    module = nn.SpatialConvolution(16, 16, 3, 3, 1, 1, 1, 1).float()
    x = random.standard_normal((1, 16, 20, 20)).astype("float32")
    g = gradient(module, x, random)
    flat, flat_gradient = module.getParameters()

    def change_vector():
        flat[7] += 1

    def change_element():
        module.weight[3, 2, 1, 0] = -module.weight[3, 2, 1, 0]

    def two_signs():  # two signs of one lane of the fingerprint
        module.weight.reshape(-1)[[5, 37]] *= -1

    def swap():
        module.weight[[0, 1]] = module.weight[[1, 0]]

    def swap_words():
        module.weight.reshape(-1)[[5, 37]] = module.weight.reshape(-1)[[37, 5]]

    def optimize():
        optim.sgd(lambda p: (0.0, flat_gradient), flat, {"learningRate": 0.1})

    def load():
        module.weight[...] = random.standard_normal(module.weight.shape)

    def last():
        module.weight.reshape(-1)[-1] += 0.5

    for change in (change_vector, change_element, two_signs, swap, swap_words, optimize, load, last):
        for _ in range(4):  # seen, seen to be the same, kept, used
            before = passes(module, x, g)
        change()
        after = passes(module, x, g)
        fresh = nn.SpatialConvolution(16, 16, 3, 3, 1, 1, 1, 1).float()
        fresh.weight[...], fresh.bias[...] = module.weight, module.bias
        for result, truth in zip(after, passes(fresh, x, g), strict=True):
            np.testing.assert_array_equal(result, truth)
        assert not np.array_equal(before[0], after[0])


FULL_OF_HOLES = """
    import numpy as np
    from pathlib import Path
    import pytorch_legacy as pl
    from pytorch_legacy import cudnn, nn

    def resident():
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) << 10

    module = nn.SpatialConvolution(512, 512, 3, 3, 1, 1, 1, 1).float()
    x = np.ones((1, 512, 14, 14), "f")
    np.empty(30 << 20, np.uint8)  # from here on malloc has blocks of up to this size on its heap
    *blocks, pin = [np.ones(20 << 20, np.uint8) for _ in range(7)]  # the last is behind them: the heap keeps what they leave
    del blocks
    for _ in range(3):
        module.forward(x)
    before = resident()
    pl.setCacheBytes(0)
    print(before - resident() > module.weight.nbytes / 2)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is counted on Linux alone")
def test_kept_memory_goes_back_to_the_system():
    """Whatever the host's heap looks like."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(FULL_OF_HOLES)], capture_output=True, text=True, timeout=150)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is counted on Linux alone")
def test_kept_bytes():
    """The cache of packed weights is emptied when its limit falls, and results stay the same."""

    def resident():
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) << 10

    random = np.random.default_rng(3)
    module = nn.SpatialConvolution(512, 512, 3, 3, 1, 1, 1, 1).float()
    x = random.standard_normal((1, 512, 14, 14)).astype("float32")
    outputs = [module.forward(x).copy() for _ in range(3)]
    before = resident()
    default = pl.setCacheBytes(0)
    try:
        assert before - resident() > module.weight.nbytes / 2
        outputs += [module.forward(x).copy() for _ in range(3)]
    finally:
        assert pl.setCacheBytes(default) == 0
    assert default == 512 << 20
    for output in outputs:
        np.testing.assert_array_equal(output, outputs[0])
    with pytest.raises(ValueRangeError, match=r"setCacheBytes: bytes: expected an integer from 0 .*, got -1"):
        pl.setCacheBytes(-1)


def test_names():
    with pytest.raises(ValueRangeError, match=r"setConvolution: how: expected one of fast, plain, .*, got 'slow'"):
        pl.setConvolution("slow")


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
@pytest.mark.parametrize("size", [16, 32, 64])
@pytest.mark.parametrize("Real", ["Float", "Double"])
def test_micro_kernel(tmp_path, size, Real):
    """Tiles of THNN/core/product.h, and products of matrices, against loops, in C. Missing vectors are made of several.

    Those are not optimized here, which would take a minute: the library is, and the other tests run what processors have.
    """
    program = tmp_path / "product"
    source = ROOT / "tests" / "core" / "product.c"
    words = f"-DVECTOR_BYTES={size} -DReal={Real} -DTHNN_REAL={Real.lower()} -DTHNN_REAL_IS_{Real}=1 -DTHNN_MULTIPLIER=best"
    words += f" -I{ROOT / 'THNN'}"
    optimized = "-O1" if size == 16 else "-O0"
    subprocess.run(["gcc", "-std=gnu11", optimized, "-Wno-psabi", *words.split(), str(source), "-o", str(program)], check=True)
    assert subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.endswith("products agree\n")
