"""Networks as C: they compile without a warning, compute the bits of the program, and allocate nothing after they were opened."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, nngraph, rnn
from pytorch_legacy.arrays import tree
from pytorch_legacy.program.inputs import Spec, batch_axes, filled, leaves, specs
from tests.program import c_host
from tests.program.function import Function
from tests.realfiles import realfile

DIGITS = Path(__file__).resolve().parents[2] / "examples" / "digits" / "digits.t7"
MOST = 5

pytestmark = pytest.mark.skipif(c_host.CC is None or c_host.CXX is None, reason="needs gcc and g++")


def numbers(*shape: int, seed: int = 0, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def conv(inputs: int, outputs: int, k: int = 3, d: int = 1, pad: int = 1) -> nn.Module:
    return nn.SpatialConvolution(inputs, outputs, k, k, d, d, pad, pad)


def digits() -> Any:
    return pl.load(DIGITS)["model"]


def residual() -> Any:
    one = nn.Sequential(conv(8, 8), nn.SpatialBatchNormalization(8), nn.ReLU(True), conv(8, 8))
    both = nn.Sequential(nn.ConcatTable(one, nn.Identity()), nn.CAddTable(True), nn.ReLU(True))
    return nn.Sequential(conv(3, 8), both, nn.SpatialAveragePooling(8, 8, 8, 8), nn.View(-1).setNumInputDims(3), nn.Linear(8, 5))


def joined() -> Any:
    up = nn.Sequential(nn.SpatialMaxPooling(2, 2), conv(4, 8), nn.LeakyReLU(0.1), nn.SpatialUpSamplingNearest(2))
    return nn.Sequential(conv(3, 4), nn.ConcatTable(nn.Identity(), up), nn.JoinTable(0, 3), conv(12, 2), nn.Sigmoid())


def transposed() -> Any:
    return nn.Sequential(
        nn.SpatialFullConvolution(3, 4, 4, 4, 2, 2, 1, 1), nn.ELU(), nn.SpatialBatchNormalization(4), nn.Clamp(-1, 1)
    )


def doubles() -> Any:
    return nn.Sequential(conv(2, 3), nn.Tanh(), nn.View(-1).setNumInputDims(3), nn.Linear(48, 4), nn.SoftMax()).double()


def graph() -> Any:
    x = nn.Identity()()
    p, q = nn.SplitTable(1)(x).split(2)
    total = nn.CAddTable()([p, q])
    return nngraph.gModule([x], [total, nn.JoinTable(1)([total, nn.CMulTable()([p, q])]), x])


def embedding() -> Any:
    return nn.Sequential(nn.LookupTable(20, 6), nn.TemporalConvolution(6, 8, 3), nn.ReLU(), nn.Max(1), nn.Linear(8, 3))


def two_inputs() -> Any:
    one = nn.Sequential(nn.Linear(4, 3), nn.Tanh())
    return nn.Sequential(nn.ParallelTable(one, nn.Linear(6, 3)), nn.CosineDistance())


def tables() -> Any:
    return Function(lambda x: {"sum": x["a"] + x["b"], "more": [x["a"] * 2, {"int": x["b"] - x["a"], 1: (x["b"] > 0)}]})


def normalized() -> Any:
    return nn.Sequential(nn.SpatialContrastiveNormalization(3, np.ones((5, 5), np.float32)), nn.SpatialCrossMapLRN(3, 0.1))


def volumes() -> Any:
    return nn.Sequential(nn.VolumetricConvolution(2, 3, 3, 3, 3), nn.ReLU(), nn.VolumetricMaxPooling(2, 2, 2), nn.Mean(1, 4))


def attention() -> Any:
    return nn.Sequential(nn.ConcatTable(nn.Identity(), nn.Transpose((1, 2))), nn.MM(), nn.SoftMax(), nn.Sum(-1))


def views() -> Any:
    return nn.ConcatTable(nn.Narrow(1, 1, 2), nn.Select(1, 0), nn.Sequential(nn.Transpose((1, 2)), nn.Select(1, 1)))


def char_rnn() -> Any:
    return pl.load(realfile("char-rnn__lstm_epoch2.36_1.7753.t7"))["protos"]["rnn"].evaluate().float()


def masked() -> Any:
    return Function(lambda x: np.where(x[:, :2] > 0, x[:, :2], np.float32(-np.inf)).max(1, keepdims=True) * x)


Example = Any
NETWORKS: dict[str, tuple[Callable[[], Any], Example]] = {
    "digits": (digits, (None, 1, 28, 28)),
    "residual": (residual, (None, 3, 8, 8)),
    "joined": (joined, (None, 3, 8, 8)),
    "transposed": (transposed, (None, 3, 5, 5)),
    "doubles": (doubles, (None, 2, 4, 4)),
    "graph": (graph, (None, 2, 3)),
    "embedding": (embedding, Spec((None, 7), np.dtype(np.int64), np.arange(14).reshape(2, 7))),
    "two_inputs": (two_inputs, [(None, 4), (None, 6)]),
    "tables": (tables, {"a": (None, 4), "b": (None, 4)}),
    "normalized": (normalized, (None, 3, 9, 9)),
    "volumes": (volumes, (None, 2, 6, 6, 6)),
    "attention": (attention, (None, 4, 4)),
    "views": (views, (None, 3, 4)),
    "masked": (masked, (None, 3)),
    "fixed": (residual, (2, 3, 8, 8)),
    "by_batch": (lambda: nn.Sequential(nn.Linear(3, 4), nn.Squeeze(), nn.Tanh()), (None, 3)),
    "char_rnn": (char_rnn, [np.int64([0, 1]), *[(2, 128)] * 4]),
    "last_axis": (lambda: nn.Sequential(nn.Transpose((0, 1)), nn.Linear(3, 2)), (3, None)),
    "bytes": (lambda: Function(lambda x: x.astype(np.float32) / 255), Spec((None, 2, 3), np.dtype(np.uint8))),
    "steps": (lambda: rnn.LSTM(3, 4), (None, 3)),
    "sequences": (lambda: nn.Sequential(rnn.SeqGRU(3, 4).remember("both"), nn.Tanh()), (5, None, 3)),
    "titles": (lambda: pl.load(realfile("torch-rnn__wired-titles.t7"))["model"], np.int64([[1, 2, 3], [4, 5, 6]])),
}
STATES = ("steps", "sequences", "titles")
BATCHES = (1, 2, MOST, 3)


def inputs(example: Any, n: int, seed: int) -> list[Any]:
    """Returns arrays for the specs of a table, with n for None."""
    found = []
    for place, spec in enumerate(leaves(example)):
        shape = [n if size is None else size for size in spec.shape]
        made = numbers(*shape, seed=10 * seed + place, dtype=np.float32)
        isIndex = spec.dtype.kind in "iu"
        found.append((np.abs(10 * made) % 20).astype(spec.dtype) if isIndex else made.astype(spec.dtype))
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory: Any) -> Any:
    """Returns the folder with the C of all networks, their library, and the networks themselves."""
    folder = tmp_path_factory.mktemp("c")
    nets = {}
    for name, (make, example) in NETWORKS.items():
        pl.manualSeed(1)
        with suppress(pytest.skip.Exception):  # a file that is not there
            nets[name] = make().evaluate()
            pl.to_c(nets[name], folder / f"{name}.c", example)
    return folder, c_host.library(folder, [folder / f"{name}.c" for name in nets]), nets


def test_they_are_cpp_too(written: Any) -> None:
    c_host.check_cpp([written[0] / f"{name}.c" for name in written[2]])


@pytest.mark.parametrize("name", NETWORKS)
def test_bits(name: str, written: Any) -> None:
    folder, library, nets = written
    if name not in nets:
        pytest.skip("its file is not there")
    table = specs(nets[name], NETWORKS[name][1])
    program = pl.compile(nets[name], table)
    axes = batch_axes(leaves(table))
    isBatched = any(axis is not None for axis in axes)
    network = c_host.Network(library, name, folder / f"{name}.bin", MOST if isBatched else None)
    for seed, n in enumerate(BATCHES if isBatched else (0, 0)):
        program.forget()
        if name in STATES:
            network.forget()
        for time in range(3 if name in STATES else 1):
            arrays = inputs(table, n, seed + time)
            expected = [np.atleast_1d(one) for one in tree.leaves(program(filled(table, arrays)))]
            found = network(arrays, expected, n)
            assert [one.tobytes() for one in found] == [one.tobytes() for one in expected], (n, time)
    network.close()
