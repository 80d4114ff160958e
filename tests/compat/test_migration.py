"""Files of older releases: what is mended on the way in, and the list of it."""

from __future__ import annotations

import io
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import migration, t7

GOLDEN = Path(__file__).parents[1] / "golden"
DOUBLE = {"_type": "torch.DoubleTensor", "output": np.empty(0), "gradInput": np.empty(0)}


def draw(*shape: int, seed: int = 1) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def loaded(typename: str, fields: dict[str, Any], version: int = 1) -> tuple[Any, dict[str, str]]:
    """The object and what was mended, by field."""
    file = io.BytesIO()
    t7.write(file, t7.TorchObject(typename, version, DOUBLE | fields))
    with migration.collect() as found:
        thing = pl.load(file.getvalue())
    return thing, {change.field: change.what for change in found}


ENTRIES = json.loads((GOLDEN / "manifest.json").read_text())
# Torch7 read these as they are, too: what they lack is made by the next forward.
NOTHING_TO_MEND = (
    "Concat_", "CosineEmbedding", "DepthConcat_", "LookupTable_v3", "Max_", "Min_", "Parallel_",
    "ReLU_old", "Threshold_old", "VolumetricMaxPooling_v1", "version0",
)  # fmt: skip


@pytest.mark.parametrize("file", [entry["file"] for entry in ENTRIES if entry["family"] == "compat"])
def test_old_files_are_listed(file: str) -> None:
    with migration.collect() as found:
        pl.load(GOLDEN / file)
    assert bool(found) != file.removeprefix("compat/").startswith(NOTHING_TO_MEND)
    assert all(c.typename.startswith("nn.") and c.field and c.what and c.path.startswith("root") for c in found)


def test_files_of_the_last_release_need_nothing() -> None:
    """But for the one that lacks `groups` as old files do."""
    families = ("activation", "alias", "container", "convolution", "criterion", "normalization", "pooling", "simple", "table")
    mended = set()
    for entry in ENTRIES:
        if entry["family"] in families:
            with migration.collect() as found:
                pl.load(GOLDEN / entry["file"])
            mended |= {entry["name"] for _ in found}
    assert mended == {"SpatialConvolution_nogroups_1x2x4x4"}


def test_collecting() -> None:
    """Nobody collects: nothing happens. Lists nest, and belong to their thread."""
    migration.note("nn.Foo", "a", "b")
    with migration.collect() as outer:
        migration.note("nn.Foo", "a", "missing: 1")
        with migration.collect() as inner:
            migration.note(pl.nn.Tanh(), "c", "missing: 2")
            thread = threading.Thread(target=migration.note, args=("nn.Bar", "d", "e"))
            thread.start()
            thread.join()
    assert outer == [migration.Change("nn.Foo", "a", "missing: 1")]
    assert inner == [migration.Change("nn.Tanh", "c", "missing: 2")]


def test_defaults_of_the_constructor() -> None:
    """A missing field that is an argument of the constructor has the argument's default."""
    net, changes = loaded("nn.MultiMarginCriterion", {"p": 1, "sizeAverage": True})
    assert net.margin == 1 and changes == {"margin": "missing: 1"}
    net, changes = loaded("nn.MM", {})
    assert (net.transA, net.transB, changes) == (False, False, {})
    net, changes = loaded("nn.SpatialDilatedMaxPooling", dict.fromkeys(("kW", "kH", "dW", "dH"), 2))
    assert net.dilationW == net.dilationH == 1 and changes["padW"] == "missing: 0"
    net, changes = loaded("nn.CrossEntropyCriterion", {})
    assert net.sizeAverage and changes == {"sizeAverage": "missing: True"}


@pytest.mark.parametrize("number", [0, 1, 0.5])
def test_train_as_a_number(number: float) -> None:
    """All numbers are true in Lua, 0 too."""
    net, changes = loaded("nn.Dropout", {"p": 0.5, "train": number, "v2": True})
    assert net.train is True and changes["train"].startswith(f"was {number}")
    net, changes = loaded("nn.Dropout", {"p": 0.5, "train": False, "v2": True})
    assert net.train is False and changes == {}


@pytest.mark.parametrize("typename", ["nn.SpatialBatchNormalization", "nn.RReLU"])
def test_train_as_a_number_that_went_to_c(typename: str) -> None:
    """OpenCV's net_batch_norm has 0 there: C took that for false."""
    running = {"running_mean": np.zeros(2), "running_var": np.ones(2), "eps": 1e-5, "lower": 0.1, "upper": 0.3}
    net, changes = loaded(typename, running | {"train": 0}, 2)
    assert net.train is False and changes["train"] == "was 0: false, as 0 is in C, which got it"
    assert loaded(typename, running | {"train": 1}, 2)[0].train is True
    assert loaded("cudnn.SpatialBatchNormalization", running | {"train": 0}, 2)[0].train is True


def test_without_buffers() -> None:
    """Files stripped of all results run forward and backward; where gradInput alone is missing, none is wanted."""
    net, _ = loaded("nn.AddConstant", {"constant_scalar": 2, "output": None, "gradInput": None})
    np.testing.assert_array_equal(net.forward(np.ones(3)), [3, 3, 3])
    np.testing.assert_array_equal(net.backward(np.ones(3), np.ones(3)), [1, 1, 1])
    net, _ = loaded("nn.AddConstant", {"constant_scalar": 2, "gradInput": None})
    assert net.gradInput is None


@pytest.mark.parametrize("typename", ["nn.BatchNormalization", "cudnn.SpatialBatchNormalization"])
@pytest.mark.parametrize("version", [0, 1, 2])
def test_running_std(typename: str, version: int) -> None:
    fields = {"running_mean": np.zeros(2), "running_std": np.array([0.5, 2.0]), "eps": 1e-5, "train": True}
    net, changes = loaded(typename, fields, version)
    np.testing.assert_allclose(net.running_var, [4 - 1e-5, 0.25 - 1e-5])
    assert "running_std" not in vars(net) and "running_var" in changes


def test_convolutions() -> None:
    sizes = {"nInputPlane": 2, "nOutputPlane": 3, "kW": 2, "kH": 3}
    net, changes = loaded("nn.SpatialConvolution", sizes | {"weight": draw(3, 12), "bias": draw(3), "padding": 1})
    assert net.weight.shape == (3, 2, 3, 2) and (net.dW, net.padW, net.padH) == (1, 1, 1)
    assert changes["weight"] == "had the shape (3, 12): (3, 2, 3, 2)" and changes["gradBias"] == "missing: zeros"
    assert net.forward(draw(1, 2, 4, 4)).shape == (1, 3, 4, 5)
    net, changes = loaded("cudnn.SpatialFullConvolution", sizes | {"dW": 1, "dH": 1, "weight": draw(2, 3, 3, 2), "bias": draw(3)})
    assert (net.adjW, net.padH, net.groups) == (0, 0, 1)
    net, changes = loaded("nn.SpatialDeconvolution", sizes | {"dW": 1, "dH": 1, "weight": draw(2, 3, 3, 2), "bias": draw(3)})
    assert net.forward(draw(2, 4, 4)).shape == (3, 6, 5)


def test_lookup_tables_with_rows_of_rows() -> None:
    size = np.array([4, 2, 3]).view(t7.Storage)
    weight = draw(4, 2, 3)
    net, changes = loaded("nn.LookupTable", {"weight": weight, "gradWeight": weight * 0, "size": size, "batchSize": size}, 2)
    np.testing.assert_array_equal(net.forward(np.array([3, 0])), weight[[3, 0]])
    net.backward(np.array([3, 0]), np.ones((2, 2, 3)))
    assert net.gradWeight.sum() == 12 and changes["paddingValue"] == "missing: -1"


def test_sizes_in_other_forms() -> None:
    """Sizes came as storages, tensors or tables."""
    for size in (np.array([2, 3]).view(t7.Storage), np.array([2.0, 3.0]), [2, 3]):
        for typename in ("nn.View", "nn.Reshape"):
            net, _ = loaded(typename, {"size": size})
            assert net.forward(draw(4, 6)).shape == (4, 2, 3)


def test_bare_criterions() -> None:
    x, target = draw(3, 4), np.array([0, 2, 1])
    net, changes = loaded("nn.ClassNLLCriterion", {"sizeAverage": True})
    assert changes == {"ignoreIndex": "missing: -100"}
    net.forward(x, target)
    net, changes = loaded("nn.HingeEmbeddingCriterion", {"margin": 1})
    assert changes == {"sizeAverage": "missing: True"}
    net.forward(x, 1)


def test_without_type() -> None:
    """The type follows from the tensors, first of all the weight."""
    fields = {"weight": draw(2, 3).astype(np.float32), "bias": draw(2).astype(np.float32)}
    net, changes = loaded("nn.Linear", fields | {"_type": None, "output": None})
    assert net._type == "torch.FloatTensor" and {"_type", "output"} <= changes.keys()
    assert net.forward(draw(2, 3).astype(np.float32)).shape == (2, 2)


def test_fields_that_mean_something_else() -> None:
    """Notes of authors and buffers of old releases have names that other classes have, too."""
    notes = {"name": 5, "noise": 0.1, "mask": False, "indices": {}, "normalized": draw(2), "p": draw(2), "k": {}}
    net, _ = loaded("nn.Linear", {"weight": draw(2, 3), "bias": False} | notes)
    assert net.forward(draw(3)).shape == (2,) and net.bias is None
    buffers = {name: draw(2) for name in ("buffer", "buffer2", "centered", "std", "normalized")}
    net, _ = loaded("nn.BatchNormalization", {"running_mean": draw(2), "running_std": np.ones(2), "eps": 1e-5, **buffers})
    assert net.forward(draw(4, 2)).shape == (4, 2)
    net, _ = loaded("nn.SpatialCrossMapLRN", {"size": 3, "alpha": 1e-4, "beta": 0.75, "k": 0.5})
    assert net.k == 0.5


def test_statistics_that_are_missing() -> None:
    net, changes = loaded("nn.SpatialBatchNormalization", {"weight": np.ones(2), "bias": np.zeros(2), "eps": 0, "train": False})
    np.testing.assert_array_equal(net.forward(np.ones((1, 2, 3, 3))), np.ones((1, 2, 3, 3)))
    assert changes["running_mean"] == "missing: zeros" and changes["running_var"] == "missing: ones"


def test_first_releases() -> None:
    for typename in ("nn.SoftShrink", "nn.HardShrink"):
        net, changes = loaded(typename, {})
        assert net.lambda_ == 0.5 and changes["lambda"] == "missing: 0.5"
    assert loaded("nn.PReLU", {"weight": draw(3)})[0].nOutputPlane == 3
    assert loaded("nn.PReLU", {"weight": draw(1)})[0].nOutputPlane == 0


def test_modules_with_names() -> None:
    """A table of modules that has names beside the positions keeps the modules at the positions."""
    child = t7.TorchObject("nn.Tanh", 1, DOUBLE)
    net, changes = loaded("nn.Sequential", {"modules": {1: child, 2: child, "first": child}})
    assert len(net.modules) == 2 and changes["modules"] == "a table with names, too: its list of 2"


def test_gradients_that_are_empty() -> None:
    """They serve as zeros, and go back to the file as they were unless there was training."""
    net, changes = loaded("nn.Linear", {"weight": draw(2, 3), "bias": draw(2), "gradWeight": np.empty(0), "gradBias": draw(2)})
    assert changes == {"gradWeight": "empty: zeros"} and net._toTorch7()["gradWeight"].size == 0
    net.forward(draw(3))
    net.backward(draw(3), draw(2))
    assert net._toTorch7()["gradWeight"].shape == (2, 3)


def test_unknown_classes_are_not_mended() -> None:
    """Nobody knows what their fields mean: they go back as they came, unless somebody changes them."""
    fields = {"train": 0, "weight": draw(2), "modules": {1: t7.TorchObject("nn.Tanh", 1, DOUBLE), "last": 1}}
    net, changes = loaded("my.Layer", fields, 3)
    assert changes == {} and net._toRecord().fields["train"] == 0 and "last" in net._toRecord().fields["modules"]
    net.evaluate()
    assert net._toRecord().fields["train"] is False


def test_sizes_with_a_fraction() -> None:
    """Torch7's C took the whole part."""
    window = {"kW": 2, "kH": 2.0, "dW": 1.5, "dH": 1, "padW": 0.5, "padH": -0.5, "ceil_mode": False}
    net, changes = loaded("nn.SpatialMaxPooling", window)
    assert net.forward(np.ones((1, 4, 4))).shape == (1, 3, 3)
    assert {name: changes[name] for name in ("dW", "padW", "padH")} == {
        "dW": "was 1.5: 1, the whole part", "padW": "was 0.5: 0, the whole part", "padH": "was -0.5: 0, the whole part",
    }  # fmt: skip
    net, _ = loaded("nn.SpatialAdaptiveMaxPooling", {"W": 2.5, "H": 3})
    assert net.forward(np.ones((1, 4, 4))).shape == (1, 3, 2)
    for typename, field in (("nn.SpatialMaxPooling", {"kW": float("inf")}), ("nn.SpatialZeroPadding", {"pad_l": 1.5})):
        with pytest.raises(pl.T7Error, match="expected a whole number"):
            loaded(typename, field)


@pytest.mark.parametrize("typename", ["nn.SpatialConvolution", "nn.SpatialConvolutionMM", "nn.SpatialFullConvolution"])
def test_weights_of_other_planes(typename: str) -> None:
    """Somebody summed the weight over colours and left nInputPlane: Torch7's C looked at the weight alone."""
    shape = (1, 4, 3, 3) if "Full" in typename else (4, 1, 3, 3)
    numbers = dict.fromkeys(("dW", "dH", "padW", "padH"), 1) | {"adjW": 0, "adjH": 0, "kW": 3, "kH": 3}
    numbers |= {"nInputPlane": 3, "nOutputPlane": 4}
    arrays = {"weight": np.ones(shape), "bias": np.zeros(4), "gradWeight": np.ones((4, 3, 3, 3)), "gradBias": np.zeros(4)}
    net, changes = loaded(typename, numbers | arrays, 2)
    input = np.ones((1, 5, 5))
    output = net.forward(input)
    assert output.shape == (4, 5, 5) and output[0, 2, 2] == 9
    assert net.backward(input, output).shape == input.shape and net.gradWeight.shape == net.weight.shape
    assert changes["nInputPlane"] == "was 3: 1, as the weight has them"
