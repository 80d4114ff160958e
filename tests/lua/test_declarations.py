"""All golden cases by the package that counts from one: with Torch7's constructors, arguments, inputs, targets and results."""

from __future__ import annotations

from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy.lua import counting
from pytorch_legacy.lua.from_one import counted, python
from tests.lua.golden import differences, made
from tests.rows import rows
from tests.test_golden import GOLDEN, MANIFEST, Entry, affected, assert_gradients, at, layer, shaped, tolerance
from tests.trees import assert_close, mapped

# Objects that are not what the constructor made when they were saved, or that Torch7's made otherwise. `compat` has older ones.
ALTERED = {
    "Copy_3x4": "the field forceCopy, of two types that differ",
    "FastLSTM_bn": "its parts are joined along another dimension, which counts in samples",
    "FastLSTM_graph": "its parts are joined along another dimension, which counts in samples",
    "LeakyReLU_true": "true was not inplace in Torch7",
    "NCEModule": "the tables of its sampler are others of the same distribution",
    "NormStabilizer": "its rho",
    "PartialLinear_partition": "setPartition was called",
    "Repeater": "a pass sets rho",
    "Sequencer_FastLSTM_trained": "a pass sets rho",
    "Sequencer_GRU_trained": "a pass sets rho",
    "Sequencer_LSTM_trained": "a pass sets rho",
    "Sequential_edited": "a module was replaced",
    "SpatialAveragePooling_nodivide": "divide is false",
}


def entries(*kinds: str) -> Any:
    """The cases in binary files, which those in text files repeat."""
    found = [entry for entry in MANIFEST if entry["kind"] in kinds and entry["format"] == "binary"]
    return rows("entry", [(layer(entry), entry["file"], entry) for entry in found])


def constructed(entry: Entry, loaded: Any) -> Any:
    """Returns the object of a text, with the parameters of the file; the object of the file if that was altered."""
    if entry["family"] == "compat":
        return loaded
    before = pl.getdefaulttensortype()
    pl.setdefaulttensortype("torch.DoubleTensor")
    try:
        ours = made(entry["lua"]).type(loaded._type)
    finally:
        pl.setdefaulttensortype(before)
    found = [*differences(ours, loaded)]
    assert bool(found) == any(f"{entry['name']}_".startswith(f"{name}_") for name in ALTERED), "\n".join(found)
    return loaded if found else ours


@entries("module", "graph")
def test_modules(entry: Entry) -> None:
    case = pl.load(GOLDEN / entry["file"])
    train, near, input = case["train"], tolerance(entry, "as_saved"), case["input"]
    ours = constructed(entry, case["module"])
    net, other = counted(ours), counted(ours.clone())
    if "results" in affected(entry) or train.get("output") is None:
        return
    again = mapped(np.copy, input)  # a layer may write over it
    net.zeroGradParameters()
    pl.manualSeed(case["seed"])
    assert_close(mapped(np.copy, net.forward(input)), train["output"], near, "output")
    if not case.get("forwardOnly"):
        gradInput = net.backward(input, case["gradOutput"])
        if not isinstance(train.get("gradInput", {}), dict):
            assert_close(gradInput, train["gradInput"], near, "gradInput")
        assert_gradients(ours, train.get("gradParameters"), near)
    for path, buffer in (train.get("buffers") or {}).items():
        check_buffer(ours, path, np.asarray(buffer), near)
    if "updated" in train and "update" not in affected(entry):
        net.updateParameters(0.1)
        assert_close(net.parameters()[0], shaped(ours, train["updated"]), near, "updated parameters")
    if "evaluate" not in affected(entry) and (case.get("evaluate") or {}).get("output") is not None:
        other.evaluate()
        pl.manualSeed(case["seed"])
        assert_close(other.forward(again), case["evaluate"]["output"], near, "output of evaluation")


def check_buffer(module: Any, path: str, expected: Any, near: float) -> None:
    """A field after the passes, by its name in Torch7 and counted as there."""
    inside, _, name = path.rpartition(".")
    owner = at(module, inside) if inside else module
    if name == "indices" and hasattr(owner, "pooling"):
        owner = owner.pooling  # an unpooling layer has the indices of its pooling layer
    if name == "_indices" and not hasattr(owner, name):
        return  # nn.ArgMax has none
    assert_close(np.asarray(counting.read(owner, name)).astype(expected.dtype), expected, near, path)


@entries("criterion")
def test_criterions(entry: Entry) -> None:
    case = pl.load(GOLDEN / entry["file"])
    near = tolerance(entry, "as_saved")
    criterion = counted(constructed(entry, case["module"]))
    if "results" in affected(entry):
        return
    target = case.get("target")
    assert_close(criterion.forward(case["input"], target), case["output"], near, "output")
    gradInput = criterion.backward(case["input"], target)
    if "backward" not in affected(entry):
        assert_close(gradInput, case["gradInput"], near, "gradInput")
    for path, buffer in (case.get("buffers") or {}).items():
        check_buffer(python(criterion), path, np.asarray(buffer), near)
