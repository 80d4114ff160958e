"""Plain graphs, and the pictures of them."""

from __future__ import annotations

import pickle
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import pytorch_legacy as pl
from pytorch_legacy import nn, nngraph
from pytorch_legacy.errors import UnsupportedError, ValueRangeError
from pytorch_legacy.nngraph import graph
from pytorch_legacy.nngraph.graph.pictures import layout

GOLDEN = Path(__file__).parents[1] / "golden" / "graph"


def diamond() -> tuple[Any, list[Any]]:
    nodes = [graph.Node(name) for name in "abcd"]
    a, b, c, d = nodes
    g = graph.Graph()
    g.add([graph.Edge(a, b), graph.Edge(a, c), graph.Edge(b, d), graph.Edge(c, d)])
    return g, nodes


def names(nodes: Any) -> str:
    return "".join(node.data for node in nodes)


def test_orders() -> None:
    g, (a, b, c, d) = diamond()
    assert [node.id for node in (a, b, c, d)] == [1, 2, 3, 4]
    assert names(g.topsort()) == "abcd"
    assert names(g.reverse().topsort()) == "dbca"
    assert names(g.roots()) == "a" and names(g.leaves()) == "d"
    seen: list[Any] = []
    a.bfs(seen.append)
    assert names(seen) == "abcd"
    seen.clear()
    a.dfs(seen.append)
    assert names(seen) == "dbca"
    twin = g.clone()
    assert names(twin.nodes) == "abcd" and twin.nodes[0] is not a
    assert [names([edge.source, edge.to]) for edge in a.graph().edges] == ["ab", "ac", "bd", "cd"]
    assert names(pickle.loads(pickle.dumps(g)).topsort()) == "abcd"


def test_cycles() -> None:
    g, (a, _, _, d) = diamond()
    assert not g.hasCycle() and not a.hasCycle()
    g.add(graph.Edge(d, a))
    assert g.hasCycle() and a.hasCycle()
    with pytest.raises(ValueRangeError, match="the graph has cycles"):
        g.topsort()


def test_a_node_alone() -> None:
    """A file may hold a node and nothing else."""
    x = nn.Identity()()
    node = pickle.loads(pickle.dumps(nn.Linear(2, 3)(x)))
    assert isinstance(node.module, nn.Linear) and isinstance(node.children[0].module, nn.Identity)
    assert node.double().module.weight.dtype == "float64"


def test_text() -> None:
    net = pl.load(GOLDEN / "annotated_2x2.t7")["module"]
    text = graph.dot(net.fg, 'a "title"')
    assert 'label="a \\"title\\"";' in text
    label = "first (3)\\ndesc = a linear layer\\nmodule = nn.Linear(2 -> 2)"
    assert f'n3 [color=red, label="{label}", tooltip="[model]:1_"];' in text
    assert "n3 -> n1;" in text
    node = graph.Node("a")
    node.graphNodeAttributes = lambda: {"style": "filled", "shape": "node", "width": 1.5, "tooltip": "two words"}
    alone = graph.Graph()
    alone.nodes.append(node)
    assert 'label="Node0\\na", shape="node", style=filled, tooltip="two words", width=1.5];' in graph.dot(alone)


def test_the_page(tmp_path: Path, monkeypatch: Any) -> None:
    """The examples of docs/nngraph.md run."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    page = (GOLDEN.parents[2] / "docs" / "nngraph.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        exec(block, names)
    assert (tmp_path / "net.png").exists()
    assert len(names["net"].forwardnodes) == 16


def test_names_of_variables() -> None:
    x = nn.Identity()()
    hidden = nn.Tanh()(x).annotate(name="mine")
    nngraph.annotateNodes()
    assert (x.data["annotations"]["name"], hidden.data["annotations"]["name"]) == ("x", "mine")
    assert "test_graph.py" in x.data["annotations"]["_debugLabel"]


def test_layers_of_a_picture() -> None:
    for path in GOLDEN.glob("*.t7"):
        net = pl.load(path)["module"]
        if isinstance(net, nn.gModule):
            places, ways = layout(net.fg)
            spots = [*places.values(), *(spot for way in ways.values() for spot in way)]
            assert len(set(spots)) == len(spots)
            assert all(places[edge.source][1] < places[edge.to][1] for edge in net.fg.edges)
            assert all(len(way) == places[edge.to][1] - places[edge.source][1] - 1 for edge, way in ways.items())


@pytest.mark.parametrize("program", [None, "dot"])
def test_pictures(tmp_path: Path, monkeypatch: Any, program: str | None) -> None:
    if program and not shutil.which(program):
        pytest.skip("Graphviz is not installed")
    if program is None:
        pytest.importorskip("matplotlib")
        monkeypatch.setattr(shutil, "which", lambda name: None)
    net = pl.load(GOLDEN / "lstm_t2x3.t7")["module"]
    nngraph.draw(net, tmp_path / "net.png", "LSTM")
    assert (tmp_path / "net.png").read_bytes().startswith(b"\x89PNG")
    text = graph.dot(net.fg, "LSTM", tmp_path / "both")
    assert (tmp_path / "both.dot").read_text() == text
    assert "<svg" in (tmp_path / "both.svg").read_text()
    with pytest.raises((UnsupportedError, pl.THNNError)):
        nngraph.draw(net, tmp_path / "net.nonsense")
