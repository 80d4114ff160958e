"""A table of hashes of all results of the case table, to compare two builds bit by bit.

python -m tests.bits before.txt            writes the table of the library as it is built, or of PYTORCH_LEGACY_THNN
python -m tests.bits after.txt before.txt  does so, and tells which lines differ; exits with 1 if any does
python -m tests.bits -k Pooling ...        of the classes whose names contain that

A line is a case in one element type: with one and with two threads, gathering and scattering, on the case's input, on a large
one, and on one with ties, infinities, NaN, huge and tiny numbers. With PYTORCH_LEGACY_EMULATE, of the emulated device.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.backend import cuda
from tests.table import CASES
from tests.trees import Tree, leaves, mapped
from tests.trial import Trial

UNUSUAL = np.array([0, -0.0, 1, 1, 1, -2, np.inf, -np.inf, np.nan, 1e38, -1e38, 1e-40, -1e-42, 3, 3, 3])
USUAL = np.array([0, 0, 0, 1, 1, -1, 2, 2])


def strange(tree: Tree, values: np.ndarray) -> Tree:
    """The tree with some of the elements of its floating-point arrays among the values."""
    rng = np.random.default_rng(5)

    def change(leaf: Any) -> Any:
        if leaf.dtype.kind != "f":
            return leaf
        return np.where(rng.random(leaf.shape) < 0.3, rng.choice(values, leaf.shape), leaf).astype(leaf.dtype)

    return mapped(change, tree)


def inputs(trial: Trial) -> Iterator[Tree]:
    yield trial.input
    yield strange(trial.input, USUAL)
    yield strange(trial.input, UNUSUAL)
    if not cuda.EMULATED and not trial.isCriterion:
        yield trial.large().input


def digest(trial: Trial) -> str:
    hashed = hashlib.sha256()
    for input in inputs(trial):
        for threads in (1, 2):
            for how in ("gather", "scatter", "default"):
                pl.setNumThreads(threads)
                pl.setPoolingBackward(how)
                try:
                    result = trial.run(trial.fed(input)).all()
                except Exception as error:  # also a result
                    result = [np.frombuffer(str(error).encode(), np.uint8)]
                for leaf in leaves(result):
                    hashed.update(np.ascontiguousarray(np.asarray(leaf)).tobytes())
    return hashed.hexdigest()[:16]


def entry(line: str) -> list[str]:
    """A case, whose name may have spaces, and its hash."""
    return line.rsplit(" ", 1)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("before", type=Path, nargs="?")
    parser.add_argument("-k", dest="words", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    chosen = [(name, case) for name, case in CASES if any(word in name for word in options.words.split(","))]
    trials = [(f"{name}/{case.name}/{dtype}", Trial(case, dtype)) for name, case in chosen for dtype in ("float32", "float64")]
    lines = [f"{name} {digest(trial)}" for name, trial in trials]
    options.table.write_text("\n".join(lines) + "\n")
    if not options.before:
        return 0
    before = dict(map(entry, options.before.read_text().splitlines()))
    changed = [line for line in lines if before.get(entry(line)[0]) != entry(line)[1]]
    print(f"{len(lines)} lines, {len(changed)} differ", *changed, sep="\n")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
