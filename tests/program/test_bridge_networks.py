"""The networks of the bridges' tests are compiled, in double precision where their examples are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import CompileError
from tests.bridge import test_labels, test_learning, test_networks, test_steps

Network = tuple[Callable[[], Any], Any]


def networks() -> dict[str, Network]:
    found: dict[str, Network] = {}
    for number, (make, example) in enumerate(test_networks.NETWORKS):
        found[f"{number} {make.__name__}"] = make, example[0] if isinstance(example, list) else example
    for name, (make, example) in test_steps.NETWORKS.items():
        found[f"steps: {name}"] = make, example[0] if isinstance(example, list) else example
    found |= {f"learning: {name}": (make, draw()) for name, (make, draw) in test_learning.NETWORKS.items()}
    return found | {f"labels: {name}": pair for name, pair in test_labels.NETWORKS.items()}


NETWORKS = networks()


@pytest.mark.parametrize("name", NETWORKS)
def test_network(name: str) -> None:
    make, example = NETWORKS[name]
    if name == "9 tree":
        with pytest.raises(CompileError, match="mask"):
            pl.compile(make(), [np.zeros((4, 4), np.float32), np.int64([12, 3, 5, 8])])
        return
    net = make().evaluate()
    arrays = [leaf for leaf in tree.leaves(example) if isinstance(leaf, np.ndarray)]
    if any(array.dtype == np.float64 for array in arrays):
        net.double()
    if not arrays:
        pl.compile(net, example)
        return
    program = pl.compile(net, example)
    for one, other in zip(tree.leaves(net.forward(example)), tree.leaves(program(example)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
