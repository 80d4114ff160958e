"""Docstrings and comments are sentences, and names are words of the trade."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCES = ("THNN", "THCUNN", "pytorch_legacy", "tests", "benchmarks", "docs", "examples")
PYTHON, C = (".py", ".pyi"), (".c", ".h", ".cu", ".cuh", ".cpp")
GENERATED = {"pytorch_legacy/backend/_thnn.py"}

QUESTION = r"(?:what|who|whose|where|is|are|does|do|did|has|have|had|was|were|can|how|of|whether|those|that|which|why)"
HEADLESS = re.compile(rf"(?!do(?:es)? (?:not|nothing|`))(?:{QUESTION})\b(?![-'(=.:/_`])", re.IGNORECASE)
BARE_WHEN = re.compile(r"when\b[^,]*(?:[.:;]|$)", re.IGNORECASE)


def headless(text: str) -> bool:
    """Returns True if `text` begins with a clause that has no main clause, or with a question."""
    text = " ".join(text.split())
    return bool(HEADLESS.match(text) or BARE_WHEN.match(text.split(". ")[0]))


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yields line and text of every docstring of a Python file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            text = ast.get_docstring(node)
            if text:
                yield node.body[0].lineno, text


def pythonComments(source: str) -> Iterator[tuple[int, str]]:
    """Yields line and text of every comment of a Python file. Comment lines that follow each other are one comment."""
    last = -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        own = not token.line[: token.start[1]].strip()
        if not (own and token.start[0] == last + 1):
            yield token.start[0], token.string.lstrip("#: ")
        last = token.start[0] if own else -1


C_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*(.*?)\*/|//([^\n]*)', re.DOTALL)


def cComments(source: str) -> Iterator[tuple[int, str]]:
    """Yields line and text of every comment of a C or CUDA file."""
    for token in C_TOKEN.finditer(source):
        text = token[1] if token[1] is not None else token[2]
        if text is not None:
            yield source.count("\n", 0, token.start()) + 1, re.sub(r"^[\s*!<-]+", "", text)
