"""Layers outside of the package: what is compiled and bound is a layer as ours are; what is wrong with a file is said by line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.backend import binding, library
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.extension import ExtensionError, compiler, loader

ROOT = Path(__file__).resolve().parents[2]
# For other processes: the package of this checkout.
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), "MPLBACKEND": "agg"}
KERNELS = bool(os.environ.get("PYTORCH_LEGACY_OWN_KERNELS"))

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield patch


@pytest.fixture
def source(cache, tmp_path: Path):
    """SoftCut.c and SoftCut.h; what was loaded is forgotten afterwards."""
    folder = tmp_path / "a folder"
    pl.extension.new_layer("SoftCut", "pointwise", folder)
    yield folder / "SoftCut.c"
    for name in [name for name, owner in binding.owners.items() if owner.path.is_relative_to(tmp_path)]:
        del binding.owners[name], library.SIGNATURES[name]


def changed(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def layer(**keywords):
    class SoftCut(pl.extension.Layer):
        _layer = "SoftCut"

        def __init__(self, beta: float = 2.0) -> None:
            super().__init__()
            self.beta = beta

    return SoftCut(**keywords)


def built(source: Path, include: Path, target: Path) -> Path:
    """The library as a Makefile builds it: with the installed headers, and nothing of ours linked."""
    objects = []
    for Real, real in compiler.REALS.items():
        objects.append(target.with_name(f"{Real}.o"))
        options = [f"-DReal={Real}", f"-DTHNN_REAL={real}", f"-I{include}", f"-I{include / 'THNN'}", "-fPIC", "-c", "-o"]
        subprocess.run([*compiler.host_compiler(), *options, objects[-1], source], check=True)
    subprocess.run([*compiler.host_compiler(), "-shared", "-o", target, *objects, "-lm"], check=True)
    return target


HALVES = """
#include "THNN/layer.h"

THNN_API int32_t THNN_(Halves_updateOutput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] as input */
    THTensor *output,       /* [OUT] 1 */
    double factor);

THNN_API int32_t THNN_(Halves_updateGradInput)(
    THNNState *state,
    const THTensor *input,  /* [IN] * */
    const THTensor *target, /* [IN] as input */
    THTensor *gradInput,    /* [OUT] as input */
    double factor);

static int32_t pass(const char *f, THNNState *state, const THTensor *input, const THTensor *target, THTensor *output,
                    double factor, int isLoss)
{
  const int64_t one = 1;
  THNN_TRY(THNN_checkInput(f, "input", view(input), 0, THNN_MAX_DIMS, "any shape"));
  THNN_TRY(THNN_checkShape(f, "target", view(target), input->nDimension, input->size));
  if (isLoss) THNN_TRY(THNN_checkOutput(f, "output", view(output), 1, &one));
  else THNN_TRY(THNN_checkOutput(f, "gradInput", view(output), input->nDimension, input->size));
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input)), *t = THNN_in(&call, view(target));
  real *y = THNN_out(&call, view(output));
  if (THNN_ready(&call)) {
    double sum = 0;
    for (int64_t i = 0; i < THNN_nElement(view(input)); i++) {
      if (isLoss) sum += factor * (x[i] - t[i]) * (x[i] - t[i]);
      else y[i] = (real)(2 * factor * (x[i] - t[i]));
    }
    if (isLoss) y[0] = (real)sum;
  }
  return THNN_leave(&call);
}

int32_t THNN_(Halves_updateOutput)(THNNState *state, const THTensor *input, const THTensor *target, THTensor *output,
                                   double factor)
{
  return pass(__func__, state, input, target, output, factor, 1);
}

int32_t THNN_(Halves_updateGradInput)(THNNState *state, const THTensor *input, const THTensor *target, THTensor *gradInput,
                                      double factor)
{
  return pass(__func__, state, input, target, gradInput, factor, 0);
}
"""
X = np.random.default_rng(0).standard_normal((3, 4))


class TestLoad:
    def test_serves_layers_like_ours(self, source: Path) -> None:
        extension = pl.extension.load(source)
        assert repr(extension) == "<extension SoftCut: SoftCut_updateOutput, ..._updateGradInput>"
        net = pl.nn.Sequential().add(pl.nn.Linear(4, 3)).add(layer())
        x = X.astype("f")
        y = net[0].forward(x)
        np.testing.assert_allclose(net.forward(x), y / (1 + 2 * abs(y)), rtol=1e-5)
        assert net.clone().double().backward(X, np.ones((3, 3))).dtype == np.float64
        assert pl.testing.jacobian(net, X) < 1e-6
        net[1].beta = 0.0  # a changed field counts from the next pass on
        np.testing.assert_array_equal(net.forward(x), y)
        np.testing.assert_array_equal(layer().forward(x[:, ::2]), layer().forward(np.ascontiguousarray(x[:, ::2])))
        assert "SoftCut" in str(net.summary((3, 4)))

    def test_threads_share_loops(self, source: Path) -> None:
        pl.extension.load(source)
        x = np.random.default_rng(0).standard_normal(1 << 18)
        threads = pl.getNumThreads()
        try:
            results = []
            for count in (1, 3):
                pl.setNumThreads(count)
                results.append(layer().double().forward(x).copy())
        finally:
            pl.setNumThreads(threads)
        np.testing.assert_array_equal(results[0], results[1])
        np.testing.assert_allclose(results[0], x / (1 + 2 * abs(x)), rtol=1e-12)

    def test_serves_criterions_like_ours(self, source: Path) -> None:
        file = source.with_name("Halves.c")
        file.write_text(HALVES)
        pl.extension.load(file)

        class Halves(pl.extension.Criterion):
            _layer = "Halves"

            def __init__(self, factor: float) -> None:
                super().__init__()
                self.factor = factor

        criterion, x, target = Halves(0.5).double(), X, X[::-1].copy()
        for _ in range(2):
            loss, gradInput = criterion(x, target)
            assert loss == criterion.output == pytest.approx(0.5 * ((x - target) ** 2).sum(), rel=1e-12)
            np.testing.assert_allclose(gradInput, x - target, rtol=1e-12)
        assert pl.testing.jacobian(criterion, x, target) < 1e-6
        criterion.factor = 1.0
        assert criterion.forward(x, target) == pytest.approx(2 * loss)
        for _ in range(2):
            with pytest.raises(ShapeError, match="Halves: target: expected 3 x 4, got 2 x 4"):
                criterion.forward(x, target[:2])

    def test_once_and_anew_after_a_change(self, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        first = pl.extension.load(source)
        old, x = layer(), X.astype("f")
        expected = old.forward(x).copy()
        ran = []
        monkeypatch.setattr(compiler, "run", lambda command, about, run=compiler.run: ran.append(command) or run(command, about))
        assert pl.extension.load(source).library == first.library and not ran
        copy = shutil.copytree(source.parent, source.parent.with_name("copy")) / source.name
        assert compiler.shared_library(copy, copy.with_suffix(".h"), []).library == first.library and not ran
        changed(source, "y[i] = x[i] /", "y[i] = 10 * x[i] /")
        assert pl.extension.load(source).library != first.library and ran
        np.testing.assert_allclose(layer().forward(x), 10 * expected, rtol=1e-6)
        np.testing.assert_array_equal(old.forward(x), expected)  # a layer keeps what it was bound to
        changed(source.with_suffix(".h"), "double beta", "double gamma")
        pl.extension.load(source)
        with pytest.raises(AttributeError, match=r"SoftCut: has no attribute 'gamma'"):
            layer().forward(x)

    def test_comments_of_either_kind_and_flags(self, source: Path) -> None:
        header = source.with_suffix(".h")
        text = re.sub(r"/\* (\[.*) \*/", r"// \1", header.read_text())
        header.write_text(text.replace("THNN_API", "// as THNN_API says\nTHNN_API"))
        changed(source, "y[i] = x[i] /", "y[i] = TIMES * x[i] /")
        for flags in ("-DTIMES=3 -Wall", ["-DTIMES=3"]):
            pl.extension.load(source, flags=flags)
            assert layer().forward(np.float32([1]))[0] == 1

    def test_broken_cache_is_made_anew_and_no_cache_is_needed(self, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(source.parent / "cache"))  # nothing that another test has opened is broken
        kept = compiler.shared_library(source, source.with_suffix(".h"), []).library
        kept.write_bytes(b"broken")
        assert pl.extension.load(source).library == kept
        monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
        assert pl.extension.load(source).library != kept
        assert layer().forward(np.float32([0]))[0] == 0

    def test_declarations_on_top_of_the_file(self, source: Path) -> None:
        changed(source, '#include "SoftCut.h"', source.with_suffix(".h").read_text())
        source.with_suffix(".h").unlink()
        pl.extension.load(source)
        assert layer().forward(np.float32([1]))[0] == np.float32(1 / 3)

    def test_built_library(self, source: Path, tmp_path: Path) -> None:
        target = built(source, compiler.INCLUDE, tmp_path / "libmine.so")
        with pytest.raises(ExtensionError, match=r"expected header=, the file that declares its functions"):
            pl.extension.load(target)
        pl.extension.load(target, header=source.with_suffix(".h"))
        assert layer().forward(np.float32([1]))[0] == np.float32(1 / 3)


class TestErrors:
    @pytest.mark.parametrize(
        ("old", "new", "text"),
        [
            ("/* [IN] * */", "/* * */", r"SoftCut.h:5: SoftCut_updateOutput: input: expected one of .* tags \[IN\], .* got none"),
            ("/* [IN] * */", "/* [IN] [OUT] * */", r"input: expected one of the tags .* got \[IN\] and \[OUT\]"),
            ("/* [IN] * */", "/* [IN] [SAFE] * */", r"input: expected tags of .*, got \[SAFE\]"),
            ("/* [OUT] as input */", "/* [OUT] */", r"SoftCut.h:6: SoftCut_updateOutput: output: expected a shape"),
            ("const THTensor *input, /*", "THTensor *input, /*", r"input: expected const THTensor \*, as it is \[IN\]"),
            ("THTensor *output,", "const THTensor *output,", r"output: expected THTensor \*, as it is \[OUT\]"),
            ("double beta", "float beta", r"SoftCut.h:7: SoftCut_updateOutput: beta: expected one of .*, got float"),
            ("double beta);", "double beta)", r"SoftCut.h:\d+: SoftCut_updateOutput: expected ; behind its arguments"),
            ("THNNState *state,", "", r"expected THNNState \*state as the first argument"),
            ("const THTensor *input, /*", "const THTensor *x, /*", r"expected input, output first, got x, output"),
            ("int32_t THNN_(", "void THNN_(", r"expected it to return int32_t, a status, got void"),
            ("THNN_(SoftCut_updateOutput)", "SoftCut_updateOutput", r"expected THNN_\(SoftCut_updateOutput\)"),
            ("SoftCut_updateOutput", "Square_updateOutput", r"Square_updateOutput: is the name of a function of libTHNN"),
            ("SoftCut_updateGradInput", "SoftCut_updateOutput", r"SoftCut_updateOutput: is declared twice"),
            ("double beta", "double lambda", r"SoftCut_updateOutput: lambda: is a word of Python's"),
            ("double beta", "double scale", r"SoftCut_updateOutput: scale: the caller of a pass hands over"),
            ("double beta", "double", r"expected a type and a name, got  ?double"),
            ("THTensor *output,", "int32_t n, THTensor *output,", r"expected input, output first, got input, n"),
            ("double beta);", "double beta,\n const THTensor *w); /* [IN] 3 */", r"numbers behind all tensors"),
            ("SoftCut_updateGradInput", "SoftCut_accGradParameters", r"expected double scale as the last argument"),
            ("THNN_API", "", r"expected THNNState|expected input"),
        ],
    )  # fmt: skip
    def test_of_declarations(self, source: Path, old: str, new: str, text: str) -> None:
        changed(source.with_suffix(".h"), old, new)
        if old == "THNN_API":  # nothing is declared any more
            source.with_suffix(".h").write_text("/* no declarations */\n")
            text = "SoftCut.h: expected declarations as those of THNN.h"
        with pytest.raises(ExtensionError, match=text):
            pl.extension.load(source)
        assert "SoftCut_updateOutput" not in binding.owners

    @pytest.mark.parametrize(
        ("old", "new", "text"),
        [
            ("y[i] = x[i]", "y[i] = z[i]", r"SoftCut.c:19:\d+: error: .*undeclared"),
            ("*output, double beta)", "*output, int64_t beta)", r"SoftCut.c:44:\d+: error: conflicting types"),
            ("THNN_checkInput", "THNN_chekInput", r"SoftCut.c:46:\d+: error: .*THNN_chekInput"),
            ("THNN_(SoftCut_updateGradInput)", "THNN_(SoftCut_other)", r"SoftCut_updateGradInput: is declared, but THNN_Float"),
        ],
    )  # fmt: skip
    def test_of_the_compiler(self, source: Path, old: str, new: str, text: str) -> None:
        changed(source, old, new)
        with pytest.raises(ExtensionError, match=text):
            pl.extension.load(source)

    @pytest.mark.parametrize(
        ("asks", "text"),
        [
            ("for (int i = 0; i < 8; i++) y = THNN_out(&call, view(output));", "at most 8 outputs that are not contiguous"),
            ("for (int i = 0; i < 16; i++) x = THNN_in(&call, view(input));", "at most 16 tensors in a call"),
        ],
    )  # fmt: skip
    def test_of_more_tensors_than_a_call_holds(self, source: Path, asks: str, text: str) -> None:
        changed(source, "  if (THNN_ready", f"  {asks}\n  if (THNN_ready")
        pl.extension.load(source)
        output = np.zeros((3, 8), "f")[:, ::2]
        with pytest.raises(NotImplementedError, match=text):
            pl.extension.call(layer(), "SoftCut_updateOutput", X.astype("f"), output, 2.0)
        assert not output.any()

    def test_of_arguments_and_names(self, source: Path, tmp_path: Path) -> None:
        pl.extension.load(source)
        with pytest.raises(TypeError, match=r"SoftCut: beta: expected a number, got 'two'"):
            layer(beta="two")
        wrong = layer()
        wrong.beta = "two"
        with pytest.raises(TypeError, match=r"SoftCut: beta: expected a number, got 'two'"):
            wrong.forward(X.astype("f"))
        with pytest.raises(ValueError, match=r"SoftCut: beta: expected 0 or more, got -1"):
            layer(beta=-1).forward(X.astype("f"))
        with pytest.raises(TypeError, match=r"SoftCut: input: expected .*float32"):
            layer().forward(X)

        class Other(pl.extension.Layer):
            _layer = "NotLoaded"

        with pytest.raises(NotImplementedError, match=r"there is no C function NotLoaded_updateOutput; pl.extension.load"):
            Other().forward(X.astype("f"))
        with pytest.raises(NotImplementedError, match=r"there is no C function NotLoaded_x; pl.extension.load"):
            pl.extension.call(layer(), "NotLoaded_x")
        second = Path(shutil.copytree(source.parent, tmp_path / "second")) / source.name
        with pytest.raises(ExtensionError, match=r"SoftCut_updateOutput: is loaded from .* already; choose another name"):
            pl.extension.load(second)

    def test_of_files(self, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(FileNotFoundError):
            pl.extension.load(source.with_name("No.c"))
        with pytest.raises(FileNotFoundError):
            pl.extension.load(source, header="no.h")
        with pytest.raises(FileNotFoundError):
            pl.extension.load(source.with_suffix(".cu"))
        with pytest.raises(ExtensionError, match=r"expected a .c or .cu file, or a shared library"):
            pl.extension.load(source.with_suffix(".py"))
        with pytest.raises(ExtensionError, match=r"emulate: expected SoftCut.cu beside it"):
            pl.extension.load(source, emulate=True)
        broken = tmp_path / "libbroken.so"
        broken.write_bytes(b"nothing")
        with pytest.raises(ExtensionError, match=r"cannot open"):
            pl.extension.load(broken, header=source.with_suffix(".h"))
        with pytest.raises(ExtensionError, match=r"has no THNN_attachLayer; its sources are to include THNN/layer.h"):
            pl.extension.load(library.library_path, header=source.with_suffix(".h"))
        monkeypatch.setenv("CC", "nocc --fast")
        with pytest.raises(ExtensionError, match=r"CC=nocc: there is no such compiler"):
            pl.extension.load(source)
        monkeypatch.delenv("CC")
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(ExtensionError, match=r"no C compiler was found \(CC, cc, gcc, clang\); install one"):
            pl.extension.load(source)

    @pytest.mark.parametrize(
        ("file", "old", "new", "version"),
        [
            ("interface.h", "THNN_LAYER_VERSION 3", "THNN_LAYER_VERSION 99", 99),
            ("core.h", "THNN_MAX_COPIES = 8", "THNN_MAX_COPIES = 9", 3),  # a layer's own memory has another size
        ],
    )  # fmt: skip
    def test_of_an_outdated_build(self, source: Path, tmp_path: Path, file: str, old: str, new: str, version: int) -> None:
        include = Path(shutil.copytree(compiler.INCLUDE, tmp_path / "include"))
        changed(include / "THNN" / "core" / file, old, new)
        target = built(source, include, tmp_path / "libold.so")
        with pytest.raises(ExtensionError, match=rf"libold.so: was built for version {version} of .*version 3: build it again"):
            pl.extension.load(target, header=source.with_suffix(".h"))


def test_interface_counts_its_versions() -> None:
    """A change of the interface that layers are built with raises THNN_LAYER_VERSION, here too."""
    text = (ROOT / "THNN" / "core" / "interface.h").read_text()
    version = re.search(r"#define THNN_LAYER_VERSION (\d+)", text)
    assert version and int(version[1]) == loader.LAYER_VERSION
    entries = re.findall(r"entry\((\w+)\)", text.partition("#define THNN_LAYER_FUNCTIONS(entry)")[2])
    assert (loader.LAYER_VERSION, len(entries), entries[0], entries[-1]) == (3, 42, "enterEnvironment", "checkGradients")
    table = library.lib.THNN_layerInterface(loader.LAYER_VERSION)
    assert table != library.ffi.NULL and library.ffi.cast("int32_t *", table)[0] == loader.LAYER_VERSION
    assert library.lib.THNN_layerInterface(loader.LAYER_VERSION + 1) == library.ffi.NULL
    macros = (ROOT / "THNN" / "layer.h").read_text()
    assert all(re.search(rf"THNN_{entry}\b.*THNN_interface->{entry}\b", macros) for entry in entries)


class TestNewLayer:
    def test_skeletons_pass_their_tests(self, cache, tmp_path: Path) -> None:
        for kind in pl.extension.KINDS:
            files = pl.extension.new_layer(f"My{kind.title()}", kind, tmp_path / kind, KERNELS)
            assert len(files) == 5 + KERNELS and all("NAME" not in file.read_text() for file in files)
        run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", str(tmp_path)]
        done = subprocess.run(run, cwd=tmp_path, env=os.environ | ENVIRONMENT, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout[-3000:]

    def test_pictures_are_drawn(self, cache, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        pl.extension.new_layer("SoftCut", "pointwise", tmp_path)
        run = [sys.executable, "picture_SoftCut.py"]
        subprocess.run(run, cwd=tmp_path, env=os.environ | ENVIRONMENT, check=True, timeout=120)
        assert (tmp_path / "SoftCut.png").read_bytes().startswith(b"\x89PNG")

    def test_command(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        from pytorch_legacy import cli

        monkeypatch.chdir(tmp_path)
        assert cli.main(["new-layer", "SpatialMedianPooling", "--kind", "pooling2d", "--cuda"]) == 0
        names = {file.name for file in Path("SpatialMedianPooling").iterdir()}
        stem = "SpatialMedianPooling"
        assert names == {f"{stem}.h", f"{stem}.c", f"{stem}.cu", f"{stem}.py", f"test_{stem}.py", f"picture_{stem}.py"}
        assert f"cd {stem} && python -m pytest" in capsys.readouterr().out

        (Path(stem) / f"{stem}.h").write_text("mine")
        (Path(stem) / f"{stem}.py").unlink()
        assert cli.main(["new-layer", stem]) == 1  # nothing is overwritten, and nothing is half-written
        assert "there is such a file already; nothing is written" in capsys.readouterr().err
        assert (Path(stem) / f"{stem}.h").read_text() == "mine" and not (Path(stem) / f"{stem}.py").exists()

    def test_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        from pytorch_legacy import cli

        monkeypatch.chdir(tmp_path)
        Path("file").write_text("mine")
        empty = "new_layer: folder: expected the name of a folder, got ''"
        for folder, words in (("", empty), ("file", "file: this is no folder")):
            assert cli.main(["new-layer", "Good", "--folder", folder]) == 1
            assert words in capsys.readouterr().err
        assert [path.name for path in tmp_path.iterdir()] == ["file"]
        with pytest.raises(TypeError, match="new_layer: folder: expected a path, got 5"):
            pl.extension.new_layer("Good", folder=5)  # type: ignore[arg-type]
        assert cli.main(["new-layer", "Good", "--folder", "a\x1b b"]) == 0
        out = capsys.readouterr().out
        assert "\x1b" not in out and "now: cd 'a\\x1b b' && " in out

    def test_a_disk_that_is_full(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Files that were written before the error are removed."""
        opened, count = Path.open, iter(range(3))

        def full(path: Path, *arguments: Any, **keywords: Any) -> Any:
            if "x" in arguments and next(count) == 2:
                raise OSError(28, "No space left on device")
            return opened(path, *arguments, **keywords)

        monkeypatch.setattr(Path, "open", full)
        with pytest.raises(OSError, match="No space left on device; nothing is written"):
            pl.extension.new_layer("Good", folder=tmp_path / "good")
        assert not list((tmp_path / "good").iterdir())

    @pytest.mark.parametrize("name", ["spatial", "A-B", "../A", "", "1A", "SpatialMaxPooling", "A b", "Ä"])
    def test_names(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(ValueError, match=r"new_layer: name: "):
            pl.extension.new_layer(name, folder=tmp_path)
        assert not list(tmp_path.iterdir())
        with pytest.raises(ValueError, match=r"kind: expected one of pointwise, pooling2d, linear, criterion, got 'conv'"):
            pl.extension.new_layer("Good", "conv", tmp_path)


class TestJacobian:
    def test_finds_what_is_wrong(self) -> None:
        class Wrong(pl.nn.Linear):
            mistake = ""

            def updateGradInput(self, input, gradOutput):
                return super().updateGradInput(input, gradOutput) * (1 + (self.mistake == "input"))

            def accGradParameters(self, input, gradOutput, scale=1.0):
                if self.mistake == "overwrites":
                    self.zeroGradParameters()
                super().accGradParameters(input, gradOutput, 1.0 if self.mistake == "scale" else scale)

        wrong = Wrong(4, 3)
        assert pl.testing.jacobian(wrong, X) < 1e-7
        for wrong.mistake in ("input", "overwrites", "scale"):
            assert pl.testing.jacobian(wrong, X) > 0.1
        assert pl.testing.jacobian(pl.nn.MSECriterion(), X, X[::-1].copy()) < 1e-6
        labels = np.array([0, 3, 1])
        assert pl.testing.jacobian(pl.nn.CrossEntropyCriterion(), X, labels) < 1e-6
        with pytest.raises(TypeError, match=r"testing.jacobian: input: expected an array of numbers, got list"):
            pl.testing.jacobian(pl.nn.Tanh(), [1, 2])

    def test_survives(self) -> None:
        assert pl.testing.survives(pl.nn.Sequential().add(pl.nn.Linear(4, 3)), X.astype("f"))

        class Unregistered(pl.nn.Module):
            def updateOutput(self, input):
                self.output = input * 1
                return self.output

        globals()["Unregistered"] = Unregistered
        Unregistered.__qualname__ = "Unregistered"
        with pytest.raises(NotImplementedError, match=r"Unregistered: save and load: .*registered|Unregistered"):
            pl.testing.survives(Unregistered(), X.astype("f"))
