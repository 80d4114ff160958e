"""Pictures of graphs: as text in Graphviz's language, and drawn by Graphviz where it is installed, else by matplotlib."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

from pytorch_legacy.errors import THNNError
from pytorch_legacy.explain import plot
from pytorch_legacy.files.writing import check_target, whole

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)")
_KEYWORDS = frozenset(("node", "edge", "graph", "digraph", "subgraph", "strict"))


def todot(graph: Any, title: str | None = None) -> str:
    """A graph in Graphviz's language DOT, with all that is known of its nodes; attributes come sorted.

    Notes
    -----
    Source: Torch7 graph, ``Graph:todot``.
    """
    lines = ["digraph G {"]
    if title:
        lines += ['labelloc="t";', f"label={_quoted(title)};"]
    lines.append("node [shape = oval];")
    for node in graph.nodes:
        text = "\n".join(filter(None, [node.graphNodeName(), node.label()]))
        attributes = {"label": text, **node.graphNodeAttributes()}
        listed = ", ".join(f"{key}={_value(attributes[key])}" for key in sorted(attributes))
        lines.append(f"n{node.id} [{listed}];")
    lines += [f"n{edge.source.id} -> n{edge.to.id};" for edge in graph.edges]
    return "\n".join([*lines, "}", ""])


def dot(graph: Any, title: str | None = None, fname: str | Path | None = None) -> str:
    """The text of `todot`; with a file name (without ending) also written to ``fname.dot`` and drawn in ``fname.svg``.

    Examples
    --------
    >>> graph, a, b = nngraph.graph.Graph(), nngraph.graph.Node("a"), nngraph.graph.Node("b")
    >>> graph.add(nngraph.graph.Edge(a, b))
    >>> print(nngraph.graph.dot(graph), end="")
    digraph G {
    node [shape = oval];
    n1 [label="Node1\\na"];
    n2 [label="Node2\\nb"];
    n1 -> n2;
    }
    """
    text = todot(graph, title)
    if fname is not None:
        _write(f"{fname}.dot", text.encode(errors="backslashreplace"))
        draw(graph, f"{fname}.svg", title)
    return text


def draw(graph: Any, path: str | Path, title: str | None = None) -> None:
    """Draws a network made by nngraph, or a graph, into a file.

    Parameters
    ----------
    graph : nn.gModule or graph.Graph
        Of a network, the forward graph is drawn.
    path : path
        The ending says the format: ``.dot`` is text; ``.svg``, ``.png``, ``.pdf`` and others are drawn by Graphviz if
        its program ``dot`` is installed, else by matplotlib.
    title : str, optional
        Stands above the picture.

    Raises
    ------
    UnsupportedError
        If matplotlib is needed and missing, or does not know the format.

    Examples
    --------
    >>> x = nn.Identity()()
    >>> net = nn.gModule([x], [nn.Tanh()(x)])
    >>> nngraph.draw(net, "net.dot")
    >>> with open("net.dot") as file:
    ...     print(*[line.strip() for line in file if "->" in line])
    n1 -> n2; n3 -> n1; n4 -> n3;
    """
    graph = getattr(graph, "fg", graph)
    check_target(path)
    path = Path(path)
    program = shutil.which("dot")
    if path.suffix == ".dot":
        _write(path, todot(graph, title).encode(errors="backslashreplace"))
    elif program:
        source = todot(graph, title).encode(errors="backslashreplace")
        done = subprocess.run([program, f"-T{path.suffix[1:]}"], input=source, capture_output=True, check=False)
        if done.returncode:
            raise THNNError(f"graph.draw: Graphviz could not draw {path}: {done.stderr.decode(errors='replace').strip()}")
        _write(path, done.stdout)
    else:
        plot.save(figure(graph, title), path)


def _write(path: str | Path, content: bytes) -> None:
    with whole(path) as file:
        file.write(content)


def figure(graph: Any, title: str | None = None) -> Any:
    """A matplotlib figure of a graph, from top to bottom in the direction of its edges."""
    places, ways = layout(graph)
    spots = [*places.values(), *(spot for way in ways.values() for spot in way)]
    across = [x for x, _ in spots] or [0.0]
    width, height = 1 + max(across) - min(across), 1 + max((y for _, y in spots), default=0.0)
    result = plot.new_figure(min(2.1 * width, 200), min(0.75 * height, 400))
    axes = result.subplots()
    axes.set_axis_off()
    axes.set_xlim(min(across) - 0.5, max(across) + 0.5)
    axes.set_ylim(height - 0.5, -0.5)
    if title:
        axes.set_title(title)
    texts = {}
    for node, place in places.items():
        box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": _colour(node)}
        texts[node] = axes.text(*place, _summary(node), ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    result.draw_without_rendering()  # gives the boxes, at which arrows end, their sizes
    for edge, way in ways.items():
        path = [places[edge.source], *way, places[edge.to]]
        axes.plot(*zip(*path[:-1], strict=True), color="0.4", linewidth=1, zorder=1)
        arrow = {"arrowstyle": "-|>", "color": "0.4", "shrinkA": 0, "shrinkB": 0, "mutation_scale": 9}
        arrow["patchA"] = None if way else texts[edge.source].get_bbox_patch()
        arrow["patchB"] = texts[edge.to].get_bbox_patch()
        axes.annotate("", path[-1], path[-2], arrowprops=arrow, zorder=3)
    return result


def layout(graph: Any) -> tuple[dict[Any, tuple[float, float]], dict[Any, list[tuple[float, float]]]]:
    """Places for the nodes, each below all that lead to it, and for each edge the places it passes on its way down."""
    above: dict[Any, list[Any]] = {node: [] for node in graph.nodes}
    depth: dict[Any, int] = dict.fromkeys(graph.nodes, 0)
    leaving: dict[Any, list[Any]] = {node: [] for node in graph.nodes}
    for edge in graph.edges:
        leaving[edge.source].append(edge)
    order = graph.topsort() if graph.edges else graph.nodes
    for node in order:
        for edge in leaving[node]:
            depth[edge.to] = max(depth[edge.to], depth[node] + 1)
    # An edge that passes layers has a place in each of them, as a node would have.
    layers: list[list[Any]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    passed: dict[Any, list[Any]] = {}
    for node in order:
        layers[depth[node]].append(node)
        for edge in leaving[node]:
            passed[edge] = [(edge, level) for level in range(depth[node] + 1, depth[edge.to])]
            for one, other in pairwise([node, *passed[edge], edge.to]):
                above.setdefault(other, []).append(one)
            for spot in passed[edge]:
                layers[spot[1]].append(spot)
    across: dict[Any, float] = {}
    for layer in layers:
        wanted = {item: sum(across[one] for one in above[item]) / max(len(above[item]), 1) for item in layer}
        layer.sort(key=wanted.__getitem__)
        middle = sum(wanted.values()) / len(layer)
        across.update({item: middle + i - (len(layer) - 1) / 2 for i, item in enumerate(layer)})
    places = {node: (across[node], float(depth[node])) for node in graph.nodes}
    return places, {edge: [(across[spot], float(spot[1])) for spot in way] for edge, way in passed.items()}


def _summary(node: Any) -> str:
    """A node in few words."""
    data = node.data if isinstance(node.data, dict) else {}
    name = data.get("annotations", {}).get("name")
    if data.get("module") is not None:
        kind = str(data["module"]).split("\n")[0].rstrip(" {")
    elif "selectindex" in data:
        kind = f"[{data['selectindex']}]"
    elif "nSplitOutputs" in data:
        kind = f"split({data['nSplitOutputs']})"
    elif "mapindex" in data:
        kind = "output" if data["mapindex"] else "input"
    else:
        kind = node.graphNodeName()
    return f"{name}\n{kind}" if name else kind


def _colour(node: Any) -> str:
    from matplotlib.colors import is_color_like

    colour = str(node.graphNodeAttributes().get("color", ""))
    return colour if is_color_like(colour) else "0.2"


def _value(value: Any) -> str:
    """Returns an attribute's value as Graphviz writes it: a name or a number as it is, other text in quotes."""
    text = str(value)
    return text if _PLAIN.fullmatch(text) and text.lower() not in _KEYWORDS else _quoted(text)


def _quoted(text: Any) -> str:
    escaped = str(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
