"""Random layers that keep arrays from pass to pass: their programs beside the eager layer, for more passes than a proof makes.

python -m tests.program.test_random_states 1000 [--seed 7]    more of them
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import CompileError
from tests.program.test_random import assert_close, main

IN_TESTS = 48
PARTS = 4
FEWEST = 6  # layers of a part that have a program; the others are refused
PASSES = 14
CHANGES = (
    "self.a += x.mean(0)", "self.a *= half", "self.a = self.a + 1", "self.a = self.a * half + x[0]", "self.n += 1",
    "self.n[0] += 1", "self.n = self.n + 1", "self.n[...] = (self.n + 1) % 4", "self.a[0] = self.a[1]", "self.a = self.a[::-1]",
    "self.a[...] = self.a[::-1]", "self.kept = x * 1 if self.kept is None else (self.kept + x) * half", "self.rows[0] = x[0]",
    "self.rows[1] += x[0]", "self.rows = self.rows[::-1]", "self.rows = np.roll(self.rows, 1, 0)", "self.row += 1",
    "self.row *= half", "self.pair = (self.pair[0] + 1, self.pair[1])", "self.pair = self.pair[::-1]", "self.pair[0][...] = x[0]",
    "self.list = [self.list[1], x.sum(0)]", "self.list[0] = self.list[0] + self.list[1]", "self.list.append(self.list.pop(0))",
    "self.table['z'] += 1", "self.table['z'] = self.table['z'] * half", "self.a, self.row = self.row, self.a",
    "self.rows = np.tanh(self.rows + x.mean(0))", "self.a = np.where(self.a > 4, np.float32(0), self.a + 1)", "self.a.fill(1)",
    "self.a = np.zeros(3, np.float32, like=x)", "self.a = np.float32([1, 2, 3])",
)  # fmt: skip
USES = (
    "y = y * self.a", "y = y + self.rows.sum(0)", "y = y * np.where(self.n[:1] > 9, np.float32(0), np.float32(1))",
    "y = y + self.pair[0]", "y = y - self.list[0]", "y = y * np.where(self.a[:1] > 9, np.float32(3), np.float32(1))",
    "y = y if self.kept is None else y + self.kept", "y = y + self.row", "y = y + self.table['z']",
    "y = y * (2 if self.a[0] > 12 else 1)", "y = y * (2 if self.n[0] > 12 else 1)", "y = y + self.rows[self.n % 2]",
)  # fmt: skip


class Layer(nn.Module):
    """A layer whose pass is a program of Python, which changes its arrays."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.code = "\n".join(lines)
        self.a, self.n, self.kept = np.float32([1, 2, 3]), np.zeros(2, np.int64), None
        self.rows = np.ones((2, 3), np.float32)
        self.row = self.rows[0]
        self.pair = np.zeros(3, np.float32), np.ones(3, np.float32)
        self.list = [np.zeros(3, np.float32), np.ones(3, np.float32)]
        self.table = {"z": np.zeros((), np.float32)}

    def updateOutput(self, input: Any) -> Any:
        names = {"self": self, "x": input, "y": input * 1, "np": np, "half": np.float32(0.5)}
        exec(self.code, names)
        self.output = names["y"]
        return self.output


def check(seed: int) -> bool:
    """Checks a layer. Returns False if it is refused."""
    draw = random.Random(seed)
    lines = draw.choices(CHANGES, k=draw.randint(1, 4)) + draw.choices(USES, k=draw.randint(1, 3))
    draw.shuffle(lines)
    try:
        program = pl.compile(Layer(lines), (None, 3) if seed % 40 == 0 else (2, 3))
    except CompileError:
        return False
    numbers = np.random.default_rng(seed)
    for _ in range(2):
        eager = Layer(lines).evaluate()
        program.forget()
        for number in range(PASSES):
            x = numbers.standard_normal((2, 3)).astype(np.float32)
            expected = tree.map_entries(np.copy, eager.forward(x.copy()))
            assert_close(expected, program(x), f"seed {seed}: pass {number} of {lines}")
    return True


@pytest.mark.parametrize("part", range(PARTS))
def test_random_layers(part: int) -> None:
    assert sum(check(seed) for seed in range(part, IN_TESTS, PARTS)) >= FEWEST


if __name__ == "__main__":
    main(check, __doc__, IN_TESTS)
