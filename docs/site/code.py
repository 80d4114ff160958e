"""The sources of a class side by side: Python, C and CUDA, with links to the four parts of a C file."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import cache
from html import escape
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from docs.site import ROOT
from docs.site.catalog import Entry
from docs.site.parts import parts
from pytorch_legacy.backend.header import Place, where

_INCLUDED = re.compile(r'^#include "(\w+/\w+)\.(?:h|cuh)"', re.M)
LABELS = {"c": "C", "cuda": "CUDA", "python": "Python"}


def places(name: str, functions: list[str]) -> list[Place]:
    """The files of the layers that a class calls, C before kernels, each file once; the layer most like the class comes first."""
    layers = {function.rpartition("_")[0] for function in functions}
    found: dict[Path, Place] = {}
    for layer in sorted(layers, key=lambda layer: (-SequenceMatcher(None, name, layer).ratio(), layer)):
        for place in where(layer, ROOT):
            found.setdefault(place.path, place)
    return [*found.values()]


def mechanisms(files: list[str]) -> list[str]:
    """Returns the shared files of some C files: their families' headers, and the files of loops and kernels of those names."""
    names = {name for file in files for name in _INCLUDED.findall((ROOT / file).read_text(encoding="utf-8"))}
    endings = (("THNN", ".h"), ("THNN", ".c"), ("THNN", "_fast.c"), ("THNN", "_avx512.c"), ("THCUNN", ".cuh"), ("THCUNN", ".cu"))
    candidates = [f"{tree}/{name}{ending}" for name in sorted(names - {"core/core"}) for tree, ending in endings]
    return [path for path in candidates if (ROOT / path).exists() and path not in files]


def html(entry: Entry, functions: list[str], link: Callable[[str], str]) -> str:
    """The panels; `link` gives the address of the page of a file."""
    found = places(entry.name, functions)
    panels = [_panel("python", entry.file, 1)]
    panels += [_panel("c" if place.path.suffix == ".c" else "cuda", _name(place), place.first) for place in found]
    notes = []
    if not found:
        notes.append("There is no C of its own: it is array operations of NumPy and, on a GPU, of CuPy, or what its modules do.")
    elif all(place.path.suffix == ".c" for place in found):
        notes.append("For CUDA this very C file is compiled: the kernels stand in the files of its family, below.")
    others = mechanisms([_name(place) for place in found])
    if others:
        links = ", ".join(f'<a href="{escape(link(path))}"><code>{escape(path)}</code></a>' for path in others)
        notes.append(f"What these files stand on: {links}.")
    return f'<div class="sources">{"".join(panels)}</div>' + "".join(f"<p>{note}</p>" for note in notes)


def _name(place: Place) -> str:
    return place.path.relative_to(ROOT).as_posix()


def _panel(language: str, path: str, layer: int) -> str:
    """The panel of a file in which the layer begins at that line."""
    text = (ROOT / path).read_text(encoding="utf-8")
    lines = highlight(text, _lexer(language), HtmlFormatter(nowrap=True)).rstrip("\n").split("\n")
    anchors = parts(text, layer) if language != "python" else {}
    stem = re.sub(r"\W", "-", path)
    links = []
    for name, number in anchors.items():
        shown = "kernels" if language == "cuda" and name == "definition" else name
        lines[number - 1] = f'<span id="{stem}-{name}" class="part">{lines[number - 1]}</span>'
        links.append(f'<a href="#{stem}-{name}">{shown}</a>')
    nav = f'<nav aria-label="parts of {escape(path)}">{" · ".join(links)}</nav>' if len(links) > 1 else ""
    title = f"<summary><b>{LABELS[language]}</b> <code>{escape(path)}</code></summary>"
    body = "\n".join(lines)
    return f'<details open>{title}{nav}<div class="highlight"><pre tabindex="0">{body}</pre></div></details>'


@cache
def _lexer(language: str):  # type: ignore[no-untyped-def]
    return get_lexer_by_name("cuda" if language == "cuda" else language, stripnl=False)
