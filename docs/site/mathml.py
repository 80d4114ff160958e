"""Formulas as MathML, written when the site is built: browsers show them by themselves, offline and without scripts.

They look best where the system has a font for mathematics, as Windows and macOS have; on Debian, fonts-lmodern is one.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


# Commands that the converter knows by another name only.
_NAMES = {"{aligned}": "{split}", r"\arg\min": r"\operatorname{arg}\min", r"\arg\max": r"\operatorname{arg}\max"}
# The signs of an error in the converter's output: a command, an alignment or a line by itself.
_NOT_UNDERSTOOD = re.compile(r">\\[A-Za-z]+<|<mi>&</mi>|linebreak=")


def formula(latex: str, display: str, node: Any) -> str:
    """The element ``math`` of a formula. One that cannot be read is a warning, and shown as it is written."""
    text = latex
    for name, known in _NAMES.items():
        text = text.replace(name, known)
    try:
        written = convert(text, display=display)
        problem = _NOT_UNDERSTOOD.search(written)
    except Exception as error:  # the converter has errors of many kinds
        written, problem = "", re.match(".*", type(error).__name__)
    if problem:
        logger.warning("a formula that cannot be read (%s): %s", problem[0].strip("<>"), latex, location=node, type="math")
        return f"<code>{escape(latex)}</code>"
    return written


def inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(formula(node.astext(), "inline", node))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    anchor = f' id="{node["ids"][0]}"' if node["ids"] else ""
    number = f'<span class="eqno">({node["number"]})</span>' if node.get("number") else ""
    writer.body.append(f'<div class="math"{anchor}>{number}{formula(node.astext(), "block", node)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
