"""Every network of the golden files and of the bridges' tests as C, and a training step of one network of each golden layer.

It takes minutes, so that only `.ci/run --all` does it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import CompileError
from pytorch_legacy.program.inputs import filled, leaves, specs
from tests.program import c_host
from tests.program.test_c_training import Step, assert_same
from tests.program.test_golden import ENTRIES, FAMILIES, reason
from tests.program.test_steps_golden import FIRST, REFUSED, begins, linear, task
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


def learning(entry: Any) -> Any:
    """Returns a network with parameters, a criterion, a target and an input; None if no step of the network is compiled."""
    made = None if begins(entry, REFUSED) else task(entry)
    if made is None:
        return None
    net, *rest, x = made
    if not (net.parameters() or ([],))[0]:
        arrays = [*tree.leaves(x)]
        if not all(isinstance(array, np.ndarray) and array.dtype.kind == "f" for array in arrays):
            return None
        net = nn.Sequential(linear(x), net)
    return net, *rest, x


STEPS = [*FIRST.values()]
KEPT = {
    "GRU_step_3_float",
    "LSTM_step_3_float",
    "FastLSTM_step_3_float",
    "MapTable_unshared_t3",
    "VolumetricFractionalMaxPooling_fixed_2x4x6x6",
}
"""Networks that keep a state from step to step."""


@pytest.mark.parametrize("part", range(12))
def test_steps(part: int, tmp_path: Path) -> None:
    steps = {}
    for entry in STEPS[part::12]:
        if (made := learning(entry)) is None:
            continue
        net, criterion, target, x = made
        name = f"net{len(steps)}"
        try:
            pl.to_c(net, tmp_path / f"{name}.c", (x, target), criterion=criterion)
        except CompileError as error:
            assert entry["name"] in KEPT and "keeps no state from step to step" in str(error), entry["file"]
            continue
        assert entry["name"] not in KEPT
        steps[name] = made
    sources = [tmp_path / f"{name}.c" for name in steps]
    library = c_host.library(tmp_path, sources)
    c_host.check_cpp(sources)
    for name, (net, criterion, target, x) in steps.items():
        compiled, step = pl.compile(net, (x, target), criterion=criterion), Step(library, tmp_path / f"{name}.h")
        for seed in range(3):
            assert_same(step, compiled, x, target, seed)
        step.close()
    assert len(steps) >= 15
