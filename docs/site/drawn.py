"""Pictures of classes that are no layers: a graph, the course of a training, a network that cannot run."""

from __future__ import annotations

from html import escape
from typing import Any

import pytorch_legacy as pl
from docs.site import cells
from docs.site.catalog import Entry
from docs.site.example import run_docstring

WIDTH, HEIGHT = 300, 180
ROOM = 90  # from one node of a graph to the next


def of(entry: Entry) -> tuple[str, str] | None:
    """Returns the text about the picture, and the picture; None if there is none."""
    if entry.cls is pl.nn.StochasticGradient:
        return "The mean loss of each pass in the example above, as the trainer reports it.", _course(_losses(entry.cls))
    if entry.package == "nngraph.graph":
        names = run_docstring(entry.cls)
        nodes = [value for value in names.values() if type(value) is pl.nngraph.graph.Node]
        edges = [value for value in names.values() if type(value) is pl.nngraph.graph.Edge]
        edges += [edge for value in names.values() if type(value) is pl.nngraph.graph.Graph for edge in value.edges]
        arrows = [(edge.source, edge.to) for edge in edges] + [(node, child) for node in nodes for child in node.children]
        return "The graph of the example above.", _graph(nodes, arrows)
    if entry.cls is pl.optim.ConfusionMatrix:
        counts = cells.figure(run_docstring(entry.cls)["confusion"].mat, "confusion.mat")
        told = "The counts of the example above: a row for each class, a column for each prediction."
        return told, f'<div class="picture">{counts}</div>'
    if entry.cls is pl.nn.Unknown:
        net = pl.nn.Sequential(pl.nn.Linear(4, 3), pl.nn.Unknown("nn.MyLayer"))
        return "A network that holds one shows it, and all else can be looked at and saved:", net._repr_html_()
    return None


def _losses(cls: Any) -> list[float]:
    """The loss of each pass of the class's example."""
    losses: list[float] = []
    original = cls.train

    def train(self: Any, dataset: Any) -> Any:
        self.hookIteration = lambda trainer, iteration, error: losses.append(float(error))
        return original(self, dataset)

    cls.train = train
    try:
        pl.manualSeed(1)
        run_docstring(cls)
    finally:
        cls.train = original
    return losses


def _course(values: list[float]) -> str:
    """A curve of values over their number, from 0 up."""
    top = max(values)
    points = " ".join(
        f"{i / max(len(values) - 1, 1) * WIDTH:.1f},{HEIGHT - value / top * HEIGHT:.1f}" for i, value in enumerate(values)
    )
    axes = f'<polyline class="axis" fill="none" points="0,0 0,{HEIGHT} {WIDTH},{HEIGHT}"/>'
    marks = "".join(f'<text x="{x}" y="{HEIGHT + 14}">{mark}</text>' for x, mark in ((0, 1), (WIDTH, len(values))))
    marks += "".join(f'<text x="-20" y="{y + 4}">{mark:.2g}</text>' for y, mark in ((0, top), (HEIGHT, 0)))
    told = f"loss of passes 1 to {len(values)}: from {values[0]:.3g} to {values[-1]:.3g}"
    size = f'viewBox="-44 -8 {WIDTH + 60} {HEIGHT + 28}" width="{WIDTH + 60}" height="{HEIGHT + 28}"'
    curve = f'{axes}{marks}<polyline class="curve" points="{points}"/>'
    picture = f'<svg class="curve-of" role="img" aria-label="{told}" {size}>{curve}</svg>'
    return f'<div class="picture"><figure>{picture}<figcaption>loss of each pass</figcaption></figure></div>'


def _graph(nodes: list[Any], arrows: list[tuple[Any, Any]]) -> str:
    """Nodes in a row, each behind those that lead to it, and an arrow for each edge."""
    rest, ordered = list(nodes), []
    while rest:
        first = next((node for node in rest if not any(b is node and a in rest for a, b in arrows)), rest[0])
        ordered.append(first)
        rest = [node for node in rest if node is not first]
    place = {id(node): i * ROOM + 24 for i, node in enumerate(ordered)}
    drawn = "".join(
        f'<circle class="node" cx="{place[id(node)]}" cy="30" r="18"/>'
        f'<text x="{place[id(node)]}" y="34">{escape(str(node.data))}</text>'
        for node in ordered
    )
    for a, b in dict.fromkeys((id(a), id(b)) for a, b in arrows):
        x, end = place[a] + 18, place[b] - 18
        drawn += f'<path class="edge" d="M{x} 30H{end - 8}"/><path class="head" d="M{end} 30l-9 -5v10z"/>'
    width = len(ordered) * ROOM
    size = f'viewBox="0 0 {width} 60" width="{width}" height="60"'
    label = escape("; ".join(dict.fromkeys(f"{a.data} leads to {b.data}" for a, b in arrows)))
    return f'<div class="picture"><svg class="graph-of" role="img" aria-label="{label}" {size}>{drawn}</svg></div>'
