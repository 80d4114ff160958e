"""Matrix products, which are the library's own, beside NumPy's (OpenBLAS).

python -m benchmarks.products                 nn.Linear: forward, gradInput, gradWeight, two threads
python -m benchmarks.products --threads 1
OPENBLAS_CORETYPE=Haswell ...                 OpenBLAS' kernels for AVX2

Calls take turns in one process, after a pause in which the threads of the others go to sleep. A figure is the least time of all
rounds. A ratio above 1 says that ours is faster. Behind it are the errors of both: the root mean square of the
difference from double precision, as a share of that of the results.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .convolutions import least
from .measure import rms_error

PAUSE = 0.15  # seconds: threads of OpenBLAS look for work for a tenth of a second
# samples, inputs, outputs
SHAPES = (
    *((10, 512, 512), (16, 128, 512), (32, 1000, 1000), (50, 128, 512), (50, 512, 2048), (64, 4096, 1000), (128, 256, 256)),
    *((128, 1000, 1000), (256, 784, 500), (512, 512, 512), (1000, 64, 64), (1024, 1024, 1024), (3136, 256, 64)),
)


class Pass(NamedTuple):
    """The computations of a pass, ours first, and the exact result."""

    functions: dict[str, Callable[[], Any]]
    exact: Any


def contestants(samples: int, inputs: int, outputs: int) -> dict[str, Pass]:
    """Returns the passes of a layer without bias."""
    import pytorch_legacy.nn as nn

    random = np.random.default_rng(0)
    module = nn.Linear(inputs, outputs, False).float()
    x, g = (random.standard_normal((samples, n), dtype=np.float32) for n in (inputs, outputs))
    module.forward(x)
    module.zeroGradParameters()
    weight, sums = module.weight, np.zeros_like(module.weight)
    y, gx, gw = np.empty_like(g), np.empty_like(x), np.empty_like(weight)

    def add() -> Any:
        np.matmul(g.T, x, out=gw)
        return np.add(sums, gw, out=sums)

    def gradWeight() -> Any:
        module.accGradParameters(x, g)
        return module.gradWeight

    X, G, W = (array.astype(np.float64) for array in (x, g, weight))
    return {
        "forward": Pass({"ours": lambda: module.updateOutput(x), "NumPy": lambda: np.matmul(x, weight.T, out=y)}, X @ W.T),
        "gradInput": Pass({"ours": lambda: module.updateGradInput(x, g), "NumPy": lambda: np.matmul(g, weight, out=gx)}, G @ W),
        "gradWeight": Pass({"ours": gradWeight, "NumPy": add}, G.T @ X),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    if os.environ.get("OPENBLAS_NUM_THREADS") != str(options.threads):  # NumPy's BLAS reads it when it is loaded
        os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)
        os.execv(sys.executable, [sys.executable, "-m", "benchmarks.products", *sys.argv[1:]])
    import pytorch_legacy as pl

    pl.setNumThreads(options.threads)
    ratios: dict[str, list[float]] = {}
    print(f"{options.threads} threads; Gflop/s of ours, and ours beside NumPy {np.__version__}")
    for shape in SHAPES:
        cells = []
        for way, one in contestants(*shape).items():
            errors = [f"{rms_error(function(), one.exact):.1e}" for function in one.functions.values()]
            times = least(one.functions, options.rounds, PAUSE)
            ratios.setdefault(way, []).append(times["NumPy"] / times["ours"])
            speed = 2e-6 * math.prod(shape) / times["ours"]
            cells.append(f"{way} {speed:4.0f} {times['NumPy'] / times['ours']:6.2f} ({', '.join(errors)})")
        print(f"{'x'.join(map(str, shape)):16}  " + "   ".join(cells), flush=True)
    for way, values in ratios.items():
        print(f"{way:10} geometric mean {math.exp(sum(map(math.log, values)) / len(values)):.2f}, least {min(values):.2f}")


if __name__ == "__main__":
    main()
