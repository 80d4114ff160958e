"""A node of a network."""

from __future__ import annotations

import os
import sys
from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import DtypeError, ShapeError, ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.t7.objects import IdentityKey
from pytorch_legacy.nn.utils import described, sizes
from pytorch_legacy.nngraph import graph
from pytorch_legacy.nngraph.graph.Node import counted

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Node(graph.Node):
    """Stands for the output of a module while a network is put together, and for the module's place in it afterwards.

    Calling a module with nodes makes a node; calling it without arguments makes one that gets an input of the network::

        x = nn.Identity()()
        h = nn.Tanh()(nn.Linear(10, 5)(x))
        net = nn.gModule([x], [h])

    As in Lua this may also be written with minus signs: ``x = -nn.Identity()``, ``h = x - nn.Linear(10, 5) - nn.Tanh()``, and
    ``[x, h] - nn.JoinTable(0)``.

    Attributes
    ----------
    children : list of Node
        While a network is built, and in its backward graph, the nodes whose outputs this one takes; in the forward
        graph those that take the output of this one.
    data : dict
        Facts about the place, in Torch7's own words and counting (from 1). They are ``module``, ``annotations``, and
        ``mapindex``, the data of the inputs in order. A node that takes one entry of a table has ``selectindex``, and
        the node before it ``nSplitOutputs``. The nodes of the forward and of the backward graph share the data. While the network
        runs, ``input``, ``gradOutput`` and ``gradOutputBuffer`` are kept here.

    Notes
    -----
    Source: Torch7 nngraph.Node.

    Examples
    --------
    >>> x = nn.Identity()()
    >>> double, ten = x - nn.MulConstant(2.0), x - nn.MulConstant(10.0)
    >>> net = nn.gModule([x], [nn.CAddTable()([double, ten])])
    >>> net.forward(np.float32([1, 2]))
    array([12., 24.], dtype=float32)
    """

    _lua = Lua(returns={"split": "each"})

    def __init__(self, data: dict[Any, Any] | None = None) -> None:
        super().__init__(data)
        for table in ("annotations", "mapindex", "reverseMap"):
            self.data.setdefault(table, {})
        if "_debugLabel" not in self.data["annotations"]:
            self.data["annotations"]["_debugLabel"] = _caller()

    @property
    def module(self) -> Any:
        """The module of this place in the network, or None."""
        return self.data.get("module")

    @property
    def name(self) -> str:
        """Returns the name of the node in errors."""
        numbered = self.id or self.data["annotations"].get("name")
        name = self.graphNodeName() if numbered else f"the node made at {self.data['annotations']['_debugLabel']}"
        return name if self.module is None else f"{name} ({self.module._typename})"

    def add(self, child: Any, domap: bool = False) -> None:
        """Adds an edge; with `domap` the output of `child` becomes the next input of this node.

        Raises
        ------
        ValueRangeError
            If it is an input already.
        """
        if not domap:
            super().add(child)
            return
        mapindex, key = self.data["mapindex"], IdentityKey(child.data)
        if key in mapindex:
            raise ValueRangeError(f"{self._typename}: add: {child.name} is an input of {self.name} already")
        super().add(child)
        mapindex[key] = len(mapindex) // 2 + 1
        mapindex[mapindex[key]] = child.data
        child.data["reverseMap"][self] = True

    def split(self, noutput: int) -> list[Node]:
        """The entries of a table with `noutput` entries, each as a node: ``a, b = node.split(2)``.

        All of them must be used.
        """
        if noutput < 1:
            raise ValueRangeError(f"{self._typename}: split: noutput: expected 1 or more, got {noutput}")
        if noutput == 1:
            from pytorch_legacy.nngraph.JustElement import JustElement

            return [JustElement()(self)]
        label = self.data["annotations"]["_debugLabel"]
        whole = Node({"nSplitOutputs": noutput, "annotations": {"_debugLabel": f"{label} split at {_caller()}-mnode"}})
        whole.add(self, True)
        parts = []
        for i in range(1, noutput + 1):
            part = Node({"selectindex": i, "input": {}, "annotations": {"_debugLabel": f"{label}-{i}"}})
            part.add(whole, True)
            parts.append(part)
        return parts

    def __sub__(self, module: Any) -> Node:
        """``node - module``: the node that takes the output of this one, as ``module(node)``."""
        return module(self) if hasattr(module, "updateOutput") else NotImplemented  # type: ignore[no-any-return]

    def annotate(self, annotations: dict[str, Any] | None = None, **more: Any) -> Self:
        """Adds annotations and returns self.

        ``name`` and ``description`` appear in pictures and errors; ``graphAttributes`` is a dict of attributes for
        Graphviz, such as ``{"color": "red"}``.
        """
        self.data["annotations"].update({**(annotations or {}), **more})
        return self

    def graphNodeName(self) -> str:
        name = self.data.get("annotations", {}).get("name")
        return f"{name} ({self.id})" if name else super().graphNodeName()

    def graphNodeAttributes(self) -> dict[str, Any]:
        annotations = self.data.get("annotations", {})
        return {"tooltip": annotations.get("_debugLabel", ""), **annotations.get("graphAttributes", {})}

    def label(self) -> str:
        """Returns a text of several lines: the function of the node, and its last input and output."""
        data = self.data
        lines = []
        if "description" in data.get("annotations", {}):
            lines.append(f"desc = {data['annotations']['description']}")
        inputs = [f"Node{parent.get('forwardNodeId', '')}" for parent in list_inputs(data)]
        if len(inputs) > 1:
            lines.append(f"mapindex = {{{','.join(inputs)}}}")
        for key in ("module", "selectindex", "nSplitOutputs", "input", "gradOutput", "gradOutputBuffer"):
            if key in data and (shown := _shown(data[key])) not in ("", "{}"):
                lines.append(f"{key} = {shown}")
        return "\n".join(lines)

    @staticmethod
    def of(module: Any, inputs: Any) -> Node:
        """The node for `module` with the outputs of the nodes `inputs` (one or several, perhaps none) for its input."""
        node = Node({"module": module})
        for child in inputs if isinstance(inputs, (list, tuple)) else [inputs]:
            node.add(child, True)
        return node

    @staticmethod
    def areIn(module: Any, value: Any, second: Any = None) -> bool:
        """Returns True if `value` is a node or a list of nodes, and not an input to compute with.

        Raises
        ------
        DtypeError
            If it is a list with nodes and other things, or nothing; if there is a second argument beside a node, or if that
            is one.
        """
        if second is not None and (_has_node(value) or _has_node(second)):
            cure = "expected one node, or several in a list: module([node, ...])"
            raise DtypeError(f"{module._typename}: {cure}; got two arguments")
        if isinstance(value, Node):
            return True
        if value is None:
            cure = "call it without arguments for a node without input"
            raise DtypeError(f"{module._typename}: input: expected an input or nodes, got None; {cure}")
        if not _has_node(value):
            return False
        check_nodes(f"{module._typename}: inputs", value)
        return True

    @staticmethod
    def before(module: Any, left: Any) -> Any:
        """Returns the operand before the minus in ``left - module``: a node, or a list of nodes."""
        if not _has_node(left):
            got = f"{left!r}; a network begins with -module" if hasattr(left, "updateOutput") else described(left)
            raise DtypeError(f"{module._typename}: expected a node or a list of nodes before the minus, got {got}")
        return left


def list_inputs(data: dict[Any, Any]) -> list[dict[Any, Any]]:
    """Returns the data of the nodes whose outputs are inputs of the node with this data, in order."""
    return counted("mapindex", data.get("mapindex", {}))


def annotateNodes() -> None:
    """Names all nodes in local variables of the caller, as they are called there, unless they have names.

    Examples
    --------
    >>> source = nn.Identity()()
    >>> middle = nn.Tanh()(source)
    >>> nngraph.annotateNodes()
    >>> middle.data["annotations"]["name"]
    'middle'
    """
    frame = sys._getframe(1)
    for name, value in frame.f_locals.items():
        if isinstance(value, Node) and "name" not in value.data["annotations"]:
            value.annotate(name=name)


def _has_node(value: Any) -> bool:
    return isinstance(value, Node) or (isinstance(value, (list, tuple)) and any(isinstance(entry, Node) for entry in value))


def check_nodes(where: str, nodes: Any) -> list[Node]:
    """`nodes`, a list with at least one node and nothing else. `where` begins the messages of errors."""
    if not isinstance(nodes, (list, tuple)) or not nodes:
        raise ShapeError(f"{where}: expected a list with at least one node, got {described(nodes)}")
    for i, node in enumerate(nodes):
        if node is None:
            raise DtypeError(f"{where}[{i}] is None (typo / bad index?)")
        if hasattr(node, "updateOutput"):
            cure = "but the only valid thing to pass is an instance of nngraph.Node, which a call of the module returns"
            raise DtypeError(f"{where}[{i}] is an nn.Module, specifically a {node._typename}, {cure}")
        if not isinstance(node, Node):
            raise DtypeError(f"{where}[{i}]: expected a node, got {described(node)}")
    return list(nodes)


def _shown(value: Any) -> str:
    if is_tensor(value):
        flag = "NaN" if value.dtype.kind == "f" and np.isnan(value).any() else ""
        return f"Tensor[{sizes(value.shape).replace(' ', '')}]{flag}"
    if isinstance(value, dict) and not value:
        return ""
    if isinstance(value, (list, dict)):
        return "{" + ",".join(_shown(entry) for entry in (value if isinstance(value, list) else value.values())) + "}"
    return "" if value is None else str(value)


def _caller() -> str:
    """Returns the place of the code that called this package."""
    frame: Any = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"[{os.path.basename(frame.f_code.co_filename)}]:{frame.f_lineno}_{frame.f_code.co_name}" if frame else "[?]:0_"
