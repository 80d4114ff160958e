"""Modules whose fields are not what their class expects: an error of ours when loaded or run, never one of Python or C."""

import io

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, t7
from tests.test_golden import GOLDEN, MANIFEST

VALUES = {
    "text": "abc",
    "negative": -3,
    "huge": 2**31 - 1,
    "beyond": 2.0**60,
    "not_a_number": float("nan"),
    "table": {"a": 1},
    "function": t7.Function(b"\x1bLJ"),
    "expanded": np.broadcast_to(np.float64(1), (1 << 20, 1 << 20)),
    "object": t7.TorchObject("nn.Linear", 1, {}),
}


def content(value):
    file = io.BytesIO()
    t7.write(file, value)
    return file.getvalue()


def module(typename, **fields):
    return t7.TorchObject(typename, 1, {"_type": "torch.FloatTensor", **fields})


def refused(typename, **fields):
    with pytest.raises(t7.T7Error) as error:
        pl.load(content({"model": module("nn.Sequential", modules=[module(typename, **fields)])}))
    text = str(error.value)
    assert text.startswith("<bytes>: offset ") and ", at root.model.modules[1]: " in text
    return text


def smallest(names):
    """The smallest golden case of each class."""
    best = {}
    for entry in MANIFEST:
        name = entry["lua"].partition("(")[0]
        if entry["kind"] == "module" and name in names and entry["bytes"] < best.get(name, entry)["bytes"] + 1:
            best[name] = entry
    return best


CLASSES = """
    nn.SpatialConvolution nn.SpatialFullConvolution nn.SpatialMaxPooling nn.SpatialAveragePooling nn.Linear nn.Threshold
    nn.BatchNormalization nn.SpatialCrossMapLRN nn.LookupTable nn.Sequential nn.Concat nn.JoinTable nn.Reshape nn.Dropout
    nn.SpatialZeroPadding nn.PReLU nn.TemporalConvolution nn.VolumetricMaxPooling nn.SpatialUpSamplingNearest
"""
BEST = smallest(CLASSES.split())


@pytest.mark.parametrize("name", sorted(BEST))
def test_every_field_replaced(name):
    case = t7.read(GOLDEN / BEST[name]["file"])
    fields = case["module"].fields
    for field, original in list(fields.items()):
        for value in VALUES.values():
            fields[field] = value
            try:
                found = pl.load(content(case))
                str(found["module"])
                found["module"].forward(found["input"])
                found["module"].backward(found["input"], found["gradOutput"])
            except (t7.T7Error, pl.THNNError):
                pass
        fields[field] = original


def test_fields_of_the_wrong_kind_are_named():
    assert "field kW: expected a whole number, got str 'abc' (in a nn.SpatialMaxPooling)" in refused(
        "nn.SpatialMaxPooling", kW="abc"
    )
    assert "field nInputDims: expected a whole number" in refused("nn.JoinTable", dimension=1, nInputDims=2.5)
    assert "field weight: expected a tensor" in refused("nn.Linear", weight="none")
    assert "floating-point" in refused("nn.Linear", weight=np.ones((2, 2), np.int64))
    assert "2 dimensions" in refused("nn.Linear", weight=np.ones((2, 2, 2), np.float32))
    text = refused("nn.Linear", weight=np.ones((2, 3), np.float32), gradWeight=np.ones((3, 2), np.float32))
    assert "gradWeight: expected the shape of weight, 2 x 3, got 3 x 2" in text
    assert "list of modules" in refused("nn.Sequential", modules=[1, 2])
    assert "as large as its storage" in refused("nn.Linear", weight=np.broadcast_to(np.float32(1), (1 << 16, 1 << 16)))
    with pytest.raises(t7.T7Error, match=r"table of fields of a nn\.Linear, got list"):
        pl.load(content(t7.TorchObject("nn.Linear", 1, [1, 2])))


def test_a_field_that_is_missing_is_named_when_it_is_needed():
    net = pl.load(content(module("nn.SpatialMaxPooling", kW=2)))
    with pytest.raises(pl.errors.FieldError, match=r"nn\.SpatialMaxPooling: has no attribute 'kH'"):
        net.forward(np.zeros((1, 4, 4), np.float32))
    assert "fields missing" in str(pl.load(content(module("nn.Linear"))))
    assert not hasattr(net, "nothing")


def test_memory_that_nobody_has():
    with pytest.raises((pl.errors.OutOfMemoryError, pl.errors.ShapeError)):
        pl.load(content(module("nn.Padding", dim=1, pad=2**50, value=0, nInputDim=1))).forward(np.zeros(3, np.float32))


def test_modules_inside_themselves():
    itself = module("nn.Sequential")
    itself.fields["modules"] = [itself, itself]
    net = pl.load(content(itself))
    assert net.modules[0] is net and len(str(net)) < 500
    with pytest.raises(pl.THNNError, match="nested too deep, or contain themselves") as error:
        net.forward(np.zeros(3, np.float32))
    assert len(str(error.value)) < 1000


def test_modules_that_double_without_end():
    inner = module("nn.Identity")
    for _ in range(60):
        inner = module("nn.Sequential", modules=[inner, inner])
    assert len(str(pl.load(content(inner)))) < 10_000_000


@pytest.mark.parametrize("kind", ["tables", "modules", "unknown", "fields"])
def test_any_depth(kind):
    value = None
    for _ in range(100_000 if kind in ("tables", "fields") else 20_000):
        if kind == "tables":
            value = [value]
        elif kind == "fields":
            value = {"a": value}
        elif kind == "modules":
            value = module("nn.Sequential", modules=[] if value is None else [value])
        else:
            value = t7.TorchObject("my.Class", 1, {"inner": value})
    if kind == "fields":
        value = t7.TorchObject("nn.Identity", 1, {"deep": value})
    data = content(value)
    found = pl.load(data)
    assert isinstance(found, (list, nn.Module)) and len(pl.interop.tensors(found)) == 0
    with pytest.raises(t7.T7Error) as error:
        pl.load(data[:-2])
    assert len(str(error.value)) < 400
