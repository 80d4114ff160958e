"""Torch7's graph: nodes, edges and graphs of them, on which nngraph builds."""

from .dot import dot, draw
from .Edge import Edge
from .Graph import Graph
from .Node import Node

__all__ = ["Edge", "Graph", "Node", "dot", "draw"]
