"""Docstrings and comments are sentences or noun phrases, and names are words of the trade."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ("THNN", "THCUNN", "pytorch_legacy", "tests", "benchmarks", "docs", "examples")
PYTHON, C = (".py",), (".c", ".h", ".cu", ".cuh", ".cpp")
GENERATED = ("_thnn.py", "_signatures.py")  # written by the build, as is pytorch_legacy/lib

QUESTION = r"(?:what|who|whose|where|is|are|does|do|did|has|have|had|was|were|can|how|of|whether|those|that|which|why)"
HEADLESS = re.compile(rf"(?!do not)(?:{QUESTION})\b(?![-'(=.:/_`])", re.IGNORECASE)
MAY_BE_HEADLESS = re.compile(rf"(?:#[#: ]*|[\"']\s*)(?:{QUESTION}|when)\b", re.IGNORECASE)
BARE_WHEN = re.compile(r"when\b[^,]*(?:[.:;]|$)", re.IGNORECASE)

# Private names that had a word of the trade, which stands beside each. A pattern has to match a whole identifier.
PRIVATE = {
    r"AWAKE|ASLEEP": "TEAM_AWAKE, TEAM_ASLEEP",
    r"WORTH|OFTEN|USUAL|SOME|MANY|SHORT": "a noun with its unit, such as MIN_WORK_TO_WAKE",
    r"BY_PLACES|BY_OUTPUTS": "SPATIAL_TILES, CHANNEL_TILES",
    r"beats|challenge": "isLarger",
    r"layOut|lay[A-Z]\w*(?<!layers)(?<!layer)": "pack, copy or pad",
    r"links|wides|narrows": "connection table, layers",
    r"putBack|fetchBack": "unpool, unpoolBackward",
    r"isTurned": "isTransposed",
    r"softSpread": "backward",
    r"meetFrames": "correlate",
    r"aheadOf|Ahead": "prefetch",
    r"takeKept|THNN_takeKept|Print": "PackedCache, fingerprint",
    r"THNN_hold": "THNN_registerArgument",
    r"rooms": "workspaces",
    r"_Glance|_ABSENT": "HeaderSnapshot, NULL_ARG",
    r"Taped|untape": "Recording, replay",
    r"forgetful": "on_signatures_changed",
    r"is_own|_takeEnds|_locate": "words for what the function does",
}
# Exceptions by folder and name, with the reason.
RIGHT = {
    ("docs/site", "links"): "links of pages",
    ("tests", "links"): "links of pages, and symbolic links",
    ("tests", "forgetful"): "a layer that forgets its state, in a test of that",
    ("tests", "USUAL"): "results of cases as they usually are, by case; a table, not a bound",
    ("pytorch_legacy/lua", "isTypeOf"): "a function of Torch7",
    ("pytorch_legacy/torch", "USUAL"): "usual arguments, by name; a table, not a bound",
}
OF = re.compile(r"_*[a-z]\w*[a-z0-9]Of")


def sources() -> Iterator[tuple[str, Path]]:
    """Yields the files that people write in C, CUDA and Python, with their names in the repository."""
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            isWritten = path.suffix in (*PYTHON, *C) and path.name not in GENERATED
            if isWritten and not name.startswith("pytorch_legacy/lib/"):
                yield name, path


def headless(text: str) -> bool:
    """Returns True if `text` begins with a question, or with a clause that has no main clause."""
    text = " ".join(text.split())
    return bool(HEADLESS.match(text) or BARE_WHEN.match(text.split(". ")[0]))


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yields line and text of every docstring of a Python file, also of those below an assignment.

    Like `python_comments` it reads no file that has none which could be headless.
    """
    if not MAY_BE_HEADLESS.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        body = node.body if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) else []
        for before, after in zip([None, *body], body, strict=False):
            isText = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str)
            if isText and (before is None or isinstance(before, (ast.Assign, ast.AnnAssign))):
                yield after.lineno, after.value.value  # type: ignore[attr-defined]


def python_comments(source: str) -> Iterator[tuple[int, str]]:
    """Yields line and text of every comment of a Python file. Comment lines that follow each other are one comment.

    A file without a line that could be headless is not tokenized, which takes long.
    """
    if not MAY_BE_HEADLESS.search(source):
        return
    last = -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            isAlone = not token.line[: token.start[1]].strip()
            if not isAlone or token.start[0] != last + 1:
                yield token.start[0], token.string.lstrip("#: ")
            last = token.start[0] if isAlone else -1


_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*(.*?)\*/|//([^\n]*)', re.DOTALL)


def c_comments(source: str) -> Iterator[tuple[int, str]]:
    """Yields line and text of every comment of a C or CUDA file."""
    for token in _TOKEN.finditer(source):
        text = token[1] if token[1] is not None else token[2]
        if text is not None:
            yield source.count("\n", 0, token.start()) + 1, re.sub(r"^[\s*-]+", "", text)


def identifiers(name: str, source: str) -> Iterator[tuple[int, str]]:
    """Yields line and text of every identifier of a file, outside of comments and strings."""
    if name.endswith(PYTHON):
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            if token.type == tokenize.NAME:
                yield token.start[0], token.string
    else:
        code = _TOKEN.sub(lambda token: " " + "\n" * token[0].count("\n"), source)
        for found in re.finditer(r"\b[A-Za-z_]\w*", code):
            yield code.count("\n", 0, found.start()) + 1, found[0]


def test_no_docstring_or_comment_is_headless() -> None:
    """A docstring begins with a verb or a noun, and so does a comment."""
    found = []
    for name, path in sources():
        source = path.read_text(encoding="utf-8")
        comments = [*docstrings(source), *python_comments(source)] if name.endswith(PYTHON) else c_comments(source)
        found += [f"{name}:{line}: {' '.join(text.split())[:80]}" for line, text in comments if headless(text)]
    assert not found, "\n".join(["begin with a verb or a noun:", *found])


def test_no_name_is_private() -> None:
    """Identifiers are words that an engineer can look up."""
    known = {pattern: re.compile(pattern) for pattern in PRIVATE}
    either = re.compile("|".join(PRIVATE) + f"|(?:THNN_)?{OF.pattern}")
    anywhere = re.compile(rf"\b(?:{either.pattern})\b")
    found, unused = [], {*RIGHT}
    for name, path in sources():
        source = path.read_text(encoding="utf-8")
        for line, text in identifiers(name, source) if anywhere.search(source) else ():
            if not either.fullmatch(text):
                continue
            right = {(folder, word) for folder, word in RIGHT if word == text and name.startswith(f"{folder}/")}
            unused -= right
            if not right:
                better = next((PRIVATE[pattern] for pattern in known if known[pattern].fullmatch(text)), "a name without Of")
                found.append(f"{name}:{line}: {text}: {better}")
    assert not found, "\n".join(found)
    assert not unused, f"exceptions for names that no file has: {sorted(unused)}"


@pytest.mark.parametrize("text, isHeadless", [
    ("What a layer takes.", True),
    ("of each channel", True),
    ("Does the module take it?", True),
    ("Whether it is so.", True),
    ("When all sums are there.", True),
    ("Those of all steps.", True),
    ("When training, statistics change.", False),
    ("Does nothing.", True),
    ("Do not touch the state.", False),
    ("Returns what a layer takes.", False),
    ("has_twice is slow.", False),
    ("is-a relation.", False),
])  # fmt: skip
def test_headless_texts_are_found(text: str, isHeadless: bool) -> None:
    assert headless(text) == isHeadless


def test_comments_and_names_are_found() -> None:
    source = 'a = "/* what */"; /* how many\n * cells */ n = cellOf(x); // of x\n'
    assert [(line, text.split()[0]) for line, text in c_comments(source)] == [(1, "how"), (2, "of")]
    assert [text for _, text in identifiers("a.c", source)] == ["a", "n", "cellOf", "x"]
    python = 'x = "# what"  # of y\n# How it\n# is done.\n'
    assert [*docstrings('"""A."""\nx = 1\n"""What."""\nf(x)\n"""no docstring"""\n')] == [(1, "A."), (3, "What.")]
    assert [*python_comments(python)] == [(1, "of y"), (2, "How it")]
    assert OF.fullmatch("_modelOf") and not OF.fullmatch("Of") and not OF.fullmatch("off")
