"""The page of one class."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib import import_module

from docs import fields
from docs.site import ROOT, bridges, code, drawn, instruments, picture
from docs.site.catalog import Entry
from docs.site.example import Example, example, golden
from pytorch_legacy.backend import header
from pytorch_legacy.nn.Criterion import Criterion

MOST_LISTED = 40


@dataclass
class Page:
    """The text of a page, the pieces of HTML that it shows, by their names, and the files whose pages it links to."""

    entry: Entry
    text: str = ""
    pieces: dict[str, str] = field(default_factory=dict)
    linked: set[str] = field(default_factory=set)


def page(entry: Entry) -> Page:
    made = Page(entry)
    other = drawn.of(entry)
    one = None if other else example(entry)
    pictured = _other_picture(made, *other) if other else _picture(made, one)
    if one and type(one.module) is not entry.cls:
        one = None  # the following sections are about the class
    sections = [_head(entry), pictured, _elsewhere(made, one), _sources(made, one), _arrayFields(made, one), _fields(entry)]
    made.text = "\n".join(section for section in sections if section)
    return made


def heading(text: str, line: str = "-") -> str:
    return f"{text}\n{line * len(text)}\n"


def code_block(language: str, text: str) -> str:
    return f".. code-block:: {language}\n\n" + "\n".join(f"   {one}".rstrip() for one in text.splitlines()) + "\n"


def _head(entry: Entry) -> str:
    from docs.site.catalog import families

    family = next(f for f in families() if f.name == entry.family)
    way = f":doc:`Layers </layers/index>` › :doc:`{family.title} </{family.place}>`"
    typename = entry.cls._typename
    files = f" · in ``.t7`` files ``{typename}``" if "." in typename else ""
    members = "   :members:\n" if entry.family == "bases" else ""
    directive = f".. autoclass:: pytorch_legacy.{entry.package}.{entry.name}\n{members}"
    return f":orphan:\n:hide-toc:\n\n{heading(entry.name, '=')}\n{way}{files}\n\n{directive}"


def _piece(made: Page, name: str, html: str) -> str:
    """A directive that shows a piece of HTML."""
    made.pieces[name] = html
    return f".. site-html:: /{made.entry.place}.{name}.html.txt\n"


def _other_picture(made: Page, told: str, html: str) -> str:
    return f"{heading('What it does')}\n{told}\n\n{_piece(made, 'picture', html)}\n"


def _picture(made: Page, one: Example | None) -> str:
    if one is None:
        return ""
    isCriterion = isinstance(one.module, Criterion)
    isOwn = type(one.module) is made.entry.cls
    what = f"``{one.call}``" if one.call else "This module" if isOwn else "What the example above calls"
    shown = picture.html(made.entry, one)
    if 'class="curve-of"' in shown:
        told = f"{what}, one element at a time."
    elif isCriterion:
        told = f"{what}, computed by the criterion itself."
    else:
        told = f"{what}, computed by the layer itself. ``gradOutput`` counts its elements, so that one sees where each goes."
    printed = "" if one.call else "\n" + code_block("text", str(one.module))
    runs = instruments.of(made.entry.name) if made.entry.isNn else ""
    return f"{heading('What it does')}\n{told}\n{printed}\n{_piece(made, 'picture', shown)}\n{runs}"


def _elsewhere(made: Page, one: Example | None) -> str:
    """Torch7, PyTorch and ONNX."""
    parts = [heading("In Lua, PyTorch and ONNX")]
    same = one.call.replace("True", "true").replace("False", "false") if one and one.call else ""
    lines = sorted({case["lua"] for case in _golden(made.entry)}, key=lambda line: (line != same, len(line), line))
    name = made.entry.cls._typename
    if lines:
        parts.append("In Torch7, as in the cases below:\n\n" + code_block("lua", "\n".join(lines[:3])))
    elif made.entry.isNn and made.entry.name not in _torch7():
        parts.append("Torch7 had no such class. Files have it under the name ``" + name + "``.\n")
    else:
        parts.append(f"In Torch7: ``{name}``.\n")
    if one is None:
        return "\n".join(parts)
    if not bridges.HAS_TORCH:
        parts.append("The lines in PyTorch are shown where the site is built with torch.\n")
        return "\n".join(parts)
    text, module = bridges.pytorch(one)
    if module is None:
        parts.append(
            "There is no counterpart in PyTorch (:doc:`what leaves for PyTorch </bridges>`):\n\n" + code_block("text", text)
        )
        return "\n".join(parts)
    parts.append("In PyTorch, as :doc:`pl.to_torch </bridges>` writes it and proves it equal:\n\n" + code_block("python", text))
    if not bridges.HAS_ONNX:
        parts.append("The operators of ONNX are shown where the site is built with onnx.\n")
        return "\n".join(parts)
    operators = bridges.onnx(module, one)
    if operators is None:
        parts.append("PyTorch's exporters do not take this to ONNX.\n")
    else:
        counted = ", ".join(f"``{name}``" + (f" ({n} times)" if n > 1 else "") for name, n in Counter(operators).items())
        parts.append(f"In ONNX: {counted}.\n" if counted else "In ONNX nothing is left of it: the output is the input.\n")
    return "\n".join(parts)


def _sources(made: Page, one: Example | None) -> str:
    html = code.html(made.entry, one.functions if one else [], _linker(made))
    return f"{heading('Sources')}\n{_piece(made, 'sources', html)}"


def _linker(made: Page) -> Callable[[str], str]:
    up = "../" * made.entry.place.count("/")

    def link(path: str) -> str:
        made.linked.add(path)
        return f"{up}source/{path}.html"

    return link


def _arrayFields(made: Page, one: Example | None) -> str:
    """Returns the section about the tests of the class."""
    entry, rows = made.entry, []
    cases = f"tests/cases/{entry.name}.py"
    if entry.isNn and (ROOT / cases).exists():
        module = import_module(f"tests.cases.{entry.name}")
        link = f'<a href="{_linker(made)(cases)}"><code>{cases}</code></a>'
        counted = f"{len(module.CASES)} cases and {len(module.ERRORS)} errors in {link}"
        rows.append(f"<p>{counted}: compared with a reference in NumPy, their gradients with central differences.</p>")
    found = _golden(entry)
    if found:
        counted = "one result" if len(found) == 1 else f"{len(found)} results"
        listed = "".join(
            f"<li><code>{escape(case['name'])}</code> <code>{escape(case['lua'])}</code></li>" for case in found[:MOST_LISTED]
        )
        more = f"<li>and {len(found) - MOST_LISTED} more</li>" if len(found) > MOST_LISTED else ""
        rows.append(
            f"<details><summary>{counted} of the original Torch7, in tests/golden</summary><ul>{listed}{more}</ul></details>"
        )
    stems = sorted({name.rpartition("_")[0] for name in (one.functions if one else [])} & _layers())
    if stems:
        up = "../" * entry.place.count("/")
        links = ", ".join(f'<a href="{up}functions.html#{stem.lower()}"><code>{stem}</code></a>' for stem in stems)
        rows.append(f"<p>Functions of the C library: {links}.</p>")
    return f"{heading('What it is held to')}\n{_piece(made, 'held', ''.join(rows))}" if rows else ""


def _fields(entry: Entry) -> str:
    """The fields of the class in .t7 files."""
    rows = [[cell.replace("`", "``").replace("*", "") for cell in one.cells] for one in fields.table(entry.cls).values()]
    if not rows:
        return ""
    head = ["field", "kind", "if missing", "what happens"]
    body = "".join("   * - " + "\n     - ".join(row) + "\n" for row in [head, *rows])
    told = "Its fields in the file; :doc:`/fields` explains the columns."
    return f"{heading('In .t7 files')}\n{told}\n\n.. list-table::\n   :header-rows: 1\n\n{body}"


@cache
def _layers() -> set[str]:
    return {function.layer for function in header.read(ROOT / "THNN" / "THNN.h") if function.layer}


@cache
def _torch7() -> set[str]:
    return set((ROOT / "tests" / "torch_nn_classes.txt").read_text(encoding="utf-8").split())


def _golden(entry: Entry) -> list[dict[str, str]]:
    """The golden cases that begin with this class."""
    begins = re.compile(rf"{re.escape(entry.cls._typename)}[({{]")
    return [case for case in golden() if case["kind"] in ("module", "criterion") and begins.match(case.get("lua", ""))]
