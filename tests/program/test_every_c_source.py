"""Every network of the golden files and of the bridges' tests as C. It takes minutes, so that only `.ci/run --all` does it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.arrays import tree
from pytorch_legacy.program.inputs import filled, leaves, specs
from tests.program import c_host
from tests.program.test_golden import ENTRIES, FAMILIES, reason
from tests.test_golden import load

pytestmark = pytest.mark.skipif(
    c_host.CC is None or c_host.CXX is None or "PYTORCH_LEGACY_EVERY_C" not in os.environ,
    reason="needs gcc, g++, minutes, and the environment variable PYTORCH_LEGACY_EVERY_C",
)


def compiled(folder: Path, networks: dict[str, tuple[Any, Any]]) -> dict[str, str]:
    """Writes and compiles networks, each with an example. Returns what differs, by the names."""
    for name, (net, example) in networks.items():
        pl.to_c(net, folder / f"{name}.c", example)
    sources = [folder / f"{name}.c" for name in networks]
    library = c_host.library(folder, sources)
    c_host.check_cpp(sources)
    wrong = {}
    for name, (net, example) in networks.items():
        table = specs(net, example)
        program = pl.compile(net, example)
        network = c_host.Network(library, folder / f"{name}.h", 5)
        for n in (1, 2, 5) if network.isBatched else (0, 0):
            arrays = inputs(table, n)
            if what := network.differs(arrays, [*tree.leaves(program(filled(table, arrays)))], n):
                wrong[name] = f"n = {n}: {what}"
        network.close()
    return wrong


def inputs(table: Any, n: int) -> list[Any]:
    """Returns arrays for an input: those of the example, or random ones of n samples."""
    draw = np.random.default_rng(n)
    found = []
    for spec in leaves(table):
        shape = [n if size is None else size for size in spec.shape]
        found.append(draw.standard_normal(shape).astype(spec.dtype) if spec.example is None else spec.example)
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_golden(family: str, tmp_path: Path) -> None:
    cases = [load(entry) | {"name": entry["file"]} for entry in ENTRIES if entry["family"] == family and not reason(entry)]
    networks = {f"net{number}": (case["module"].evaluate().clearState(), case["input"]) for number, case in enumerate(cases)}
    if networks:
        assert compiled(tmp_path, networks) == {}


def test_bridges(tmp_path: Path) -> None:
    from tests.program.test_bridge_networks import NETWORKS

    networks: dict[str, tuple[Any, Any]] = {}
    for name, (make, example) in NETWORKS.items():
        if name == "8 our_pooling":  # it computes a single sample by other calls
            example = (2, *example[1:])
        if name != "9 tree":  # pl.compile refuses it
            arrays = [leaf for leaf in tree.leaves(example) if isinstance(leaf, np.ndarray)]
            net = make().evaluate()
            isDouble = any(array.dtype == np.float64 for array in arrays)
            networks[f"net{len(networks)}"] = net.double() if isDouble else net, example
    assert len(networks) > 30 and compiled(tmp_path, networks) == {}
