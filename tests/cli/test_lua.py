"""The command ``pytorch-legacy lua``."""

from __future__ import annotations

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
