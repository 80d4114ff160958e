"""An edge of a directed graph."""

from __future__ import annotations

from typing import Any

from pytorch_legacy.nngraph.graph.Flat import Flat
from pytorch_legacy.nngraph.graph.Node import Node


class Edge(Flat):
    """An edge between two nodes, in the fields ``from`` (``edge.source``) and ``to``.

    Notes
    -----
    Source: Torch7 graph.Edge.

    Examples
    --------
    >>> a, b = nngraph.graph.Node("a"), nngraph.graph.Node("b")
    >>> edge = nngraph.graph.Edge(a, b)
    >>> edge.source.data, edge.to.data  # edge.from in Lua
    ('a', 'b')
    """

    _typename = "graph.Edge"

    def __init__(self, source: Node, to: Node) -> None:
        self.source: Any = source  # "from" is no name in Python
        self.to: Any = to

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Converts the data of both nodes."""
        for node in (self.source, self.to):
            node.type(type, tensorCache)
        return self

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        self.__dict__.update({"source" if key == "from" else key: value for key, value in self._open(fields).items()})

    def _toTorch7(self) -> dict[str, Any]:
        return {"from" if key == "source" else key: value for key, value in self._stored().items()}
