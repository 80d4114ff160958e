"""Measures the algorithms for a convolution that THNN/convolution/Convolution_fast.c chooses from.

python -m benchmarks.ways                  3x3 on small planes and others, two threads
python -m benchmarks.ways 512@7 --threads 1
python -m benchmarks.ways --direct         the two direct algorithms, for other kernels (THNN/convolution/Convolution_direct.h)

Each shape is a chain of layers, whose weights no cache holds as far as that takes no more than a dozen of them. "frozen" is a
run of a program, which transforms weights once. "training" is a pass forward and one back to the input, for weights that have
changed since the last one. The ways take turns; a figure is the median of the rounds, in ms. "fast" is what the library
chooses. With --direct some layers of a shape compute the same picture, frozen.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn

# planes, rows (and columns), samples
SHAPES = (
    *((512, 7, 1), (512, 7, 3), (512, 7, 6), (512, 7, 8), (256, 7, 1), (256, 7, 8), (128, 7, 1), (64, 7, 8), (32, 7, 1)),
    *((512, 8, 1), (256, 8, 1), (64, 8, 1), (256, 14, 1), (256, 6, 2), (256, 5, 2), (512, 4, 8), (256, 4, 8), (64, 4, 8)),
)
WAYS = ("places", "outputs", "winograd2", "winograd4", "fast")
CACHES, LAYERS = 48 << 20, 12  # bytes, at most
# planes, outputs, kernel, stride, rows
DIRECT = (
    (64, 256, 1, 1, 56),
    (256, 64, 1, 1, 56),
    (256, 128, 1, 1, 56),
    (128, 512, 1, 1, 28),
    (512, 128, 1, 1, 28),
    (256, 1024, 1, 1, 14),
    (1024, 256, 1, 1, 14),
    (512, 2048, 1, 1, 7),
    (2048, 512, 1, 1, 7),
    (256, 512, 1, 2, 56),
    (1024, 2048, 1, 2, 14),
    (192, 64, 1, 1, 28),
    (32, 96, 1, 1, 28),
    (96, 24, 1, 1, 28),
    (24, 144, 1, 1, 56),
    (960, 160, 1, 1, 7),
    (128, 128, 3, 2, 56),
    (256, 256, 3, 2, 28),
    (512, 512, 3, 2, 14),
    (3, 64, 3, 1, 224),
    (3, 64, 7, 2, 224),
    (3, 32, 9, 1, 256),
    (32, 3, 9, 1, 256),
    (64, 64, 5, 1, 56),
    (16, 32, 5, 1, 28),
    (48, 128, 5, 1, 14),
)
PLAIN = ("places", "outputs", "fast")
# For each kind of pass, what comes before it, and itself, which gets the way that is chosen.
Passes = dict[str, tuple[Callable[[], Any], Callable[[str], Any]]]


def programs(net: nn.Module, x: Any) -> dict[str, Any]:
    """Returns a program for each way: its state has the one that is chosen when it is opened."""
    found = {}
    for way in WAYS:
        pl.setConvolution(way)
        found[way] = pl.compile(net, x)
    return found


def passes(planes: int, rows: int, samples: int) -> Passes:
    """A pass of a chain."""
    count = min(max(CACHES // (planes * planes * 36), 2), LAYERS)
    layers = [nn.SpatialConvolution(planes, planes, 3, 3, 1, 1, 1, 1) for _ in range(count)]
    net = nn.Sequential(*(module for layer in layers for module in (layer, nn.ReLU())))
    x = np.random.default_rng(0).standard_normal((samples, planes, rows, rows)).astype(np.float32)
    frozen = programs(net.float(), x)
    gradOutput = np.ones_like(x)

    def change() -> None:
        for layer in layers:
            layer.weight *= np.float32(0.999)

    def there_and_back(way: str) -> None:
        net.forward(x)
        net.updateGradInput(x, gradOutput)

    return {"frozen": (lambda: None, lambda way: frozen[way](x)), "training": (change, there_and_back)}


def alone(planes: int, outputs: int, kernel: int, stride: int, rows: int) -> Passes:
    """A run of some frozen layers, each over the same picture."""
    count = min(max(CACHES // (planes * outputs * kernel**2 * 4), 2), LAYERS)
    layers = [nn.SpatialConvolution(planes, outputs, kernel, kernel, stride, stride, *[kernel // 2] * 2) for _ in range(count)]
    x = np.random.default_rng(0).standard_normal((1, planes, rows, rows)).astype(np.float32)
    frozen = [programs(nn.Sequential(layer, nn.ReLU()).float(), x) for layer in layers]
    return {"frozen": (lambda: None, lambda way: [each[way](x) for each in frozen])}


def milliseconds(way: str, before: Callable[[], Any], run: Callable[[str], Any]) -> float:
    """Returns the time of the last of some passes.

    Packed weights are cached from the third pass on, and only those of this algorithm.
    """
    pl.setConvolution(way)
    pl.setCacheBytes(0)
    pl.setCacheBytes(4 << 30)
    for _ in range(5):
        before()
        begin = time.perf_counter()
        run(way)
    return 1e3 * (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="shapes whose name holds one of these")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--direct", action="store_true", help="the two plain sums")
    options = parser.parse_args()
    pl.setNumThreads(options.threads)
    work: dict[str, Callable[[], Passes]] = {}
    if options.direct:
        for row in DIRECT:
            planes, outputs, kernel, stride, rows = row
            name = f"{kernel}x{kernel}s{stride} {planes}-{outputs}@{rows}"
            work[name] = partial(alone, *row)
    else:
        for planes, rows, samples in SHAPES:
            work[f"{planes}@{rows} x{samples}"] = partial(passes, planes, rows, samples)
    ways = PLAIN if options.direct else WAYS
    print(f"{'shape':24} {'':9}" + "".join(f"{way:>11}" for way in ways))
    for name, make in work.items():
        if options.words and not any(word in name for word in options.words):
            continue
        for kind, (before, run) in make().items():
            times: dict[str, list[float]] = {way: [] for way in ways}
            for _ in range(options.rounds):
                for way in ways:
                    times[way].append(milliseconds(way, before, run))
            print(f"{name:24} {kind:9}" + "".join(f"{statistics.median(times[way]):11.2f}" for way in ways), flush=True)


if __name__ == "__main__":
    main()
