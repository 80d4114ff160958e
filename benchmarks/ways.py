"""Which way is fastest for 3x3 convolutions: what THNN/convolution/dense.c chooses from.

python -m benchmarks.ways                  small planes and others, two threads
python -m benchmarks.ways 512@7 --threads 1

Each shape is a chain of layers, whose weights no cache holds as far as that takes no more than a dozen of them. "frozen" is a
pass of `pl.optimize`, which transforms weights once. "training" is a pass forward and one back to the input, for weights that
have changed since the last one. The ways take turns; a figure is the median of the rounds, in ms. "fast" is what the library
chooses.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
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


def passes(planes: int, rows: int, samples: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """For each kind of pass, what comes before it and itself."""
    count = min(max(CACHES // (planes * planes * 36), 2), LAYERS)
    layers = [nn.SpatialConvolution(planes, planes, 3, 3, 1, 1, 1, 1) for _ in range(count)]
    net = nn.Sequential(*(module for layer in layers for module in (layer, nn.ReLU())))
    frozen = pl.optimize(net.float().evaluate())
    x = np.random.default_rng(0).standard_normal((samples, planes, rows, rows)).astype(np.float32)
    gradOutput = np.ones_like(x)

    def change() -> None:
        for layer in layers:
            layer.weight *= np.float32(0.999)

    def there_and_back() -> None:
        net.forward(x)
        net.updateGradInput(x, gradOutput)

    return {"frozen": (lambda: None, lambda: frozen.forward(x)), "training": (change, there_and_back)}


def milliseconds(way: str, before: Callable[[], Any], run: Callable[[], Any]) -> float:
    """Of the last of some passes: weights are kept from the third one on, and only those of this way."""
    pl.setConvolution(way)
    pl.setKeptBytes(0)
    pl.setKeptBytes(4 << 30)
    for _ in range(5):
        before()
        begin = time.perf_counter()
        run()
    return 1e3 * (time.perf_counter() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="shapes whose name holds one of these")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    pl.setNumThreads(options.threads)
    print(f"{'planes@rows x samples':24} {'':9}" + "".join(f"{way:>11}" for way in WAYS))
    for planes, rows, samples in SHAPES:
        name = f"{planes}@{rows} x{samples}"
        if options.words and not any(word in name for word in options.words):
            continue
        for kind, (before, run) in passes(planes, rows, samples).items():
            times: dict[str, list[float]] = {way: [] for way in WAYS}
            for _ in range(options.rounds):
                for way in WAYS:
                    times[way].append(milliseconds(way, before, run))
            print(f"{name:24} {kind:9}" + "".join(f"{statistics.median(times[way]):11.2f}" for way in WAYS), flush=True)


if __name__ == "__main__":
    main()
