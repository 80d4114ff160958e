"""What a tape gains: networks that `pl.optimize` has made, with a tape and without one, in turn in one process.

python -m benchmarks.tape                  one sample, two threads
python -m benchmarks.tape ResNet digits --rounds 100

A turn is a pass that warms caches and threads, and one that is timed; the figures are medians, in microseconds.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import pytorch_legacy as pl
from pytorch_legacy.optimizing.Taped import untape

from .nets import NETS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="networks whose name holds one of these")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    pl.setNumThreads(options.threads)
    print(f"{'network':24}{'without':>12}{'with':>12}{'gain':>8}")
    for name, (make, samples) in NETS.items():
        if options.words and not any(word in name for word in options.words):
            continue
        plain, taped = (pl.optimize(make().evaluate()) for _ in range(2))
        untape(plain)
        x = samples(1)
        for _ in range(3):
            taped.forward(x)
        times: list[list[float]] = [[], []]
        for _ in range(options.rounds):
            for net, own in zip((plain, taped), times, strict=True):
                net.forward(x)
                begin = time.perf_counter()
                net.forward(x)
                own.append(1e6 * (time.perf_counter() - begin))
        without, under = map(median, times)
        print(f"{name:24}{without:12.0f}{under:12.0f}{without / under:8.2f}", flush=True)


if __name__ == "__main__":
    main()
