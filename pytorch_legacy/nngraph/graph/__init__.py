"""Torch7's graph: nodes, edges and graphs of them, on which nngraph builds."""

from .Edge import Edge
from .Graph import Graph
from .Node import Node
from .pictures import dot, draw

__all__ = ["Edge", "Graph", "Node", "dot", "draw"]
