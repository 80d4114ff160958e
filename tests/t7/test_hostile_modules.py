"""Modules whose fields are not what their class expects: an error of ours when loaded or run, never one of Python or C."""

import io
import pickle

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import migration, nn, nnx, t7
from tests.test_golden import GOLDEN, MANIFEST, counted_from_zero


def content(value, format="binary"):
    file = io.BytesIO()
    t7.write(file, value, format)
    return file.getvalue()


def saved(value, format="binary"):
    file = io.BytesIO()
    pl.save(file, value, format)
    return file.getvalue()


class Record(t7.TorchObject):
    """The record of a module in a file; ``|`` changes fields."""

    __slots__ = ()

    def __or__(self, fields):
        return Record(self.typename, self.version, self.fields | fields)


def record(layer):
    found = t7.read(saved(layer))
    return Record(found.typename, found.version, found.fields)


def module(typename, **fields):
    return t7.TorchObject(typename, 1, {"_type": "torch.FloatTensor", **fields})


def refused(typename, **fields):
    with pytest.raises(t7.T7Error) as error:
        pl.load(content({"model": module("nn.Sequential", modules=[module(typename, **fields)])}))
    text = str(error.value)
    assert text.startswith("<bytes>: offset ") and ", at root.model.modules[1]: " in text
    return text


FAMILIES = sorted({entry["family"] for entry in MANIFEST if entry["kind"] == "module"})
OTHERS = [None, {}, "x", 0, -3, 2.0**60, float("nan"), [1, 2], ["x", None], t7.TorchObject("nn.Linear", 1, {})]


def objects(value, known):
    """All objects in what a file holds, each once."""
    if id(value) in known:
        return
    known[id(value)] = value
    inside = value.fields if isinstance(value, t7.TorchObject) else value
    if inside is not value and isinstance(inside, dict):
        yield value
    for each in inside.values() if isinstance(inside, dict) else inside if isinstance(inside, list) else ():
        yield from objects(each, known)


@pytest.mark.parametrize("family", FAMILIES)
def test_fields_of_families_replaced(family, capsys):
    """Also those that are missing, and those of the objects inside, in the smallest file of each class."""
    best = {}
    for entry in sorted(MANIFEST, key=lambda entry: entry["bytes"], reverse=True):
        if entry["kind"] == "module" and entry["family"] == family:
            best[entry["name"].partition("_")[0]] = entry
    raw, tried = [], set()
    for name, entry in sorted(best.items(), key=lambda item: item[1]["bytes"]):
        case = t7.read(GOLDEN / entry["file"])
        for thing in objects(case["module"], {}):
            if thing.typename in tried:
                continue
            tried.add(thing.typename)
            whole = thing.fields
            for field in whole.keys() - {"output", "gradInput", "_type"}:
                for value in OTHERS if entry["bytes"] < 9000 else ("x", -3, 2.0**60):
                    if (thing.typename, field) == ("nn.Repeater", "rho") and value == 2.0**60:
                        continue  # as many steps, one after the other
                    thing.fields = {key: other for key, other in whole.items() if key != field}
                    if value is not None:
                        thing.fields[field] = value
                    try:
                        found = counted_from_zero(pl.load(content(case)))
                        str(found["module"])
                        output = found["module"].forward(found["input"])
                        found["module"].backward(found["input"], output)
                    except (t7.T7Error, pl.THNNError):
                        pass
                    except Exception as error:
                        raw.append((name, thing.typename, field, value, repr(error)))
            thing.fields = whole
    assert len(best) > 2 and raw == []


def test_what_rnn_and_dpnn_and_nnx_take_for_granted():
    """Files that Torch7 read: old ones, and fields of more than one kind."""
    kernel = np.ones((3, 1), np.float32)
    layer, x = nnx.SpatialNormalization(1, [kernel, kernel.T.copy()]), np.float32(np.arange(25)).reshape(1, 5, 5)
    np.testing.assert_array_equal(pl.load(saved(layer)).forward(x), layer.forward(x))
    for made in (nn.SeqLSTM(2, 3), nn.SeqLSTMP(2, 4, 3)):
        old = record(made)
        del old.fields["outputsize"]
        assert pl.load(content(old)).forward(np.ones((2, 1, 2), np.float32)).shape == (2, 1, 3)
    for typename, wanted in (("nn.Sequencer", "the module of a step"), ("nn.Repeater", "the module"), ("nn.BiSequencerLM", "3")):
        with pytest.raises(t7.T7Error, match=f"modules: expected {wanted}"):
            pl.load(content(module(typename, modules=[], rho=2)))


def test_fields_of_the_wrong_kind_are_named():
    assert "field kW: expected a whole number, got str 'abc' (in a nn.SpatialMaxPooling)" in refused(
        "nn.SpatialMaxPooling", kW="abc"
    )
    assert "field nInputDims: expected a whole number" in refused("nn.JoinTable", dimension=1, nInputDims=2.5)
    assert "field weight: expected a tensor" in refused("nn.Linear", weight="none")
    assert "floating-point" in refused("nn.Linear", weight=np.ones((2, 2), np.int64))
    assert "2 dimensions" in refused("nn.Linear", weight=np.ones((2, 2, 2), np.float32))
    assert "list of modules" in refused("nn.Sequential", modules=[1, 2])
    assert "as large as its storage" in refused("nn.Linear", weight=np.broadcast_to(np.float32(1), (1 << 16, 1 << 16)))
    with pytest.raises(t7.T7Error, match=r"table of fields of a nn\.Linear, got list"):
        pl.load(content(t7.TorchObject("nn.Linear", 1, [1, 2])))


EXPANDED = {
    "expanded": np.broadcast_to(np.float32(1), (129, 512)),
    "endless": np.broadcast_to(np.float32(1), (1 << 20, 1 << 20)),
    "overlapping": np.lib.stride_tricks.as_strided(np.ones(1 << 12, np.float32), (1 << 11, 1 << 11), (4, 4)),
}


@pytest.mark.parametrize("format", ["binary", "ascii"])
@pytest.mark.parametrize("array", EXPANDED.values(), ids=EXPANDED)
def test_expanded_buffers_cost_nothing(array, format):
    """They are left out, or kept as they are: conversions, copies, pickles and files are no larger for them."""
    for layer in (nn.CMul(512), nn.CAdd(512), nn.Linear(512, 3), nn.Dropout(), nn.BatchNormalization(512), nn.Replicate(2)):
        buffers = dict.fromkeys(("_expand", "_repeat", "addBuffer", "noise", "save_mean", "output", "gradInput", "other"), array)
        gradients = dict.fromkeys(("gradWeight", "gradBias"), array) if layer.parameters() else {}
        net = pl.load(content(t7.TorchObject("nn.Sequential", 1, {"modules": [record(layer) | buffers | gradients]}), format))
        again = pickle.loads(pickle.dumps(net.double().clone().float()))
        assert len(saved(again, format)) < 100_000
        fields = t7.read(saved(again, format)).fields["modules"][0].fields
        assert fields["other"].shape == array.shape and fields["output"].shape == array.shape
        input = np.ones((2, 512), np.float32)
        assert again.backward(input, np.ones_like(again.forward(input))).shape == input.shape
    unknown = pl.load(content(t7.TorchObject("my.Layer", 1, {"weight": array, "_expand": array, "output": array}), format))
    again = pickle.loads(pickle.dumps(unknown.double().clone()))
    assert t7.read(saved(again, format)).fields["weight"].shape == array.shape


def test_buffers_that_do_not_fit_are_made_anew():
    input = np.ones((3, 4, 4), np.float32)
    with migration.collect() as mended:
        for layer in (nn.SpatialSubSampling(3, 2, 2), nn.SpatialConvolution(3, 3, 2, 2), nn.SpatialBatchNormalization(3)):
            weight = layer.weight.shape
            for gradient in (np.ones((3, 7, 7), np.float32), {}, [1, 2], "none", 1, np.ones(weight, np.float64)):
                found = pl.load(content(record(layer) | {"gradWeight": gradient, "gradBias": gradient, "indices": gradient}))
                assert not np.any(found.gradWeight) and found.gradWeight.shape == weight
                if layer.__class__ is nn.SpatialBatchNormalization:
                    continue
                found.backward(input, np.ones_like(found.forward(input)))
                assert np.any(found.gradWeight)
    assert any(change.field == "gradWeight" and "3 x 7 x 7" in change.what and change.path for change in mended)
    layer = pl.load(content(record(nn.WeightedEuclidean(4, 3)) | {"gradDiagCov": {}, "gradWeight": "none"}))
    assert layer.gradDiagCov.shape == layer.diagCov.shape and not np.any(layer.gradDiagCov)
    layer = pl.load(content(record(nn.LinearWeightNorm(4, 3)) | {"gradV": {}, "gradG": np.ones(2, np.float32)}))
    assert layer.gradV.shape == layer.v.shape and layer.gradG.shape == layer.g.shape
    layer = pl.load(content(record(nn.BatchNormalization(3)) | {"save_mean": {}, "save_std": "none"}))
    assert layer.backward(input[0, :2, :3], layer.forward(input[0, :2, :3])).shape == (2, 3)


def test_gradients_of_inputs_that_are_not_there():
    """A network without any gradInput gets them; one module alone was told to compute none, and errors name it."""
    input = np.ones((2, 5), np.float32)
    names = ("gradInput",)

    def network(*without):
        layers = [record(layer) for layer in (nn.Linear(5, 3), nn.ReLU(), nn.Linear(3, 3))]
        for place in without:
            layers[place].fields["output"] = input
            del layers[place].fields["gradInput"]
        return t7.TorchObject("nn.Sequential", 1, {"modules": layers, "output": input})

    with migration.collect() as mended:
        net = pl.load(content({"model": network(0, 1, 2)}))
    places = [change.path for change in mended if change.field in names]
    assert [place for place in places if "model.modules[2]" in place] == ["root.model.modules[2]"]
    assert net["model"].backward(input, net["model"].forward(input)).shape == (2, 5)
    net = pl.load(content(network(0)))
    assert net.backward(input, net.forward(input)) is None and net.modules[0].gradInput is None
    for again in (pl.load(content(network(2))), pl.load(saved(pl.load(content(network(2)))))):
        with pytest.raises(pl.errors.NullError, match=r"module 3, a nn\.Linear, gives no gradient .*: its gradInput is None"):
            again.backward(input, again.forward(input))


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
    for _ in range(20_000):
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
