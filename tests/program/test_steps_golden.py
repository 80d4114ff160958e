"""Networks and criterions of the golden files as training steps have eager bits, or are refused for a reason that stands here.

Tests take one case of each layer. ``python -m tests.program.test_steps_golden`` takes all, and prints how many there are.
"""

from __future__ import annotations

import copy
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.arrays import tree
from pytorch_legacy.errors import CompileError, UnsupportedError
from tests.test_golden import MANIFEST, labels, layer, load
from tests.trees import mapped

PASSES = "got one that makes other calls"
REFUSED = {
    "NaN": "reads numbers",
    "Nested": "reads numbers",
    "CategoricalEntropy": "reads numbers",
    "NCEModule": "reads numbers",
    "ReinforceCategorical": "reads numbers",
    "SpatialRegionDropout": "draws",
    "SpatialUniformCrop": "reads numbers",
    "TotalDropout": "reads numbers",
    "SpatialNormalization": "reads numbers",
    "Kmeans": "reads numbers",
    "L1HingeEmbeddingCriterion": "reads numbers",
    "MaskZeroCriterion": "flatnonzero",
    "TrimZero": "flatnonzero",
    "Sequencer_FastLSTM_trimzero": "flatnonzero",
    "Sequencer_GRU_trimzero": "flatnonzero",
    "Sequencer_LSTM_trimzero": "flatnonzero",
    "MaskedSelect": "count_nonzero",
    "IndexLinear": "sparse gradients",
    "Balance": PASSES,
}
NO_STEP = {"ArgMax", "CriterionTable", "OneHot_number_scalar", "ParallelCriterion_nested"}
"""No network of these learns by a criterion: they give indices, or losses; or they take numbers or tables of tables."""


def begins(entry: Any, names: Any) -> str:
    return max((name for name in names if entry["name"].startswith(name)), default="", key=len)


def learns(entry: Any) -> bool:
    return entry["kind"] in ("module", "graph", "criterion") and not begins(entry, NO_STEP)


ENTRIES = [entry for entry in MANIFEST if learns(entry)]
FIRST = {(layer(entry), begins(entry, REFUSED)): entry for entry in ENTRIES}


def squares(output: Any, draw: Any) -> tuple[Any, Any]:
    """Returns an MSECriterion for an output, or for each array in it, and a target."""
    if isinstance(output, np.ndarray):
        return nn.MSECriterion().type(output.dtype.name), draw.standard_normal(output.shape or (1,)).astype(output.dtype)
    both = [squares(one, draw) for one in output]
    criterion = nn.ParallelCriterion()
    for one, _ in both:
        criterion.add(one)
    return criterion, [target for _, target in both]


def linear(input: Any) -> Any:
    """Returns an nn.Linear, or several, that at first give their input."""
    if not isinstance(input, np.ndarray):
        return nn.ParallelTable(*map(linear, input)).type(next(tree.leaves(input)).dtype.name)
    size = input.shape[-1]
    made = nn.Linear(size, size)
    made.weight[...], made.bias[...] = np.eye(size), 0
    return (made if input.ndim <= 2 else nn.Bottle(made, 2, 2)).type(input.dtype.name)


def task(entry: Any) -> Any:
    """Returns a network, a criterion, a target and an input; None for a network that only runs forward."""
    case = load(entry)
    if entry["kind"] == "criterion":
        net = linear(case["input"])
        if entry["name"].startswith("BCE"):  # takes probabilities
            net = nn.Sequential(net, nn.Clamp(0, 1)).type(net.type())
        return net, case["module"], labels(case), case["input"]
    if case.get("forwardOnly"):
        return None
    net = case["module"].training()
    pl.manualSeed(1)
    output = copy.deepcopy(net).clearState().forward(copy.deepcopy(case["input"]))
    return net, *squares(output, np.random.default_rng(1)), case["input"]


def outcome(entry: Any, steps: int = 10) -> str:
    """Returns "equal", "refused" or "forward only", or what is wrong."""
    made = task(entry)
    if made is None:
        return "forward only"
    net, criterion, target, x = made
    words = REFUSED.get(begins(entry, REFUSED), "")
    try:
        step = pl.compile(net, (x, target), criterion=criterion)
    except (CompileError, UnsupportedError) as error:
        return "refused" if words and words in str(error) else str(error)
    if words:
        return "expected a refusal"
    net = net.clone().training().clearState()
    parameters, gradients = net.getParameters()
    rate = parameters.dtype.type(0.001)
    for seed in range(steps):
        given = mapped(np.copy, x)
        pl.manualSeed(seed)
        net.zeroGradParameters()
        output = net.forward(given)
        expected = criterion.forward(output, target)
        net.backward(given, criterion.backward(output, target))
        pl.manualSeed(seed)
        loss = step(x, target)
        parameters -= rate * gradients
        step.parameters[...] -= rate * step.gradParameters
        isEqual = np.array_equal(step.parameters, parameters, equal_nan=True)
        if not isEqual or not np.array_equal(loss, float(expected), equal_nan=True):
            return f"step {seed} has the loss {loss}, expected {expected}"
    return "equal"


@pytest.mark.parametrize("entry", FIRST.values(), ids=lambda entry: entry["file"])
def test_case(entry: Any) -> None:
    assert outcome(entry, steps=4) in ("equal", "refused", "forward only")


def main() -> None:
    found = {kind: Counter[str]() for kind in ("module", "criterion")}
    for entry in ENTRIES:
        got = outcome(entry)
        found["criterion" if entry["kind"] == "criterion" else "module"][got] += 1
        if got not in ("equal", "refused", "forward only"):
            print(f"{entry['file']}: {got}")
    for kind, counts in found.items():
        print(f"{kind}: {', '.join(f'{count} {what}' for what, count in counts.most_common())}")
        if {*counts} - {"equal", "refused", "forward only"} or counts["equal"] < 0.8 * (counts["equal"] + counts["refused"]):
            sys.exit(1)


if __name__ == "__main__":
    main()
