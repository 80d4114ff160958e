"""The command ``pytorch-legacy lua``."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pytorch_legacy as pl
from pytorch_legacy.cli import main


def test_a_script_gets_its_arguments(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "t.lua"
    script.write_text("#!/usr/bin/env lua\nprint(arg[0], #arg, arg[1], arg[2], select('#', ...))")
    assert main(["lua", str(script), "a", "--b"]) == 0
    assert capfd.readouterr().out == f"{script}\t2\ta\t--b\t2\n"


def test_code_runs_before_the_script(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lib.lua").write_text("return 'lib'")
    (tmp_path / "t.lua").write_text("print(x, require 'lib', math.random())")
    assert main(["lua", "-e", "x = 5", "--seed", "42", "--path", str(tmp_path), str(tmp_path / "t.lua")]) == 0
    assert capfd.readouterr().out == "5\tlib\t0.95607928791821\n"


def test_errors_have_their_traceback(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "t.lua"
    script.write_text("local function f()\n  return x.y\nend\nf()\n")
    with pytest.raises(SystemExit) as caught:
        main(["lua", str(script)])
    assert caught.value.code == 1
    lines = capfd.readouterr().err.split("\n")
    assert lines[0] == f"lua: {script}:2: attempt to index global 'x' (a nil value)"
    assert lines[2].strip() == f"{script}:2: in function 'f'"


@pytest.mark.parametrize("code, status", [("os.exit(3)", 3), ("os.exit(true)", 0), ("os.exit()", 0)])
def test_exit_status(code: str, status: int) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["lua", "-e", code])
    assert caught.value.code == status


def test_garbage_is_searched_for_in_the_program_alone() -> None:
    gc.unfreeze()
    assert main(["lua", "-e", "collectgarbage()"]) == 0
    assert gc.get_freeze_count() > 10 * len(gc.get_objects())


def test_nothing_to_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lua"]) == 1
    assert "expected a Lua file, or -e CODE" in capsys.readouterr().err


MODEL = """
require 'nn'
net = nn.Sequential():add(nn.Linear(4, 3)):add(nn.Tanh())
return {model = net, size = ...}
"""


def written(tmp_path: Path, text: str, *arguments: str) -> pl.nn.Sequential:
    """Returns the PyTorch module that the command wrote, as a network of this package."""
    pytest.importorskip("torch")
    pytest.importorskip("safetensors")
    (tmp_path / "model.lua").write_text(text)
    target = tmp_path / "net.py"
    assert main(["lua", "--seed", "1", str(tmp_path / "model.lua"), *arguments, "--to-python", str(target), "--network"]) == 0
    space: dict[str, object] = {"__file__": str(target), "__name__": "net"}
    exec(compile(target.read_text(), str(target), "exec"), space)
    return space["load"]()  # type: ignore[operator, no-any-return]


@pytest.mark.parametrize("arguments", [(), ("7", "--input", "2x4"), ("--global", "net"), ("--model", "model")], ids=str)
def test_a_network_is_written(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    torch = pytest.importorskip("torch")

    module = written(tmp_path, MODEL, *arguments)
    net = pl.lua.run(tmp_path / "model.lua", seed=1)["model"]
    x = np.linspace(-1, 1, 8).reshape(2, 4)
    assert np.allclose(module(torch.tensor(x)).detach().numpy(), net.forward(x))


@pytest.mark.parametrize(
    "text, options, words",
    [
        ("return function() end", ["--network"], "expected a network, got a function"),
        ("x = 1", ["--network"], "expected a program that returns a network, got nil"),
        ("x = 1", ["--network", "--global", "y"], "--global y: expected a network in this global, got nil"),
        ("x = 1", ["--wrap"], "--wrap: this option is for --network"),
    ],
)
def test_no_network_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, options: list[str], words: str
) -> None:
    (tmp_path / "t.lua").write_text(text)
    assert main(["lua", str(tmp_path / "t.lua"), "--to-python", str(tmp_path / "net.py"), *options]) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / "net.py").exists()


def sandboxed(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs code in a sandbox, on the command line."""
    command = [sys.executable, "-m", "pytorch_legacy", "lua", "--sandbox", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=60, stdin=subprocess.DEVNULL)


TIME, MEMORY = "did not end within 1 seconds; --seconds N", "the limit is 100,000,000 bytes; --bytes N"


@pytest.mark.parametrize("code, message", [
    ("while true do end", TIME),
    ("while true do print(('x'):rep(1000)) end", TIME),
    ("while true do pcall(function() while true do end end) end", TIME),
    ("require 'sys' sys.sleep(100)", TIME),
    ("return ('x'):rep(2^31)", MEMORY),
    ("require 'torch' torch.Tensor(1e12)", MEMORY),
    ("require 'torch' local t = {} for i = 1, 1e4 do t[i] = torch.ones(1e6) end", MEMORY),
    ("local t = {} while true do t[#t + 1] = ('x'):rep(1e5) .. #t end", MEMORY),
    ("local function f() return 1 + f() end f()", "stack overflow"),
    ("io.open('x', 'w')", "a sandbox has no io.open"),
    ("require 'torch' torch.save('x', 1)", "a sandbox has no torch.save"),
    ("os.exit(3)", "a sandbox does not end the process"),
])  # fmt: skip
def test_a_sandbox_ends_a_hostile_program(tmp_path: Path, code: str, message: str) -> None:
    limits = ("--seconds", "1" if message == TIME else "50", "--bytes", "100MB")
    done = sandboxed(*limits, "-e", f"print 'begin' {code}", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout.startswith("begin\n")
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_program_runs_in_a_sandbox(tmp_path: Path) -> None:
    (tmp_path / "lib.lua").write_text("return 'lib'")
    (tmp_path / "t.lua").write_text(
        "print(..., require 'lib', coroutine.wrap(function() coroutine.yield(3) end)()) error('no', 0)"
    )
    with (tmp_path / "out").open("w+") as out:
        command = [sys.executable, "-m", "pytorch_legacy", "lua", "--sandbox", str(tmp_path / "t.lua"), "--a\udcff"]
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, cwd=tmp_path, timeout=60)
    assert (tmp_path / "out").read_bytes() == b"--a\xff\tlib\t3\n"
    assert done.returncode == 1 and done.stderr.startswith(b"lua: no\n")


@pytest.mark.parametrize("code", ["open('x', 'w')", "os.system('true')", "os.remove('x')", "subprocess.run(['true'])",
                                  "socket.socket()", "os.fork()", "open('y', 'a')", "os.mkdir('z')"])  # fmt: skip
def test_the_process_of_a_sandbox_refuses_what_python_reports(tmp_path: Path, code: str) -> None:
    """Such a call is refused even if a program reached a function of Python."""
    program = f"""if True:
        import os, socket, subprocess
        from pytorch_legacy.cli import sandbox
        sandbox.confine(50, 10**8)
        try:
            {code}
        except PermissionError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout.startswith("a sandbox has no ")
    assert list(tmp_path.iterdir()) == []


def test_limits_may_be_as_large_as_one_likes() -> None:
    done = sandboxed("--seconds", "1e300", "--bytes", "999999999999999TB", "-e", "print(1)")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


def test_a_sandbox_imports_no_module_of_the_working_folder(tmp_path: Path) -> None:
    for name in ("numpy", "json", "resource"):
        (tmp_path / f"{name}.py").write_text("open('stolen', 'w').close()")
    program = Path(sys.executable).with_name("pytorch-legacy")
    if not program.exists():
        pytest.skip("the command is not installed")
    done = subprocess.run([program, "lua", "--sandbox", "-e", "print(1)"], capture_output=True, cwd=tmp_path, timeout=60)
    assert done.stdout == b"1\n" and not (tmp_path / "stolen").exists()


def test_a_program_whose_output_nobody_reads_ends() -> None:
    code = "while true do print(('x'):rep(1000)) end"
    command = [sys.executable, "-m", "pytorch_legacy", "lua", "--sandbox", "-e", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize("arguments, message", [
    (["--seconds", "1"], "--seconds: expected --sandbox"),
    (["--bytes", "1MB"], "--bytes: expected --sandbox"),
    (["--sandbox", "--pictures", "x"], "--pictures: expected no --sandbox"),
    (["--sandbox", "--seconds", "0"], "--seconds 0: expected a finite number above 0"),
])  # fmt: skip
def test_options_of_the_sandbox(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lua", *arguments, "-e", "x = 1"]) == 1
    assert message in capsys.readouterr().err


def test_a_program_is_written(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lua" / "lib").mkdir(parents=True)
    library = "local M = {}\nfunction M.upper(s) calls = calls + 1 return s:upper() end\nreturn M"
    (tmp_path / "lua" / "lib" / "names.lua").write_text(library)
    (tmp_path / "lua" / "main.lua").write_text(
        "calls = 0\nlocal names = require 'lib.names'\nprint(names.upper(arg[1]), calls, ...)"
    )
    monkeypatch.chdir(tmp_path / "lua")
    out = tmp_path / "out"
    out.mkdir()
    assert main(["lua", "main.lua", "--to-python", str(out / "main.py")]) == 0
    assert sorted(str(file.relative_to(out)) for file in out.rglob("*.py")) == ["lib/names.py", "main.py"]
    capfd.readouterr()
    found = subprocess.run([sys.executable, str(out / "main.py"), "a", "b"], capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("A\t1\ta\tb\n", "")


def test_no_program_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.lua").write_text("local x = 1\nsetfenv(1, {})\n")
    assert main(["lua", str(tmp_path / "t.lua"), "--to-python", str(tmp_path / "t.py")]) == 1
    assert "t.lua:2: setfenv cannot be written in Python" in capsys.readouterr().err
    assert not (tmp_path / "t.py").exists()
