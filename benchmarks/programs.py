"""Measures time and memory of `pl.compile`, and the time of a call of a program.

python -m benchmarks.programs                  both tables, for all networks
python -m benchmarks.programs digits char-rnn  networks whose name holds one of these

The first table has a line for each network of `benchmarks.nets`, measured in a process of its own:
- the seconds of `pl.compile`, and how many MiB the process has at most while it compiles, beyond the network;
- the MiB of the program's weights, and of the memory in which it computes one sample;
- the MiB of the whole process once the network is deleted, and the program has run twice;
- the largest error of the program, and of the network, as a share of the output's scale; double precision is taken as exact.

The second table has microseconds of a call of a small network, module by module ("ours"), optimized, as a program and in PyTorch,
in turn. "limit" is a call of a C function without arguments from Python. "growth" is by how many KiB the process grows in 100,000
calls of the program.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn

from .bridge import chain, memory
from .measure import seconds
from .nets import NETS, sample

ROUNDS = 9
CALLS = 100_000  # calls over which the growth is measured


# ---- to compile


def compiled(name: str) -> None:
    """Prints the line of one network, in this process."""
    make, given = NETS[name]
    pl.manualSeed(1)
    net = make().evaluate()
    x = given(1)
    example = (None, *x.shape[1:]) if x.dtype.kind == "f" else x
    pl.compile(nn.Sequential(nn.Linear(2, 2), nn.ReLU()), (None, 2))  # the first compilation imports all modules
    Path("/proc/self/clear_refs").write_text("5")  # VmHWM starts anew
    before, start = memory("VmRSS"), time.perf_counter()
    program = pl.compile(net, example)
    took, beyond = time.perf_counter() - start, memory("VmHWM") - before
    del net
    for _ in range(2):
        output = program(x)
    resident = memory("VmRSS")
    pl.manualSeed(1)
    net = make().evaluate()
    exact = net.clone().double().forward(x.astype(np.float64) if x.dtype.kind == "f" else x)
    scale = abs(exact).max()
    error, own = (abs(one - exact).max() / scale for one in (output, net.forward(x)))
    weights, arena = program.bytes()
    sizes = [n / 2**20 for n in (beyond, weights, arena, resident)]
    print(f"{name:22} {took:8.2f} {sizes[0]:8.0f} {sizes[1]:8.1f} {sizes[2]:8.2f} {sizes[3]:8.0f} {error:9.1e} {own:9.1e}")


# ---- to call


def small() -> Iterator[tuple[str, nn.Module, Any]]:
    """Networks whose computation takes less time than what surrounds it."""
    draw = np.random.default_rng(0)
    yield "ReLU", nn.ReLU(), draw.standard_normal((1, 10))
    yield "ten ReLU", chain(*[nn.ReLU() for _ in range(10)]), draw.standard_normal((1, 10))
    yield "Linear", nn.Linear(10, 10), draw.standard_normal((1, 10))
    yield (
        "perceptron, 10 layers",
        chain(*[m for _ in range(5) for m in (nn.Linear(64, 64), nn.Tanh())]),
        draw.standard_normal((1, 64)),
    )
    yield "digits", sample("digits/digits.t7")(), draw.standard_normal((1, 1, 8, 8))


def contestants(net: nn.Module, x: Any) -> dict[str, Callable[[], Any]]:
    net.evaluate()
    optimized, program = pl.optimize(net), pl.compile(net, (None, *x.shape[1:]))
    found: dict[str, Callable[[], Any]] = {
        "ours": lambda: net.forward(x),
        "optimized": lambda: optimized.forward(x),
        "program": lambda: program(x),
    }
    try:
        import torch
    except ImportError:
        return found
    torch.set_num_threads(pl.getNumThreads())
    module, tensor = pl.to_torch(net, (None, *x.shape[1:])).eval(), torch.from_numpy(x)

    @torch.no_grad()
    def theirs() -> Any:
        return module(tensor)

    found["PyTorch"] = theirs
    return found


def called(name: str, net: nn.Module, x: Any) -> str:
    """The line of one network."""
    from pytorch_legacy.backend.library import lib

    jobs = {"limit": lib.THNN_abiVersion, **contestants(net, x)}
    times: dict[str, list[float]] = {one: [] for one in jobs}
    for _ in range(ROUNDS):
        for one, job in jobs.items():
            times[one].append(seconds(job, 2000))
    best = {one: 1e6 * min(each) for one, each in times.items()}
    program = jobs["program"]
    program()
    before = memory("VmRSS")
    for _ in range(CALLS):
        program()
    growth = (memory("VmRSS") - before) >> 10
    columns = [f"{best[one]:9.2f}" if one in best else f"{'':9}" for one in ("limit", "program", "optimized", "ours", "PyTorch")]
    return f"{name:22} {' '.join(columns)} {growth:9d}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="networks whose name holds one of these")
    parser.add_argument("--threads", type=int, default=pl.getNumThreads())
    parser.add_argument("--compile", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    pl.setNumThreads(options.threads)
    if options.compile:
        compiled(options.compile)
        return

    def isWanted(name: str) -> bool:
        return not options.words or any(word in name for word in options.words)

    titles = "seconds", "MiB more", "weights", "arena", "process", "error", "ours"
    print(f"{'pl.compile':22} {' '.join(f'{title:>{8 + (at > 4)}}' for at, title in enumerate(titles))}")
    for name in filter(isWanted, NETS):
        subprocess.run(
            [sys.executable, "-m", "benchmarks.programs", "--threads", str(options.threads), "--compile", name], check=True
        )
    titles = "limit", "program", "optimized", "ours", "PyTorch", "growth"
    print(f"\n{'us a call':22} {' '.join(f'{title:>9}' for title in titles)}")
    for name, net, x in small():
        if isWanted(name):
            print(called(name, net, x.astype(np.float32)), flush=True)


if __name__ == "__main__":
    main()
