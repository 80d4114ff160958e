"""Passes of a network over many samples, in batches.

A batch changes a row of the output by rounding alone: products of matrices add in another order for other numbers of rows.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pytorch_legacy.arrays import Tensor, repeats
from pytorch_legacy.errors import DtypeError, ShapeError, THNNError
from pytorch_legacy.inference.progress import out_of_memory
from pytorch_legacy.nn.Module import Module

MOST = 64
"""Default number of samples in a batch; larger batches are no faster."""

Way = Literal["batch", "one", "bare"]
"""The form of an input: several samples, one sample with the dimension of a batch, or one without it."""


@dataclass(frozen=True)
class Failed:
    """Stands for a missing output."""

    text: str


def run(net: Module, samples: Sequence[Tensor], way: Way = "batch") -> list[Tensor]:
    """The outputs of one pass, each in memory of its own, with at least one dimension."""
    net.forget()
    output = net.forward(samples[0] if way == "bare" else np.stack(samples))
    if not isinstance(output, np.ndarray):
        kind = f"a table of {len(output)}" if isinstance(output, list) else type(output).__name__
        raise DtypeError(f"{net._typename}: expected one array as output, got {kind}")
    if repeats(output):
        raise ShapeError(f"{net._typename}: the output of shape {output.shape} repeats a few bytes")
    if way == "bare":
        rows = [output]
    elif len(samples) == 1 and not (output.ndim > (way == "one") and len(output) == 1):
        rows = [output]  # layers of Torch7 drop a batch of one
    elif output.ndim == 0 or len(output) != len(samples):
        raise ShapeError(f"{net._typename}: expected {len(samples)} outputs for as many inputs, got shape {output.shape}")
    else:
        rows = list(output)
    return [np.array(row, ndmin=1) for row in rows]


def outputs(net: Module, samples: Sequence[Tensor], batch: int = MOST, way: Way = "batch") -> list[Tensor | Failed]:
    """The output of each sample. Samples of one shape go together; where a batch fails each of it goes alone."""
    places: dict[Any, list[int]] = {}
    for i, sample in enumerate(samples):
        places.setdefault((sample.shape, sample.dtype), []).append(i)
    found: dict[int, Tensor | Failed] = {}
    for same in places.values():
        for start in range(0, len(same), batch):
            some = same[start : start + batch]
            found |= zip(some, _passed(net, [samples[i] for i in some], way), strict=True)
    return [found[i] for i in range(len(samples))]


def _passed(net: Module, samples: list[Tensor], way: Way) -> list[Tensor | Failed]:
    try:
        return [*run(net, samples, way)]
    except Exception as error:  # modules of files may fail in any way
        if len(samples) == 1:
            return [Failed(error_text(error))]
    return [_passed(net, [sample], way)[0] for sample in samples]


def error_text(error: Exception) -> str:
    """Returns the message of an error, which keeps no array alive as the error may."""
    text = str(error)
    if isinstance(error, MemoryError):
        return f"{out_of_memory(error)}; --size makes pictures smaller, --memory and --batch fewer at a time"
    return text if isinstance(error, THNNError) and text else f"{type(error).__name__}{f': {text}' if text else ''}"


def choose_way(net: Module, samples: Sequence[Tensor]) -> Way:
    """Returns how the network accepts samples of one shape. The results of a batch must equal those of single samples.

    Raises
    ------
    THNNError
        If the network accepts none of these forms.
    """
    first, second = samples[0], samples[1] if len(samples) > 1 else samples[0] / 2
    try:
        alone = [run(net, [sample.astype(first.dtype)], "one")[0] for sample in (first, second)]
    except THNNError as error:
        try:
            run(net, [first], "bare")
        except Exception:
            raise error from None  # the usual form is the one to complain about
        return "bare"
    try:
        together = run(net, [first, second.astype(first.dtype)])
    except THNNError:
        return "one"
    if all(one.shape == other.shape and _agree(one, other) for one, other in zip(alone, together, strict=True)):
        return "batch"
    return "one"


def _agree(one: Tensor, other: Tensor) -> bool:
    scale = float(np.abs(one[np.isfinite(one)]).max(initial=0.0))
    return np.allclose(one, other, rtol=1e-3, atol=1e-4 * scale, equal_nan=True)


def memory(net: Module, sample: Tensor, way: Way) -> tuple[int, int]:
    """Returns the bytes that a clone needs for its passes, and the bytes that each sample of a batch adds.

    They are measured by passes of one and of three. What C takes for itself for a while is not seen.
    """
    peaks = []
    running = tracemalloc.is_tracing()
    for count in (1, 3) if way == "batch" else (1,):
        if not running:
            tracemalloc.start()
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        try:
            run(net.sharedClone().clearState(), [sample] * count, way)
            peaks.append(tracemalloc.get_traced_memory()[1] - before)
        finally:
            if not running:
                tracemalloc.stop()
    each = max((peaks[-1] - peaks[0]) // 2, 2 * sample.nbytes)
    return max(peaks[0] - each, 0), each
