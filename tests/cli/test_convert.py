"""Weights by name, to the formats of others and back; and the same numbers in PyTorch."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import interop, nn, rnn, t7
from pytorch_legacy.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DIGITS = EXAMPLES / "digits" / "digits.t7"
needs_save = pytest.mark.skipif(not hasattr(pl, "save"), reason="modules cannot be written yet")


def convert(*arguments: object) -> None:
    assert main(["convert", *map(str, arguments)]) == 0


def fails(capsys, *arguments: object) -> str:
    assert main(["convert", *map(str, arguments)]) == 1
    return capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".npz", ".safetensors", ".h5", ".hdf5"])
def test_there_and_back(tmp_path, capsys, suffix: str) -> None:
    pytest.importorskip({".npz": "numpy", ".safetensors": "safetensors"}.get(suffix, "h5py"))
    target = tmp_path / f"digits{suffix}"
    convert(DIGITS, target)
    assert "26 tensors, 265,640 bytes" in capsys.readouterr().out
    expected = interop.tensors(pl.load(DIGITS))
    found = interop.load(target)
    assert found.keys() == expected.keys() and "model.0.weight" in found and "model.1.running_var" in found
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
    assert [path.name for path in tmp_path.iterdir()] == [target.name]  # nothing unfinished is left


def test_binary_to_text_and_back(tmp_path) -> None:
    text, binary = tmp_path / "digits.ascii.t7", tmp_path / "digits.t7"
    convert(DIGITS, text, "--ascii")
    convert(text, binary)
    assert text.read_bytes().startswith(b"3\n1\n5\n") and binary.read_bytes() == DIGITS.read_bytes()
    several = tmp_path / "several.t7"
    several.write_bytes((EXAMPLES / "digits" / "digits.t7").read_bytes() * 2)
    convert(several, text, "--ascii")
    assert len(t7.read_all(text)) == 2


def test_names() -> None:
    shared = nn.Linear(2, 3)
    net = nn.Sequential().add(shared).add(nn.ConcatTable().add(nn.Linear(3, 1)).add(shared))
    value = {"net": net, "rows": [np.zeros(2), np.ones(3)], 5: np.ones(1), "text": "x", "empty": np.empty(0)}
    assert list(interop.tensors(value)) == [
        "net.0.weight", "net.0.bias", "net.1.0.weight", "net.1.0.bias", "rows.0", "rows.1", "5",
    ]  # fmt: skip
    assert "net.0.gradWeight" in interop.tensors(value, everything=True)
    assert list(interop.tensors(np.ones(3))) == ["tensor"]
    assert list(interop.tensors({1: np.ones(1), "1": np.ones(2)})) == ["1", "1#2"]
    cyclic: dict = {"a": np.ones(2)}
    cyclic["self"] = cyclic
    assert list(interop.tensors(cyclic)) == ["a"]


def test_nested_is_the_way_back() -> None:
    value = {"a": [np.ones(1), {"b": np.ones(2)}], "c": np.ones(3)}
    again = interop.nested(interop.tensors(value))
    assert isinstance(again["a"], list) and again["a"][1]["b"] is value["a"][1]["b"] and again["c"] is value["c"]
    assert list(interop.nested({"a": 1, "a.b": 2})["a"].items()) == [("", 1), ("b", 2)]
    assert interop.nested({"a.b": 2, "a": 1})["a"] == {"b": 2, "": 1}


def test_assign() -> None:
    net = nn.Sequential().add(nn.Linear(2, 3))
    arrays = {"0.weight": np.arange(6.0).reshape(3, 2), "0.bias": np.zeros(3)}
    assert interop.assign(net, arrays) == 2 and net.get(0).weight[2, 1] == 5
    with pytest.raises(pl.errors.FieldError, match=r"not in the model: 1\.weight; not among the arrays: 0\.weight"):
        interop.assign(net, {"1.weight": np.zeros(2), "0.bias": np.zeros(3)})
    assert interop.assign(net, {"0.bias": np.ones(3)}, partial=True) == 1
    with pytest.raises(pl.errors.ShapeError, match=r"0\.weight: expected an array of shape \(3, 2\), got \(2, 3\)"):
        interop.assign(net, arrays | {"0.weight": np.zeros((2, 3)), "0.bias": np.full(3, 9.0)})
    assert net.get(0).bias[0] == 1


@needs_save
def test_weights_into_a_model(tmp_path) -> None:
    arrays = {name: array + 1 for name, array in interop.tensors(pl.load(DIGITS)["model"]).items()}
    interop.save(tmp_path / "new.npz", {f"model.{name}": array for name, array in arrays.items()})
    convert(tmp_path / "new.npz", tmp_path / "new.t7", "--into", DIGITS)
    for name, array in interop.tensors(pl.load(tmp_path / "new.t7")["model"]).items():
        np.testing.assert_array_equal(array, arrays[name])
    convert(tmp_path / "new.npz", tmp_path / "tables.t7", "--ascii")
    assert set(interop.tensors(t7.read(tmp_path / "tables.t7"))) == {f"model.{name}" for name in arrays}


def test_one_line_says_what_is_wrong(tmp_path, capsys, monkeypatch) -> None:
    assert "there is no such file" in fails(capsys, tmp_path / "no.t7", tmp_path / "x.npz")
    assert "expected a name that ends in .t7, .py, .onnx, .pt2, .c, .thnn, .npz" in fails(capsys, DIGITS, tmp_path / "x.pth")
    assert "--ascii is for .t7" in fails(capsys, DIGITS, tmp_path / "x.npz", "--ascii")
    assert "--into makes a .t7" in fails(capsys, DIGITS, tmp_path / "x.npz", "--into", DIGITS)
    t7.write(tmp_path / "text.t7", "nothing")
    assert "expected a file with tensors, got none" in fails(capsys, tmp_path / "text.t7", tmp_path / "x.npz")
    for suffix in (".npz", ".safetensors", ".h5"):
        pytest.importorskip({".npz": "numpy", ".safetensors": "safetensors"}.get(suffix, "h5py"))
        (tmp_path / f"broken{suffix}").write_bytes(b"no such thing")
        assert "cannot be read as" in fails(capsys, tmp_path / f"broken{suffix}", tmp_path / "x.t7")
    monkeypatch.setattr(interop.files, "import_module", lambda name: (_ for _ in ()).throw(ImportError()))
    assert 'run: pip install "pytorch-legacy[convert]"' in fails(capsys, DIGITS, tmp_path / "x.h5")
    assert not (tmp_path / "x.h5").exists()


def test_c(tmp_path, capsys) -> None:
    target = tmp_path / "digits.c"
    convert(DIGITS, target, "--input", "1x1x28x28")
    assert f"wrote {target}: with {tmp_path / 'digits.h'} and {tmp_path / 'digits.bin'}\n" in capsys.readouterr().out
    free = target.read_text()
    assert "int64_t n, const float *input, float *output" in free
    convert(DIGITS, target, "--input", "Nx1x28x28")
    assert target.read_text() == free
    convert(DIGITS, target, "--input", "Nx1x28x28", "--embed")
    assert "extern const uint32_t digits_weights[65648]" in target.read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"digits.c", "digits.h", "digits.bin", "digits_weights.c"}
    pl.save(tmp_path / "mean.t7", nn.Sequential(nn.Mean(0), nn.View(1, 4)))
    convert(tmp_path / "mean.t7", tmp_path / "mean.c", "--input", "5x4")
    pl.save(tmp_path / "net.t7", nn.Sequential(nn.LookupTable(9, 4), nn.Mean(1)))
    convert(tmp_path / "net.t7", tmp_path / "net.c", "--input", "2x3:int")
    assert "int64_t n, const int64_t *input, float *output" in (tmp_path / "net.h").read_text()


def test_c_for_a_fixed_number_of_samples(tmp_path) -> None:
    pl.save(tmp_path / "net.t7", nn.Sequential(nn.View(20), nn.Linear(20, 2)))
    convert(tmp_path / "net.t7", tmp_path / "net.c", "--input", "5x4")
    assert "const float *input" in (tmp_path / "net.h").read_text() and "int64_t n" not in (tmp_path / "net.h").read_text()


def test_one_line_says_what_is_wrong_with_c(tmp_path, capsys) -> None:
    target = tmp_path / "digits.c"
    assert "C has one size that may vary" in fails(capsys, DIGITS, target, "--input", "Nx1xHx28")
    assert "--force is for .py, .onnx, .pt2\n" in fails(capsys, DIGITS, target, "--force")
    assert "--embed is for .c" in fails(capsys, DIGITS, tmp_path / "digits.npz", "--embed")
    assert "expected a name that ends in .c" in fails(capsys, DIGITS, tmp_path / "digits.C", "--input", "1x1x28x28")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    "words, target, assumed",
    [
        (["ClassNLLCriterion"], "const int64_t *target", "; assumed a target of N:int; --target changes it"),
        (["CrossEntropyCriterion()", "--target", "N:int"], "const int64_t *target", ""),
        (["MSECriterion(False)"], "const float *target", "; assumed a target of Nx10; --target changes it"),
        (["MSECriterion", "--target", "1x10"], "const float *target", ""),
        (["MultiMarginCriterion(2)", "--target", "1:int:3..3"], "const int64_t *target", ""),
        (["HingeEmbeddingCriterion(2)"], "const float *target", "; assumed a target of 1x10; --target changes it"),
        (["L1Cost"], "const float *input, double", ""),
    ],
)
def test_a_step_of_training_as_c(words, target, assumed, tmp_path, capsys) -> None:
    file = tmp_path / "digits.c"
    convert(DIGITS, file, "--input", "1x1x28x28", "--training", *words)
    said = f"wrote {file}: with {tmp_path / 'digits.h'} and {tmp_path / 'digits.bin'}{assumed}\n"
    assert said in capsys.readouterr().out
    header = (tmp_path / "digits.h").read_text()
    n = "" if "1x10;" in assumed else "int64_t n, "  # a constant of that criterion depends on n
    assert f"digits_step(struct digits *net, {n}const float *input" in header and target in header


def test_a_step_of_training_of_other_networks(tmp_path, capsys) -> None:
    pl.save(tmp_path / "net.t7", nn.Sequential(nn.Linear(20, 2), nn.LogSoftMax()).double())
    convert(tmp_path / "net.t7", tmp_path / "net.c", "--training", "ClassNLLCriterion")
    assert "assumed an input of Nx20; --input changes it; assumed a target of N:int" in capsys.readouterr().out
    assert "const double *input, const int64_t *target, double *loss" in (tmp_path / "net.h").read_text()
    pl.save(tmp_path / "net.t7", nn.Sequential(nn.View(20), nn.Linear(20, 2)))
    convert(tmp_path / "net.t7", tmp_path / "net.c", "--training", "MSECriterion", "--input", "5x4")
    assert "#define NET_TARGET 2 " in (tmp_path / "net.h").read_text()
    pl.save(tmp_path / "net.t7", nn.Sequential(nn.SpatialConvolution(1, 3, 3, 3), nn.LogSoftMax()))
    convert(tmp_path / "net.t7", tmp_path / "net.c", "--training", "SpatialClassNLLCriterion", "--input", "1x1x6x5")
    assert "assumed a target of Nx4x3:int" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words, message",
    [
        (
            ["--training", "Foo"],
            '--training Foo: expected a criterion of nn with its arguments, such as ClassNLLCriterion or "Mul',
        ),
        (["--training", "Linear(3, 2)"], "--training Linear(3, 2): expected a criterion of nn"),
        (["--training", "MSECriterion("], "--training MSECriterion(: expected a criterion of nn"),
        (["--training", "MSECriterion(1, 2, 3)"], "--training MSECriterion(1, 2, 3): nn.MSECriterion: expected"),
        (["--training", "CosineEmbeddingCriterion"], "expected a table of 2, got a float32 array"),
        (["--training", "MSECriterion", "--target", "5x"], "--target 5x: expected sizes joined by x"),
        (["--training", "MSECriterion", "--target", "Nx9"], "nn.MSECriterion: target: expected 2 x 10"),
        (["--training", "MSECriterion", "--embed"], "--embed is for C without --training"),
        (["--target", "Nx9"], "--target is for --training"),
    ],
)
def test_one_line_says_what_is_wrong_with_training(words, message, tmp_path, capsys) -> None:
    assert message in fails(capsys, DIGITS, tmp_path / "digits.c", "--input", "1x1x28x28", *words)
    assert not [*tmp_path.iterdir()]


def test_training_is_for_c(tmp_path, capsys) -> None:
    assert "--training is for .c" in fails(capsys, DIGITS, tmp_path / "digits.onnx", "--training", "MSECriterion")


def test_the_same_numbers_in_pytorch() -> None:
    torch = pytest.importorskip("torch")
    checkpoint = pl.load(DIGITS)
    weights = interop.tensors(checkpoint["model"])
    planes = [(1, 32), (32, 32), None, (32, 64), (64, 64)]
    layers = []
    for pair in planes:
        if pair is None:
            layers.append(torch.nn.MaxPool2d(2, 2))
        else:
            layers += [torch.nn.Conv2d(*pair, 3, padding=1), torch.nn.BatchNorm2d(pair[1], eps=1e-5), torch.nn.ReLU()]
    layers += [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Dropout(0.2), torch.nn.Linear(64, 10)]
    net = torch.nn.Sequential(*layers, torch.nn.LogSoftmax(1)).eval()
    missing, unexpected = net.load_state_dict({k: torch.from_numpy(v.copy()) for k, v in weights.items()}, strict=False)
    assert unexpected == [] and all(re.fullmatch(r"\d+\.num_batches_tracked", name) for name in missing)
    test = pl.load(EXAMPLES / "digits" / "digits_test.t7")
    images = ((test["images"][:50] / 255 - checkpoint["mean"]) / checkpoint["std"]).astype(np.float32)
    checkpoint["model"].evaluate()
    with torch.no_grad():
        theirs = net(torch.from_numpy(images)).numpy()
    np.testing.assert_allclose(checkpoint["model"].forward(images), theirs, atol=1e-4)


def ones(value: object) -> object:
    return [ones(entry) for entry in value] if isinstance(value, list) else np.ones_like(value)


def learned(net: nn.Module, input: object) -> nn.Module:
    net.training()
    net.backward(input, ones(net.forward(input)))
    return net


def graph() -> nn.Module:
    x = nn.Identity()()
    h = nn.Linear(4, 4)(x)
    return pl.nngraph.gModule([x], [nn.CAddTable()([nn.Tanh()(h), nn.Linear(4, 4)(x)]), h])


@pytest.mark.parametrize(
    "make",
    [
        lambda: rnn.Sequencer(nn.Sequential().add(rnn.LSTM(4, 4)).add(rnn.FastLSTM(4, 4)).add(nn.Dropout())),
        lambda: rnn.BiSequencer(rnn.GRU(4, 4)),
        lambda: rnn.Sequencer(rnn.Recurrent(4, nn.Linear(4, 4), nn.Linear(4, 4), nn.Sigmoid())),
        lambda: rnn.Sequencer(rnn.Recursor(nn.Sequential().add(graph()).add(nn.JoinTable(1)).add(nn.BatchNormalization(8)))),
        lambda: nn.Sequential().add(nn.JoinTable(0)).add(graph()),
        lambda: nn.Sequential().add(nn.JoinTable(0)).add(nn.Reshape(3, 2, 4, batchMode=False)).add(rnn.SeqLSTM(4, 4)),
        lambda: nn.Sequential().add(nn.JoinTable(0)).add(nn.Reshape(3, 2, 4, batchMode=False)).add(rnn.SeqGRU(4, 4)),
    ],
)
def test_what_has_learned_leaves_with_its_parameters_once(make, tmp_path) -> None:
    """Neither step clones nor the gradients at the nodes of a graph have names; nor have they after the file was read."""
    net = learned(make(), [np.random.rand(2, 4).astype(np.float32) for _ in range(3)])
    wanted = {id(parameter.base if parameter.base is not None else parameter) for parameter in net.parameters()[0]}
    names = interop.tensors(net)
    arrays = [array for name, array in names.items() if "running" not in name]
    assert len({array.__array_interface__["data"][0] for array in arrays}) == len(arrays)
    assert {id(array.base if array.base is not None else array) for array in arrays} == wanted
    pl.save(tmp_path / "net.t7", net)
    assert set(interop.tensors(pl.load(tmp_path / "net.t7"))) == set(names)
    assert len(interop.tensors(t7.read(tmp_path / "net.t7"))) >= len(arrays)


def test_matrices_of_convolutions_leave_in_the_shape_of_pytorch(tmp_path) -> None:
    """The file of a plain Sequential loads into the torch.nn.Sequential of the same layers, and 2-D and 4-D come back."""
    torch = pytest.importorskip("torch")
    load_file = pytest.importorskip("safetensors.torch").load_file
    net = nn.Sequential().add(nn.SpatialConvolutionMM(2, 3, 3, 5)).add(nn.SpatialBatchNormalization(3)).add(nn.PReLU(3))
    net.add(nn.SpatialFullConvolution(3, 2, 2, 2, 2, 2)).add(nn.View(-1).setNumInputDims(3)).add(nn.Linear(192, 2))
    pl.save(tmp_path / "net.t7", net)
    convert(tmp_path / "net.t7", tmp_path / "net.safetensors")
    state = load_file(tmp_path / "net.safetensors")
    assert state["0.weight"].shape == (3, 2, 5, 3)
    theirs = torch.nn.Sequential(
        torch.nn.Conv2d(2, 3, (5, 3)), torch.nn.BatchNorm2d(3), torch.nn.PReLU(3), torch.nn.ConvTranspose2d(3, 2, 2, 2),
        torch.nn.Flatten(), torch.nn.Linear(192, 2),
    ).eval()  # fmt: skip
    theirs.load_state_dict(state)
    x = np.random.rand(2, 2, 8, 8).astype(np.float32)
    with torch.no_grad():
        np.testing.assert_allclose(net.evaluate().forward(x), theirs(torch.from_numpy(x)).numpy(), atol=1e-5)
    weight = np.random.rand(3, 2, 5, 3).astype(np.float32)
    for given in (weight, weight.reshape(3, -1)):
        net.get(0).weight[...] = 0
        assert interop.assign(net, {"0.weight": given}, partial=True) == 1
        np.testing.assert_array_equal(net.get(0).weight, weight.reshape(3, -1))
    with pytest.raises(pl.errors.ShapeError, match=r"weight: expected .* shape \(3, 2, 5, 3\) or \(3, 30\), got \(3, 2, 3, 5\)"):
        interop.assign(net, {"0.weight": weight.swapaxes(2, 3)}, partial=True)
    # The record of a file has names as well.
    assert interop.tensors(t7.read(tmp_path / "net.t7"))["0.weight"].shape == (3, 2, 5, 3)

    frames = nn.TemporalConvolution(4, 3, 2)
    layer = torch.nn.Conv1d(4, 3, 2)
    layer.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in interop.tensors(frames).items()})
    x = np.random.rand(2, 7, 4).astype(np.float32)
    expected = layer(torch.from_numpy(x).transpose(1, 2)).transpose(1, 2).detach().numpy()
    np.testing.assert_allclose(frames.forward(x), expected, atol=1e-5)
    before = frames.weight.copy()
    for given in (interop.tensors(frames)["weight"].copy(), before):
        frames.weight[...] = 0
        interop.assign(frames, {"weight": given}, partial=True)
        np.testing.assert_array_equal(frames.weight, before)


def test_weights_of_the_written_module_come_back(tmp_path, capsys) -> None:
    """Weights that the file of `convert net.t7 net.py` learned return into the network under the same names."""
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    net = nn.Sequential().add(nn.SpatialConvolutionMM(2, 3, 3, 3)).add(nn.View(-1).setNumInputDims(3)).add(nn.Linear(12, 2))
    pl.save(tmp_path / "net.t7", net)
    convert(tmp_path / "net.t7", tmp_path / "net.py", "--input", "1x2x4x4")
    state = {name: array + 1 for name, array in interop.load(tmp_path / "net.safetensors").items()}
    assert state.keys() == {"conv.weight", "conv.bias", "fc.weight", "fc.bias"}
    interop.save(tmp_path / "new.safetensors", state)
    convert(tmp_path / "new.safetensors", tmp_path / "new.t7", "--into", tmp_path / "net.t7", "--input", "1x2x4x4")
    made = pl.load(tmp_path / "new.t7")
    for mine, old in zip(made.parameters()[0], net.parameters()[0], strict=True):
        np.testing.assert_array_equal(mine, old + 1)
    assert "--input" in fails(capsys, tmp_path / "new.safetensors", tmp_path / "no.t7", "--into", tmp_path / "net.t7")
    assert not (tmp_path / "no.t7").exists()
