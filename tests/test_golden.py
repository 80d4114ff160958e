"""Exact results of Torch7, case by case: tests/golden holds what the original library computed.

`manifest.json` lists the files. Where `defect` marks behaviour of the original that is not copied here, `affects` says
which parts of the case are left out. Every case in double precision is also run in single precision.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import pytorch_legacy as pl
from pytorch_legacy import nn, t7
from pytorch_legacy.arrays import map_storage, storage_offset
from pytorch_legacy.files.classes import find_class
from pytorch_legacy.files.counting import fromOne
from pytorch_legacy.nn.pooling.indices import fromTorch7
from pytorch_legacy.nn.Unknown import Unknown
from tests.rows import rows
from tests.trees import Array, Tree, assert_close, assert_same, largest, mapped

GOLDEN = Path(__file__).with_name("golden")
LISTED: list[dict[str, Any]] = json.loads((GOLDEN / "manifest.json").read_text())
# Files with a class that is still to be written serve other tests. Objects of Torch itself are data.
MANIFEST = [entry for entry in LISTED if all(find_class(name) for name in entry["classes"] if not name.startswith("torch."))]
# Torch7 computed places between cells in single precision.
STRETCHED = ("SpatialUpSamplingBilinear", "UpSampling_linear", "UpSampling_size", "SpatialReSampling")
TOLERANCE = {"double": 1e-10, "float": 1e-5, "cuda": 1e-5}

Entry = dict[str, Any]


@cache
def content(file: str) -> Any:
    """A file as it is; the tests of several files ask what it holds."""
    return t7.read(GOLDEN / file)


def stored(entry: Entry, *keys: str) -> Any:
    """Returns the value in the file, in the file's own counting; None if there is none."""
    value = content(entry["file"])
    for key in keys:
        value = (value or {}).get(key)
    return value


def cases(kind: str, *parts: str, has: tuple[str, ...] = ("module",), name: str = "", both: bool = False) -> Any:
    """The files of a kind that hold something under the keys `has`, and whose `parts` the original got right.

    With `both`, each case in double precision comes as it was saved and in single precision, except where its numbers
    are beyond the latter.
    """
    chosen = [
        entry
        for entry in MANIFEST
        if entry["kind"] in (("module", "graph") if kind == "module" else (kind,))
        if entry["name"].startswith(name) and not set(parts) & affected(entry)
    ]

    def applies(entry: Entry, *_: str) -> bool:
        return stored(entry, *has) is not None

    if not both:
        return rows("entry", [(layer(entry), entry["file"], entry) for entry in chosen], applies)
    pairs = [(layer(entry), entry["file"], (entry, "as_saved")) for entry in chosen]
    for entry in chosen:
        if entry["dtype"] == "double" and "special" not in entry["name"]:
            pairs.append((f"{layer(entry)}-as_float", entry["file"], (entry, "as_float")))
    return rows("entry, precision", pairs, applies)


def layer(entry: Entry) -> str:
    """Returns the group of an entry by the start of its name: the class, or another common property of its cases."""
    return f"{entry['family']}/{entry['name'].partition('_')[0]}"


def affected(entry: Entry) -> set[str]:
    return set(entry.get("affects", "").split(", "))


def load(entry: Entry, precision: str = "as_saved") -> Any:
    """The case, in memory of its own."""
    case = pl.load(GOLDEN / entry["file"])
    if precision == "as_float":
        case["module"].float()
        for key in ("input", "gradOutput", "target"):
            if key in case:
                case[key] = mapped(single, case[key])
    return counted_from_zero(case)


def counted_from_zero(case: Any) -> Any:
    """The case with indices as they are here, where a layer takes or gives them, as its class declares."""
    module = case["module"]
    first = module.get(0) if isinstance(module, nn.Sequential) and len(module) else module
    if "input" in case:
        case["input"] = fromOne(case["input"], first._counts.inputs)
    for results in (case.get("train"), case.get("evaluate")):
        if results and module._counts.outputs:
            results["output"] = fromOne(results["output"], module._counts.outputs)
            results.pop("buffers", None)  # scratch memory of Torch7's
        if results and "gradInput" in results:
            results["gradInput"] = fromOne(results["gradInput"], module._counts.gradInputs)
    return case


def single(value: Any) -> Any:
    """An array in single precision, with the strides it has; labels stay."""
    if not isinstance(value, np.ndarray) or value.dtype != np.float64:
        return value
    return map_storage(value, lambda storage: storage.astype(np.float32), {})


def tolerance(entry: Entry, precision: str) -> float:
    if entry["name"].startswith(STRETCHED):
        return 1e-5
    if entry["name"] == "FastLSTM_bn_t4x3_float":
        return 4e-5  # the error of normalizing over four samples, with terms twenty times as large
    return 1e-5 if precision == "as_float" else TOLERANCE[entry["dtype"]]


def trained(case: Any) -> tuple[Tree, Tree]:
    """Repeats the steps of the original: clear the gradients, seed, forward, backward."""
    module = case["module"]
    module.zeroGradParameters()
    pl.manualSeed(case["seed"])
    output = mapped(np.copy, module.forward(case["input"]))
    if case.get("forwardOnly"):
        return output, None
    gradInput = module.backward(case["input"], case["gradOutput"])
    return output, None if gradInput is None else mapped(np.copy, gradInput)


def at(owner: Any, path: str) -> Any:
    """`path` is as in Lua: modules.2.noise."""
    for step in path.split("."):
        owner = owner[int(step) - 1] if step.isdigit() else getattr(owner, step)
    return owner


def from_torch(name: str, buffer: Array, owner: Any, input: Tree) -> Array:
    """A buffer as it is here: indices are positions within planes, from 0 on; those of unpooling in the planes pooled.

    Places and classes count from 0, too.
    """
    if name in ("coord", "sampleidx"):
        return buffer - 1
    if name not in ("indices", "_indices"):
        return buffer
    pooled = getattr(owner, "pooling", None)
    sizes = [getattr(pooled, size, None) for size in ("itime", "iheight", "iwidth")] if pooled else input.shape
    return fromTorch7(owner, buffer, tuple(size for size in sizes if size is not None))


def input_of(module: Any, path: str, input: Tree) -> Tree:
    """Returns the input of the module at `path` in a chain of modules: the output of the one before."""
    before, _, place = path.rpartition(".")
    return at(module, f"{before}.{int(place) - 1}").output if place.isdigit() and int(place) > 1 else input


def shaped(module: Any, expected: list[Array]) -> list[Array]:
    """Parameters or their gradients in the shapes that they keep here.

    Torch7's WeightNorm gave the gradient of its directions the shape of the weight, and a pass of its
    SpatialDepthWiseConvolution left the matrix of the weight with four dimensions.
    """
    if module._typename not in ("nn.WeightNorm", "nn.SpatialDepthWiseConvolution"):
        return expected
    return [array.reshape(own.shape) for array, own in zip(expected, module.parameters()[0], strict=True)]


def assert_gradients(module: Any, expected: Any, near: float, what: str = "gradParameters") -> None:
    """The gradients of the parameters; one that is nothing but rounding is measured by the others.

    That of IndexLinear is a table with the rows of each pass.
    """
    if expected and module._typename == "nn.IndexLinear":
        actual = module.parameters()[1]
        for gradients in (actual, expected):
            gradients[:1] = gradients[0]["gradWeight"]
        assert_close(actual, expected, near, what, largest(expected))
        return
    if expected:
        assert_close(module.parameters()[1], shaped(module, expected), near, what, largest(expected))


@cases("module", "results", has=("train", "output"), both=True)
def test_training(entry: Entry, precision: str) -> None:
    """A pass each way, a step against the gradients, and a second pass backward, which adds half of the gradients."""
    case = load(entry, precision)
    module, train, near = case["module"], case["train"], tolerance(entry, precision)
    input, again = case["input"], mapped(np.copy, case.get("gradOutput"))  # a pass may write over the gradient it gets
    output, gradInput = trained(case)
    parameters, _ = module.parameters() or ([], [])
    assert_close(parameters, shaped(module, train.get("parameters") or []), near, "parameters")
    assert_close(output, train["output"], near, "output")
    if not isinstance(train.get("gradInput", {}), dict):  # an empty table, a dict, leaves nothing to compare
        # If a gradient is a small difference of large terms, single precision can only be as good as the terms.
        terms = largest(case["gradOutput"]) if precision == "as_float" else 0.0
        assert_close(gradInput, train["gradInput"], near, "gradInput", terms)
    assert_gradients(module, train.get("gradParameters"), near)
    for path, buffer in (train.get("buffers") or {}).items():
        inside, _, name = path.rpartition(".")
        owner = at(module, inside) if inside else module
        expected = np.asarray(from_torch(name, buffer, owner, input_of(module, inside, input)))
        assert_close(np.asarray(getattr(owner, name)), expected, near, path)
    if "updated" in train and "update" not in affected(entry):
        other = module.clone()
        other.updateParameters(0.1)
        assert_close(other.parameters()[0], shaped(other, train["updated"]), near, "updated parameters")
    if "gradParameters_scale2" in train and "gradParameters_scale2" not in affected(entry):
        module.backward(input, again, 0.5)
        assert_gradients(module, train["gradParameters_scale2"], near, "gradParameters after a second pass")


@cases("module", "results", "evaluate", has=("evaluate", "output"), both=True)
def test_evaluation(entry: Entry, precision: str) -> None:
    case = load(entry, precision)
    module = case["module"]
    module.evaluate()
    pl.manualSeed(case["seed"])  # fractional pooling is random in evaluation too
    assert_close(module.forward(case["input"]), case["evaluate"]["output"], tolerance(entry, precision))


@cases("module")
def test_loading(entry: Entry) -> None:
    """Every object in the file is one of its class here, and prints as in Lua."""
    case = load(entry)
    assert not any(isinstance(module, Unknown) for module in case["module"].listModules())
    if "tostring" in case and "tostring" not in affected(entry):
        assert repr(case["module"]) == case["tostring"]


# ---------------------------------------------------------------------------------------------- criterions


def labels(case: Any) -> Any:
    """The target as it is here: classes count from 0 where the criterion, or one in it, declares labels.

    Integers are labels everywhere.
    """

    def counted(target: Any) -> Any:
        kind = case["module"]._counts.targets or ("labels" if getattr(target, "dtype", None) == np.int64 else None)
        return fromOne(target, kind)

    return mapped(counted, case["target"]) if "target" in case else None


@cases("criterion", "results", both=True)
def test_criterion(entry: Entry, precision: str) -> None:
    case = load(entry, precision)
    criterion, near = case["module"], tolerance(entry, precision)
    target = labels(case)
    assert_close(criterion.forward(case["input"], target), case["output"], near, "output")
    gradInput = criterion.backward(case["input"], target)
    if "backward" not in affected(entry):
        assert_close(gradInput, case["gradInput"], near, "gradInput")
    if "weights" in case:
        assert_close(np.asarray(criterion.weights), np.asarray(case["weights"]), near, "weights")
    for path, buffer in (case.get("buffers") or {}).items():
        assert_close(at(criterion, path), buffer, near, path)
    assert str(criterion) == case["tostring"]


# ---------------------------------------------------------------------------------------------- networks as a whole


@cases("data", name="getParameters")
def test_getParameters(entry: Entry) -> None:
    """One vector of all parameters, in Torch7's order, of which the layers hold views where Torch7's do."""
    case = load(entry)
    module, input = case["module"], case["input"]
    flat, flatGrad = module.getParameters()
    assert_same(flat, case["flatParameters"])
    assert_same(flatGrad, case["flatGradParameters"])
    layout = case["layout"] or []
    for held in module.parameters():
        assert [storage_offset(p) + 1 for p in held] == [place["offset"] for place in layout]
        assert [list(p.shape) for p in held] == [place["size"] for place in layout]
        assert [[s // p.itemsize for s in p.strides] for p in held] == [place["stride"] for place in layout]
    assert_close(module.forward(input), case["output"], 1e-10)
    flat += 0.125
    assert_close(module.forward(input), case["outputShifted"], 1e-10)


@cases("data", name="getParameters")
def test_saved_flattened(entry: Entry) -> None:
    """A network that was saved after getParameters still lives in the vector that was saved with it."""
    case = load(entry)
    flattened = case["flattened"]
    module = flattened["module"]
    flattened["gradParameters"].fill(3)
    assert all((gradient == 3).all() for gradient in module.parameters()[1])
    assert_close(module.forward(case["input"]), case["output"], 1e-10)
    flattened["parameters"] += 0.125
    assert_close(module.forward(case["input"]), case["outputShifted"], 1e-10)


@cases("data", name="StochasticGradient")
def test_training_loop(entry: Entry) -> None:
    case = load(entry)
    trainer = case["module"]
    errors: list[float] = []
    trainer.hookIteration = lambda trainer, iteration, error: errors.append(error)
    trainer.train(list(zip(case["input"], case["target"], strict=True)))
    assert_close(trainer.module.parameters()[0], case["parameters"], 1e-10, "parameters")
    assert_close(np.array(errors), np.array(case["errors"]), 1e-10, "errors")


# ---------------------------------------------------------------------------------------------- the files themselves


def test_every_file_is_listed() -> None:
    listed = {entry["file"] for entry in LISTED}
    families = {entry["family"] for entry in LISTED}
    present = {path.relative_to(GOLDEN).as_posix() for family in families for path in (GOLDEN / family).glob("*.t7")}
    assert listed == present
