"""Suites of others, test by test: ``python -m tests.lua.peers ../shared/peers``.

Names of suites behind the folder choose some of them. It prints a line a suite, and ends with 0 if no test fails but those below.
With ``--python`` the files of suites are written and run as Python.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory

import pytorch_legacy as pl

from .to_python import WrittenSession

BASIC = "debug.setmetatable gives no metatable to numbers, strings and nil"
AS_5_2 = "table.pack is there, so that the suite expects all of Lua 5.2"
OWN_GLOBALS = "functions of the library have no globals of their own"
LOCALS = "debug.getlocal does not know the locals of compiled functions"
CODE = "a function of Lua has no bytecode that a file could hold"
OF_SIZES = "the gradient of a target size is zeros in its shape"
GRAPHS = "errors of graphs are in other words"
EXPECTED: dict[str, dict[str, str]] = {
    "luajit": {
        "lang/goto.lua --- Goto is a keyword.": AS_5_2,
        "lang/meta/call.lua --- number": BASIC,
        "lang/meta/call.lua --- jit number": BASIC,
        "lang/meta/comp_jit.lua --- Mixed metamethods for ordered comparisons.": AS_5_2,
        "lang/meta/index.lua --- string": BASIC,
        "lang/meta/len.lua --- number": BASIC,
        "lang/meta/debuginfo.lua --- table metamethods": "debug.getinfo does not say which metamethod a function is called as",
        "lib/base/error.lua --- default level in xpcall": LOCALS,
        "lib/base/error.lua --- level 2 in xpcall": LOCALS,
        "lib/base/getfenv.lua --- untitled": "a coroutine has no globals of its own",
        "lib/base/tonumber_tostring.lua --- print calls overridden tostring": OWN_GLOBALS,
        "lib/string/dump.lua --- roundtrip constants": "there is no bytecode",
    },
    "torch7": {
        "test_writeObject test_can_write_a_nil_closure": CODE,
        "test_writeObject test_nil_upvalues_in_closure": CODE,
        "test_writeObject test_global_function_in_closure": CODE,
        "test_writeObject test_a_recursive_closure": CODE,
        "test_writeObject test_error_msg": CODE,
        "test_writeObject test_warning_msg": "a tensor has no cdata: there is no ffi",
        "test_writeObject test_SerializationHook": "writeObject takes no hook",
    },
    "nn": {
        "PartialLinear": "nn.PartialLinear has no network inside",
        "SpatialConvolutionLocal": "the test exchanges two dimensions of a weight, which Torch7 read by its elements alone",
        "SpatialFullConvolutionDualInput": OF_SIZES,
        "VolumetricFullConvolutionDualInput": OF_SIZES,
        "Module_getParameters_11": "getParameters takes parts of a larger storage, too",
        "OneHot": "cunn is there without a device, so that torch.CudaTensor is torch.FloatTensor",
    },
    "rnn": {
        "FastLSTM_issue203": "nn.ClassNLLCriterion takes one label for a sample; Torch7 ignored further ones",
        "MufuruGradients": "the test draws a target of two dimensions, which nn.ClassNLLCriterion refuses, as Torch7's does",
        "RecurrentAttention": "a class that a script derives from nn.AbstractSequencer has no step of its own",
    },
    "dpnn": {},
    "nngraph": {
        "test_connectivity connectivity": GRAPHS,
        "test_debug splitUnused": GRAPHS,
    },
    "optim": {"test_fista": "unsup, which the script requires, is not there"},
}


def output(folder: Path, run: Callable[[], object]) -> str:
    """Returns what a function prints that is called in a folder."""
    before = Path.cwd()
    stream = TextIOWrapper(BytesIO(), "utf-8", write_through=True)
    os.chdir(folder)
    try:
        with redirect_stdout(stream):
            run()
    except (SystemExit, pl.lua.LuaError):  # as runners end whose tests fail
        pass
    finally:
        os.chdir(before)
    return stream.buffer.getvalue().decode(errors="replace")  # type: ignore[attr-defined]


def luajit(folder: Path) -> tuple[int, list[str]]:
    """Runs LuaJIT's tests of the language and its libraries. Returns how many there are, and the names of those that fail."""

    def run() -> None:
        session = pl.lua.Session()
        session.execute("string.dump = function() return '' end")  # the runner asks it for the size of a pointer
        session.run("test.lua")

    text = output(folder / "luajit" / "test", run)
    blocks = text.split("\n[")
    failed = [block.split("\n")[0].partition("] ")[2] for block in blocks if "stack traceback:" in block]
    return len(blocks) - (not blocks[0].startswith("[")), failed


TORCH7 = ("test", "test_qr", "test_half", "test_Tester", "test_writeObject")
LARGE_QR = (
    f"randomMediumQR_{function}_torch.{real}Tensor"
    for function in ("inPlace", "returned", "manualInPlace", "manualReturned")
    for real in ("Double", "Float")
)
LEFT_OUT = {*LARGE_QR} - {"randomMediumQR_returned_torch.DoubleTensor", "randomMediumQR_manualReturned_torch.FloatTensor"}
"""Tests that --short leaves out: decompositions of matrices of up to 1024 x 1024, for which LAPACK takes half a minute. The two
that stay call each function with each type. Smaller matrices of 1600 shapes are decomposed in all ways."""
WITHOUT = """
local add = torch.Tester.add
function torch.Tester:add(test, name)
  if not leftOut[name] then return add(self, test, name) end
end
"""


def torch7(folder: Path, isShort: bool = False) -> tuple[int, list[str]]:
    """Runs the tests of torch7's tensors and files with its own Tester. Returns how many there are, and the names that fail."""
    count, failed = 0, []
    for name in TORCH7:

        def run(name: str = name) -> None:
            session = pl.lua.Session(requires=["torch"])
            for file in ("TestSuite", "Tester", f"test/{name}"):
                session.run(folder / "torch7" / f"{file}.lua")
                if file == "Tester" and isShort:
                    session.execute(f"local leftOut = {{{', '.join(f'[{test!r}] = true' for test in LEFT_OUT)}}}{WITHOUT}")
            session.execute("if torch.test then torch.test() end")

        with TemporaryDirectory() as place:
            text = output(Path(place), run)
        results = re.findall(r"\d+/\d+ (\S+) \.* \[(PASS|FAIL|ERROR)\]", text)
        count += len(results)
        failed += [found if name == "test" else f"{name} {found}" for found, result in results if result != "PASS"]
    return count, failed


STAND_INS = Path(__file__).with_suffix(".lua")


def tester_run(folder: Path, requires: list[str], file: str, code: str, kind: type[pl.lua.Session] = pl.lua.Session) -> str:
    """Returns what torch7's Tester prints of the tests in a file, which run in an empty folder in a session of this class."""

    def run() -> None:
        session = kind(requires=["torch", *requires], seed=1)
        session.execute("os.time = function() return 1 end")  # with which suites seed math.random
        for tool in (folder / "torch7/TestSuite.lua", folder / "torch7/Tester.lua", STAND_INS):
            pl.lua.Session.run(session, tool)
        session.run(folder / file)
        session.execute(code)

    with TemporaryDirectory() as empty:
        return output(Path(empty), run)


def results(text: str) -> tuple[int, list[str]]:
    """Returns the number of tests that a Tester ran, and the names of those that failed."""
    found = re.findall(r"\d+/\d+ (\S+) \.* \[(PASS|FAIL|ERROR)\]", text)
    return len(found), [name for name, result in found if result != "PASS"]


def nn(folder: Path, kind: type[pl.lua.Session] = pl.lua.Session) -> tuple[int, list[str]]:
    """Runs the tests of nn."""
    return results(tester_run(folder, ["nn"], "nn/test.lua", "nn.test(nil, 1)", kind))


def rnn(folder: Path, kind: type[pl.lua.Session] = pl.lua.Session) -> tuple[int, list[str]]:
    """Runs the tests of rnn."""
    return results(tester_run(folder, ["rnn"], "rnn/test/test.lua", "rnn.test()", kind))


def dpnn(folder: Path, kind: type[pl.lua.Session] = pl.lua.Session) -> tuple[int, list[str]]:
    """Runs the tests of dpnn."""
    return results(tester_run(folder, ["dpnn"], "dpnn/test/test.lua", "dpnn.test()", kind))


def nngraph(folder: Path) -> tuple[int, list[str]]:
    """Runs the tests of nngraph, of which each file has several, but for one, a script."""
    count, failed = 0, []
    for file in sorted((folder / "nngraph" / "test").glob("test_*.lua")):
        if file.stem == "test_old":  # a script without a Tester
            own, wrong = 1, [] if _ends(file) else [file.stem]
        else:
            own, wrong = results(tester_run(folder, ["nngraph"], f"nngraph/test/{file.name}", ""))
        count += own
        failed += [f"{file.stem} {name}" for name in wrong]
    return count, failed


def optim(folder: Path, kind: type[pl.lua.Session] = pl.lua.Session) -> tuple[int, list[str]]:
    """Runs the scripts of optim, each of which is a test."""
    scripts = sorted((folder / "optim" / "test").glob("test_*.lua"))
    return len(scripts), [script.stem for script in scripts if not _ends(script, kind)]


def _ends(script: Path, kind: type[pl.lua.Session] = pl.lua.Session) -> bool:
    """Returns True if a script ends without an error in a session of this class."""
    found = []

    def run() -> None:
        session = kind(requires=["torch"], path=[script.parent], seed=1)
        pl.lua.Session.run(session, STAND_INS)
        session.run(script)
        found.append(script)

    with TemporaryDirectory() as empty:
        output(Path(empty), run)
    return bool(found)


SUITES: dict[str, Callable[[Path], tuple[int, list[str]]]] = {
    "luajit": luajit,
    "torch7": torch7,
    "nn": nn,
    "rnn": rnn,
    "dpnn": dpnn,
    "nngraph": nngraph,
    "optim": optim,
}


WRITTEN = {"nn": nn, "rnn": rnn, "dpnn": dpnn, "optim": optim}
"""Suites that can be written as Python. The others need the program as text, or a Tester of Lua whose fields are methods."""


def report(suite: str, folder: Path, inPython: bool = False) -> bool:
    """Runs a suite and prints how it ends. Returns False if a test fails that should not."""
    if not (folder / suite).is_dir():
        print(f"{suite}: skipped, {folder} has no folder {suite}")
        return True
    count, failed = WRITTEN[suite](folder, WrittenSession) if inPython else SUITES[suite](folder)
    expected = EXPECTED[suite]
    other, passing = [name for name in failed if name not in expected], [name for name in expected if name not in failed]
    print(f"{suite}: {count - len(failed)} of {count} pass, {len(failed) - len(other)} differ as listed, {len(other)} fail")
    for name in other:
        print(f"  {name}")
    for name in passing:
        print(f"  passes, and is listed: {name}")
    return not other and not passing and count > 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lua.peers", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with the suites")
    parser.add_argument("suites", nargs="*", help="names of suites")
    parser.add_argument("--python", action="store_true", help="write the suites as Python")
    parser.add_argument("--short", action="store_true", help="leave out tests that need half a minute for large matrices")
    given = parser.parse_intermixed_args()
    SUITES["torch7"] = partial(torch7, isShort=given.short)
    assert pl.lua  # it is imported now
    gc.freeze()  # as `pytorch-legacy lua` does: Testers collect after each test
    suites = given.suites or (WRITTEN if given.python else SUITES)
    results = [report(suite, given.folder.resolve(), given.python) for suite in suites]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
