"""The work of a worker: it reads some inputs, runs its clone of the network, and returns rows."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import numpy as np
from distributed import WorkerPlugin

from pytorch_legacy import backend
from pytorch_legacy.inference import files
from pytorch_legacy.nn.Module import Module

from . import batches
from .batches import Failed
from .plan import Plan
from .sent import Sent
from .sources import Sample, Source

_here: dict[str, Deliver] = {}


class Deliver(WorkerPlugin):
    """Brings a network and the plan for it to every worker once, to those too that come later or come back."""

    def __init__(self, key: str, net: Module, program: Any, plan: Plan, pictures: str) -> None:
        self.key, self.sent, self.plan, self.pictures = key, Sent(net, program=program), plan, pictures

    def setup(self, worker: Any) -> None:
        backend.set_num_threads(1)  # the threads of Dask are enough
        _here[self.key] = self

    def teardown(self, worker: Any) -> None:
        _here.pop(self.key, None)


def dask_setup(worker: Any) -> None:
    """Ctrl-C, which a terminal sends to all its processes, is for the one that waits for the results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def work(key: str, source: Source, first: int) -> tuple[Any, dict[str, bytes]]:
    """The rows from `first` on, and the files of pictures by their names."""
    task = _here[key]
    net, plan = task.sent.here(), task.plan
    found: list[Any] = []
    pictures: list[str | None] = [None] * len(source)
    contents: dict[str, bytes] = {}
    for start in range(0, len(source), plan.unit):
        samples = list(source.cut(start, start + plan.unit).samples(plan.preprocessing, np.dtype(plan.dtype)))
        good = [sample for sample in samples if isinstance(sample, Sample)]
        outputs = iter(batches.outputs(net, [sample.array for sample in good], plan.batch, plan.way))
        for i, sample in enumerate(samples, start):
            output = sample if isinstance(sample, Failed) else next(outputs)
            if plan.form.kind == "picture" and isinstance(sample, Sample) and not isinstance(output, Failed):
                name = f"{first + i:07}_{Path(source.names[i]).stem}.png"
                try:
                    contents[name] = bytes(files.encoded(name, output, sample.source))
                    pictures[i] = f"{task.pictures}/{name}"
                    output = output[:0]  # it went into the file
                except Exception as error:  # no picture can be made of it
                    output = Failed(batches.error_text(error))
            found.append(output)
    return plan.form.table(first, source.names, found, pictures), contents


def failed(plan: Plan, source: Source, first: int, text: str) -> Any:
    """Rows that have an error and nothing else."""
    return plan.form.table(first, source.names, [Failed(text)] * len(source), [None] * len(source))
