"""``pytorch-legacy run-many``: run a network on many inputs, and store a table of the results."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytorch_legacy as pl
from pytorch_legacy.distributed.batches import MOST
from pytorch_legacy.files.writing import check_target
from pytorch_legacy.inference import models
from pytorch_legacy.inference.problem import Problem

from . import network
from .options import add_lua, memory, whole

HELP = "run a network on many pictures, or on the rows of an array"
DESCRIPTION = """\
Run a network on many inputs with Dask, on one machine or a cluster, and write a
table with a row per input.

  pytorch-legacy run-many net.t7 photos -o results.parquet
                                        run on every picture of a folder
  pytorch-legacy run-many net.t7 "photos/*.png" -o results.parquet
                                        run on the files that match a pattern
  pytorch-legacy run-many net.t7 input.npy -o results.parquet
                                        run on each row of an array

The rows of a classifier have the best class and its score. A network that turns
pictures into pictures writes them to a folder beside the table. For any other
network a row has the output array. If an input cannot be read or run, its row
has an error message. Ctrl-C keeps the finished rows, and the same command
computes the others later.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s MODEL.t7 INPUT ... -o RESULTS.parquet [options]"
    parser.add_argument("file", metavar="MODEL.t7", help="file of a network, or of a table that contains one")
    parser.add_argument(
        "inputs", metavar="INPUT", nargs="+",
        help="folder, pattern, text file with a path per line, or one array (.npy, .npz, .t7, zarr) whose rows are the inputs"
    )  # fmt: skip
    parser.add_argument("-o", "--output", metavar="RESULTS.parquet", required=True, help="output file: a Parquet table")
    network.add_choices(parser)
    add_lua(parser)
    add_own(parser)
    network.add_preparation(parser)
    network.add_computation(parser.add_argument_group("computation"))


def add_own(parser: argparse._ActionsContainer, isShown: bool = True) -> None:
    """Adds the options that only this command has. ``run`` takes them too, and does not show them."""

    def add(*names: str, help: str, **keywords: Any) -> None:
        parser.add_argument(*names, help=help if isShown else argparse.SUPPRESS, **keywords)

    add("--vector", action="store_true", help="store all class scores, not only the best")
    add("--processes", type=whole("--processes", 1, 1024), metavar="N", help="use N processes instead of threads")
    add("--scheduler", metavar="ADDRESS", help="use the workers of a Dask scheduler, such as tcp://host:8786")
    add(
        "--memory", type=memory("--memory"), metavar="SIZE",
        help="memory for inputs, outputs and buffers, such as 500MB or 4GB, of each worker if there is a scheduler "
        "(default: half of the free memory)",
    )  # fmt: skip
    add("--batch", type=whole("--batch", 1), metavar="N", help=f"inputs per batch (default: at most {MOST}, as memory allows)")
    add(
        "--no-compile", dest="compile", action="store_false", default=None,
        help="run module by module; by default a network that can be compiled runs as a program",
    )  # fmt: skip


def execute(options: argparse.Namespace) -> None:
    _check(options)
    from pytorch_legacy.distributed import job

    pl.setNumThreads(options.threads or 0)
    value = models.load(options.file, options.lua)
    net, preprocessing = network.evaluating(options, value)
    job.run(net, value, preprocessing, options)


def givenOption(options: argparse.Namespace) -> str:
    """Returns the name of an option that only this command has and that is set, or ""."""
    names = [f"--{name}" for name in ("vector", "processes", "scheduler", "memory", "batch") if getattr(options, name)]
    return next(iter(names), "--no-compile" if options.compile is False else "")


def isResults(path: str | None) -> bool:
    """True if the name is that of a table of results."""
    return bool(path) and Path(str(path)).suffix.lower() == ".parquet"


def _check(options: argparse.Namespace) -> None:
    """Raises a Problem for options that do not fit each other, and for an output that cannot be written."""
    if not isResults(options.output):
        raise Problem(f"-o {options.output}: expected a name that ends in .parquet")
    if options.scheduler and (options.processes or options.threads):
        name = "processes" if options.processes else "threads"
        raise Problem(f"--{name}: the workers of --scheduler have a number of their own; leave out one of the two options")
    if options.threads and options.processes and options.threads < options.processes:
        expected = f"at least {options.processes}, one for each of the --processes"
        raise Problem(f"--threads: expected {expected}, got {options.threads}")
    check_target(options.output)
