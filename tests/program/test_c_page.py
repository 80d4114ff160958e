"""docs/c-source.md shows the C of examples/digits as it is written, and its host prints what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pytorch_legacy as pl
from tests.program import c_host

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "c-source.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(c_host.CC is None, reason="needs gcc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder with the C of the digits."""
    made = tmp_path_factory.mktemp("digits")
    pl.to_c(pl.load(ROOT / "examples" / "digits" / "digits.t7")["model"], made / "digits.c", (None, 1, 8, 8))
    return made


def comparable(text: str) -> str:
    """Returns C without the algorithms of convolutions, which depend on the processor, and with one space for line breaks."""
    return re.sub(r"\s+", " ", re.sub(r"THNN_(PLAIN|BY_\w+)\)", "ALGORITHM)", text))


def test_the_page_quotes_the_files(folder: Path) -> None:
    host, *quoted = re.findall(r"^```c\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    texts = [comparable((folder / f"digits.{end}").read_text()) for end in "hc"]
    assert len(quoted) >= 10 and "int main" in host
    for block in quoted:
        assert any(comparable(block) in text for text in texts), block


def test_the_host_prints_what_the_page_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    host = re.search(r"^```c\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    assert host
    Path("host.c").write_text(host[1])
    flags = ["-std=c11", "-O1", *c_host.WARNINGS, f"-I{c_host.installed.library}"]
    c_host.run(c_host.CC, *flags, "host.c", "digits.c", "-o", "host", *c_host.linked())
    assert f"It prints `{c_host.run('./host').strip()}`." in PAGE


def test_the_command_writes_the_same(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pytorch_legacy.cli import main

    (command,) = re.findall(r"^pytorch-legacy (convert .*)$", PAGE, re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    assert main(command.split()) == 0
    for end in ("c", "h", "bin"):
        assert (tmp_path / f"digits.{end}").read_bytes() == (folder / f"digits.{end}").read_bytes()
