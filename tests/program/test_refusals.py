"""Networks that a program cannot repeat raise an error that names the module and the line.

There is a layer for each way to read numbers, or a shape, that depend on the network's input."""

from __future__ import annotations

import random as python_random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.errors import CompileError
from tests.program.function import Function


def doubled(x: Any) -> Any:
    return 2 * x


def into_plain(x: Any) -> Any:
    plain = np.empty(x.shape, x.dtype)
    np.multiply(x, 2, out=plain)
    return plain


def assigned(x: Any) -> Any:
    plain = np.empty(x.shape, x.dtype)
    plain[...] = x
    return plain


def copied(x: Any) -> Any:
    plain = np.empty(x.shape, x.dtype)
    np.copyto(plain, x)
    return plain


READINGS: dict[str, Callable[[Any], Any]] = {
    "bool": lambda x: x if x.sum() > 0 else -x,
    "float": lambda x: x * float(x.sum()),
    "int": lambda x: x * int(x.sum()),
    "index": lambda x: x * [1, 2][(x.sum() > 0).astype(np.int64)],
    "round": lambda x: x * round(x[0, 0]),
    "item": lambda x: x * x[0, 0].item(),
    "item of a place": lambda x: x * x.item(0),
    "tolist": lambda x: x * x.tolist()[0][0],
    "any": lambda x: x if (x > 0).any() else -x,
    "all": lambda x: x if np.all(x > 0) else -x,
    "nonzero": lambda x: x * x.nonzero()[0].size,
    "np.nonzero": lambda x: x * len(np.nonzero(x)[0]),
    "flatnonzero": lambda x: x * np.flatnonzero(x).size,
    "argwhere": lambda x: x * len(np.argwhere(x)),
    "where": lambda x: x * len(np.where(x > 0)[0]),
    "unique": lambda x: x * len(np.unique(x)),
    "count_nonzero": lambda x: x * np.count_nonzero(x),
    "argmax": lambda x: x * int(x.argmax()),
    "searchsorted": lambda x: x * np.searchsorted(np.float32([0, 1]), x[0, 0]),
    "bincount": lambda x: x * np.bincount(x[0].astype(np.int64) ** 2).size,
    "argsort": lambda x: np.argsort(x, 1).astype(x.dtype),
    "sort": lambda x: np.sort(x, 1),
    "compress": lambda x: x.compress([True, False], 1) * x.compress(x[0] > 0, 1).shape[1],
    "a mask as an index": lambda x: x * len(x[x > 0]),
    "a mask of rows": lambda x: x[x[:, 0] > 0],
    "a number as an index": lambda x: x[:, int(x[0, 0] > 0)],
    "range": lambda x: x * len(range(x[0, 0].astype(np.int64))),
    "a range as an index": lambda x: x[range(2)],
    "in": lambda x: x if 0 in x else -x,
    "allclose": lambda x: x if np.allclose(x, 0) else -x,
    "array_equal": lambda x: x if np.array_equal(x, -x) else -x,
    "max of Python": lambda x: x * max(x[0, 0], 0),
    "sorted": lambda x: x * sorted(x[0])[0],
    "np.asarray": lambda x: 2 * np.asarray(x),
    "np.array": lambda x: 2 * np.array(x),
    "ascontiguousarray": lambda x: 2 * np.ascontiguousarray(x),
    "np.float32": lambda x: x * np.float32(x[0, 0]),
    "view as another dtype": lambda x: x.view(np.int32).astype(np.float32),
    "view as an array": lambda x: x.view(np.ndarray),
    "base": lambda x: x if x.base is None else -x,
    "flat": lambda x: x * next(iter(x.flat)),
    "data": lambda x: x * len(bytes(x.data)),
    "memoryview": lambda x: x * memoryview(x).nbytes,
    "bytes": lambda x: x * len(bytes(x)),
    "tobytes": lambda x: x * len(x.tobytes()),
    "frombuffer": lambda x: np.frombuffer(x, np.float32).reshape(x.shape),
    "nditer": lambda x: x * sum(1 for one in np.nditer(x) if one > 0),
    "vectorize": lambda x: np.vectorize(lambda one: one * 2)(x),
    "fromiter": lambda x: np.fromiter((one for one in x[0]), np.float32),
    "ctypes": lambda x: x * x.ctypes.data,
    "an array interface": lambda x: x * x.__array_interface__["data"][0],
    "dlpack": lambda x: np.from_dlpack(x),
    "an array of NumPy as output": into_plain,
    "an array of NumPy assigned to": assigned,
    "an array of NumPy copied to": copied,
    "format": lambda x: x * len(f"{x[0, 0]:.3f}"),
    "a draw": lambda x: x * pl.random.uniform(0, 1),
    "a draw of an integer": lambda x: x * pl.random.random(1, 6),
    "a permutation": lambda x: x[:, pl.random.randperm(3)],
    "a draw of NumPy": lambda x: x * np.random.rand(),
    "a draw of Python": lambda x: x * python_random.random(),
    "inverse": lambda x: x * np.linalg.inv(x[:1, :1]),
    "einsum": lambda x: np.einsum("ij->ij", x),
    "a number as output": lambda x: float(x.shape[0]),
    "None as output": lambda x: None,
}  # fmt: skip


@pytest.mark.parametrize("name", READINGS)
def test_what_depends_on_data_is_refused(name: str) -> None:
    net = nn.Sequential(nn.Linear(4, 3), Function(READINGS[name]))
    with pytest.raises(CompileError):
        pl.compile(net, (None, 4))


@pytest.mark.parametrize("name", ["bool", "float", "a mask as an index", "np.asarray", "nonzero"])
def test_the_error_names_module_and_line(name: str) -> None:
    net = nn.Sequential(nn.Linear(4, 3), Function(READINGS[name]))
    line = READINGS[name].__code__.co_firstlineno
    with pytest.raises(CompileError, match=rf"Function: .*test_refusals, line {line}\)"):
        pl.compile(net, (None, 4))


def test_a_layer_that_catches_the_error_is_refused_all_the_same() -> None:
    def quiet(x: Any) -> Any:
        try:
            return x * float(x.sum())
        except Exception:
            return x

    with pytest.raises(CompileError, match="reads numbers"):
        pl.compile(nn.Sequential(nn.Linear(4, 3), Function(quiet)), (None, 4))


def test_numbers_of_constants_may_be_read() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = np.float32([1, 2, 3])

        def updateOutput(self, input: Any) -> Any:
            largest = float(np.abs(self.weight).max())
            self.output = input / largest if self.weight.any() else input
            return self.output

    net = nn.Sequential(nn.Linear(4, 3), Scaled())
    program = pl.compile(net, (None, 4))
    x = np.random.default_rng(1).standard_normal((6, 4)).astype(np.float32)
    assert np.array_equal(program(x), net.forward(x))


def test_a_network_whose_passes_differ_is_refused() -> None:
    class Counting(nn.Module):
        count = 0

        def updateOutput(self, input: Any) -> Any:
            self.count += 1
            self.output = input * self.count
            return self.output

    with pytest.raises(CompileError, match=r"Counting: count: .* as a number that counts passes; keep it in an array"):
        pl.compile(nn.Sequential(nn.Linear(4, 3), Counting()), (None, 4))


def test_a_branch_by_data_that_Python_takes_elsewhere_is_found_by_the_proof() -> None:
    """A layer that hides its data from the recorder, in a field of its class, gives other results for other inputs."""
    seen: list[Any] = []

    class Hiding(nn.Module):
        def updateOutput(self, input: Any) -> Any:
            if isinstance(input, np.ndarray):
                seen.append(input.sum())
            self.output = input * (2 if len(seen) % 2 else 3)
            return self.output

    with pytest.raises(CompileError):
        pl.compile(nn.Sequential(nn.Linear(4, 3), Hiding()), (None, 4))


class ByBatch(nn.Module):
    """A layer that decides by the size of the batch."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def updateOutput(self, input: Any) -> Any:
        self.output = input * 2 if len(input) < self.limit else input * 3
        return self.output


class BetweenBatches(nn.Module):
    """A layer that computes something else for some batches."""

    def __init__(self, first: int, end: int) -> None:
        super().__init__()
        self.first, self.end = first, end

    def updateOutput(self, input: Any) -> Any:
        self.output = input * 5 if self.first <= len(input) < self.end else input + 1
        return self.output


@pytest.mark.parametrize(("first", "end"), [(5, 7), (18, 22), (60, 80), (129, 200), (1000, 1001)])
def test_a_layer_that_decides_between_batches(first: int, end: int) -> None:
    net = nn.Sequential(nn.Linear(3, 4), BetweenBatches(first, end))
    program = pl.compile(net, (None, 3))
    net.evaluate()
    for n in (1, 2, first - 1, first, end - 1, end, 2 * end):
        x = np.random.default_rng(n).standard_normal((n, 3)).astype(np.float32)
        np.testing.assert_allclose(program(x), net.forward(x), rtol=1e-6)


@pytest.mark.parametrize("limit", [2, 4, 20, 50_000])
def test_a_layer_that_decides_by_the_batch(limit: int) -> None:
    net = nn.Sequential(nn.Linear(3, 4), ByBatch(limit))
    program = pl.compile(net, (None, 3))
    net.evaluate()
    for n in (1, 2, limit - 1, limit, limit + 1, 2 * limit):
        x = np.random.default_rng(n).standard_normal((n, 3)).astype(np.float32)
        np.testing.assert_allclose(program(x), net.forward(x), rtol=1e-6)


def test_many_samples_are_recorded_without_memory_for_them() -> None:
    """A layer whose arrays would take 200 GB for the largest batch of a dry recording."""

    class Wide(nn.Module):
        def updateOutput(self, input: Any) -> Any:
            self.output = (input[:, :, None] + np.zeros((1, 1, 10_000), input.dtype, like=input)).max(2)
            return self.output

    program = pl.compile(Wide(), (None, 80))
    x = np.random.default_rng(0).standard_normal((5, 80)).astype(np.float32)
    assert (program(x) == x).all() and "N x 80" in repr(program)


@pytest.mark.parametrize("kind", ["draws", "counts"])
def test_the_proof_names_the_module(kind: str) -> None:
    numbers = iter(range(1, 1_000_000))

    def changing(input: Any) -> Any:
        return input * float(np.random.default_rng().random() if kind == "draws" else next(numbers))

    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), Function(changing), nn.Linear(4, 2))
    with pytest.raises(CompileError, match=r"1 sample of ordinary numbers .*, first in module 3 of nn.Sequential, Function$"):
        pl.compile(net, (None, 4))
