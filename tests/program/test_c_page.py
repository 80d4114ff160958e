"""Pages show C as it is written, and their hosts print what the pages say.

docs/c-source.md shows the C of examples/digits, and the chapter docs/book/step.md that of training steps.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy.cli import main
from tests.program import c_host

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "c-source.md").read_text(encoding="utf-8")
CHAPTER = (ROOT / "docs" / "book" / "step.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(c_host.CC is None, reason="needs gcc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder with the C of the digits."""
    made = tmp_path_factory.mktemp("digits")
    pl.to_c(pl.load(ROOT / "examples" / "digits" / "digits.t7")["model"], made / "digits.c", (None, 1, 8, 8))
    return made


@pytest.fixture(scope="module")
def steps() -> Path:
    """Returns the folder into which the examples of the chapter write C."""
    names: dict[str, Any] = {}
    for example in doctest.DocTestParser().get_examples(CHAPTER):
        exec(compile(example.source, "step.md", "single"), names)
    return names["folder"]


def quoted(page: str) -> list[str]:
    """Returns the blocks of C on a page."""
    return re.findall(r"^```c\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


def output(host: str, source: str) -> str:
    """Returns what a host in the working directory prints, which is compiled with a file of C."""
    Path("host.c").write_text(host)
    flags = ["-std=c11", "-O1", *c_host.WARNINGS, f"-I{c_host.installed.library}"]
    c_host.run(c_host.CC, *flags, "host.c", source, "-o", "host", *c_host.linked())
    return c_host.run("./host")


def comparable(text: str) -> str:
    """Returns C without the algorithms of convolutions, which depend on the processor, and with one space for line breaks."""
    return re.sub(r"\s+", " ", re.sub(r"THNN_(PLAIN|BY_\w+)\)", "ALGORITHM)", text))


def test_the_page_quotes_the_files(folder: Path) -> None:
    host, *blocks = quoted(PAGE)
    texts = [comparable((folder / f"digits.{end}").read_text()) for end in "hc"]
    assert len(blocks) >= 10 and "int main" in host
    for block in blocks:
        assert any(comparable(block) in text for text in texts), block


def test_the_chapter_quotes_the_files(steps: Path) -> None:
    """Every call of the step of two Linear layers is on the page, but for those that repeat another one."""
    blocks = [comparable(block) for block in quoted(CHAPTER) if "int main" not in block]
    texts = {name: comparable((steps / name).read_text()) for name in ("parity.h", "parity.c", "noisy.c")}
    for block in blocks:
        assert any(block in text for text in texts.values()), block
    calls = {int(number) for block in blocks if block in texts["parity.c"] for number in re.findall(r"/\* (\d+)\. nn", block)}
    assert calls == {*range(1, 15)} - {2, 3, 4, 9}


def test_the_host_prints_what_the_page_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert f"It prints `{output(quoted(PAGE)[0], 'digits.c').strip()}`." in PAGE


def test_the_host_of_the_chapter_trains(steps: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(steps)
    (host,) = (block for block in quoted(CHAPTER) if "int main" in block)
    assert f"It prints:\n\n```\n{output(host, 'parity.c')}```\n" in CHAPTER
    assert (steps / "trained.bin").stat().st_size == (steps / "parity.bin").stat().st_size


def commands() -> list[list[str]]:
    """Returns the arguments of the commands on the page."""
    return [command.split() for command in re.findall(r"^pytorch-legacy (convert .*)$", PAGE, re.MULTILINE)]


def test_the_command_writes_the_same(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert main(commands()[0]) == 0
    for end in ("c", "h", "bin"):
        assert (tmp_path / f"digits.{end}").read_bytes() == (folder / f"digits.{end}").read_bytes()


def test_the_command_of_a_step_declares_the_functions_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    _, command = commands()
    assert main(command) == 0
    section = PAGE.partition("## A step of training")[2].partition("\n## ")[0]
    names = {*re.findall(r"`(digits_\w+)\(", section)}
    declared = {*re.findall(r"(digits_\w+)\([^)]*\);", (tmp_path / "digits.h").read_text())}
    assert names | {"digits_open", "digits_close"} == declared
