"""Networks whose output for one sample is of another kind than that for more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.arrays import tree
from tests.program.function import Function

PASSES: dict[str, Callable[[Any], Any]] = {
    "a number": lambda x: x.squeeze(),
    "truth values": lambda x: x > 0 if len(x) > 1 else x,
    "a table": lambda x: x if len(x) > 1 else [x, x * 2],
    "more numbers": lambda x: x if len(x) > 1 else np.concatenate([x, x], 1),
}


@pytest.mark.parametrize("name", PASSES)
def test_each_batch_has_the_output_of_the_network(name: str) -> None:
    net = Function(PASSES[name])
    net.changesDtype = True
    program = pl.compile(net, (None, 1))
    for n in (3, 1, 2):
        x = np.arange(n, dtype=np.float32).reshape(n, 1) - 0.5
        expected, found = net.evaluate().forward(x), program(x)
        assert isinstance(expected, list) is isinstance(found, list)
        for one, other in zip(tree.leaves(expected), tree.leaves(found), strict=True):
            assert one.dtype.kind == np.asarray(other).dtype.kind and np.array_equal(one, other)


@pytest.mark.parametrize("name", ["a number", "truth values", "more numbers"])
def test_as_C_it_takes_no_single_sample(name: str, tmp_path: Path) -> None:
    net = Function(PASSES[name])
    net.changesDtype = True
    header, *_ = pl.to_c(net, tmp_path / "net.c", (None, 1))
    assert "from 2 to `most`" in header.read_text()
