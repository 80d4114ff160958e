"""run: sizes of pictures, inputs that are told by their bytes, several inputs, networks that cannot run."""

from __future__ import annotations

import hashlib
import os
import re
import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, t7

from .test_cli import DIGITS, EXAMPLES, ONE, SUPERRES, TEST, fail, run

NINE = str(EXAMPLES / "digits" / "digit_9.png")


def saved(path: Path, value: object) -> str:
    pl.save(path, value)
    return str(path)


def numbered(net: nn.Module) -> nn.Module:
    """With parameters that are the same in every run."""
    for array in net.parameters()[0] if net.parameters() else []:
        array[...] = np.linspace(-1, 1, array.size).reshape(array.shape)
    return net


# ---------------------------------------------------------------------------------------------- sizes


def test_the_sample_is_what_torch7_saved_but_for_its_size() -> None:
    """Every byte of it: the count of entries grew by one, and the entry stands behind the others."""
    content = bytearray(Path(DIGITS).read_bytes())
    assert pl.load(DIGITS)["imageSize"] == [8, 8]
    content[8] -= 1
    original = bytes(content[:542_688])
    assert hashlib.sha256(original).hexdigest() == "46adad7a6da93a7a7fbbeca7d7d57875e63589165d013e5ea5f11c61f49bea81"


def test_a_network_of_any_size_says_what_it_got(capsys, tmp_path) -> None:
    pytest.importorskip("PIL")
    checkpoint = t7.read(DIGITS)
    del checkpoint["imageSize"]
    model = saved(tmp_path / "m.t7", checkpoint)
    out = run(capsys, "run", model, NINE)
    assert "1x1x64x64 in" in out and "note: the network takes any size, and the picture of 64x64 was not resized" in out
    assert "note" not in run(capsys, "run", model, NINE, "--size", "8x8")
    for size in (8, [8, 8], [1, 8, 8], np.array([8, 8]), 8.0):
        for name in ("size", "imageSize"):
            out = run(capsys, "run", saved(tmp_path / "m.t7", checkpoint | {name: size}), NINE)
            assert "1x1x8x8 in" in out and "  9 " in out.splitlines()[1] and "note" not in out
    for odd in (60_000, 0, -1, [8, 8, 8, 8], "8x8", [1.5, 8], {"a": 1}):
        assert "1x1x64x64 in" in run(capsys, "run", saved(tmp_path / "m.t7", checkpoint | {"size": odd}), NINE)
    assert "1x1x16x12 in" in run(capsys, "run", DIGITS, NINE, "--size", "12x16")  # the user's option has priority


def test_a_network_of_one_size_gets_it(capsys, tmp_path) -> None:
    pytest.importorskip("PIL")
    net = nn.Sequential().add(nn.SpatialConvolution(1, 2, 3, 3)).add(nn.Reshape(2 * 10 * 10)).add(nn.Linear(200, 3))
    model = saved(tmp_path / "m.t7", numbered(net))
    out = run(capsys, "run", model, NINE)
    assert "1x1x12x12 in" in out and "note: the picture was resized to 12x12, the input size of the network" in out
    assert "note" not in run(capsys, "run", model, NINE, "--size", "12x12")
    assert "nn.Sequential" in fail(capsys, "run", model, NINE, "--size", "13x13")


def test_a_mean_below_zero(capsys) -> None:
    """A value that begins with a minus is no option."""
    assert run(capsys, "run", DIGITS, NINE, "--mean", "-0.5") == run(capsys, "run", DIGITS, NINE, "--mean=-0.5")
    assert "nothing.t7: there is no such file" in fail(capsys, "run", "nothing.t7", NINE, "--mean", "-.5,0.5,-1")


def test_mean_and_std_that_are_none(capsys, tmp_path) -> None:
    """Fields of these names may hold anything."""
    pytest.importorskip("PIL")
    checkpoint = t7.read(DIGITS)
    expected = run(capsys, "run", DIGITS, NINE, "--mean", "0", "--std", "1").splitlines()[1:-1]
    for odd in ("text", {"a": 1}, ["a"], [], np.zeros((3, 4, 4)), True):
        model = saved(tmp_path / "m.t7", checkpoint | {"mean": odd, "std": odd})
        assert run(capsys, "run", model, NINE).splitlines()[1:-1] == expected


# ---------------------------------------------------------------------------------------------- inputs


@pytest.mark.parametrize("name", ["data", "data.png", "data.t7", "data.npy"])
def test_bytes_tell_what_an_input_is(capsys, tmp_path, name: str) -> None:
    pytest.importorskip("PIL")
    data = tmp_path / name
    images = pl.load(TEST)["images"][:1]
    data.write_bytes(Path(ONE).read_bytes())
    assert "  1 " in run(capsys, "run", DIGITS, str(data)).splitlines()[1]
    with open(data, "wb") as file:
        np.save(file, images)
    expected = run(capsys, "run", DIGITS, str(data)).splitlines()[1:]
    for form in ("binary", "ascii"):
        t7.write(data, images, form)
        assert run(capsys, "run", DIGITS, str(data)).splitlines()[1:] == expected
    for content, words in (
        (b"", "the file is empty" if name != "data.png" else "cannot be read as a picture"),
        (b"\x93NUMPY\x01\x00", r"cannot be read as \.npy"),
        (Path(DIGITS).read_bytes()[:500], "offset"),
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "cannot be read as a picture"),
    ):
        data.write_bytes(content)
        assert re.search(words, fail(capsys, "run", DIGITS, str(data)))


def test_a_pipe_as_input(capsys, tmp_path) -> None:
    pytest.importorskip("PIL")
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for source in (ONE, TEST):
        writer = threading.Thread(target=lambda source=source: fifo.write_bytes(Path(source).read_bytes()))
        writer.start()
        assert "in, " in run(capsys, "run", DIGITS, str(fifo))
        writer.join(10)


def test_a_list_of_tensors_for_a_network_of_several_inputs(capsys, tmp_path) -> None:
    net = nn.Sequential().add(nn.ParallelTable().add(nn.Linear(3, 4)).add(nn.Linear(2, 4))).add(nn.CAddTable())
    model, data, target = saved(tmp_path / "m.t7", numbered(net)), tmp_path / "in.t7", tmp_path / "out.npy"
    one, two = np.arange(3, dtype=np.float32), np.ones(2, np.float32)
    net.evaluate()
    for inputs in ([one, two], [one[None], two[None]]):
        t7.write(data, inputs)
        out = run(capsys, "run", model, str(data), "-o", str(target))
        assert "{3, 2} in, 4 out" in out or "{1x3, 1x2} in, 1x4 out" in out
        np.testing.assert_array_equal(np.load(target), net.forward(inputs))
    t7.write(data, {"input": [one, two], "other": 3})
    assert "{3, 2} in" in run(capsys, "run", model, str(data))
    t7.write(data, [one, one])
    assert "module 2 of nn.ParallelTable" in fail(capsys, "run", model, str(data))


def test_a_list_of_tensors_one_after_the_other(capsys, tmp_path) -> None:
    model, data, target = saved(tmp_path / "m.t7", numbered(nn.Linear(3, 4))), tmp_path / "in.t7", tmp_path / "out.t7"
    rows = [np.full(3, i, np.float32) for i in range(3)]
    t7.write(data, rows)
    out = run(capsys, "run", model, str(data), "-o", str(target))
    assert [line for line in out.splitlines() if " in, " in line][2] == f"{data}[3]: 1x3 in, 1x4 out"
    assert len(pl.load(target)) == 3 and pl.load(target)[2].shape == (1, 4)
    t7.write(data, [rows[0], np.zeros(5, np.float32)])
    assert "expected 3 columns" in fail(capsys, "run", model, str(data))
    images = pl.load(TEST)["images"]
    t7.write(data, list(images[:3]))
    out = run(capsys, "run", DIGITS, str(data), "--time", "2")
    assert out.count("1x1x8x8 in, 1x10 out") == 3 and out.count("median of 2") == 3
    t7.write(data, [])
    assert "tensors of the file: none" in fail(capsys, "run", DIGITS, str(data))


# ---------------------------------------------------------------------------------------------- what cannot run


def record(name: str, **fields: object) -> t7.TorchObject:
    return t7.TorchObject(name, 1, fields)


def nested(depth: int) -> t7.TorchObject:
    inner = record("nn.Identity")
    for _ in range(depth):
        inner = record("nn.Sequential", modules=[inner])
    return inner


@pytest.mark.parametrize(
    ("network", "words"),
    [
        (record("nn.Sequencer", modules=[]), ""),
        (record("nn.Sequential", modules=[record("nn.Replicate", nfeatures=2**40, dim=1)]), "repeats"),
        (record("nn.Sequential", modules=[record("nn.Replicate", nfeatures=2**62, dim=1)]), ""),
        (record("nn.Sequential", modules=[record("nn.Replicate", nfeatures=2**45, dim=1), record("nn.Tanh")]), ""),
        (record("nn.View", size=np.array([2**62]).view(t7.Storage), numElements=2**62), ""),
        (record("nn.Linear"), ""),
        (record("nn.Sequential", modules=[record("nn.Tanh", modules=7), record("nn.Reshape")]), ""),
        (record("nn.ConcatTable", modules={}), None),
        (nested(5_000), ""),
    ],
    ids=str,
)
def test_hostile_networks_are_one_line(capsys, tmp_path, network: t7.TorchObject, words: str | None) -> None:
    """Every command answers, with a line where it cannot go on."""
    from pytorch_legacy.cli import main

    model, data = tmp_path / "m.t7", tmp_path / "in.npy"
    t7.write(model, network)
    np.save(data, np.zeros((1, 3), np.float32))
    for arguments in (
        ["run", str(model), str(data)],
        ["run", str(model), str(data), "--double", "-o", str(tmp_path / "out.npy")],
        ["inspect", str(model)],
        ["inspect", str(model), "--json"],
        ["inspect", str(model), "--input", "1x3"],
        ["convert", str(model), str(tmp_path / "out.npz")],
        ["convert", str(model), str(tmp_path / "out.t7"), "--ascii"],
    ):
        status = main(arguments)
        captured = capsys.readouterr()
        lines = captured.err.splitlines()
        assert len([line for line in lines if "warning" not in line]) == status, lines
        assert len(captured.err) < 2000
        if arguments[0] == "run" and words is not None:
            assert status == 1 and words in captured.err
    assert not (tmp_path / "out.npy").exists() or (tmp_path / "out.npy").stat().st_size < 10_000


def test_options_without_a_use(capsys, tmp_path: Path) -> None:
    """Each is one line, before the network runs."""
    floats, several = str(tmp_path / "x.npy"), str(tmp_path / "x.npz")
    np.save(floats, np.zeros((1, 1, 8, 8), np.float32))
    np.savez(several, a=np.zeros((1, 1, 8, 8), np.float32), b=np.zeros((1, 1, 8, 8), np.float32))
    digit = str(EXAMPLES / "digits" / "digit_3.png")
    for arguments, text in (
        (["--threads", "0", digit], "--threads 0: expected a whole number from 1 to 1024"),
        (["--top", "0", digit], "--top 0: expected a whole number from 1 on"),
        (["--key", "x", digit], f"{digit}: --key x: only .npz and .t7 files hold several arrays; leave out --key"),
        (["--key", "x", floats], f"{floats}: --key x: an .npy file holds one array"),
        (["--key", "c", several], "no array 'c'; there is: 'a', 'b'"),
        (["--key", "x", "--input", "1x1x8x8"], "--key: is for files"),
        (["--size", "8x8", "--input", "1x1x8x8"], "--size: is for files"),
        (["--mean", "1", "--input", "1x1x8x8"], "--mean: is for files"),
        (["--size", "8x8", floats], f"--size: is for pictures; {floats} has an array"),
        (["--gray", floats], "--gray: is for pictures"),
        (["--no-bgr", floats], "--bgr: is for pictures"),
        (["--scale", "1", floats], f"--scale: is for bytes; {floats} has float32"),
        (["--preset", "openface", floats], "--preset: is for bytes"),
        (["--size", "8x8", floats, floats, "-o", str(tmp_path / "out")], "--size: is for pictures"),
        (["--top", "3", "-o", str(tmp_path / "x.parquet"), digit], "--top: is for printed classes"),
        (["--threads", "1", "--processes", "2", "-o", str(tmp_path / "x.parquet"), digit], "--threads: expected at least 2"),
    ):
        text_of_error = fail(capsys, "run", DIGITS, *arguments)
        assert text in text_of_error and text_of_error.count("\n") == 1, arguments
    assert "--top: expected the scores of a classifier, got an output of 1x1x16x16" in fail(
        capsys, "run", SUPERRES, "--input", "1x1x8x8", "--top", "3"
    )
    run(capsys, "run", DIGITS, digit, floats, "--size", "8x8", "-o", str(tmp_path / "both"))  # one of the inputs uses the option
    run(capsys, "run", DIGITS, floats, "--mean", "0.5", "--scale", "1")
    assert not (tmp_path / "x.parquet").exists()


def test_a_lack_of_memory_names_the_file(capsys, tmp_path: Path, monkeypatch) -> None:
    large = str(tmp_path / "large.t7")
    pl.save(large, nn.Sequential(nn.SpatialUpSamplingNearest(2_000_000)))
    digit = str(EXAMPLES / "digits" / "digit_3.png")
    text = fail(capsys, "run", large, digit)
    assert f"running {digit}: there is not enough memory (" in text and "--size WxH for pictures" in text
    assert "in module 1 of nn.Sequential, nn.SpatialUpSamplingNearest: output: " in text and text.count("\n") == 1
    assert "running --input 1x8x8: there is not enough memory" in fail(capsys, "run", large, "--input", "1x8x8")
    assert f"{large}: there is not enough memory (in module 1 of" in fail(capsys, "inspect", large, "--input", "1x8x8")
    if find_spec("torch"):
        text = fail(capsys, "convert", large, str(tmp_path / "net.py"), "--input", "1x1x8x8")
        assert f"converting {large}: there is not enough memory (in module 1 of" in text

    def exhausted(*arguments: object, **keywords: object) -> None:
        raise MemoryError

    monkeypatch.setattr(pl.files.loading.t7, "read", exhausted)
    assert f"reading {large}: there is not enough memory" in fail(capsys, "run", large, digit)
