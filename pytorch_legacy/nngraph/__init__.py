"""Torch7's nngraph: networks as graphs of modules, run in the order of their dependencies.

>>> from pytorch_legacy import nn
>>> x, y = nn.Identity()(), nn.Identity()()
>>> h = nn.CAddTable()([nn.Linear(4, 3)(x), nn.Linear(2, 3)(y)])
>>> nn.gModule([x, y], [nn.Tanh()(h)])
nn.gModule
"""

from . import graph as graph
from .gModule import gModule, setDebug
from .graph.pictures import draw
from .JustElement import JustElement
from .JustTable import JustTable
from .ModuleFromCriterion import ModuleFromCriterion
from .nest import nest
from .Node import Node, annotateNodes

__all__ = ["JustElement", "JustTable", "ModuleFromCriterion", "Node", "annotateNodes", "draw", "gModule", "nest", "setDebug"]
