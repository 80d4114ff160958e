"""Plans a run over many inputs: the first input decides how all of them run, on every worker."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.inference import expected, files, models
from pytorch_legacy.inference.preprocessing import Preprocessing
from pytorch_legacy.inference.problem import Problem
from pytorch_legacy.nn.Module import Module

from . import batches
from .batches import Failed, Way
from .results import Form
from .sources import Rows, Sample, Source

_MOST_TRIED = 1000  # inputs that are read to find the first good one
_MOST_REFUSED = 20  # inputs that the network may refuse before the search ends
_MOST_READ = 10  # inputs that are read to find a second sample of the same shape
_SECONDS = 0.5  # duration of a task; Dask spends about a thousandth of it
_A_SECOND = 40  # tasks, of all workers together: each becomes a file on the disk before the next one does
_TASKS = 32  # at least, where there are as many inputs: a few slow ones shall occupy many threads
_USED = 0.4  # part of a thread's memory, by what is counted here; the allocator keeps about as much again
_IN_RESULTS = 0.2  # part of a thread's memory for results
_IN_FLIGHT = 3  # results of tasks that a worker's thread has in the making or on the way


@dataclass(frozen=True)
class Plan:
    """The plan of a run: preparation of inputs, form of batches, and form of the outputs.

    Attributes
    ----------
    way, batch : str, int
        How samples go in, and at most how many together. Batches begin at multiples of `unit`, so that a row has the same
        company whoever computes it.
    unit : int
        Rows that are read together.
    dtype : str
        That of the network.
    """

    preprocessing: Preprocessing
    form: Form
    way: Way
    batch: int
    unit: int
    dtype: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, entries: dict[str, Any]) -> Plan:
        shape = entries["form"]["shape"]
        said: dict[str, Any] = {
            name: tuple(entry) if isinstance(entry, list) else entry for name, entry in entries["preprocessing"].items()
        }
        parts: dict[str, Any] = {
            "preprocessing": Preprocessing(**said),
            "form": Form(**entries["form"] | {"shape": None if shape is None else tuple(shape)}),
        }
        return cls(**entries | parts)


@dataclass(frozen=True)
class Capacity:
    """The number of threads that compute, and the bytes that each may use."""

    threads: int
    memory: int


@dataclass(frozen=True)
class Made:
    """A plan, how many rows make a task, in words what is done and what was assumed, and the shape of the first sample."""

    plan: Plan
    span: int
    notes: list[str]
    shape: tuple[int, ...]


def made(
    net: Module, value: Any, preprocessing: Preprocessing, source: Source, options: argparse.Namespace,
    stored: Plan | None, capacity: Capacity,
) -> Made:  # fmt: skip
    """A plan, or the `stored` one, with tasks for the capacity that there is now.

    Raises
    ------
    Problem
        If no input can be read, the network takes none of them, or the memory is not enough for one.
    """
    preprocessing = stored.preprocessing if stored else preprocessing
    begin = time.perf_counter()
    samples, count = _first(net, source, preprocessing)
    if samples is None:
        preprocessing, samples, count = _resized(net, source, preprocessing)
    reading = (time.perf_counter() - begin) / count
    try:
        way = stored.way if stored else batches.choose_way(net, [sample.array for sample in samples])
        begin = time.perf_counter()
        output = batches.run(net, [samples[0].array], "bare" if way == "bare" else "one")[0]
        seconds = reading + time.perf_counter() - begin
        needs = batches.memory(net, samples[0].array, way)
    except MemoryError as error:
        raise Problem(f"{samples[0].name}: {batches.error_text(error)}") from None
    form = stored.form if stored else _form(output, samples[0].source.is_picture, net, value, options)
    wanted = stored.batch if stored else options.batch
    batch, unit = _sizes(needs, source, samples[0].array, output, way, wanted, capacity.memory)
    plan = stored or Plan(preprocessing, form, way, batch, unit, net._inputDtype.name)
    inFlight = int(_IN_RESULTS * capacity.memory / (_IN_FLIGHT * max(output.nbytes, 256)))
    rows = min(int(max(_SECONDS, capacity.threads / _A_SECOND) / seconds), inFlight, len(source) // (4 * capacity.threads))
    return Made(plan, max(1, rows // plan.unit) * plan.unit, _notes(plan, net, source), samples[0].array.shape)


def _first(net: Module, source: Source, preprocessing: Preprocessing) -> tuple[list[Sample] | None, int]:
    """Returns one or two samples of one shape that the network accepts, and the number of inputs that were read.

    The samples are None if the network refuses the size that the pictures have.
    """
    first: Sample | None = None
    refused, unread = "", ""
    count = refusals = 0
    for place, sample in _samples(net, source, preprocessing):
        count += 1
        if isinstance(sample, Failed):
            unread = unread or sample.text
        elif first is not None:
            if sample.array.shape == first.array.shape:
                return [first, sample], count
        elif (error := _refusal(net, sample)) is None:
            first = sample
        elif isinstance(error, ShapeError) and sample.source.is_picture and not preprocessing.isSized:
            return None, count
        else:
            refusals += 1
            refused = refused or f"{source.names[place]}: {batches.error_text(error)}{expected.words(net)}"
        if refusals >= _MOST_REFUSED or (first is not None and count >= _MOST_READ):
            break
    if first is None:
        raise Problem(refused or f"none of the first {count:,} inputs can be read: {unread}")
    return [first], count


def _samples(net: Module, source: Source, preprocessing: Preprocessing) -> Iterator[tuple[int, Sample | Failed]]:
    """Reads the first inputs one by one, with their places. (The names of many rows take long.)"""
    for start in range(0, min(len(source), _MOST_TRIED)):
        for sample in source.cut(start, start + 1).samples(preprocessing, net._inputDtype):
            yield start, sample


def _refusal(net: Module, sample: Sample) -> Exception | None:
    """Returns the error that the network raises for a sample, or None if it accepts the sample."""
    try:
        batches.choose_way(net, [sample.array])
    except Exception as error:  # modules of files may fail in any way
        return error
    return None


def _resized(net: Module, source: Source, preprocessing: Preprocessing) -> tuple[Preprocessing, list[Sample], int]:
    """The same for pictures in the only size that the network takes."""
    size = None
    for start in range(0, min(len(source), _MOST_TRIED)):
        sample = next(source.cut(start, start + 1).samples(preprocessing, net._inputDtype))
        if isinstance(sample, Sample) and sample.source.is_picture:
            size = expected.fixed_size(net, len(sample.array))
            break
    if size is None:
        raise Problem(f"the network does not take pictures of this size{expected.words(net)}; pass --size WxH")
    preprocessing = preprocessing.fitted(size)
    samples, count = _first(net, source, preprocessing)
    assert samples is not None
    return preprocessing, samples, count


def _sizes(
    needs: tuple[int, int], source: Source, sample: Tensor, output: Tensor, way: Way, wanted: int | None, budget: int
) -> tuple[int, int]:
    """Returns the number of samples in a batch, and the number read at once; `needs` is the result of `batches.memory`."""
    fixed, each = needs
    chunk = source.unit
    held = sample.nbytes * (1 if chunk == 1 else 2)  # the bytes of a sample before its batch is made
    each += _IN_FLIGHT * output.nbytes + held
    inChunk = held * chunk
    fits = int((_USED * budget - fixed - inChunk) // each)
    if fits < (wanted or 1):
        needed = (fixed + inChunk + (wanted or 1) * each) / _USED
        what = f"a batch of {wanted}" if wanted else "an input"
        raise Problem(f"--memory: {what} takes {needed / 1e6:,.3g} MB of each thread, which has {budget / 1e6:,.3g} MB")
    few = -(-len(source) // _TASKS)
    batch = 1 if way != "batch" else wanted or min(batches.MOST, fits, few)
    return batch, batch if chunk == 1 else chunk * max(1, batch // chunk)


def _form(output: Tensor, is_picture: bool, net: Module, value: Any, options: argparse.Namespace) -> Form:
    """Returns the form of an output: scores of a classifier, a picture of a picture, or numbers."""
    names = models.class_names(value)
    last = list(models.leaves(net))[-1]
    isVector = output.size > 1 and (output.ndim == 1 or output.shape[1:] == (1, 1))
    named = names is not None and len(names) == output.size
    dtype = output.dtype.name
    kind = models.scores_kind(net)
    if isVector and (named or kind or isinstance(last, nn.Linear)):
        return Form("scores", (output.size,), dtype, names if named else None, kind == "logarithms", options.vector)
    if is_picture and not isVector and output.ndim > 1 and files.is_picture(output.shape):
        return Form("picture", None, dtype)
    return Form("array", None if is_picture and output.ndim > 1 else output.shape, dtype)


def _notes(plan: Plan, net: Module, source: Source) -> list[str]:
    preprocessing, form = plan.preprocessing, plan.form
    if isinstance(source, Rows):
        normal = source.dtype == "uint8" or preprocessing.always
        what = f"{source}, " + (preprocessing.numbers() if normal else "as they are")
    else:
        what = f"{source}; pictures {preprocessing}"
    last = models.last_name(net)
    if form.kind == "scores":
        assert form.shape is not None
        told = "with all scores" if form.vector else "--vector writes all scores"
        out = f"label and score of {form.shape[0]:,} classes, as the network ends in {last}; {told}"
    elif form.kind == "picture":
        out = "a picture for each"
    else:
        out = f"an array of {files.text_shape(form.shape)} for each" if form.shape else "an array for each"
    alone = ": the network does not take inputs together as it takes them alone" if plan.way != "batch" else ""
    return [f"inputs: {what}", f"outputs: {out}", f"batches of {plan.batch}{alone}"]
