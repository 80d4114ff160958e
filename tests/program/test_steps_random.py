"""Random networks as training steps: the bits of the eager network, whatever the batch is.

python -m tests.program.test_steps_random 1000 [--seed 7]    more of them
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.arrays import tree
from tests.program.test_random import Maker, main
from tests.program.test_steps import Eager
from tests.program.test_steps_golden import squares

IN_TESTS = 42
PARTS = 6
CONFIGS = (
    None,
    {"learningRate": 0.01},
    {"learningRate": 0.01, "momentum": 0.9, "weightDecay": 0.001},
    {"learningRate": 0.01, "momentum": 0.5, "dampening": 0, "nesterov": True},
)


def check(seed: int) -> None:
    maker = Maker(seed)
    net, shape = maker.network()
    if maker.draw.random() < 0.3:
        net.double()
    dtype = np.dtype(np.float64 if net.type() == "torch.DoubleTensor" else np.float32)
    config = maker.any(*CONFIGS)
    numbers = np.random.default_rng(seed)

    def input(n: int) -> Any:
        return numbers.standard_normal((n, *shape)).astype(dtype)

    criterion, target = squares(net.clone().training().forward(input(2)), numbers)
    example = (None, *shape), tree.map_entries(lambda one: (None, *one.shape[1:]), target)
    options = {} if config is None else {"optimizer": "sgd", "config": {**config}}
    step, eager = pl.compile(net, example, criterion=criterion, **options), Eager(net, criterion)
    own = {"learningRate": 0.01} if config is None else {**config}
    for turn, n in enumerate((1, 2, 3, 5, 2)):
        x = input(n)
        with np.errstate(all="ignore"):
            goal = tree.map_entries(lambda one, n=n: numbers.standard_normal((n, *one.shape[1:])).astype(one.dtype), target)
            pl.manualSeed(turn)
            expected = eager(x, goal)
            pl.manualSeed(turn)
            assert np.array_equal(step(x, goal), expected, equal_nan=True), f"seed {seed}: the loss in turn {turn}"
            assert np.array_equal(step.gradParameters, eager.gradParameters, equal_nan=True), f"seed {seed}: gradients"
            pl.optim.sgd(lambda w: (0.0, eager.gradParameters), eager.parameters, own)
            if config is None:
                step.parameters[...] = eager.parameters
        assert np.array_equal(step.parameters, eager.parameters, equal_nan=True), f"seed {seed}: parameters in turn {turn}"


@pytest.mark.parametrize("part", range(PARTS))
def test_random_networks(part: int) -> None:
    for seed in range(part, IN_TESTS, PARTS):
        check(seed)


if __name__ == "__main__":
    main(check, __doc__, IN_TESTS)
