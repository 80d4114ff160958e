"""Programs on the command line: convert to .thnn, run, run-many, inspect, and thnn-run, the command in C."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, rnn
from pytorch_legacy.cli import main
from pytorch_legacy.program.decoding import decoded
from pytorch_legacy.program.encoding import encoded

EXAMPLES = Path(__file__).parents[2] / "examples" / "digits"
DIGITS = EXAMPLES / "digits.t7"
THNN_RUN = Path(os.environ.get("PYTORCH_LEGACY_THNN_RUN", Path(pl.__file__).parent / "lib" / "thnn-run"))


def command(capsys: Any, *arguments: object) -> str:
    assert main([*map(str, arguments)]) == 0
    return capsys.readouterr().out


def fails(capsys: Any, *arguments: object) -> str:
    assert main([*map(str, arguments)]) == 1
    return capsys.readouterr().err


def thnn_run(*arguments: object, isWrong: bool = False) -> str:
    done = subprocess.run([THNN_RUN, *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == isWrong, done.stderr
    return done.stderr if isWrong else done.stdout


@pytest.fixture
def digits(tmp_path: Path, capsys: Any) -> Path:
    target = tmp_path / "digits.thnn"
    command(capsys, "convert", DIGITS, target)
    return target


def colour_network(tmp_path: Path, **table: Any) -> Path:
    """A .t7 file of a network for color pictures, with settings for them."""
    pl.manualSeed(3)
    net = nn.Sequential(nn.SpatialConvolution(3, 4, 3, 3), nn.ReLU(), nn.SpatialAdaptiveAveragePooling(1, 1), nn.View(-1, 4))
    pl.save(tmp_path / "net.t7", {"model": net.add(nn.SoftMax()).float(), **table})
    return tmp_path / "net.t7"


def test_the_best_classes(digits: Path, tmp_path: Path, capsys: Any) -> None:
    """The program gives what the network gives, from Python and from C."""
    Image = pytest.importorskip("PIL.Image")
    for digit in range(10):
        picture = tmp_path / f"{digit}.pgm"
        Image.open(EXAMPLES / f"digit_{digit}.png").convert("L").save(picture)
        expected = command(capsys, "run", DIGITS, picture).splitlines()
        found = command(capsys, "run", digits, picture).splitlines()
        assert found[:2] == expected[:2] and f"  {digit} " in found[1]
        assert thnn_run(digits, picture).splitlines()[0].endswith("1x1x8x8 in, 1x10 out")
        assert thnn_run(digits, picture).splitlines()[1:] == found[1:6]


def test_convert_tells_what_it_wrote(tmp_path: Path, capsys: Any) -> None:
    target = tmp_path / "net.thnn"
    said = command(capsys, "convert", DIGITS, target)
    assert "N x 1 x 8 x 8 -> N x 10, 8 calls, 262568 bytes of weights; assumed an input of 1x1x8x8, as the file says" in said
    said = command(capsys, "convert", DIGITS, target, "--input", "1x1x28x28", "--input", "1x1x30x20")
    assert "N x 1 x any x any -> N x 10" in said
    program = pl.Program.load(target)
    net = pl.load(DIGITS)["model"].evaluate()
    for shape in ((1, 1, 28, 28), (3, 1, 30, 20)):
        x = np.random.default_rng(1).standard_normal(shape).astype("f")
        np.testing.assert_allclose(program(x), net.forward(x), rtol=1e-4, atol=1e-5)
    assert "expected floats n x 1 x 28 x 28, or floats n x 1 x 30 x 20, got floats 1 x 1 x 31 x 31" in fails(
        capsys, "run", target, EXAMPLES / "digit_3.png", "--size", "31x31"
    )


@pytest.mark.parametrize("text", ["3x1x3", "1x1x3", "4x2x3"])
def test_the_program_takes_the_size_that_it_was_given(text: str, tmp_path: Path, capsys: Any) -> None:
    """A network of sequences is compiled for one length, in the place of a batch."""
    pl.save(tmp_path / "net.t7", rnn.Sequencer(rnn.FastLSTM(3, 4)))
    said = command(capsys, "convert", tmp_path / "net.t7", tmp_path / "net.thnn", "--input", text)
    assert "any x " in said
    assert f"{text} in" in command(capsys, "run", tmp_path / "net.thnn", "--input", text)


def test_many_sizes(tmp_path: Path, capsys: Any) -> None:
    """None of them is left out, and an error tells of all."""
    texts = [f"1x1x{size}x9" for size in range(8, 20)]
    command(capsys, "convert", DIGITS, tmp_path / "net.thnn", *[word for text in texts for word in ("--input", text)])
    for text in texts:
        command(capsys, "run", tmp_path / "net.thnn", "--input", text)
    wrong = fails(capsys, "run", tmp_path / "net.thnn", "--input", "1x1x30x9")
    sizes = ", or ".join(f"floats n x 1 x {size} x 9" for size in range(8, 20))
    assert f"expected {sizes}, got floats 1 x 1 x 30 x 9" in wrong


def test_letters_are_free_sizes(tmp_path: Path, capsys: Any) -> None:
    pl.save(tmp_path / "net.t7", nn.Sequential(rnn.SeqLSTM(3, 4)))
    assert "5 x N x 3 -> 5 x N x 4" in command(capsys, "convert", tmp_path / "net.t7", tmp_path / "net.thnn", "--input", "5xNx3")
    for batch in (1, 2, 7):
        command(capsys, "run", tmp_path / "net.thnn", "--input", f"5x{batch}x3")


def test_an_index_out_of_range_is_told(tmp_path: Path, capsys: Any) -> None:
    pl.save(tmp_path / "net.t7", nn.LookupTable(7, 3))
    command(capsys, "convert", tmp_path / "net.t7", tmp_path / "net.thnn", "--input", "2:int")
    np.save(tmp_path / "x.npy", np.int64([[1, 9]]))
    assert "expected 0 to 6, got 9" in fails(capsys, "run", tmp_path / "net.thnn", tmp_path / "x.npy")


def test_what_convert_refuses(tmp_path: Path, capsys: Any) -> None:
    target = tmp_path / "net.thnn"
    assert "holds the sizes that it is given" in fails(capsys, "convert", DIGITS, target, "--input", "Nx1xHx28")
    wrong = fails(capsys, "convert", DIGITS, target, "--input", "1x1x28x28", "--input", "1x28x28")
    assert "expected arrays of the types and numbers of dimensions of the first --input" in wrong
    assert "--force is for .py, .onnx, .pt2" in fails(capsys, "convert", DIGITS, target, "--force")
    several = ["--input", "1x1x8x8", "--input", "1x1x9x9"]
    assert "expected one --input; several are for .thnn" in fails(capsys, "convert", DIGITS, tmp_path / "net.onnx", *several)
    assert not list(tmp_path.iterdir())


def test_options_for_networks_alone(digits: Path, capsys: Any) -> None:
    for option in ("--double", "--training", "--optimize"):
        assert f"{option}: is for networks" in fails(capsys, "run", digits, "--input", "1x1x8x8", option)
    for option in (["--input", "1x1x8x8"], ["--model", "model"], ["--depth", "2"], ["--fields"]):
        assert f"{option[0]}: is for .t7 files" in fails(capsys, "inspect", digits, *option)


def test_inspect(digits: Path, capsys: Any) -> None:
    said = command(capsys, "inspect", digits)
    assert "digits.thnn: a program, " in said and "labels: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9" in said
    assert "in module 13 of nn.Sequential, nn.LogSoftMax" in said and said.count("FloatLogSoftMax_updateOutput") == 1
    assert command(capsys, "inspect", digits, "--all").count("FloatLogSoftMax_updateOutput") == 2
    data = json.loads(command(capsys, "inspect", digits, "--json"))
    assert [one["inputs"] for one in data["lists"]] == [["float32 1 x 1 x 8 x 8"], ["float32 n x 1 x 8 x 8"]]
    assert data["lists"][1]["calls"][0]["outputs"] == ["n x 32 x 8 x 8"] and data["preparation"]["size"] == [8, 8]


def test_many_pictures(digits: Path, tmp_path: Path, capsys: Any) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    tables = []
    for file in (DIGITS, digits):
        target = tmp_path / f"{file.stem}.parquet"
        said = command(capsys, "run-many", file, *sorted(EXAMPLES.glob("digit_*.png")), "-o", target)
        assert "as the network ends in nn.LogSoftMax" in said
        tables.append(parquet.read_table(target).to_pydict())
    assert tables[0]["label"] == tables[1]["label"] == [str(digit) for digit in range(10)]


# ---------------------------------------------------------------------------------------------- thnn-run


PREPARATIONS: list[dict[str, Any]] = [
    {"imageSize": [3, 12, 14], "mean": [0.2, 0.3, 0.4], "std": [0.5, 0.25, 0.125]},
    {"imageSize": 20, "cropSize": 12, "mean": [103.9, 116.8, 123.7], "bgr": True},
    {"imageSize": 40, "cropSize": [30, 36]},
]


@pytest.mark.parametrize("number", range(len(PREPARATIONS)))
def test_pictures_are_prepared_as_by_run(number: int, tmp_path: Path, capsys: Any) -> None:
    """thnn-run gives the bits of `run`, for pictures that shrink, grow, are gray, or have the size already."""
    Image = pytest.importorskip("PIL.Image")
    target = tmp_path / "net.thnn"
    command(capsys, "convert", colour_network(tmp_path, **PREPARATIONS[number]), target)
    random = np.random.default_rng(number)
    # Versions of Pillow resize tall pictures in another order, so there are none.
    sizes = [(64, 48, 3), (9, 9, 3), (37, 30, 0), (14, 12, 3), (20, 20, 3), (200, 30, 3)]
    for place, (width, height, channels) in enumerate(sizes):
        shape = (height, width, channels) if channels else (height, width)
        picture = tmp_path / ("x.ppm" if channels else "x.pgm")
        Image.fromarray(random.integers(0, 256, shape).astype(np.uint8)).save(picture)
        options = [target, picture, "-o", tmp_path / f"{place}.npy"]
        if main(["run", *map(str, options)]):
            assert "expected a picture of" in thnn_run(target, picture, isWrong=True)  # too small for the crop
            continue
        thnn_run(target, picture, "-o", tmp_path / "c.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "c.npy"), np.load(tmp_path / f"{place}.npy"))
        capsys.readouterr()


def test_a_recurrent_network_is_timed_from_the_beginning(tmp_path: Path) -> None:
    """Runs that are timed leave the output of the first one."""
    program = pl.compile(nn.Sequential(rnn.SeqLSTM(3, 4).remember("both")).evaluate(), (5, None, 3))
    program.save(tmp_path / "net.thnn")
    x = np.random.default_rng(2).standard_normal((5, 2, 3)).astype("f")
    np.save(tmp_path / "x.npy", x)
    thnn_run(tmp_path / "net.thnn", tmp_path / "x.npy", "-o", tmp_path / "y.npy", "--time", "3")
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), program(x))


def test_an_error_tells_the_call(tmp_path: Path) -> None:
    """The library's text has the function and the argument; inspect has the module of each call."""
    pl.compile(nn.Sequential(nn.Identity(), nn.LookupTable(7, 3)), np.int64([1, 2])).save(tmp_path / "net.thnn")
    np.save(tmp_path / "x.npy", np.int64([1, 7]))
    said = thnn_run(tmp_path / "net.thnn", tmp_path / "x.npy", isWrong=True)
    assert "expected 0 to 6, got 7" in said
    assert f"(call 1 of list 0; pytorch-legacy inspect --all {tmp_path / 'net.thnn'} names its module)" in said


def test_classes_of_several_samples(digits: Path, tmp_path: Path, capsys: Any) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(2).standard_normal((3, 1, 8, 8)).astype("f"))
    found = thnn_run(digits, tmp_path / "x.npy").splitlines()
    assert len(found) == 4 and found[1:] == command(capsys, "run", digits, tmp_path / "x.npy").splitlines()[1:4]


def test_wrong_preparations(digits: Path, tmp_path: Path) -> None:
    """Notes of a file are hostile."""
    picture = tmp_path / "x.pgm"
    picture.write_bytes(b"P5\n8 8\n255\n" + bytes(64))
    lists = decoded(digits.read_bytes())
    for notes, text in {
        "crop 2 inf\n": "expected a crop of 1 to", "crop 4 1e300\n": "expected a crop of 1 to", "crop nan 2\n": "expected a crop",
        "size 1e300\n": "expected a size of 1 to", "size 8 inf\n": "expected a size", "size -1\n": "expected a size",
        "mean 1 2\n": "expected 1 mean and 1 std or 1", "std 0\n": "a std above 0", "scale nan\n": "finite numbers as scale",
    }.items():  # fmt: skip
        (tmp_path / "wrong.thnn").write_bytes(bytes(encoded(lists, notes=notes)))
        assert text in thnn_run(tmp_path / "wrong.thnn", picture, isWrong=True)


def test_a_color_picture_for_one_channel(digits: Path, tmp_path: Path, capsys: Any) -> None:
    Image = pytest.importorskip("PIL.Image")
    Image.fromarray(np.random.default_rng(1).integers(0, 256, (40, 50, 3)).astype(np.uint8)).save(tmp_path / "x.ppm")
    command(capsys, "run", digits, tmp_path / "x.ppm", "-o", tmp_path / "python.npy")
    thnn_run(digits, tmp_path / "x.ppm", "-o", tmp_path / "c.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "c.npy"), np.load(tmp_path / "python.npy"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays(dtype: Any, tmp_path: Path) -> None:
    net = nn.Sequential(nn.ParallelTable(nn.Linear(3, 4), nn.Linear(5, 4)), nn.CAddTable()).type(
        "torch.DoubleTensor" if dtype == np.float64 else "torch.FloatTensor"
    )
    program = pl.compile(net, [(None, 3), (None, 5)])
    program.save(tmp_path / "net.thnn")
    x = [np.random.default_rng(2).standard_normal((7, size)).astype(dtype) for size in (3, 5)]
    for name, array in zip("ab", x, strict=True):
        np.save(tmp_path / name, array)
    said = thnn_run(tmp_path / "net.thnn", tmp_path / "a.npy", tmp_path / "b.npy", "-o", tmp_path / "c.npy", "--threads", "1")
    assert "7x3, 7x5 in, 7x4 out" in said
    np.testing.assert_array_equal(np.load(tmp_path / "c.npy"), program(x))


def test_what_thnn_run_refuses(digits: Path, tmp_path: Path) -> None:
    def refused(text: str, *arguments: object) -> None:
        assert text in thnn_run(*arguments, isWrong=True)

    picture, array = tmp_path / "x.pgm", tmp_path / "x.npy"
    picture.write_bytes(b"P5\n# a comment\n8 8\n255\n" + bytes(64))
    np.save(array, np.zeros((1, 1, 8, 8), "f"))
    assert "1x1x8x8 in, 1x10 out" in thnn_run(digits, picture)
    assert " ms (median of 7)" in thnn_run(digits, picture, "--time", "7")
    assert "usage: thnn-run NET.thnn INPUT" in thnn_run("--help")
    refused("expected NET.thnn and an INPUT")
    refused("--nothing: there is no such option", digits, picture, "--nothing")
    refused("--top: expected a whole number from 1 to 1024, got x", digits, picture, "--top", "x")
    refused("--top: expected a value behind it, got none", digits, picture, "--top")
    refused("expected 1 inputs, got 2", digits, picture, picture)
    refused("No such file or directory", tmp_path / "none.thnn", picture)
    refused("expected a program, which begins with THNNprog", DIGITS, picture)
    refused("there is no such file", digits, tmp_path / "none.pgm")
    np.save(tmp_path / "y.npy", np.zeros((1, 1, 9, 8), "f"))
    refused("expected floats n x 1 x 8 x 8, got floats 1 x 1 x 9 x 8", digits,
            tmp_path / "y.npy")  # fmt: skip
    refused("cannot be written", digits, array, "-o", tmp_path / "none" / "y.npy")
    content = array.read_bytes()
    contents = {
        b"": "an empty one",
        b"P7\n": "another one",
        b"P5\n8 8\n65535\n": "bytes up to 255",
        b"P5\n8 x\n255\n": "expected the numbers",
        b"P5\n8 8\n255\n" + bytes(63): "expected 64 bytes of pixels",
        b"P5\n99999999999999999999 8\n255\n": "pixels a side",
        b"P5 0 8 255 ": "pixels a side",
        b"\x93NUMPY": "expected the header",
        content[:-1]: "bytes of numbers",
        content.replace(b"<f4", b"<f2"): "got <f2",
        content.replace(b"False", b"True "): "row-major order",
        content.replace(b"(1, 1, 8, 8), ", b"(9999999999), "): "31-bit size",
        content.replace(b"(1, 1, 8, 8)", b"(1,1,1,1,1,1,1,1,1)"): "at most 8 dimensions",
    }
    for content, text in contents.items():
        (tmp_path / "wrong").write_bytes(content)
        refused(text, digits, tmp_path / "wrong")


def test_labels_do_not_control_the_terminal(digits: Path, tmp_path: Path, capsys: Any) -> None:
    program = pl.Program.load(digits)
    program.labels = [f"{digit}\x1b[31m\x9b\x07" for digit in range(10)]
    program.save(digits)
    np.save(tmp_path / "x.npy", np.zeros((1, 1, 8, 8), "f"))
    for said in (thnn_run(digits, tmp_path / "x.npy"), command(capsys, "run", digits, tmp_path / "x.npy"),
                 command(capsys, "inspect", digits)):  # fmt: skip
        assert not any(ord(one) < 32 and one != "\n" for one in said) and "\x9b" not in said


def test_damaged_files_never_crash(digits: Path, tmp_path: Path) -> None:
    """A mutated program, picture or array gives an output or one sentence. Half of the programs have no checksum."""
    picture, array = tmp_path / "x.pgm", tmp_path / "x.npy"
    picture.write_bytes(b"P5\n8 8\n255\n" + bytes(64))
    np.save(array, np.zeros((1, 1, 8, 8), "f"))
    random = np.random.default_rng(5)
    codes = set()
    for file in (digits, picture, array):
        content = file.read_bytes()
        for _ in range(int(os.environ.get("PYTORCH_LEGACY_MUTANTS", "25"))):
            changed = bytearray(content[: random.integers(len(content)) if random.random() < 0.2 else len(content)])
            beginning = 6000 if file is digits else 200  # the notes and lists, or the header
            for place in random.integers(0, max(1, min(len(changed), beginning)), random.integers(1, 4)):
                changed[place : place + 1] = random.bytes(1)
            if file is digits and random.random() < 0.5:
                changed[52:56] = bytes(4)
            wrong = tmp_path / f"wrong{file.suffix}"
            wrong.write_bytes(changed)
            given = [wrong, picture] if file is digits else [digits, wrong]
            done = subprocess.run([THNN_RUN, *given], capture_output=True, text=True, errors="replace", timeout=120)
            codes.add(done.returncode)
            assert done.returncode in (0, 1) and "runtime error" not in done.stderr, done.stderr
            assert done.returncode == 0 or (done.stderr.startswith("thnn-run: ") and done.stderr.count("\n") == 1), done.stderr
    assert codes == {0, 1}


def test_the_command_is_installed() -> None:
    script = Path(sys.executable).parent / "thnn-run"
    if not script.exists():
        pytest.skip("the package is not installed")
    assert "usage: thnn-run" in subprocess.run([script, "--help"], capture_output=True, text=True).stdout
