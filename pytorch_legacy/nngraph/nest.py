"""Nodes for nested tables."""

from typing import Any

from pytorch_legacy.errors import DtypeError
from pytorch_legacy.nn.utils import described
from pytorch_legacy.nngraph.JustTable import JustTable
from pytorch_legacy.nngraph.Node import Node


def nest(nodes: Any) -> Node:
    """A node whose output is the table of the outputs of `nodes`, a list that may have lists inside.

    A node alone stands for itself: ``nest(a)`` is ``a``, ``nest([a])`` gives ``[a]``, ``nest([a, [b], c])``
    gives ``[a, [b], c]``.

    Notes
    -----
    Source: Torch7 nngraph.nest.

    Examples
    --------
    >>> a, b = nn.Identity()(), nn.Identity()()
    >>> net = nn.gModule([a, b], [nngraph.nest([a, [b]])])
    >>> net.forward([np.float32([1]), np.float32([2])])
    [array([1.], dtype=float32), [array([2.], dtype=float32)]]
    """
    from pytorch_legacy.nn.shape.Identity import Identity

    if isinstance(nodes, Node):
        return nodes
    if not isinstance(nodes, (list, tuple)) or not nodes:
        raise DtypeError(f"nngraph.nest: expected a node or a list of nodes, got {described(nodes)}")
    entries = [nest(node) for node in nodes]
    return Node.of(JustTable() if len(entries) == 1 else Identity(), entries)
