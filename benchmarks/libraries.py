"""Measures two builds of libTHNN against each other: what a change of the C layers gained, or cost.

python -m benchmarks.libraries OLD.so NEW.so                 all layers, forward and backward, two threads
python -m benchmarks.libraries OLD.so NEW.so MaxPooling      those whose name holds a word
python -m benchmarks.libraries OLD.so NEW.so ResNet          networks of benchmarks.nets, optimized, one sample
python -m benchmarks.libraries SAME.so SAME.so               how far this machine can be trusted

Each library lives in a process of its own, under this checkout's Python package. Both are at the same row at any time and
take turns, so that a drift of the machine meets both. How fast a process handles arrays that a cache nearly holds depends on
the memory pages that it happens to get, by up to a half: `--runs` starts both afresh so many times, and the last table has the
medians of all runs, with the lowest and the highest ratio.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from .measure import ratios, seconds
from .rows import gradient_of

Name = tuple[str, str, str]  # layer, input, direction
Figures = tuple[float, float, float]  # seconds with the old library and with the new one, ratio


def turns(old: Callable[[], float], new: Callable[[], float], rounds: int) -> Figures:
    """Median seconds of both, and the median of the ratios old / new of all rounds; each begins every second round."""
    times: dict[Callable[[], float], list[float]] = {old: [], new: []}
    for number in range(rounds):
        for contestant in (old, new) if number % 2 else (new, old):
            time.sleep(0.005)  # the other one's threads spin for a while after their last call
            times[contestant].append(contestant())
    return statistics.median(times[old]), statistics.median(times[new]), ratios(times[old], times[new])


def jobs(words: list[str]) -> Iterator[tuple[Name, Callable[[], Any]]]:
    """Yields the name and the job of each measurement."""
    from pytorch_legacy import optimize  # not sooner: it loads the library

    from .layers import rows
    from .nets import NETS

    for row in rows(words):
        x, module = row.arrays(), row.module()
        gradOutput = gradient_of(module.forward(x))
        yield (row.layer, row.label, "forward"), lambda m=module, x=x: m.forward(x)
        yield (row.layer, row.label, "backward"), lambda m=module, x=x, g=gradOutput: m.backward(x, g)
    for name, (make, given) in NETS.items():
        if any(word in name for word in words):
            net, x = optimize(make().evaluate()), given(1)
            net.forward(x)
            yield (name, "x".join(map(str, x.shape)), "forward"), lambda m=net, x=x: m.forward(x)


def contestant(pipe: Connection, library: str, words: list[str], threads: int, budget: float) -> None:
    """A process with one library: names each job, and times it whenever it is asked to."""
    os.environ["PYTORCH_LEGACY_THNN"] = library
    import pytorch_legacy as pl

    pl.setNumThreads(threads)
    with suppress(EOFError, ConnectionError):  # the comparison ended: the other process has said why
        for name, job in jobs(words):
            calls = max(1, int(budget / seconds(job, 1)))
            pipe.send(name)
            while pipe.recv():
                pipe.send(seconds(job, calls))
        pipe.send(None)


def compare(libraries: list[Path], words: list[str], threads: int, budget: float, rounds: int) -> Iterator[tuple[Name, Figures]]:
    """Each job with what `turns` finds, from two processes that were just started."""
    processes = multiprocessing.get_context("spawn")
    with ExitStack() as stack:
        pipes: list[Connection] = []
        for library in libraries:
            ours, theirs = processes.Pipe()
            arguments = (theirs, str(library.resolve()), words, threads, budget / rounds / len(libraries))
            child = processes.Process(target=contestant, args=arguments, daemon=True)
            child.start()
            theirs.close()  # so that the end of the child is the end of the pipe
            stack.callback(child.join)
            pipes.append(stack.enter_context(ours))

        def asked(pipe: Connection) -> Callable[[], float]:
            def once() -> float:
                pipe.send(True)
                return pipe.recv()  # type: ignore[no-any-return]

            return once

        old, new = map(asked, pipes)
        while all(names := [pipe.recv() for pipe in pipes]):
            yield names[0], turns(old, new, rounds)
            for pipe in pipes:
                pipe.send(False)


def line(name: Name, figures: Figures, more: str = "") -> str:
    layer, label, direction = name
    old, new, ratio = figures
    return f"{layer:32} {label:38} {direction:8} {1e3 * old:9.3f} {1e3 * new:9.3f} {ratio:6.2f}{more}"


def summary(runs: dict[Name, list[Figures]]) -> Iterator[str]:
    """A line for each job: medians of its runs, lowest and highest ratio."""
    for name, run in runs.items():
        old, new, ratio = map(statistics.median, zip(*run, strict=True))
        every = [figures[2] for figures in run]
        yield line(name, (old, new, ratio), f"  {min(every):6.2f} to {max(every):5.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("words", nargs="*", help="measure only layers whose name or label holds one of these")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--budget", type=float, default=0.6, metavar="SECONDS", help="for each measurement (default 0.6)")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--runs", type=int, default=1, help="how often to start both processes (default 1)")
    options = parser.parse_args()
    for library in (options.old, options.new):
        if not library.is_file():
            parser.error(f"{library}: there is no such file")
    for name in ("threads", "rounds", "runs"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: expected 1 or more, got {getattr(options, name)}")
    if not options.budget > 0:
        parser.error(f"--budget: expected a number of seconds above 0, got {options.budget}")
    try:
        report(options)
    except (EOFError, ConnectionError):
        sys.exit("one of the two processes ended: its message is above")


def report(options: argparse.Namespace) -> None:
    """Print the table of every run, and that of all runs."""
    print(f"{'layer':32} {'input':38} {'':8} {'old ms':>9} {'new ms':>9} {'ratio':>6}\nratio above 1: new is faster")
    runs: dict[Name, list[Figures]] = {}
    for run in range(1, options.runs + 1):
        print(f"\nrun {run} of {options.runs}")
        for name, figures in compare([options.old, options.new], options.words, options.threads, options.budget, options.rounds):
            runs.setdefault(name, []).append(figures)
            print(line(name, figures), flush=True)
    if options.runs > 1:
        print("\nmedians of all runs, lowest and highest ratio", *summary(runs), sep="\n")


if __name__ == "__main__":
    main()
