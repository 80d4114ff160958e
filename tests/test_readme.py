"""The examples of the README run, in Python and in C, and print the output that it shows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pytorch_legacy import backend

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert found, f"README.md has no {language} block"
    return found.group(1)


def test_quick_start_is_two_commands_of_one_line() -> None:
    commands = re.findall(r"^```sh\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert len(commands) == 2 and all(command.count("\n") == 1 for command in commands)


def test_python() -> None:
    run = subprocess.run([sys.executable, "-c", block("python")], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    accuracy = float(run.stdout.split()[0])
    assert accuracy == pytest.approx(354 / 355)  # Torch7's accuracy


def test_c(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    (tmp_path / "readme.c").write_text(block("c"))
    library = backend.library_path
    (tmp_path / "libTHNN.so.1").symlink_to(library)
    command = ["gcc", "readme.c", "-I", str(ROOT / "THNN"), str(library), "-o", "readme", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(command, cwd=tmp_path, check=True)
    run = subprocess.run(["./readme"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["0.5", "2", "3.5", "5.5", "7", "8.5"], run.stderr
    assert run.returncode == 2  # THNN_ERR_SHAPE


def test_first_command_prints_what_the_readme_shows(capsys, tmp_path: Path, monkeypatch) -> None:
    pytest.importorskip("PIL")
    from pytorch_legacy.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    command = re.search(r"^```sh\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert command
    for part in command.group(1).strip().split(" && "):
        if part.startswith("pytorch-legacy "):
            assert main(part.split()[1:]) == 0
    shown = re.search(r"The first one prints\n\n```\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert shown and capsys.readouterr().out == shown.group(1)
    assert (tmp_path / "superres.png").exists()
