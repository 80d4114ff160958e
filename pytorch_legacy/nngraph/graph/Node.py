"""A node of a directed graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytorch_legacy.errors import FieldError
from pytorch_legacy.files.form import Form
from pytorch_legacy.messages import described
from pytorch_legacy.nngraph.graph.Flat import Flat
from pytorch_legacy.objects.conversion import converted

if TYPE_CHECKING:
    from pytorch_legacy.nngraph.graph.Graph import Graph


class Node(Flat):
    """A node with data, and the nodes that its edges lead to.

    Attributes
    ----------
    data
        Whatever the node stands for.
    children : list of Node
        Nodes to which the edges from this node lead, in the order in which they were added.
    id : int
        The number of the node in its graph, from 1 on.

    Notes
    -----
    Source: Torch7 graph.Node.

    Examples
    --------
    >>> a, b = nngraph.graph.Node("a"), nngraph.graph.Node("b")
    >>> a.add(b)
    >>> [child.data for child in a.children]
    ['b']
    """

    _typename = "graph.Node"

    _file = Form(defaults={"data": None})

    def __init__(self, data: Any = None) -> None:
        self.data: Any = {} if data is None else data
        self.children: list[Any] = []
        self.id = 0
        self.visited = False
        self.marked = False

    def add(self, child: Node | list[Node]) -> None:
        """Adds an edge to `child`, or to each of several nodes, where there is none yet."""
        for node in child if isinstance(child, list) else [child]:
            if node not in self.children:
                self.children.append(node)

    def label(self) -> str:
        """Returns the name of the node in pictures."""
        return str(self.data)

    def graphNodeName(self) -> str:
        """The name of the node in its graph."""
        return f"Node{self.id}"

    def graphNodeAttributes(self) -> dict[str, Any]:
        """Returns the attributes of the node for Graphviz."""
        return {}

    def bfs(self, func: Callable[[Any], object]) -> None:
        """Calls `func` with this node and all that can be reached from it, the near ones first."""
        for node in self._nearest():
            func(node)

    def dfs(self, func: Callable[[Any], object]) -> None:
        """Calls `func` with all nodes that can be reached from this one, and this one last: children before parents."""
        for node in deepest([self]):
            func(node)

    def hasCycle(self) -> bool:
        """Returns True if a path from here leads through a node twice."""
        place = {node: i for i, node in enumerate(deepest([self]))}
        return any(place[child] >= place[node] for node in place for child in node.children)

    def graph(self) -> Graph:
        """The graph of all that can be reached from this node. It consists of these nodes themselves."""
        from pytorch_legacy.nngraph.graph.Edge import Edge
        from pytorch_legacy.nngraph.graph.Graph import Graph

        graph = Graph()
        for node in self._nearest():
            graph.add([Edge(node, child) for child in node.children])
        return graph

    def type(self, type: Any = None, tensorCache: dict[Any, Any] | None = None) -> Any:
        """Converts the data of this node, and what its tables lead to; other nodes stay as they are."""
        if type is not None:
            cache: dict[Any, Any] = {} if tensorCache is None else tensorCache
            if id(self) not in cache:
                cache[id(self)] = self
                self.data = converted(self.data, self._checkedType(type), cache, floatsOnly=True, unconverted=(Node,))
        return self

    def _nearest(self) -> list[Any]:
        """This node and all that can be reached from it, breadth first."""
        found, known, waiting = [], {self}, deque([self])
        while waiting:
            node = waiting.popleft()
            found.append(node)
            for child in node.children:
                if child not in known:
                    known.add(child)
                    waiting.append(child)
        return found

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        self.__dict__.update(self._open(fields))
        self.children = counted("children", fields.get("children", {}))

    def _toTorch7(self) -> dict[str, Any]:
        return self._stored() | {"children": numbered(self.children)}


def deepest(roots: list[Any]) -> list[Any]:
    """All nodes that can be reached from the roots, each after the nodes that it leads to unless there is a cycle."""
    found = []
    known: set[Any] = set()
    for root in roots:
        if root in known:
            continue
        known.add(root)
        path = [(root, iter(root.children))]
        while path:
            node, children = path[-1]
            child = next((child for child in children if child not in known), None)
            if child is None:
                found.append(node)
                path.pop()
            else:
                known.add(child)
                path.append((child, iter(child.children)))
    return found


def counted(name: str, table: Any) -> list[Any]:
    """The entries 1, 2, ... of the table in a field, which may have other keys too."""
    if not isinstance(table, (list, dict)):
        raise FieldError(f"{name}: expected a table, got {described(table)}")
    return list(table) if isinstance(table, list) else [table[i] for i in range(1, len(table) + 1) if i in table]


def numbered(objects: list[Any]) -> dict[Any, Any]:
    """Torch7's table of objects: they stand under 1, 2, ..., and their numbers under them."""
    return {**dict(enumerate(objects, 1)), **{thing: i for i, thing in enumerate(objects, 1)}}
