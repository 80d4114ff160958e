"""A directed graph."""

from __future__ import annotations

from typing import Any, Self

from pytorch_legacy.backend.prepared import Bindings
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nngraph.graph.Edge import Edge
from pytorch_legacy.nngraph.graph.Flat import Flat
from pytorch_legacy.nngraph.graph.Node import Node, counted, deepest, numbered
from pytorch_legacy.nngraph.graph.pictures import todot


class Graph(Flat):
    """A list of nodes and a list of edges.

    Notes
    -----
    Source: Torch7 graph.Graph.

    Examples
    --------
    >>> a, b, c = (nngraph.graph.Node(name) for name in "abc")
    >>> graph = nngraph.graph.Graph()
    >>> graph.add([nngraph.graph.Edge(b, c), nngraph.graph.Edge(a, b)])
    >>> [node.data for node in graph.topsort()]
    ['a', 'b', 'c']
    >>> [node.data for node in graph.reverse().roots()]
    ['c']
    """

    _typename = "graph.Graph"

    _file = Form(kinds=dict.fromkeys(("nodes", "edges"), "a list of objects"))

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.edges: list[Any] = []

    def add(self, edge: Edge | list[Edge]) -> None:
        """Adds an edge, or each of several, with its nodes, which get their numbers."""
        nodes, edges = self._numbers()
        for one in edge if isinstance(edge, list) else [edge]:
            if one not in edges:
                self.edges.append(one)
                edges[one] = len(self.edges)
            for node in (one.source, one.to):
                if node not in nodes:
                    self.nodes.append(node)
                    nodes[node] = len(self.nodes)
                node.id = nodes[node]
            one.source.add(one.to)

    def reverse(self) -> Graph:
        """The graph with its edges turned round. Its nodes are new ones with the same data."""
        twins = self._twins()
        graph = Graph()
        graph.add([Edge(twins[edge.to], twins[edge.source]) for edge in self.edges])
        return graph

    def clone(self) -> Self:
        """The same graph of new nodes with the same data."""
        twins = self._twins()
        graph = self.__class__()
        graph.add([Edge(twins[edge.source], twins[edge.to]) for edge in self.edges])
        return graph

    def roots(self) -> list[Any]:
        """The nodes that no edge leads to."""
        reached = {edge.to for edge in self.edges}
        return [node for node in self.nodes if node not in reached]

    def leaves(self) -> list[Any]:
        """The nodes that no edge leaves."""
        left = {edge.source for edge in self.edges}
        return [node for node in self.nodes if node not in left]

    def topsort(self) -> list[Any]:
        """The nodes in an order in which all edges lead forward: Torch7's own among the possible ones.

        Raises
        ------
        ValueRangeError
            If the graph has cycles.
        """
        into: dict[Any, Any] = {node: Node(node) for node in self.nodes}
        for edge in self.edges:
            into[edge.to].children.append(into[edge.source])
        order = [twin.data for twin in deepest([into[node] for node in self.leaves()])]
        place = {node: i for i, node in enumerate(order)}
        if len(order) < len(self.nodes) or any(place[edge.source] >= place[edge.to] for edge in self.edges):
            raise ValueRangeError(f"{self._typename}: topsort: the graph has cycles")
        return order

    def hasCycle(self) -> bool:
        """Returns True if a path leads through a node twice."""
        try:
            self.topsort()
        except ValueRangeError:
            return True
        return False

    def todot(self, title: str | None = None) -> str:
        """The graph in Graphviz's language DOT."""
        return todot(self, title)

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Converts the data of the nodes."""
        for node in self.nodes:
            node.type(type, tensorCache)
        return self

    def _twins(self) -> dict[Any, Any]:
        """A new node with the same data for every node."""
        return {node: node.__class__(node.data) for node in self.nodes}

    def _numbers(self) -> tuple[dict[Any, int], dict[Any, int]]:
        """The numbers of the nodes and of the edges."""
        bindings = Bindings.of(self)
        known = bindings.numbers
        if known is None or (len(known[0]), len(known[1])) != (len(self.nodes), len(self.edges)):
            nodes, edges = ({thing: i for i, thing in enumerate(things, 1)} for things in (self.nodes, self.edges))
            known = bindings.numbers = nodes, edges
        return known

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        self.__dict__.update(self._open(fields))
        self.nodes, self.edges = (counted(name, fields.get(name, {})) for name in ("nodes", "edges"))

    def _toTorch7(self) -> dict[str, Any]:
        return self._stored() | {"nodes": numbered(self.nodes), "edges": numbered(self.edges)}
