"""pl.save: files for Torch7, and what was loaded comes back as it was.

Every golden file of every family takes part, whatever it holds.
"""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, t7
from pytorch_legacy.arrays import base_storage
from pytorch_legacy.errors import T7Warning
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.Unknown import Unknown
from pytorch_legacy.objects import Object
from pytorch_legacy.objects.copies import reachable
from tests.case import Case
from tests.rows import rows
from tests.t7.identical import Comparison, Difference
from tests.table import CASES
from tests.test_golden import GOLDEN, LISTED, cases, content, labels, layer, load, trained

Entry = dict[str, Any]

# Differences of pl.save from unchanged files of Torch7: (family or "", typename, words of the difference), and the reason.
ALLOWED: list[tuple[str, str, str, str]] = [
    ("", "", "torch.Cuda", "of a GPU: tensors of the CPU, and the name of their type"),
    ("compat", "", "has ", "younger than the file"),
    ("compat", "", " became nn.", "the versions of today's fields"),
    ("compat", "nn.BatchNormalization", "running_", "the deviation became the variance"),
    ("compat", "nn.SpatialBatchNormalization", "running_", "the deviation became the variance"),
    ("compat", "nn.VolumetricBatchNormalization", "running_", "the deviation became the variance"),
    ("compat", "nn.Spatial", "lacks padding", "became padW and padH"),
    ("compat", "nn.VolumetricFullConvolution", "lacks p", "became padT, padW and padH"),
    ("compat", "nn.VolumetricFullConvolution", "float64 (", "input and output planes changed places"),
    ("alias", "cudnn.SpatialConvolution", "has groups", "younger than the file"),
    ("compat", "nn.SpatialConvolution", "float64 (3, 12) became", "a matrix became what it was the matrix of"),
    ("graph", "nn.gModule", "has ", "younger than the file"),
]


def saved(value: Any, format: Any = "binary", **options: Any) -> bytes:
    file = io.BytesIO()
    pl.save(file, value, format, **options)
    return file.getvalue()


def allowed(family: str, found: Difference) -> bool:
    return any(
        where in ("", family) and found.owner.startswith(owner) and words in found.what for where, owner, words, _ in ALLOWED
    )


@rows("entry", [(layer(entry), entry["file"], entry) for entry in LISTED])
def test_untouched(entry: Entry) -> None:
    """A file of Torch7 has the same contents after it was loaded and saved."""
    path = GOLDEN / entry["file"]
    format = "ascii" if ".ascii." in path.name else "binary"
    again = t7.read(saved(pl.load(path), format))
    found = list(Comparison().differences(t7.read(path), again))
    assert [difference for difference in found if not allowed(entry["family"], difference)] == []


def test_everything_allowed_occurs() -> None:
    found = set()
    for entry in LISTED:
        if entry["family"] in ("compat", "alias", "graph", "nnx"):
            path = GOLDEN / entry["file"]
            for difference in Comparison().differences(t7.read(path), t7.read(saved(pl.load(path)))):
                found |= {row for row in ALLOWED if allowed(entry["family"], difference) and row[2] in difference.what}
    assert found == set(ALLOWED)


def records(value: Any) -> list[t7.TorchObject]:
    """All objects inside, each once."""
    found, seen, waiting = [], set(), [value]
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, t7.TorchObject):
            found.append(value)
        inner = value.fields if isinstance(value, t7.TorchObject) else value
        waiting += list(inner.values()) if isinstance(inner, dict) else inner if isinstance(inner, list) else []
    return found


def test_notes_in_any_object_come_back() -> None:
    """Whatever somebody else put into an object, or one inside it, stays there: of each class, wherever it came up first."""
    known: set[str] = set()
    lost = set()
    for entry in LISTED:
        if entry["bytes"] > 1 << 14:
            continue
        case = t7.read(GOLDEN / entry["file"])
        objects = [one for one in records(case) if isinstance(one.fields, dict) and not one.typename.startswith("torch.")]
        if len(objects) == 1 or known >= {one.typename for one in objects}:
            continue
        known |= {one.typename for one in objects}
        for number, one in enumerate(objects):
            one.fields |= {"noteOfSomebody": f"{number}", "arrayOfSomebody": np.ones(3)}
        again = t7.read(saved(pl.load(saved(case))))
        lost |= {found for found in Comparison().differences(case, again) if "Somebody" in found.what + found.field}
    assert lost == set() and len(known) > 80


# ---------------------------------------------------------------------------------------------- our own objects


def opened(value: Any) -> t7.TorchObject | None:
    """A module as a record of all that it shows; buffers that files leave out are private, or listed by the class."""
    if not isinstance(value, Object):
        return None
    hidden = {*value._form.dropped, *value._form.scratch, "header"}
    fields = {key: entry for key, entry in vars(value).items() if key[0] != "_" and key not in hidden and entry is not None}
    # The file cannot tell an empty list from an empty dict, a tuple from a list.
    fields = {key: list(entry) if isinstance(entry, (tuple, dict)) and not entry else entry for key, entry in fields.items()}
    return t7.TorchObject(value._typename, 1, fields)


def assert_comes_back(value: Any, format: str = "binary") -> Any:
    """A value that was saved and loaded is saved as the same file."""
    content = saved(value, format)
    again = pl.load(content)
    second = saved(again, format)
    assert second == content or list(Comparison().differences(t7.read(content), t7.read(second))) == []
    return again


@cases("module")
def test_module_comes_back(entry: Entry) -> None:
    """Fresh, after a pass, converted, cleared, flattened: in both formats."""
    case = load(entry)
    module = case["module"]
    assert_comes_back(module)
    if not {"results", "backward"} & set(entry.get("affects", "").split(", ")) and "_outside" not in entry["name"]:
        trained(case)
    for format in ("binary", "ascii"):
        assert_comes_back(module, format)
    assert_comes_back(module.float() if module._dtype == np.float64 else module.double())
    module.clearState()
    again = assert_comes_back(module)
    assert str(again) == str(module)
    if isinstance(module, (nn.IndexLinear,)) or not module.parameters() or not module.parameters()[0]:
        return
    try:
        flat, _ = module.getParameters()
    except pl.THNNError:  # sparse gradients inside
        return
    parameters = assert_comes_back([module, flat])[0].parameters()[0]
    assert len({id(base_storage(array)) for array in parameters if array.size}) == 1


@cases("criterion")
def test_criterion_comes_back(entry: Entry) -> None:
    case = load(entry)
    criterion, target = case["module"], labels(case)
    assert_comes_back(criterion)
    criterion.forward(case["input"], target)
    if "backward" not in entry.get("affects", ""):
        criterion.backward(case["input"], target)
    for format in ("binary", "ascii"):
        assert_comes_back(criterion, format)
    assert_comes_back(criterion.float())


# ---------------------------------------------------------------------------------------------- modules made here


@cache
def golden_fields() -> dict[str, tuple[set[str], set[str]]]:
    """For each class the names of fields that all its objects in today's golden files have, and that any of them has."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for entry in LISTED:
        if entry["family"] in ("compat", "serialization", "alias") or "dirty" in entry["name"]:
            continue
        todo, seen = [content(entry["file"])], set()
        while todo:
            value = todo.pop()
            if id(value) in seen:
                continue
            seen.add(id(value))
            if isinstance(value, t7.TorchObject):
                names = set(value.fields) if isinstance(value.fields, dict) else set()
                always, ever = found.setdefault(value.typename, (set(names), set()))
                always &= names
                ever |= names
                todo.append(value.fields)
            elif isinstance(value, (list, dict)):
                todo += value.values() if isinstance(value, dict) else value
    return found


# Fields that Torch7 makes during the first pass, so that modules of golden files lack them.
OF_A_PASS = {
    "buffer", "indices", "iheight", "iwidth", "itime", "loss", "mininput", "noise", "output", "gradInput", "output_tensor",
    "randomSamples", "save_mean", "save_std", "train",
}  # fmt: skip

# Fields that objects made here lack, or have beyond Torch7's, with the reason.
LACKING = {
    "bias": "there is none",
    "gradBias": "there is none",
    "targetModule": "there is none",
    "H": "None: as large as the input",
    "W": "None: as large as the input",
    "weights": "there are none",
}
BEYOND = {
    ("nn.Copy", "forceCopy"): "Torch7 stored a function",
    ("nn.VolumetricAveragePooling", "padT"): "Torch7 had no padding here",
    ("nn.VolumetricAveragePooling", "padW"): "Torch7 had no padding here",
    ("nn.VolumetricAveragePooling", "padH"): "Torch7 had no padding here",
    ("nn.VolumetricAveragePooling", "ceil_mode"): "nor this",
    ("nn.VolumetricAveragePooling", "count_include_pad"): "nor this",
    ("nn.SpatialBatchNormalization", "strict"): "Torch7 had no choice here",
    ("nn.PReLU", "numInputDims"): "nor here",
}


@rows("case", [(name, case.name, case) for name, case in CASES])
def test_made_here(case: Case) -> None:
    """Torch7 finds the fields that its own objects have, of the same types, and no others; and they come back."""
    module = case.make()
    things = list(reachable(module))
    if not all(type(thing).__module__.startswith("pytorch_legacy.") for thing in things):
        return  # a case may bring a class of its own
    for thing in things:
        record = thing._toRecord()
        if record.typename not in golden_fields():
            continue
        always, ever = golden_fields()[record.typename]
        assert always - set(record.fields) - set(LACKING) == set(), record.typename
        extra = {name for name in set(record.fields) - ever - OF_A_PASS if (record.typename, name) not in BEYOND}
        assert extra == set(), record.typename
    input = case.input(np.random.default_rng(1))
    assert_comes_back(module)
    again = assert_comes_back(module.double())  # constants have the digits now that a file of single precision lacks
    for thing in (module, again):
        thing.evaluate() if not isinstance(thing, Criterion) else None
        pl.manualSeed(3)
        arguments = [input] if case.target is None else [input, case.target(np.random.default_rng(2))]
        thing.forward(*arguments)
    if not case.inplace:
        assert_equal(again.output, module.output)


def assert_equal(a: Any, b: Any) -> None:
    if isinstance(a, (list, dict)):
        assert len(a) == len(b)
        for key in range(len(a)) if isinstance(a, list) else a:
            assert_equal(a[key], b[key])
    else:
        np.testing.assert_array_equal(a, b)


def test_types_of_fields() -> None:
    """Sizes are LongStorages, numbers numbers, positions count from 1."""
    net = nn.Sequential().add(nn.View(2, 3)).add(nn.Reshape(6)).add(nn.CMul(6)).add(nn.Concat(1).add(nn.Identity()))
    net.add(nn.SpatialConvolution(1, 2, 3, 3, padW=1)).add(nn.BatchNormalization(4)).add(nn.LookupTable(5, 2)).add(nn.Dropout())
    view, reshape, mul, concat, conv, norm, table, dropout = t7.read(saved(net)).fields["modules"]
    for record, name in ((view, "size"), (reshape, "size"), (mul, "size"), (concat, "outputSize")):
        assert type(record.fields[name]) is t7.Storage and record.fields[name].dtype == np.int64
    assert view.fields["size"].tolist() == [2, 3] and view.fields["numElements"] == 6
    assert concat.fields["dimension"] == 2
    assert conv.fields["padW"] == 1 and conv.fields["padH"] == 1 and conv.fields["weight"].shape == (2, 1, 3, 3)
    assert (norm.version, table.version, view.version) == (2, 4, 1)
    assert norm.fields["train"] is True and dropout.fields["train"] is True and dropout.fields["v2"] is True
    assert norm.fields["running_var"].tolist() == [1] * 4
    assert net.modules[3].dimension == 1


def test_versions() -> None:
    made = {
        nn.VolumetricMaxPooling(1, 1, 1): 2, nn.SpatialBatchNormalization(2): 2, nn.VolumetricBatchNormalization(2): 1,
        nn.GradientReversal(): 2, nn.LookupTable(2, 2): 4, nn.SpatialDepthWiseConvolution(1, 1, 1, 1): 1,
    }  # fmt: skip
    for module, version in made.items():
        assert t7.read(saved(module)).version == version


def test_indices_as_torch7_counts_them() -> None:
    x = np.arange(36, dtype=np.float64).reshape(1, 6, 6)
    pool = nn.SpatialMaxPooling(2, 2).double()
    pool.forward(x)
    assert t7.read(saved(pool)).fields["indices"].tolist() == [[[8, 10, 12], [20, 22, 24], [32, 34, 36]]]
    assert pl.load(saved(pool)).indices.tolist() == pool.indices.tolist()
    adaptive = nn.SpatialAdaptiveMaxPooling(2, 2).double()
    adaptive.forward(x)
    assert "indices" not in t7.read(saved(adaptive)).fields  # Torch7 needs the size of the input, which nothing tells
    adaptive.backward(x, adaptive.output)
    stored = t7.read(saved(adaptive)).fields["indices"]
    assert stored.shape == (2, 1, 2, 2) and (stored == 3).all()
    assert pl.load(saved(adaptive)).indices.tolist() == adaptive.indices.tolist()


# ---------------------------------------------------------------------------------------------- everything else


def test_unknown_objects_and_functions() -> None:
    weight = np.arange(6.0)
    function = t7.Function(b"\x1bLJ\x02code", [{"name": "f", "id": 1, "value": weight}])
    inner = t7.TorchObject("my.Layer", 3, {"weight": weight[2:4], "forward": function, "fields": 1, 7: "seven", "_type": "x"})
    gpu = t7.TorchObject("my.Pair", 1, [weight, inner])
    known = t7.TorchObject("nn.Identity", 1, {"updateOutput": function, "extra": {"a": inner}, 5: weight, "_own": True})
    net = t7.TorchObject("nn.Sequential", 1, {"modules": [inner, gpu, known, inner]})
    file = io.BytesIO()
    t7.write(file, net)
    with pytest.warns(T7Warning, match=r"modules\[3\], a nn\.Identity: updateOutput"):
        loaded = pl.load(file.getvalue())
    assert isinstance(loaded.modules[0], Unknown) and loaded.modules[0] is loaded.modules[3]
    found = list(Comparison().differences(t7.read(file.getvalue()), t7.read(saved(loaded))))
    assert {(difference.owner, difference.what) for difference in found} == {
        ("my.Layer", "'x' became 'torch.DoubleTensor'"),
    }


def test_changes_of_unknown_objects_aresaved() -> None:
    file = io.BytesIO()
    t7.write(
        file, t7.TorchObject("my.Layer", 2, {"train": True, "modules": [], "weight": np.ones(3), "_type": "torch.DoubleTensor"})
    )
    layer = pl.load(file.getvalue())
    layer.evaluate()
    layer.float()
    record = t7.read(saved(layer))
    assert (record.typename, record.version) == ("my.Layer", 2)
    assert record.fields["train"] is False and record.fields["weight"].dtype == np.float32
    assert record.fields["_type"] == "torch.FloatTensor"


def test_registered_classes_keep_all_fields() -> None:
    @pl.register("my.Registered")
    class Registered(nn.Module):
        def updateOutput(self, input: Any) -> Any:
            return input

    file = io.BytesIO()
    t7.write(file, t7.TorchObject("my.Registered", 5, {"_buffer": 3, "size": 2, "_type": "torch.DoubleTensor"}))
    again = t7.read(saved(pl.load(file.getvalue())))
    assert again.version == 5 and {"_buffer": 3, "size": 2}.items() <= again.fields.items()


def test_the_registered_name_is_the_name() -> None:
    @pl.register("my.First")
    @pl.register("nn.Second")
    class Named(nn.Module):
        pass

    @pl.register("my.Inner")
    class Inner(Named):
        pass

    class Own(Named):
        _typename = "my.Own"

    pl.register("my.Other")(Own)
    net = nn.Sequential().add(Named()).add(Inner()).add(Own())
    assert [module._typename for module in net] == ["nn.Second", "my.Inner", "my.Own"]
    assert net.findModules("nn.Second")[0] == [net[0]] and net.findModules(Named)[0] == [net[0]]
    file = io.BytesIO()
    t7.write(file, [t7.TorchObject(name, 1, {}) for name in ("nn.Second", "my.First", "my.Inner", "my.Other")])
    loaded = pl.load(file.getvalue())
    assert [type(module) for module in loaded] == [Named, Named, Inner, Own]
    for modules in (loaded, pl.load(saved(loaded)), pl.load(saved([module.clone().double() for module in loaded], "ascii"))):
        assert [module._typename for module in modules] == ["nn.Second", "my.First", "my.Inner", "my.Other"]
        assert modules[1].findModules("my.First")[0] == [modules[1]]
    pl.register("my.Linear")(nn.Linear)
    assert nn.Linear(2, 2)._typename == "nn.Linear" and type(pl.load(saved(nn.Linear(2, 2)))) is nn.Linear
    with pytest.raises(TypeError, match="expected a typename"):
        pl.register(Named)


def test_headers() -> None:
    record = t7.read(saved(nn.GPU(nn.Identity(), 2)))
    assert record.header == ["torch.FloatTensor", 2] and record.fields["device"] == 2
    again = pl.load(saved(nn.GPU(nn.Identity(), 2)))
    assert again.device == 2 and isinstance(again.modules[0], nn.Identity)


def test_weight_norm_as_torch7_saves_it() -> None:
    module = nn.WeightNorm(nn.Linear(3, 2))
    record = t7.read(saved(module))
    assert not {"weight", "gradWeight"} & (record.fields.keys() | record.fields["modules"][0].fields.keys())
    assert record.fields["weightSize"].tolist() == [2, 3]
    np.testing.assert_array_equal(pl.load(saved(module)).modules[0].weight, module.modules[0].weight)
    assert module.modules[0].weight is not None


def test_shared_storages_once() -> None:
    net = nn.Sequential().add(nn.Linear(100, 100)).add(nn.Linear(100, 100))
    net.add(net.modules[0])
    flat, _ = net.getParameters()
    content = saved([net, flat])
    assert content.count(b"torch.FloatStorage") == 2 + sum(array.size > 0 for array in (net.output, net.gradInput))
    again, vector = pl.load(content)
    vector.fill(2)
    assert (again.modules[1].weight == 2).all() and again.modules[0] is again.modules[2]


def test_compact() -> None:
    """Only the parts of a storage that somebody uses; who shared elements shares them still."""
    storage = np.arange(1000.0)
    values = [storage[10:20], storage[15:25].reshape(5, 2), storage[900:904], storage[900:904][::2], storage[990:990]]
    whole, part = saved(values), saved(values, compact=True)
    assert len(part) < 1000 < len(whole)
    again = t7.read(part)
    for value, copy in zip(values, again, strict=True):
        np.testing.assert_array_equal(copy, value)
        assert copy.size == 0 or copy.strides == value.strides
    assert base_storage(again[0]) is base_storage(again[3]) and base_storage(again[0]).size == 19
    again[0][5] = -1
    assert again[1][0, 0] == -1
    net = nn.Sequential().add(nn.Linear(2, 2)).add(nn.Identity())
    net.modules[1].output = storage[:2].astype("f")
    assert list(Comparison().differences(t7.read(saved(net)), t7.read(saved(net, "ascii", compact=True)))) == []
    reverse = [storage[::-1], np.ones(4, bool)[::-1], storage.view(t7.Storage)]
    for value, copy in zip(reverse, t7.read(saved([*reverse, reverse[0]], compact=True)), strict=False):
        np.testing.assert_array_equal(copy, value)


def test_a_file_may_be_replaced_by_what_was_loaded_from_it(tmp_path: Path) -> None:
    path = tmp_path / "net.t7"
    pl.save(path, nn.Linear(300, 300))
    net = pl.load(path)
    net.weight += 1
    expected = net.weight.copy()
    pl.save(path, net)
    np.testing.assert_array_equal(pl.load(path).weight, expected)
    assert [entry.name for entry in tmp_path.iterdir()] == ["net.t7"]


def test_what_cannot_besaved(tmp_path: Path) -> None:
    net = nn.Sequential().add(nn.Linear(1, 1))
    net.modules[0].hook = print
    with pytest.raises(pl.T7Error, match=r"root\.modules\[1\]\.hook: expected a value that a \.t7 file can hold"):
        pl.save(tmp_path / "net.t7", net)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(TypeError, match="expected a path"):
        pl.save(net, "net.t7")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="format"):
        pl.save(tmp_path / "net.t7", net, "text")  # type: ignore[arg-type]


NAMES = {
    "net.safetensors": "pytorch-legacy convert {0}/net.t7 {0}/net.safetensors",
    "net.ONNX": "pytorch-legacy convert {0}/net.t7 {0}/net.ONNX",
    "net.pth": "{0}/net.safetensors gives weights by name",
    "net.t7.gz": "save {0}/net.t7, and pack that",
    "net.zip": "save {0}/net.t7, and pack that",
    "net.json": "save writes .t7 files alone",
}


@pytest.mark.parametrize("name", NAMES)
def test_names_of_other_formats(name: str, tmp_path: Path) -> None:
    with pytest.raises(pl.errors.UnsupportedError, match="expected the name of a") as error:
        pl.save(tmp_path / name, nn.Tanh())
    assert NAMES[name].format(tmp_path) in str(error.value)
    assert not [*tmp_path.iterdir()]
    for other in ("net.t7", "net.th", "net.dat", "net.txt", "net", "net.v2"):
        pl.save(tmp_path / other, nn.Tanh())


def test_clearing_forgets_the_scratch_of_the_file() -> None:
    file = io.BytesIO()
    t7.write(file, t7.TorchObject("nn.Linear", 1, {"weight": np.ones((2, 3)), "addBuffer": np.ones(9), "gradInput": np.ones(3)}))
    layer = pl.load(file.getvalue())
    assert t7.read(saved(layer)).fields["addBuffer"].size == 9
    layer.clearState()
    assert t7.read(saved(layer)).fields["addBuffer"].size == 0


def test_the_random_numbers_go_on() -> None:
    """Saving makes no layers that draw their parameters."""
    pl.manualSeed(1)
    expected = nn.Linear(3, 3).weight
    modules = [nn.SpatialContrastiveNormalization(2), t7.TorchObject("x")]
    pl.manualSeed(1)
    saved(modules)
    np.testing.assert_array_equal(nn.Linear(3, 3).weight, expected)


def test_manifest_is_read() -> None:
    assert len(LISTED) == len(json.loads((GOLDEN / "manifest.json").read_text()))


def test_networks_of_other_packages_made_here() -> None:
    """Objects fresh from a constructor are saved and loaded, again and again."""
    push = nn.PushTable(1)
    loss = pl.authors.ContentLoss(1.0, np.ones((3, 4, 4), np.float32), True)
    things = [
        nn.Sequencer(nn.FastLSTM(3, 2)),
        nn.SeqGRU(3, 2),
        nn.Sequential().add(push).add(push.pull(0)),
        pl.authors.DataParallelTable(0).add(nn.Linear(3, 2), [1, 2]),
        loss,
        pl.authors.ShakeShakeTable(),
        nn.VolumetricAveragePooling(2, 2, 2),
    ]
    for thing in things:
        first = pl.load(saved(thing))
        again = pl.load(saved(first))
        assert repr(first) == repr(again) == repr(thing)
        assert t7.read(saved(first)).fields.keys() == t7.read(saved(thing)).fields.keys()
    net = pl.load(saved(things[2]))
    table = [np.ones(2, np.float32), np.zeros(3, np.float32)]
    assert [entry.size for entry in net.forward(table)] == [3, 2]
