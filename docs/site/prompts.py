"""Blocks of Markdown that begin with Python's prompt are shown as a session of Python; no fence has to say so."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def mark(app: Any, doctree: Any) -> None:
    for block in doctree.findall(nodes.literal_block):
        if block.astext().startswith(">>> ") and block.get("language", "text") == "text":
            block["language"] = "pycon"


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", mark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
