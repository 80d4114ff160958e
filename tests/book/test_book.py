"""The examples in docs/book compute the printed results.

Its examples run as printed, each chapter in a namespace of its own. Its commands print what stands below them. Code that it shows
of the library stands in the file that is named above it. Formulas are closed, links lead somewhere,
new words are in the glossary.
"""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pytorch_legacy.cli import main
from tests.test_examples import Digits

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "docs" / "book"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(BOOK.glob("*.md"))}
CHAPTERS = [name for name in PAGES if name not in ("index", "glossary")]

FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SHOWN = ("c", "cuda", "lua", "python")  # blocks in these languages are parts of files
WRITTEN = ("step",)  # chapters whose examples write the C that they show: tests/program/test_c_page.py compares it
COMPILERS = {"own": ("gcc", "g++"), "cuda": ("gcc", "g++")}  # the compilers of each chapter


class Block(NamedTuple):
    language: str
    text: str
    before: str  # the paragraph above it


def blocks(page: str) -> Iterator[Block]:
    text = PAGES[page]
    for found in FENCE.finditer(text):
        yield Block(found[1], found[2], text[: found.start()].rstrip().rpartition("\n\n")[2])


def prose(page: str) -> str:
    """A page without its code and formulas in blocks."""
    return FENCE.sub("", PAGES[page])


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST make them."""
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in HEADING.findall(FENCE.sub("", text))
    }


@pytest.mark.parametrize("page", PAGES)
def test_fences_are_closed(page: str) -> None:
    assert "```" not in prose(page)


@pytest.mark.parametrize("page", PAGES)
def test_examples_run_as_printed(page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if lacking := [compiler for compiler in COMPILERS.get(page, ()) if shutil.which(compiler) is None]:
        pytest.skip(f"no {lacking[0]}")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    texts = [block.text for block in blocks(page) if block.language == "pycon"]
    examples = [example for text in texts for example in doctest.DocTestParser().get_examples(text)]
    assert examples or page not in CHAPTERS
    said: list[str] = []
    runner = doctest.DocTestRunner(Digits(), verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(doctest.DocTest(examples, {"__name__": "__main__"}, page, f"docs/book/{page}.md", 0, None), out=said.append)
    assert not runner.failures, "".join(said)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_are_named_for_what_they_hold(page: str) -> None:
    for block in blocks(page):
        assert block.language in ("", "pycon", "{math}", "{toctree}", *SHOWN)
        assert (block.language == "pycon") == block.text.startswith(">>> "), block.text


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_is_shown(page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for block in blocks(page):
        if block.language == "" and block.text.startswith("$ pytorch-legacy"):
            command, _, shown = block.text.partition("\n")
            assert main(shlex.split(command)[2:]) == 0
            assert capsys.readouterr().out == shown


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WRITTEN])
def test_code_of_the_library_is_the_real_code(page: str) -> None:
    """The paragraph above such a block ends with a link to its file and a colon. A line `...` stands for left-out lines."""
    for block in blocks(page):
        if block.language not in SHOWN:
            continue
        named = [target for target in LINK.findall(block.before) if not target.startswith(("http", "#"))]
        assert named and block.before.endswith(":"), f"no file is named above:\n{block.text}"
        text, place = (BOOK / named[-1]).read_text(encoding="utf-8"), 0
        for part in re.split(r"^ *\.\.\.\n", block.text, flags=re.MULTILINE):
            found = text.find(part.strip("\n"), place)
            assert found >= 0, f"{named[-1]} does not hold, or not in this order:\n{part}"
            place = found + len(part.strip("\n"))


@pytest.mark.parametrize("page", PAGES)
def test_formulas_are_whole(page: str) -> None:
    found = [block.text for block in blocks(page) if block.language == "{math}"]
    rest = re.sub(r"`[^`]*`", "", prose(page))
    for paragraph in rest.split("\n\n"):
        assert paragraph.count("$") % 2 == 0, paragraph
        found += re.findall(r"\$([^$]+)\$", paragraph)
    assert found or page not in CHAPTERS
    for formula in found:
        depth = 0
        for sign in re.sub(r"\\[{}]", "", formula):
            depth += (sign == "{") - (sign == "}")
            assert depth >= 0, formula
        assert depth == 0, formula
        assert formula.count(r"\left") == formula.count(r"\right") + formula.count(r"\leftarrow") - formula.count(r"\rightarrow")
        begun, ended = (re.findall(rf"\\{which}\{{([^}}]+)\}}", formula) for which in ("begin", "end"))
        assert begun == ended[::-1] and {*begun} <= {"array"}, f"the site's converter is known to read arrays alone: {formula}"


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in LINK.findall(prose(page)):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        file = (BOOK / path).resolve() if path else BOOK / f"{page}.md"
        assert file.exists(), target
        assert not anchor or anchor in anchors(file.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("page", PAGES)
def test_paragraphs_are_short(page: str) -> None:
    """At most five sentences."""
    for paragraph in prose(page).split("\n\n"):
        if not paragraph.lstrip().startswith(("|", "- ", "1. ", "#", "<")):
            plain = re.sub(r"`[^`]*`|\$[^$]*\$", "x", paragraph).replace("\n", " ")
            assert len(re.findall(r"[.?!](?= [A-Z*`\[(]|$)", plain)) <= 5, paragraph


def test_new_words_stand_in_the_glossary() -> None:
    """A chapter sets a word in bold where it explains it; the glossary has each of them once, in the order of the alphabet."""
    terms = re.findall(r"^\*\*([^*]+)\*\*", PAGES["glossary"], re.MULTILINE)
    assert terms == sorted(set(terms), key=str.lower)
    explained = {word.lower() for page in CHAPTERS for word in re.findall(r"\*\*([^*]+)\*\*", prose(page))}
    assert explained == {term.lower() for term in terms}


def test_words_of_the_code_name_files() -> None:
    """The glossary explains the terms of the source files, in the order of the alphabet, each with a file."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| `([^`]+)` \|$", PAGES["glossary"], re.MULTILINE)
    terms = [term for term, _ in rows]
    assert len(terms) >= 60 and terms == sorted(set(terms), key=str.lower)
    assert not [file for _, file in rows if not (ROOT / file).is_file()]


@pytest.mark.parametrize("page", CHAPTERS)
def test_exercises_have_answers_that_run(page: str) -> None:
    exercises = PAGES[page].partition("\n## Exercises\n")[2]
    questions, answers = (
        re.findall(r"^(\d)\. ", prose(page).partition("\n## Exercises\n")[2], re.MULTILINE),
        exercises.split("<details>")[1:],
    )
    assert 3 <= len(questions) <= 6 and questions == [str(i + 1) for i in range(len(questions))]
    assert len(answers) == len(questions)
    for i, answer in enumerate(answers):
        assert answer.startswith(f"\n<summary>Answer {i + 1}</summary>\n\n") and ">>> " in answer
        assert answer.rstrip().endswith("</details>") or "\n\n</details>\n" in answer


@pytest.mark.parametrize("page", CHAPTERS)
def test_chapters_end_with_their_sources(page: str) -> None:
    """The last section is a list of papers, with a year, and of files of the original, by repository and name."""
    assert HEADING.findall(prose(page))[-1] == "Sources"
    sources = re.split(r"^- ", prose(page).partition("\n## Sources\n")[2], flags=re.MULTILINE)[1:]
    papers = [source for source in sources if re.search(r'"[^"]+".*\b(1[89]|20)\d\d\b', source, re.DOTALL)]
    repository, file = r"\b[\w-]+/[\w.-]+: ", r"`[\w./]+\.\w+`"
    originals = [source for source in sources if re.search(repository, source) and re.search(file, source)]
    assert len(sources) >= 2 and originals, page
    assert papers or page == "t7", page  # a format, which no paper describes


def test_every_page_is_in_the_table_of_contents_once() -> None:
    listed = [
        name
        for block in blocks("index")
        if block.language == "{toctree}"
        for name in re.findall(r"^\w+$", block.text, re.MULTILINE)
    ]
    assert sorted(listed) == sorted(set(PAGES) - {"index"})
    linked = re.findall(r"\]\((\w+)\.md\)", PAGES["index"])
    assert linked == listed


def test_pictures_are_small_and_drawn_by_the_script(tmp_path: Path) -> None:
    names = [name for page in PAGES for name in re.findall(r"\]\(images/(\w+)\.png\)", PAGES[page])]
    images = BOOK / "images"
    assert sorted(f"{name}.png" for name in names) == sorted(path.name for path in images.iterdir())
    assert all((images / f"{name}.png").stat().st_size < 60_000 for name in names)
    pytest.importorskip("matplotlib")
    pytest.importorskip("PIL")
    pictures = runpy.run_path(str(BOOK / "pictures.py"))["PICTURES"]
    assert sorted(pictures) == sorted(names)
    for name in names:
        pictures[name]().savefig(tmp_path / f"{name}.png")
