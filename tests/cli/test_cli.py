"""The command line on the bundled models: what a user types, what comes out, and what is said when it cannot."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DIGITS = str(EXAMPLES / "digits" / "digits.t7")
TEST = str(EXAMPLES / "digits" / "digits_test.t7")
ONE = str(EXAMPLES / "digits" / "digit_1.png")
SUPERRES = str(EXAMPLES / "superres" / "superres.t7")


def run(capsys, *arguments: str) -> str:
    status = main(list(arguments))
    captured = capsys.readouterr()
    assert status == 0, captured.err
    return captured.out


def fail(capsys, *arguments: str) -> str:
    assert main(list(arguments)) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("pytorch-legacy: ") and captured.err.count("\n") == 1
    return captured.err


# ---- run


@pytest.mark.parametrize("digit", range(10))
def test_classifier_names_the_digit_and_its_share(capsys, digit: int) -> None:
    pytest.importorskip("PIL")
    out = run(capsys, "run", DIGITS, str(EXAMPLES / "digits" / f"digit_{digit}.png"))
    lines = [line.split() for line in out.splitlines()[1:-1]]
    assert len(lines) == 5 and lines[0][0] == str(digit)
    shares = [float(line[1]) for line in lines]
    assert shares[0] > 99 and shares == sorted(shares, reverse=True)


def test_several_pictures_and_a_folder(capsys, tmp_path) -> None:
    pytest.importorskip("PIL")
    pictures = [str(EXAMPLES / "digits" / f"digit_{d}.png") for d in (1, 2)]
    run(capsys, "run", DIGITS, *pictures, "--size", "8x8", "-o", str(tmp_path / "out"))
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["digit_1.npy", "digit_2.npy"]
    assert np.load(tmp_path / "out" / "digit_2.npy").argmax() == 2


def test_tensor_of_a_t7_table(capsys, tmp_path) -> None:
    target = tmp_path / "logprobs.npy"
    run(capsys, "run", DIGITS, str(EXAMPLES / "digits" / "digits_test.t7"), "--key", "images", "-o", str(target))
    expected = pl.load(EXAMPLES / "digits" / "digits_test.t7")
    np.testing.assert_allclose(np.load(target)[:100], expected["logprobs"], atol=1e-4)
    assert ((np.load(target).argmax(1) + 1) == expected["predictions"]).all()


def test_superresolution_writes_the_picture_that_torch_made(capsys, tmp_path) -> None:
    image = pytest.importorskip("PIL.Image")
    target = tmp_path / "large.png"
    run(capsys, "run", SUPERRES, str(EXAMPLES / "superres" / "superres_lr.png"), "-o", str(target))
    ours = np.asarray(image.open(target)).astype(int)
    torch = np.asarray(image.open(EXAMPLES / "superres" / "superres_out.png")).astype(int)
    assert ours.shape == (256, 256) and abs(ours - torch).max() <= 1 and (ours != torch).mean() < 1e-3


def test_colour_picture_keeps_its_colours(capsys, tmp_path) -> None:
    image = pytest.importorskip("PIL.Image")
    target = tmp_path / "large.png"
    run(capsys, "run", SUPERRES, str(EXAMPLES / "superres" / "superres_lr_rgb.png"), "-o", str(target))
    small = np.asarray(image.open(EXAMPLES / "superres" / "superres_lr_rgb.png").convert("RGB"))
    large = np.asarray(image.open(target))
    assert large.shape == (2 * small.shape[0], 2 * small.shape[1], 3)
    means = large.reshape(small.shape[0], 2, small.shape[1], 2, 3).mean((1, 3))
    assert abs(means - small).mean() < 4  # the same picture, channel by channel
    assert abs(large[..., 0].astype(int) - large[..., 2]).mean() > 5  # and not a gray one


def test_array_in_array_out(capsys, tmp_path) -> None:
    rng = np.random.default_rng(0)
    array = rng.random((2, 1, 12, 10), np.float32)
    np.save(tmp_path / "in.npy", array)
    run(capsys, "run", SUPERRES, str(tmp_path / "in.npy"), "-o", str(tmp_path / "out.npy"))
    network = pl.load(SUPERRES).float()
    network.evaluate()
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), network.forward(array))
    run(capsys, "run", SUPERRES, str(tmp_path / "in.npy"), "-o", str(tmp_path / "out.t7"), "--double")
    np.testing.assert_allclose(pl.load(tmp_path / "out.t7"), np.load(tmp_path / "out.npy"), atol=1e-5)


def test_mean_scale_and_timing(capsys, tmp_path) -> None:
    pytest.importorskip("PIL")
    picture = str(EXAMPLES / "digits" / "digit_4.png")
    usual = run(capsys, "run", DIGITS, picture, "--size", "8x8")
    numbers = ["--mean", "0.305183", "--std", "0.375996", "--scale", "0.00392156862745098"]
    same = run(capsys, "run", DIGITS, picture, "--size", "8x8", *numbers)
    other = run(capsys, "run", DIGITS, picture, "--size", "8x8", "--mean", "0.9")
    assert usual.splitlines()[1] == same.splitlines()[1] != other.splitlines()[1]
    assert re.search(r"\d ms \(median of 3\)", run(capsys, "run", DIGITS, picture, "--size", "8x8", "--time", "3"))


# ---- inspect


def test_inspect_shows_the_network_with_shapes_and_operations(capsys) -> None:
    out = run(capsys, "inspect", DIGITS, "--input", "1x8x8")
    assert "66,026 parameters" in out and "classes" in out and "mean" in out
    rows = {line.split(")")[0].strip(" (").removeprefix("model."): line for line in out.splitlines() if "(model." in line}
    assert len(rows) == 18
    first = rows["1"].split()
    assert first[-3:] == ["32x8x8", "320", f"{32 * 64 * 9:,}"]
    assert rows["7"].split()[-3] == "32x4x4" and rows["17"].split()[-3:] == ["10", "650", "640"]
    assert "total: 66,026 parameters" in out


def test_inspect_of_tables_and_tensors(capsys) -> None:
    out = run(capsys, "inspect", str(EXAMPLES / "digits" / "digits_test.t7"))
    assert "tensor 355x1x8x8, uint8" in out and "accuracy" in out


def test_inspect_names_unknown_classes(capsys, tmp_path) -> None:
    net = pl.t7.TorchObject("nn.Sequential", 1, {"modules": [pl.t7.TorchObject("my.Layer", 1, {"gain": 2})]})
    pl.t7.write(tmp_path / "net.t7", {"model": net})
    out = run(capsys, "inspect", str(tmp_path / "net.t7"))
    assert "not known: my.Layer, first at model.1; its fields:\n    gain  2\n" in out
    assert '@pl.register("my.Layer")\n    class Layer(pl.nn.Module):' in out


# ---- what cannot be done


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["inspect", "nowhere.t7"], "nowhere.t7: there is no such file"),
        (["inspect", DIGITS, "--input", "1x0x8"], "--input 1x0x8: expected sizes joined by x"),
        (["inspect", DIGITS, "--input", "1x99999x99999"], "expected at most 1,000,000,000 elements in an array"),
        (["inspect", DIGITS, "--input", "1x8x8,1"], "got a table of 2; the network expects an input of 1 x H x W"),
        (["inspect", DIGITS, "--input", "2x8x8"], r"--input 2x8x8: in module 1 of nn.Sequential, .*input.*2"),
        (["run", DIGITS, "nothing.png"], "nothing.png: there is no such file"),
        (["run", DIGITS, __file__], r"expected a picture .*array \(\.npy, \.npz\) or a tensor \(\.t7\); got text"),
        (["run", DIGITS, DIGITS], "choose a tensor of the table with --key"),
        (["run", DIGITS, TEST, "--model", "net"], "--model net: there is no such place; networks of the file: model"),
        (["run", TEST, DIGITS], "expected a network in this file, got none"),
        (["run", DIGITS, ONE, "--size", "8by8"], "--size 8by8: expected width x height"),
        (["run", DIGITS, ONE, "--mean", "0,0"], "mean: expected 1 number"),
        *(
            (["run", DIGITS, ONE, option, value], f"{option} {value}: expected {wanted}")
            for option, values, wanted in (
                ("--top", ("-3", "0", "1.5", "x"), "a whole number from 1 on"),
                ("--time", ("-1", "0", "nan"), "a whole number from 1 on"),
                ("--threads", ("-1", "0", "1025", "99999999999"), "a whole number from 1 to 1024"),
                ("--scale", ("nan", "inf", "x"), "a finite number"),
                ("--mean", ("nan", "1,inf", "1,", "x"), "finite numbers, with commas"),
                ("--std", ("0", "nan", "1,-1", "x"), "finite numbers above 0, with commas"),
                ("--size", ("0", "0x8", "8x8x8", "99999x99999", "99999", "8.5"), "width x height in pixels"),
                ("--crop", ("8", "0x8", "8x"), "width x height in pixels"),
            )
            for value in values
        ),
        *((["inspect", DIGITS, "--depth", n], f"--depth {n}: expected a whole number from 0 on") for n in ("-1", "x")),
        (["run", DIGITS, ONE, "-o", "x.npy/"], "x.npy/: Is a directory"),
        (["run", DIGITS, ONE, "-o", "x.doc"], r"x.doc: expected a picture"),
        *((["convert", DIGITS, f"x{end}/"], f"x{end}/: Is a directory") for end in (".py", ".onnx", ".pt2", ".npz", ".t7")),
        (["convert", DIGITS, "nowhere/x.py"], "nowhere/x.py: No such file or directory"),
        (["run", DIGITS, ONE, "--device", "cuda"], r"nn.Sequential: torch.CudaTensor: needs a GPU; .* libTHCUNN \(nowhere.so\)"),
    ],
)  # fmt: skip
def test_one_line_says_what_is_wrong(capsys, monkeypatch, arguments: list[str], words: str) -> None:
    monkeypatch.setenv("PYTORCH_LEGACY_THCUNN", "nowhere.so")
    if any(argument.endswith(".png") for argument in arguments):
        pytest.importorskip("PIL")
    assert re.search(words, fail(capsys, *arguments))


def test_an_unknown_option_is_one_line(capsys) -> None:
    for arguments in (["inspect", "x", "--\x1b[31m\nno"], ["run", "x", "--device", "\x1b"], ["\x1b"], []):
        with pytest.raises(SystemExit, match="2"):
            main(arguments)
        text = capsys.readouterr().err
        assert text.startswith("pytorch-legacy") and text.count("\n") == 1 and "\x1b" not in text and "--help" in text


def test_a_std_of_zero_in_the_file(capsys, tmp_path) -> None:
    pytest.importorskip("PIL")
    for field, value in (("std", 0.0), ("mean", float("nan"))):
        pl.save(tmp_path / "m.t7", pl.load(DIGITS) | {field: value})
        assert f"pass --{field}" in fail(capsys, "run", str(tmp_path / "m.t7"), ONE)
        assert " 1 " in run(capsys, "run", str(tmp_path / "m.t7"), ONE, "--std", "0.4", "--mean", "0.3")


def test_broken_file(capsys, tmp_path) -> None:
    (tmp_path / "cut.t7").write_bytes(Path(DIGITS).read_bytes()[:1000])
    message = fail(capsys, "inspect", str(tmp_path / "cut.t7"))
    assert "cut.t7" in message and "offset" in message


def test_installed_command_and_help() -> None:
    command = Path(sys.executable).parent / "pytorch-legacy"
    if not command.exists():
        pytest.skip("the package is not installed in this environment")
    shown = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    assert "inspect" in shown and "print the best classes of a picture" in shown
    for name in ("inspect", "run", "run-many", "explain"):
        shown = subprocess.run([command, name, "--help"], capture_output=True, text=True, check=True).stdout
        assert "pytorch-legacy " + name in shown


def test_help_of_run_fits_a_page(capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 60 and max(map(len, lines)) <= 82
