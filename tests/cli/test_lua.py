"""The command ``pytorch-legacy lua``."""

from __future__ import annotations

from pathlib import Path

import pytest

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
