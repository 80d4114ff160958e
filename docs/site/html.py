"""The directive ``site-html``: a file of HTML as it is. Unlike ``raw``, the search leaves it out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class site_html(nodes.General, nodes.Element):
    """The place of a file of HTML."""


class SiteHtml(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        relative, absolute = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(relative)
        return [site_html(file=absolute)]


def visit(writer: Any, node: site_html) -> None:
    writer.body.append(Path(node["file"]).read_text(encoding="utf-8"))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(site_html, html=(visit, None))
    app.add_directive("site-html", SiteHtml)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
