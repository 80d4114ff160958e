"""``pytorch-legacy explain``: what a user types, what comes out, and what is said when it cannot."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pytorch_legacy import explain
from pytorch_legacy.cli import main

from .test_cli import EXAMPLES, fail, run

COLOUR = str(EXAMPLES / "superres" / "superres_lr_rgb.png")


def test_adaptive_windows_beside_fixed_ones(capsys) -> None:
    out = run(capsys, "explain", "adaptive", "5", "3")
    assert out == f"{explain.windows('adaptive', 5, 3)}\n"
    assert "     0  0-1    ##...  0-2    ###..   differs\n" in out


def test_two_axes_height_first(capsys) -> None:
    out = run(capsys, "explain", "adaptive", "33x54", "14x30")
    assert "height: 33 cells to 14\n" in out and "width: 54 cells to 30\n" in out
    assert run(capsys, "explain", "adaptive", "33x54", "14") == run(capsys, "explain", "adaptive", "33x54", "14x14")


def test_sliding_windows_and_their_options(capsys) -> None:
    words = ["--kernel", "3", "--stride", "2", "--pad", "1"]
    for kind in ("max", "average"):
        out = run(capsys, "explain", kind, "10", *words, "--ceil")
        assert out == f"{explain.windows(kind, 10, kernel=3, stride=2, pad=1, ceil=True)}\n"
        assert "10 cells to 6" in out and "10 cells to 5" in run(capsys, "explain", kind, "10", *words)
    assert "9x8 cells to 3x4" in run(capsys, "explain", "max", "9x8", "--kernel", "3x2")


def test_global(capsys) -> None:
    assert "     0  0-6    #######" in run(capsys, "explain", "global", "7")


def test_fractional(capsys) -> None:
    assert "fractional: 9 cells to 4\n" in run(capsys, "explain", "fractional", "9", "4", "--kernel", "2")


def test_dilation(capsys) -> None:
    assert "     0  0,2,4  #.#.#." in run(capsys, "explain", "max", "6", "--kernel", "3", "--stride", "1", "--dilation", "2")


def test_any_layer_of_nn(capsys) -> None:
    out = run(capsys, "explain", "layer", "SpatialAveragePooling(3, 2, dW=2)", "5x7", "--ceil")
    assert "height: 5 cells to 4\n" in out and "width: 7 cells to 3\n" in out and "ceil" not in out
    assert "nn.TemporalAveragePooling: 9 cells to 4" in run(capsys, "explain", "layer", "TemporalAveragePooling(3, 2)", "9")
    assert "5x5 cells to 1x1" in run(capsys, "explain", "layer", "SpatialGlobalMaxPooling", "5")


def test_windows_as_a_picture(capsys, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    target = tmp_path / "windows.png"
    assert run(capsys, "explain", "adaptive", "5", "3", "-o", str(target)).endswith(f"\nwrote {target}\n")
    assert target.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("mode", ["RGB", "L", "1", "P", "RGBA", "CMYK"])
def test_pictures_of_all_kinds(capsys, tmp_path, mode: str) -> None:
    image = pytest.importorskip("PIL.Image")
    pytest.importorskip("matplotlib")
    source, target = tmp_path / ("photo.jpg" if mode in ("CMYK",) else "photo.png"), tmp_path / "grid.png"
    with image.open(COLOUR) as opened:
        opened.convert(mode).resize((60, 44)).save(source)
    out = run(capsys, "explain", "pooling", str(source), "-o", str(target))
    planes = 1 if mode in ("L", "1") else 3
    assert f"{planes}x44x60 to {planes}x11x15" in out and out.endswith(f"wrote {target}\n")
    grid = np.asarray(image.open(target).convert("RGB"))
    assert grid.shape[0] > 200 and grid.std() > 10


def test_large_picture_is_made_small_unless_a_size_is_given(capsys, tmp_path) -> None:
    pytest.importorskip("PIL")
    pytest.importorskip("matplotlib")
    target = str(tmp_path / "grid.png")
    assert "3x96x96 to 3x24x24" in run(capsys, "explain", "pooling", COLOUR, "-o", target)
    assert "3x64x120 to 3x16x30" in run(capsys, "explain", "pooling", COLOUR, "--size", "120x64", "-o", target)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["adaptive", "5by5", "3"], "SIZE 5by5: expected a size such as 5 or 33x54, with numbers of at least 1"),
        (["adaptive", "0", "3"], "SIZE 0: expected a size"),
        (["adaptive", "5x5", "3x3x3"], "OUTPUT 3x3x3: expected 1 number or 2, as the input has"),
        (["adaptive", "5", "3x3"], "OUTPUT 3x3: expected one number"),
        (["adaptive", "5x4x3x2", "3"], "size: expected 1 to 3 axes, got 4"),
        (["max", "3", "--kernel", "5"], "input width 3 with padding 0, kW 5"),
        (["max", "9", "--kernel", "2", "--pad", "2"], "padW: expected 0 to 1, got 2"),
        (["max", "9", "--kernel", "2", "--stride", "0"], "--stride 0: expected a size"),
        (["adaptive", "5", "3", "-o", "windows.doc"], "windows.doc: expected a file that ends in .*png"),
        (["layer", "SpatialMaxPooling(open('x'))", "5"], "LAYER .*: expected a class of nn or of --classes with its arguments"),
        (["layer", "os.getcwd()", "5"], "expected a class of nn"),
        (["layer", "X(**{...})", "5"], "expected a class of nn"),
        (["layer", 'SpatialMaxPooling(**{"kW": 2})', "5"], "expected a class of nn"),
        (["layer", "SpatialMaxPooling({[]: 1})", "5"], "expected a class of nn"),
        (["layer", "(" * 300, "5"], "expected a class of nn"),
        (["layer", "SpatialMaxPooling(2, 2).x" + "-" * 10**5 + "1", "5"], "expected a class of nn"),
        (["adaptive", "5", "1048577"], "1048577 windows are too many to show"),
        (["adaptive", "5", "3", "-o", "x.png/"], "x.png/: Is a directory"),
        (["layer", "SpatialMaxPooling()", "5"], "LAYER SpatialMaxPooling.*: .*expected 2 to 6 arguments"),
        (["layer", "TemporalMaxPooling(2)", "5", "--ceil"], "--ceil: TemporalMaxPooling.2. has no option ceil"),
        (["layer", "ReLU", "5"], "expected one with windows"),
        (["pooling", "nothing.png", "-o", "grid.png"], "nothing.png: there is no such file"),
        (["pooling", __file__, "-o", "grid.png"], "cannot be read as a picture"),
        (["pooling", COLOUR, "--size", "9by9", "-o", "grid.png"], "--size 9by9: expected width x height"),
        (["pooling", COLOUR, "--size", "2x2", "-o", "grid.png"], "expected planes that hold the kernel"),
    ],
)
def test_one_line_says_what_is_wrong(capsys, arguments: list[str], words: str) -> None:
    for module, needed in (("matplotlib", "windows.doc" in arguments), ("PIL", arguments[0] == "pooling")):
        if needed:
            pytest.importorskip(module)
    assert re.search(words, fail(capsys, "explain", *arguments))


def test_without_matplotlib_the_table_is_printed_and_the_error_says_what_to_install(capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    run(capsys, "explain", "adaptive", "5", "3")
    assert main(["explain", "adaptive", "5", "3", "-o", "windows.png"]) == 1
    captured = capsys.readouterr()
    assert 'pip install "pytorch-legacy[plot]"' in captured.err and "5 cells to 3" in captured.out


def test_help_of_every_kind(capsys) -> None:
    for kind in (*explain.KINDS, "layer", "pooling"):
        with pytest.raises(SystemExit, match="0"):
            main(["explain", kind, "--help"])
        assert f"pytorch-legacy explain {kind}" in capsys.readouterr().out


class TestClassesOfTheUsers:
    """--classes FILE.py, which every command that meets layers takes."""

    TEXT = """
import pytorch_legacy as pl

@pl.register("mine.Halved")
class Halved(pl.nn.SpatialAveragePooling):
    def __init__(self, kW: int, kH: int) -> None:
        super().__init__(kW, kH, kW, kH)
    def updateOutput(self, input):
        return super().updateOutput(input / 2)
"""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "halved.py").write_text(self.TEXT)
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / "json.py").write_text("")
        (tmp_path / "broken.py").write_text("import nothing_of_this_name")
        np.save(tmp_path / "x.npy", np.full((4, 1, 4, 4), 8, np.float32))
        script = "import pytorch_legacy as pl, halved; pl.save('net.t7', pl.nn.Sequential(halved.Halved(2, 2)))"
        self.python(tmp_path, "-c", script)
        return tmp_path

    def python(self, folder: Path, *arguments: str) -> str:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(EXAMPLES.parent), str(folder)])}
        done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
        return done.stdout + done.stderr

    def test_networks_of_them_run_and_are_inspected(self, folder: Path) -> None:
        out = self.python(folder, "-m", "pytorch_legacy", "inspect", "net.t7", "--input", "1x4x4", "--classes", "halved.py")
        assert "(1) mine.Halved" in out and "1x2x2" in out and "not known" not in out
        told = self.python(folder, "-m", "pytorch_legacy", "inspect", "net.t7")
        assert "not known: mine.Halved" in told and "before loading (here: --classes FILE.py):" in told
        out = self.python(folder, "-m", "pytorch_legacy", "run", "net.t7", "x.npy", "--classes", "halved.py", "-o", "y.npy")
        assert "4x1x4x4 in, 4x1x2x2 out" in out, out
        assert (np.load(folder / "y.npy") == 4).all()

    def test_they_are_explained(self, folder: Path) -> None:
        out = self.python(folder, "-m", "pytorch_legacy", "explain", "layer", "Halved(3, 2)", "6", "--classes", "halved.py")
        assert "6x6 cells to 3x2" in out and "     2  4-5    ....##" in out, out
        pytest.importorskip("matplotlib")
        out = self.python(
            folder, "-m", "pytorch_legacy", "explain", "pooling", COLOUR, "-o", "grid.png",
            "--layer", "Halved(4, 4)", "--classes", "halved.py",
        )  # fmt: skip
        assert re.search(r"mine.Halved +3x96x96 to 3x24x24 ", out) and (folder / "grid.png").exists(), out

    def test_what_is_wrong_is_said_in_a_line(self, folder: Path) -> None:
        told = {
            "nowhere.py": "--classes nowhere.py: there is no such file",
            "x.npy": "--classes x.npy: expected a file mine.py",
            "broken.py": "--classes broken.py: ModuleNotFoundError: No module named 'nothing_of_this_name'",
            "sub/json.py": "--classes sub/json.py: another module is called json; choose another name",
        }
        for file, expected in told.items():
            out = self.python(folder, "-m", "pytorch_legacy", "inspect", "net.t7", "--classes", file)
            assert expected in out and out.count("\n") == 1, out
