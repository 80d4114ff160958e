"""Makes docstrings ready for numpydoc, which takes the indent from a literal block that follows the summary."""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx


def prepare(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Writes ``Summary::`` and a block as ``Summary:`` and a directive with that block, and parts the notes."""
    end = lines.index("") if "" in lines else len(lines)
    if 0 < end < len(lines) and lines[end - 1].endswith("::"):
        lines[end - 1] = lines[end - 1][:-1]
        lines[end:end] = ["", ".. code-block:: text"]
    for place in reversed(range(len(lines))):  # shapes and source are paragraphs of their own
        if lines[place].startswith("Source:"):
            lines.insert(place, "")
        elif lines[place].startswith("Shapes:"):
            last = next((i for i in range(place, len(lines)) if lines[i].endswith(".") or not lines[i]), len(lines) - 1)
            lines.insert(last + 1, "")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("autodoc-process-docstring", prepare, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
