"""Random networks: their programs beside the eager network and a fresh clone of it, on inputs in all layouts, own outputs,
and views of parameters, with changes in between.

python -m tests.program.test_random 1000 [--seed 7]    more of them
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, nngraph, rnn
from pytorch_legacy.arrays import tree

IN_TESTS = 200
PARTS = 10


class Maker:
    """Makes a network, layer by layer, and knows the shape of a sample behind each."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        pl.manualSeed(seed)

    def any(self, *choices: Any) -> Any:
        return self.draw.choice(choices)

    def pointwise(self) -> Any:
        inplace = self.draw.random() < 0.3
        return self.any(
            lambda: nn.ReLU(inplace), nn.Tanh, nn.Sigmoid, nn.ELU, nn.SoftPlus, nn.Abs, nn.SoftSign, lambda: nn.HardTanh(-1, 1),
            lambda: nn.LeakyReLU(0.1, inplace), lambda: nn.MulConstant(0.5, inplace), lambda: nn.AddConstant(1, inplace),
            nn.Square, nn.Identity, lambda: nn.Dropout(0.3), nn.TanhShrink, lambda: nn.Clamp(-1, 1), nn.LogSigmoid, nn.Exp,
            lambda: nn.Power(2), lambda: nn.Threshold(0.1, 0, inplace),
        )()  # fmt: skip

    def normalized(self, size: int) -> Any:
        return self.any(
            lambda: nn.BatchNormalization(size), lambda: nn.CMul(size), lambda: nn.Add(size), nn.SoftMax, nn.LogSoftMax,
            lambda: nn.Normalize(2), lambda: nn.Cosine(size, size), lambda: nn.Euclidean(size, size),
            lambda: nn.LayerNormalization(size) if size > 1 else nn.Identity(),
        )()  # fmt: skip

    def vectors(self, size: int, depth: int) -> tuple[Any, int]:
        """Layers of N x size, and the size behind them."""
        net = nn.Sequential()
        for _ in range(self.draw.randint(1, 4)):
            kind = self.draw.random()
            if kind < 0.3:
                new = self.draw.randint(1, 6)
                net.add(nn.Linear(size, new))
                size = new
            elif kind < 0.55:
                net.add(self.pointwise())
            elif kind < 0.65:
                net.add(self.normalized(size))
            elif kind < 0.85 and depth:
                size = self.branches(net, size, depth, 1, self.vectors)
            elif depth:
                inner, new = self.vectors(size, depth - 1)
                net.add(inner)
                size = new
        return net, size

    def branches(self, net: Any, size: Any, depth: int, axis: int, layers: Any) -> Any:
        parts = [layers(size, depth - 1) for _ in range(2)]
        table = nn.ConcatTable(*(part for part, _ in parts))
        if parts[0][1] == parts[1][1]:
            net.add(table).add(self.any(nn.CAddTable, nn.CMulTable, nn.CSubTable, nn.CMaxTable, lambda: nn.CAddTable(True))())
            return parts[0][1]
        if isinstance(size, tuple):
            net.add(self.pointwise())
            return size
        net.add(table).add(nn.JoinTable(axis, axis + 1))
        return parts[0][1] + parts[1][1]

    def pictures(self, shape: tuple[int, int, int], depth: int) -> tuple[Any, tuple[int, int, int]]:
        net = nn.Sequential()
        for _ in range(self.draw.randint(1, 4)):
            planes, h, w = shape
            kind = self.draw.random()
            if kind < 0.35:
                new = self.draw.randint(1, 4)
                net.add(nn.SpatialConvolution(planes, new, 3, 3, 1, 1, 1, 1))
                shape = new, h, w
            elif kind < 0.6:
                net.add(self.pointwise())
            elif kind < 0.75 and h >= 4 and w >= 4:
                pool = self.any(nn.SpatialMaxPooling, nn.SpatialAveragePooling)(2, 2, 2, 2)
                net.add(pool)
                shape = planes, h // 2, w // 2
            elif kind < 0.85:
                net.add(
                    self.any(
                        nn.SpatialBatchNormalization(planes),
                        nn.SpatialDropout(0.2),
                        nn.SpatialCrossMapLRN(3),
                        nn.SpatialSoftMax(),
                    )
                )
            elif depth:
                shape = self.branches(net, shape, depth, 1, self.pictures)
        return net, shape

    def graph(self, size: int) -> tuple[Any, int]:
        x = nn.Identity()()
        nodes = [x]
        for _ in range(self.draw.randint(2, 6)):
            last, others = nodes[-1], nodes[:-1]
            if self.draw.random() < 0.5 or not others:
                nodes.append(self.pointwise_out_of_place()(last))
            else:
                nodes.append(self.any(nn.CAddTable, nn.CMulTable, nn.CMinTable)()([last, self.draw.choice(others)]))
        return nngraph.gModule([x], [nn.CAddTable()([nodes[-1], nn.Linear(size, size)(nodes[-1])])]), size

    def pointwise_out_of_place(self) -> Any:
        return self.any(nn.Tanh, nn.Sigmoid, nn.ReLU, nn.Abs, lambda: nn.MulConstant(2), nn.SoftSign)()

    def steps(self) -> tuple[Any, tuple[int, ...]]:
        count, size = self.draw.randint(1, 4), self.draw.randint(1, 4)
        layer = self.any(rnn.LSTM, rnn.GRU, rnn.FastLSTM)(size, 3)
        after = self.any(lambda: nn.SelectTable(-1), lambda: nn.JoinTable(1))()
        return nn.Sequential(nn.SplitTable(1, 3), rnn.Sequencer(layer), after), (count, size)

    def network(self) -> tuple[Any, tuple[int, ...]]:
        kind = self.draw.random()
        if kind < 0.4:
            size = self.draw.randint(1, 6)
            return self.vectors(size, 2)[0], (size,)
        if kind < 0.75:
            shape = self.draw.randint(1, 3), self.draw.randint(3, 9), self.draw.randint(3, 9)
            return self.pictures(shape, 2)[0], shape
        if kind < 0.9:
            size = self.draw.randint(1, 6)
            return self.graph(size)[0], (size,)
        return self.steps()


def layouts(draw: random.Random, x: Any) -> Any:
    """The same numbers in another layout."""
    kind = draw.randrange(5)
    if kind == 0:
        wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if kind == 1:
        return np.asfortranarray(x)
    if kind == 2:
        return np.flip(np.flip(x, 0).copy(), 0)
    if kind == 3:
        fixed = x.copy()
        fixed.flags.writeable = False
        return fixed
    return x.copy()


def assert_close(one: Any, other: Any, what: str) -> None:
    for a, b in zip(tree.leaves(one), tree.leaves(other), strict=True):
        scale = float(np.abs(a[np.isfinite(a)]).max(initial=0)) if a.size else 0.0
        near = 1e-4 if a.dtype == np.float32 else 1e-10
        np.testing.assert_allclose(b, a, rtol=near, atol=near * scale, err_msg=what)


def check(seed: int) -> None:
    maker = Maker(seed)
    net, shape = maker.network()
    net.evaluate()
    if maker.draw.random() < 0.3:
        net.double()
    numbers = np.random.default_rng(seed)
    dtype = np.dtype(np.float64 if net.type() == "torch.DoubleTensor" else np.float32)
    program = pl.compile(net, (None, *shape))
    inputs = [numbers.standard_normal((n, *shape)).astype(dtype) for n in (1, 2, 3, 5, 2)]
    inputs[-1][0] = maker.any(0, 1e20, -1)
    parameters = (net.parameters() or ([], []))[0]
    views = [p.reshape(-1)[: int(np.prod(shape))].reshape(1, *shape) for p in parameters if p.size >= int(np.prod(shape))]
    inputs += views[:2]
    frozen = net.clone()
    for x in inputs:
        with np.errstate(all="ignore"):
            expected, fresh = net.forward(x.copy()), frozen.clone().forward(x.copy())
            given = layouts(maker.draw, x)
            before = given.copy()
            found = program(given)
        assert_close(expected, fresh, f"seed {seed}: eager")
        assert_close(expected, found, f"seed {seed}: {x.shape}")
        assert np.array_equal(given, before, equal_nan=True), f"seed {seed}: wrote to its input"
    again = inputs[1]
    kept = [leaf.copy() for leaf in tree.leaves(program(again))]
    out = program(again)
    if isinstance(out, np.ndarray) and out.shape == again.shape and out.dtype == again.dtype:
        with np.errstate(all="ignore"):
            assert_close(frozen.clone().forward(out.copy()), program(out), f"seed {seed}: own output")
    for parameter in parameters:
        parameter[...] = 7
    net.modules.clear()
    for one, other in zip(kept, tree.leaves(program.clone()(again)), strict=True):
        assert np.array_equal(one, other, equal_nan=True), f"seed {seed}: a change of the network"


@pytest.mark.parametrize("part", range(PARTS))
def test_random_networks(part: int) -> None:
    for seed in range(part, IN_TESTS, PARTS):
        check(seed)


def main(check: Callable[[int], object], description: str | None, first: int) -> None:
    """Checks as many networks as the command line says, from that of the seed `first` on, and prints which fail."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=first)
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.count):
        try:
            check(seed)
        except Exception as error:
            print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)  # also if somebody ends the process
        if seed % 100 == 0:
            print(f"\r{seed - options.seed + 1}", end="", file=sys.stderr)


if __name__ == "__main__":
    main(check, __doc__, IN_TESTS)
