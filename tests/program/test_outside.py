"""Layers from outside of the package, with functions in C, in programs: what was compiled runs, or there is an error."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn
from pytorch_legacy.backend import binding, library
from pytorch_legacy.errors import CompileError, ExtensionError, ShapeError, THNNError, UnsupportedError, ValueRangeError
from pytorch_legacy.extension import compiler

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for a user's files; what was loaded from it is forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(pl.files.classes, "_registered", {**pl.files.classes._registered})
    yield tmp_path
    for name in [name for name, owner in binding.owners.items() if owner.path.is_relative_to(tmp_path)]:
        del binding.owners[name], library.SIGNATURES[name]
    for name in [name for name, module in sys.modules.items() if str(getattr(module, "__file__", "")).startswith(str(tmp_path))]:
        del sys.modules[name]


def made(folder: Path, name: str, kind: str) -> Any:
    """The class of a new layer."""
    pl.extension.new_layer(name, kind, folder)
    return getattr(__import__(name), name)


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def changed(file: Path, old: str, new: str) -> None:
    file.write_text(replaced(file.read_text(), (old, new)))


def samples(*shape: int, dtype: Any = np.float32) -> Any:
    return np.random.default_rng(1).standard_normal(shape).astype(dtype)


def network(folder: Path) -> Any:
    """Layers of three kinds among others, one of array operations too."""
    SoftCut, Means, Affine = (
        made(folder, "SoftCut", "pointwise"),
        made(folder, "Means", "pooling2d"),
        made(folder, "Affine", "linear"),
    )
    pl.manualSeed(3)
    first = nn.Sequential(nn.SpatialConvolution(1, 2, 3, 3), Means(3, 3, 2, 2, 1, 1), SoftCut(2))
    return nn.Sequential(first, nn.View(-1).setNumInputDims(3), Affine(18, 4), nn.Tanh())


TALLY = """
#include "THNN/layer.h"

THNN_API int32_t THNN_(Tally_updateOutput)(
    THNNState *state,
    const THTensor *input, /* [IN] * */
    THTensor *output,      /* [OUT] as input */
    THTensor *passes,      /* [BUFFER] 1 */
    double most);

int32_t THNN_(Tally_updateOutput)(THNNState *state, const THTensor *input, THTensor *output, THTensor *passes, double most)
{
  const char *f = __func__;
  THNN_TRY(THNN_checkInput(f, "input", view(input), 0, THNN_MAX_DIMS, "any shape"));
  THNN_TRY(THNN_checkOutput(f, "output", view(output), input->nDimension, input->size));
  Call call;
  THNN_enter(&call, state, f);
  const real *x = THNN_in(&call, view(input));
  real *y = THNN_out(&call, view(output)), *count = THNN_acc(&call, view(passes));
  const int64_t n = THNN_nElement(view(input));
  int isLarge = 0;
  if (THNN_ready(&call)) {
    for (int64_t i = 0; i < n; i++) isLarge |= x[i] > most;
    if (!isLarge) {
      for (int64_t i = 0; i < n; i++) y[i] = x[i] + *count;
      *count += 1;
    }
  }
  THNN_TRY(THNN_leave(&call));
  return isLarge ? THNN_fail(THNN_ERR_VALUE, f, "input", "expected at most %g, got more", most) : THNN_OK;
}
"""


def tally(folder: Path, source: str = TALLY) -> Any:
    """A layer with a state: it counts its passes."""
    file = folder / "Tally.c"
    file.write_text(source)
    pl.extension.load(file)

    class Tally(pl.extension.Layer):
        _layer = "Tally"

        def __init__(self, most: float = 1e30) -> None:
            super().__init__()
            self.most = most
            self.passes = np.zeros(1, np.float32)

        def _makeOutput(self, input: Any) -> None:
            self._resize("output", input.shape)

    return Tally


@pytest.mark.parametrize("real", ["float", "double"])
def test_programs_give_the_bits_of_the_network(folder: Path, real: str) -> None:
    net = getattr(network(folder), real)()
    program = pl.compile(net, (None, 1, 8, 8))
    for n in (1, 2, 5, 40):
        x = samples(n, 1, 8, 8, dtype=net.dtype)
        expected = net.evaluate().forward(x).copy()
        for one in (program, program.clone(), pickle.loads(pickle.dumps(program))):
            assert np.array_equal(one(x), expected)
        assert np.array_equal(program(x[::-1]), net.forward(x[::-1].copy()))


def test_other_sizes_are_compiled_as_they_come(folder: Path) -> None:
    net = nn.Sequential(made(folder, "Means", "pooling2d")(2, 2), nn.Tanh())
    program = pl.compile(net, (None, 1, None, None))
    for size in ((6, 5), (9, 12)):
        x = samples(3, 1, *size)
        assert np.array_equal(program(x), net.evaluate().forward(x))
    with pytest.raises(ShapeError, match=r"in module 1 of nn.Sequential, .*Means: "):
        program(samples(3, 1, 1, 1))


def test_threads_run_clones(folder: Path) -> None:
    net = network(folder)
    program = pl.compile(net, (None, 1, 8, 8))
    inputs = [samples(n, 1, 8, 8) for n in range(1, 9)]
    expected = [net.evaluate().forward(x).copy() for x in inputs]
    found: list[bool] = []

    def work(own: Any) -> None:
        found.extend(np.array_equal(own(x), y) for _ in range(20) for x, y in zip(inputs, expected, strict=True))

    threads = [threading.Thread(target=work, args=(program.clone(),)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 3 * 20 * 8 and all(found)


def test_among_array_operations(folder: Path) -> None:
    class Centered(nn.Module):
        def updateOutput(self, input: Any) -> Any:
            self.output = input - input.mean(-1, keepdims=True) + np.zeros(input.shape[-1:], input.dtype, like=input)
            return self.output

    net = nn.Sequential(Centered(), made(folder, "SoftCut", "pointwise")(3), Centered())
    program = pl.compile(net, (None, 7))
    x = samples(9, 7)
    np.testing.assert_allclose(program(x), net.evaluate().forward(x), rtol=0, atol=1e-6)


def test_a_criterion_within_a_network(folder: Path) -> None:
    made(folder, "Halves", "criterion")

    class Halves(pl.extension.Criterion):
        _layer = "Halves"
        sizeAverage = True

    class Loss(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.criterion = Halves()

        def updateOutput(self, input: Any) -> Any:
            self.output = self.criterion.updateOutput(input[0] * 2, input[1])
            return self.output

    program, eager = pl.compile(Loss(), [(None, 3), (None, 3)]), Loss()
    for n in (1, 5):
        x, target = samples(2, n, 3)
        assert program([x, target]) == pytest.approx(eager.forward([x, target]), rel=1e-6)


class TestState:
    def test_a_buffer_is_kept_from_call_to_call(self, folder: Path) -> None:
        Tally = tally(folder)
        net = nn.Sequential(nn.Linear(3, 4), Tally(), nn.Linear(4, 2))
        for real in ("float", "double"):
            getattr(net, real)()
            program, eager = pl.compile(net, (None, 3)), net.clone().evaluate()
            x = samples(5, 3, dtype=net.dtype)
            expected = [eager.forward(x).copy() for _ in range(4)]
            assert not np.array_equal(expected[0], expected[1])
            for one in (program, program.clone(), pickle.loads(pickle.dumps(program))):
                assert all(np.array_equal(one(x), y) for y in expected)
            assert np.array_equal(program.forget()(x), expected[0])

    def test_errors_are_those_of_the_network(self, folder: Path) -> None:
        net = nn.Sequential(nn.MulConstant(2.0), tally(folder)(2.0))
        program, eager = pl.compile(net, (None, 3)), net.clone().evaluate()
        x = np.zeros((4, 3), np.float32)
        assert np.array_equal(program(x), eager.forward(x))
        said = []
        for one in (program, eager.forward):
            with pytest.raises(ValueRangeError, match=r"Tally: input: expected at most 2, got more") as error:
                one(x + 5)
            said.append(str(error.value))
        assert said[0] == said[1] and "in module 2 of nn.Sequential" in said[0]

    def test_a_status_of_its_own(self, folder: Path) -> None:
        net = nn.Sequential(tally(folder, replaced(TALLY, ("THNN_ERR_VALUE", "77")))(2.0))
        program = pl.compile(net, (None, 3))
        for one in (program, net.evaluate().forward):
            with pytest.raises(THNNError, match=r"Tally: input: expected at most 2, got more") as error:
                one(np.full((2, 3), 5, np.float32))
            assert error.value.code == 77

    def test_checks_run_whose_results_nobody_reads(self, folder: Path) -> None:
        both = nn.ConcatTable(nn.Identity(), tally(folder)(2.0))
        program = pl.compile(nn.Sequential(both, nn.SelectTable(1)), (None, 3))
        assert program(np.ones((2, 3), np.float32)).all()
        with pytest.raises(ValueRangeError, match=r"Tally: input: expected at most 2"):
            program(np.full((2, 3), 5, np.float32))


class TestVersions:
    def test_two_of_one_name(self, folder: Path) -> None:
        """A program runs the version that it was compiled with, also if another one was loaded before it is unpickled."""
        SoftCut = made(folder, "SoftCut", "pointwise")
        net, x = nn.Sequential(SoftCut(2)), samples(4, 3)
        programs, stored, expected = [], [], []
        for factor in (1, 10, 100):
            if factor > 1:
                changed(folder / "SoftCut.c", "y[i] = ", "y[i] = 10 * ")
                pl.extension.load(folder / "SoftCut.c")
            programs.append(pl.compile(net, (None, 3)))
            stored.append(pickle.dumps(programs[-1]))
            expected.append(nn.Sequential(SoftCut(2)).forward(x).copy())
        np.testing.assert_allclose(expected[2], 100 * expected[0], rtol=1e-5)
        for program, content, y in zip(programs, stored, expected, strict=True):
            for one in (program, program.clone(), pickle.loads(content)):
                assert np.array_equal(one(x), y)

    def test_a_version_is_its_files_and_flags_wherever_they_are(self, folder: Path) -> None:
        made(folder, "SoftCut", "pointwise")
        digests = [pl.extension.load(folder / "SoftCut.c", flags=flags).digest for flags in ([], [], ["-DX=1"])]
        assert digests[0] == digests[1] != digests[2]
        for name in [name for name in binding.owners if name.startswith("SoftCut_")]:
            del binding.owners[name], library.SIGNATURES[name]
        source = folder / 'else\\where "ä"' / "SoftCut.c"
        pl.extension.new_layer("SoftCut", "pointwise", source.parent)
        assert pl.extension.load(source).digest == digests[0]
        changed(source.with_suffix(".h"), "[OUT] as input", "[OUT] as the input")
        assert pl.extension.load(source).digest != digests[0]

    def test_more_sizes_want_the_version_of_the_first(self, folder: Path) -> None:
        net = nn.Sequential(made(folder, "Means", "pooling2d")(2, 2))
        program = pl.compile(net, (None, 1, None, None))
        x = samples(2, 1, 4, 4)
        expected = program(x)
        changed(folder / "Means.c", '#include "Means.h"', '#include "Means.h"\n/* other */')
        pl.extension.load(folder / "Means.c")
        with pytest.raises(CompileError, match=r"program: Means_updateOutput was loaded anew since it was compiled"):
            program(samples(2, 1, 5, 5))
        assert np.array_equal(program(x), expected)

    def test_another_process_loads_first(self, folder: Path) -> None:
        net = nn.Sequential(made(folder, "SoftCut", "pointwise")(2))
        x = samples(4, 3)
        np.save(folder / "x.npy", x)
        (folder / "program.pkl").write_bytes(pickle.dumps(pl.compile(net, (None, 3))))
        script = """if True:
            import pickle, sys
            import numpy as np
            import pytorch_legacy as pl
            content = open("program.pkl", "rb").read()
            def attempt():
                try:
                    return pickle.loads(content)
                except pl.THNNError as error:
                    print(type(error).__name__, error)
            attempt()
            pl.extension.load("SoftCut.c")
            if program := attempt():
                np.save("y.npy", program(np.load("x.npy")))
                print("ran")
        """
        environment = os.environ | {"PYTHONPATH": str(ROOT)}

        def run() -> list[str]:
            command = [sys.executable, "-c", script]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, done.stderr
            return done.stdout.splitlines()

        missing = (
            "UnsupportedError program: it calls SoftCut_updateOutput, which is not loaded; pl.extension.load(...) of its file"
        )
        first, second = run()
        assert first == f"{missing} comes first" and second == "ran"
        assert np.array_equal(np.load(folder / "y.npy"), net.evaluate().forward(x))
        changed(folder / "SoftCut.c", "y[i] = ", "y[i] = 10 * ")
        _, second = run()
        assert second.startswith("UnsupportedError program: it calls another version of SoftCut_updateOutput than ")
        assert second.endswith(
            "SoftCut.c, which is loaded; load the file that it was compiled with, or compile the network again"
        )

    def test_without_a_cache(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
        SoftCut, x = made(folder, "SoftCut", "pointwise"), samples(4, 3)
        first = pl.compile(nn.Sequential(SoftCut(0)), (None, 3))
        changed(folder / "SoftCut.c", "y[i] = ", "y[i] = 10 * ")
        pl.extension.load(folder / "SoftCut.c")
        assert np.array_equal(first(x), x)
        assert np.array_equal(pl.compile(nn.Sequential(SoftCut(0)), (None, 3))(x), 10 * x)


class TestBuiltLibraries:
    def build(self, source: Path, target: Path) -> Path:
        objects = []
        for Real, real in compiler.REALS.items():
            objects.append(target.with_name(f"{Real}.o"))
            places = [f"-I{compiler.INCLUDE}", f"-I{compiler.INCLUDE / 'THNN'}"]
            options = [f"-DReal={Real}", f"-DTHNN_REAL={real}", *places, "-fPIC", "-c", "-o"]
            subprocess.run([*compiler.host_compiler(), *options, objects[-1], source], check=True)
        subprocess.run([*compiler.host_compiler(), "-shared", "-o", target, *objects, "-lm"], check=True)
        return target

    def test_take_part(self, folder: Path) -> None:
        pl.extension.new_layer("SoftCut", "pointwise", folder)
        target, header = self.build(folder / "SoftCut.c", folder / "libmine.so"), folder / "SoftCut.h"
        pl.extension.load(target, header=header)

        class SoftCut(pl.extension.Layer):
            _layer = "SoftCut"
            beta = 2.0

        x = samples(4, 3)
        program = pl.compile(SoftCut(), (None, 3))
        assert np.array_equal(pickle.loads(pickle.dumps(program))(x), SoftCut().forward(x))
        pl.extension.load(target, header=header)  # the same again
        changed(folder / "SoftCut.c", "y[i] = ", "y[i] = 10 * ")
        target.unlink()
        self.build(folder / "SoftCut.c", target)
        with pytest.raises(ExtensionError, match=r"libmine.so: has changed since it was opened, .*: give it another name"):
            pl.extension.load(target, header=header)

    def test_without_a_compiler_say_so(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pl.extension.new_layer("SoftCut", "pointwise", folder)
        changed(folder / "SoftCut.c", "y[i] = ", "y[i] = 3 * ")  # a version that no other test has
        target = self.build(folder / "SoftCut.c", folder / "libmine.so")
        pl.extension.load(target, header=folder / "SoftCut.h")

        class SoftCut(pl.extension.Layer):
            _layer = "SoftCut"
            beta = 2.0

        monkeypatch.delenv("CC", raising=False)
        monkeypatch.setenv("PATH", str(folder))
        with pytest.raises(CompileError, match=r"SoftCut: no C compiler was found"):
            pl.compile(nn.Sequential(SoftCut()), (None, 3))


class TestRefusals:
    def test_an_out_that_is_read(self, folder: Path) -> None:
        made(folder, "SoftCut", "pointwise")
        changed(folder / "SoftCut.c", "y[i] = x[i]", "y[i] = y[i] / 2 + x[i]")
        pl.extension.load(folder / "SoftCut.c")
        for net in ([], [nn.Linear(3, 3)]):
            wrong = nn.Sequential(*net, __import__("SoftCut").SoftCut(2), *net)
            with pytest.raises(
                CompileError, match=r"differs from .*; does SoftCut_updateOutput read an array .* says is \[OUT\]"
            ):
                pl.compile(wrong, (None, 3))

    @pytest.mark.parametrize("shape", [(1, 3), (2, 3), (2, 3000)])
    def test_an_out_that_is_read_at_one_size(self, folder: Path, shape: tuple[int, ...]) -> None:
        made(folder, "SoftCut", "pointwise")
        changed(folder / "SoftCut.c", "y[i] = x[i]", "y[i] += x[i]")
        pl.extension.load(folder / "SoftCut.c")
        for net in (__import__("SoftCut").SoftCut(2), nn.Sequential(nn.Tanh(), __import__("SoftCut").SoftCut(2), nn.Tanh())):
            with pytest.raises(
                CompileError, match=r"does SoftCut_updateOutput read an array that its declaration says is \[OUT\]"
            ):
                pl.compile(net, shape)

    def test_an_out_that_makes_it_fail(self, folder: Path) -> None:
        lying = replaced(TALLY, ("[BUFFER] 1", "[OUT] 1"), ("isLarge |= x[i] > most", "isLarge |= *count > most"))
        lying = replaced(lying, ("x[i] + *count", "x[i]"), ("*count += 1", "*count = 0"))
        with pytest.raises(CompileError, match=r"fails, the pass .* did not \(.*expected at most .*\); does Tally_updateOutput"):
            pl.compile(nn.Sequential(nn.Linear(3, 3), tally(folder, lying)()), (None, 3))

    def test_an_out_that_is_a_state(self, folder: Path) -> None:
        """Its contents before the pass are read, though the header says that it is overwritten."""
        Tally = tally(folder, replaced(TALLY, ("[BUFFER] 1", "[OUT] 1")))
        with pytest.raises(CompileError, match=r"does Tally_updateOutput read an array that its declaration says is \[OUT\]"):
            pl.compile(nn.Sequential(nn.Linear(3, 3), Tally()), (None, 3))

    @pytest.mark.parametrize(
        ("before", "value"),
        [
            ("static real hidden;", "hidden++ + 0 * *count"),
            (
                "real noise = (real)THNN_drawUniform(THNN_lockGenerator(state)); THNN_unlockGenerator(state);",
                "noise + 0 * *count",
            ),
        ],
        ids=["a state", "a draw"],
    )
    def test_what_is_hidden_in_C(self, folder: Path, before: str, value: str) -> None:
        hiding = replaced(
            TALLY, ("    for (int64_t i = 0; i < n; i++) isLarge", f"    {before}\n    for (int64_t i = 0; i < n; i++) isLarge")
        )
        Tally = tally(folder, replaced(hiding, ("x[i] + *count", f"x[i] + {value}"), ("*count += 1", "*count = 0")))
        with pytest.raises(CompileError, match=r"does Tally_updateOutput .*, draw random numbers, or keep a state in C\?"):
            pl.compile(nn.Sequential(nn.Linear(3, 3), Tally()), (None, 3))

    def test_an_in_that_is_written(self, folder: Path) -> None:
        lying = replaced(
            TALLY,
            ("THTensor *passes,      /* [BUFFER] 1", "const THTensor *passes, /* [IN] 1"),
            ("THTensor *output, THTensor *passes", "THTensor *output, const THTensor *passes"),
            ("THNN_acc(&call, view(passes))", "(real *)THNN_in(&call, view(passes))"),
        )
        with pytest.raises(CompileError, match=r"Tally: Tally_updateOutput writes passes, which its declaration says is \[IN\]"):
            pl.compile(nn.Sequential(nn.Linear(3, 3), tally(folder, lying)()), (None, 3))

    def test_kernels_that_are_emulated(self, folder: Path) -> None:
        pl.extension.new_layer("SoftCut", "pointwise", folder, cuda=True)
        SoftCut = __import__("SoftCut").SoftCut
        program = pl.compile(nn.Sequential(SoftCut(2)), (None, 3))
        pl.extension.load(folder / "SoftCut.c", emulate=True)
        with pytest.raises(CompileError, match=r"emulate: programs call C functions, not kernels"):
            pl.compile(nn.Sequential(SoftCut(2)), (None, 3))
        assert program(samples(2, 3)).shape == (2, 3)

    def test_what_is_not_loaded(self) -> None:
        class Other(nn.Module):
            def updateOutput(self, input: Any) -> Any:
                self.output = self._resize("output", input.shape)
                pl.extension.call(self, "NotLoaded_updateOutput", input, self.output)
                return self.output

        with pytest.raises(UnsupportedError, match=r"there is no C function NotLoaded_updateOutput; pl.extension.load"):
            pl.compile(Other(), (None, 3))


@pytest.mark.parametrize("isTraining", [False, True])
def test_c_has_no_layers_from_outside(isTraining: bool, folder: Path) -> None:
    net, x = network(folder), (None, 1, 8, 8)
    shape = net.forward(samples(2, 1, 8, 8)).shape
    example, options = ((x, (None, *shape[1:])), {"criterion": nn.MSECriterion()}) if isTraining else (x, {})
    with pytest.raises(
        UnsupportedError, match=r"pl\.to_c: net: expected layers of libTHNN, got mine\.Means, which calls another library"
    ):
        pl.to_c(net, folder / "net.c", example, **options)
    assert not (folder / "net.c").exists()
