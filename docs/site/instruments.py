"""The directive ``site-instrument``: a layer that runs in the page. Its script and the shared one stand in static/instruments."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from docs.site import wasm

FOLDER = "_static/instruments"

# Each instrument's page under docs/instruments, what it is called, and the classes whose pages lead to it.
SHOWN = {
    "adaptive": (
        "Adaptive windows, cell by cell",
        ("SpatialAdaptiveAveragePooling", "SpatialAdaptiveMaxPooling", "SpatialAveragePooling", "SpatialMaxPooling"),
    ),
    "pooling": (
        "A picture through any pooling layer",
        (
            *(layer for layer in wasm.LAYERS if "pool" in layer.lower()),
            "SpatialSubSampling",
            "SpatialLPPooling",
        ),
    ),
    "convolution": (
        "A window moved over a convolution",
        ("SpatialConvolution", "SpatialConvolutionMM", "SpatialDilatedConvolution"),
    ),
    "curves": (
        "Curves of activations and of pooling",
        (
            "ReLU",
            "Threshold",
            "Tanh",
            "Sigmoid",
            "LogSigmoid",
            "ELU",
            "LeakyReLU",
            "SoftPlus",
            "HardTanh",
            "HardShrink",
            "SoftShrink",
            "Abs",
            "Square",
            "SpatialSoftPool",
            "SpatialPowerAveragePooling",
            "SpatialGaussianPooling",
        ),
    ),
}
WITHOUT = "This part of the page runs where the site was built with emscripten (emcc), which was missing here."


class site_instrument(nodes.General, nodes.Element):
    """The place of an instrument."""


class SiteInstrument(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        if not self.config.instruments_run:
            return [nodes.paragraph(WITHOUT, WITHOUT, classes=["instrument-missing"])]
        up = "../" * self.env.docname.count("/")
        return [site_instrument(name=self.arguments[0], up=up)]


def visit(writer: Any, node: site_instrument) -> None:
    writer.body.append(html(node["name"], node["up"]))
    raise nodes.SkipNode


def html(name: str, up: str) -> str:
    """Returns a page's element of an instrument, and the scripts that fill the element; `up` leads to the site's root."""
    scripts = "".join(f'<script src="{up}{FOLDER}/{script}.js"></script>\n' for script in ("thnn", "shared", name))
    return f'<div class="instrument" data-instrument="{name}"><p>This part of the page needs JavaScript.</p></div>\n{scripts}'


def of(name: str) -> str:
    """A line that leads from the page of the class `name` to its instruments; nothing if it has none."""
    links = ", ".join(f":doc:`{title} </instruments/{page}>`" for page, (title, classes) in SHOWN.items() if name in classes)
    return f"It runs in a page: {links}.\n" if links else ""


def place(script: Path, out: Path) -> None:
    """Puts the compiled layers where the pages of the site `out` load them."""
    (out / FOLDER).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(script, out / FOLDER / "thnn.js")


def build(jobs: int) -> tuple[Path | None, list[str]]:
    """The compiled layers, or None; and what went wrong."""
    try:
        return wasm.build(jobs), []
    except wasm.CompileError as error:
        return None, [str(error)]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("instruments_run", False, "env", [bool])
    app.add_node(site_instrument, html=(visit, None))
    app.add_directive("site-instrument", SiteInstrument)
    app.add_css_file("instruments/instruments.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
