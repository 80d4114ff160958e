"""Formulas as MathML, written when the site is built: browsers show them by themselves, offline and without scripts."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def formula(latex: str, display: str, node: Any) -> str:
    """The element ``math`` of a formula. One that cannot be read is a warning, and shown as it is written."""
    try:
        return convert(latex, display=display)
    except Exception as error:  # the converter has errors of many kinds
        logger.warning("a formula that cannot be read (%s): %s", type(error).__name__ or error, latex, location=node, type="math")
        return f"<code>{latex}</code>"


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
