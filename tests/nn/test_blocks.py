"""Layers of NumPy operations give the same in blocks, with any number of threads, as in one piece."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.nn import blocks
from tests.trees import assert_same

SHAPE = (37, 4, 130, 9)  # no whole number of blocks


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = pl.getNumThreads()
    yield
    pl.setNumThreads(before)


def drawn(seed: int, shape: tuple[int, ...] = SHAPE) -> Any:
    return np.random.default_rng(seed).uniform(0.5, 2, shape)


def strided(seed: int) -> Any:
    return drawn(seed, SHAPE[::-1]).transpose()


ROWS = (SHAPE[0] * SHAPE[1] * 10, 117)
LAYERS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    **{name: (getattr(nn, name), lambda: drawn(1)) for name in ("Exp", "Log", "SoftSign", "TanhShrink", "SoftMin", "Mul")},
    "Power": (lambda: nn.Power(2.5), lambda: drawn(1)),
    "Exp strided": (nn.Exp, lambda: strided(1)),
    "AddConstant": (lambda: nn.AddConstant(2), lambda: drawn(1)),
    "AddConstant vector": (lambda: nn.AddConstant(np.arange(9.0)), lambda: drawn(1)),
    "MulConstant": (lambda: nn.MulConstant(2), lambda: strided(1)),
    "MulConstant in place": (lambda: nn.MulConstant(2, True), lambda: drawn(1)),
    "CMul": (lambda: nn.CMul(1, 4, 1, 1), lambda: drawn(1)),
    "CAdd": (lambda: nn.CAdd(4, 130, 9), lambda: strided(1)),
    "Add": (lambda: nn.Add(4 * 130 * 9), lambda: drawn(1)),
    **{
        name: (getattr(nn, name), lambda: [drawn(1), strided(2)])
        for name in ("CAddTable", "CSubTable", "CMulTable", "CDivTable", "CMaxTable", "CMinTable")
    },
    "CSubTable of repeated rows": (nn.CSubTable, lambda: [drawn(1), np.broadcast_to(drawn(2, SHAPE[1:]), SHAPE)]),
    "CSubTable, the second of another shape": (
        nn.CSubTable,
        lambda: [drawn(1, ROWS), np.broadcast_to(drawn(2, (1, *ROWS[:1])), ROWS[::-1])],
    ),
    "LayerNormalization": (lambda: nn.LayerNormalization(ROWS[1]), lambda: drawn(1, ROWS)),
    "ConcatTable": (
        lambda: nn.Sequential().add(nn.ConcatTable().add(nn.Exp()).add(nn.Log()).add(nn.Abs())).add(nn.CMulTable()),
        lambda: drawn(1),
    ),
    "CMaxTable of three": (nn.CMaxTable, lambda: [drawn(1), strided(2), drawn(3)]),
    "CAddTable of one": (nn.CAddTable, lambda: [strided(1)]),
    **{name: (getattr(nn, name), lambda: [drawn(1, ROWS), drawn(2, ROWS)]) for name in ("CosineDistance", "DotProduct")},
    "PairwiseDistance": (lambda: nn.PairwiseDistance(2), lambda: [drawn(1, ROWS), drawn(2, ROWS)]),
    "Normalize": (lambda: nn.Normalize(2), lambda: drawn(1, ROWS)),
    "Normalize by the largest": (lambda: nn.Normalize(np.inf), lambda: drawn(1, ROWS)),
    "Sum": (lambda: nn.Sum(1), lambda: drawn(1)),
    "Mean of samples": (lambda: nn.Mean(0), lambda: drawn(1)),
    "Transpose": (lambda: nn.Transpose([0, 2], [1, 3]), lambda: drawn(1)),
    "PixelShuffle": (lambda: nn.PixelShuffle(2), lambda: drawn(1)),
    "Dropout": (lambda: nn.Dropout(0.25), lambda: drawn(1)),
    "JoinTable": (lambda: nn.JoinTable(1), lambda: [drawn(1), strided(2)]),
    "Padding": (lambda: nn.Padding(1, 2), lambda: strided(1)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_same_as_in_one_piece(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, inputs = LAYERS[name]

    def results() -> Any:
        pl.manualSeed(1)
        module, x = make().double(), inputs()
        output = module.forward(x)
        output = output.copy()  # in place, backward takes it back
        gradInput = module.backward(x, np.random.default_rng(5).standard_normal(output.shape))
        gradients = (module.parameters() or (None, []))[1]
        return [output, gradInput, [array.copy() for array in gradients]]

    monkeypatch.setattr(blocks, "BLOCK", 1 << 40)
    expected = results()
    monkeypatch.setattr(blocks, "BLOCK", 1 << 13)  # so small that copies, too, come in several pieces
    for count in (1, 2, 5):
        pl.setNumThreads(count)
        assert_same(results(), expected, f"{count} threads")


def test_every_element_once() -> None:
    pl.setNumThreads(3)
    counts, seen = np.zeros(5 * blocks.BLOCK + 7), set()

    def count(part: Any) -> None:
        part += 1
        seen.add(threading.get_ident())

    blocks.elements(count, counts)
    assert (counts == 1).all()
    assert len(seen) <= 3


def test_an_error_in_a_thread_arrives() -> None:
    pl.setNumThreads(3)
    caller = threading.get_ident()
    gate = threading.Event()

    def fail(part: Any) -> None:
        if threading.get_ident() == caller:
            gate.wait(10)
        else:
            gate.set()
            raise ValueError("from a thread")

    with pytest.raises(ValueError, match="from a thread"):
        blocks.elements(fail, np.zeros(8 * blocks.BLOCK))


def test_overlapping_arrays_are_one_piece() -> None:
    array = np.arange(4.0 * blocks.BLOCK)
    expected = array[:-1] + 1
    blocks.apply(np.add, array[:-1], 1, out=array[1:])
    np.testing.assert_array_equal(array[1:], expected)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_child_has_threads_of_its_own() -> None:
    pl.setNumThreads(3)
    x = np.ones(8 * blocks.BLOCK)
    expected = blocks.apply(np.exp, x, out=np.empty_like(x))
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(blocks.apply(np.exp, x, out=np.empty_like(x)), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_masked_keeps_infinities_out(dtype: Any) -> None:
    values = np.array([np.inf, -np.inf, np.nan, 1, -0.0, 2], dtype)
    target = np.full_like(values, 7)
    blocks.masked(target, values, np.array([0, 1, 0, 1, 1, 0], bool))
    np.testing.assert_array_equal(target, np.array([0, -np.inf, 0, 1, -0.0, 0], dtype))


@pytest.mark.parametrize("shape", [(), (0, 3), (3, 5), (blocks.BLOCK + 1,), (3, blocks.BLOCK)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
def test_zero_sets_all_elements_and_no_others(shape: tuple[int, ...], dtype: Any) -> None:
    array = np.ones((*shape, 2), dtype)
    for target in (array.copy(), array.copy(order="F")):
        assert blocks.zero(target) is target
        assert not target.any()
    blocks.zero(array[..., 0])
    assert not array[..., 0].any()
    assert array[..., 1].all()
