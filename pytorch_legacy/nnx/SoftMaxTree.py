"""Probabilities of very many classes, by choices from the root of a tree."""

from math import sqrt
from typing import Any, Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import DtypeError, FieldError, IndexRangeError, ShapeError, ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described, sizes
from pytorch_legacy.objects import ArrayField


class SoftMaxTree(Module):
    """Gives the logarithm of the probability of a target, the product of those of all choices on the way to it.

    .. math:: \\log P(t \\mid x) = \\sum_{c \\in path(t)} \\Big( W_c x + b_c -
              \\log \\sum_{s \\in siblings(c)} \\exp(W_s x + b_s) \\Big)

    where the path has all nodes from the target up to the root, without the root, and a node is one of its siblings.

    Parameters
    ----------
    inputSize : int
        Number of elements of an input row.
    hierarchy : dict
        The children of each node that has some: the node's number, and an array of numbers. A node has one parent at most.
    rootId : int
        The number of the root.
    accUpdate : bool
        Keep no gradients of the parameters, for training with ``backwardUpdate`` alone.

    Attributes
    ----------
    weight, gradWeight : array of nChildNode x inputSize
        A row for each node but the root, siblings one after the other: node ``childIds[i]`` has row i.
    bias, gradBias : array of nChildNode
    parentChildren : array of nodes x 2
        Of each node the row of its first child and the number of its children; -1 where there are none.
    childParent : array of nodes x 2
        Of each node its parent and its place among the children; -1 where there is none.

    Raises
    ------
    IndexRangeError, ShapeError, ValueRangeError
        If a target is not in the tree, or the hierarchy is no tree, or sizes do not fit together.

    Notes
    -----
    Input: a table of ``N x inputSize`` and N targets, any nodes but the root; output: N. Nodes are numbered as the user
    likes, and keep their numbers when a file is loaded. gradInput is a table, with zeros for the targets. The parameters start
    uniform in [-s, s) with s = 1 / sqrt(nChildNode inputSize). Torch7's ``parameters`` gave, after a pass backward, only those
    of the nodes on the way; here it always gives weight and bias, which leads to the same steps, since the other gradients are
    zero. Torch7 approximated the exponential. Source: nnx ``SoftMaxTree``; Morin and Bengio, "Hierarchical probabilistic
    neural network language model" (2005).

    Examples
    --------
    >>> tree = nnx.SoftMaxTree(2, {1: np.array([2, 3]), 2: np.array([4, 5])})  # the leaves are 3, 4 and 5
    >>> tree.weight.fill(0)
    >>> tree.bias.fill(0)  # all choices are equally probable then
    >>> x = np.ones((3, 2), np.float32)
    >>> np.exp(tree.forward([x, np.array([3, 4, 5])])).round(4)
    array([0.5 , 0.25, 0.25], dtype=float32)
    """

    _lua = Lua(arguments={"hierarchy": "numbered"})
    _file = Form(
        dropped=(
            "_nodeBuffer",
            "_multiBuffer",
            "_gradInput",
            "_gradTarget",
            "_gradOutput",
            "_nodeUpdateHost",
            "_nodeUpdateCuda",
            "_paramUpdateHost",
            "_paramUpdateCuda",
            "parentChildrenCuda",
            "childParentCuda",
            "updates",
            "batchSize",
            "hierarchy",
        ),
        defaults={"rootId": 1, "accUpdate": False},
        kinds={
            "maxChildId": "a whole number",
            "maxDept": "a whole number",
            "maxFamily": "a whole number",
            "maxFamilyPath": "a whole number",
            "maxNodeId": "a whole number",
            "maxParentId": "a whole number",
            "minNodeId": "a whole number",
            "nChildNode": "a whole number",
            "nParentNode": "a whole number",
        }
        | dict.fromkeys(("childIds", "parentIds", "parentChildren", "childParent"), "a tensor of whole numbers"),
        dimensions={"parentChildren": 2, "childParent": 2},
    )
    weight: Tensor
    bias: Tensor
    childIds: Tensor
    parentIds: Tensor
    parentChildren: Tensor
    childParent: Tensor
    _arrayFields = (
        ArrayField("weight", lambda layer: (layer.nChildNode, layer.inputSize), ("gradWeight",)),
        ArrayField("bias", lambda layer: (layer.nChildNode,), ("gradBias",)),
    )
    _updatesDirectly = True
    accUpdate = False
    static = True

    def __init__(self, inputSize: int, hierarchy: dict[int, Any], rootId: int = 1, accUpdate: bool = False) -> None:
        super().__init__()
        self.inputSize = check.count(self, "inputSize", inputSize)
        self.rootId = rootId
        self.accUpdate = accUpdate
        self._setTree(hierarchy)
        self._newParameters(weight=(self.nChildNode, inputSize), bias=self.nChildNode)
        if accUpdate:
            self.gradWeight = self.gradBias = None
        self.gradInput = [np.empty(0, self._dtype), np.empty(0, np.int64)]
        self.static = True
        self.reset()

    def reset(self, stdv: float | None = None) -> Self:
        """Draws new parameters, uniform with standard deviation `stdv` if it is given."""
        limit = 1 / sqrt(self.weight.size) if stdv is None else stdv * sqrt(3)
        for parameter in (self.weight, self.bias):
            parameter[...] = random.uniform(-limit, limit, parameter.shape, self._dtype, self._onDevice)
        return self

    def updateOutput(self, input: list[Any]) -> Tensor:
        rows, targets = self._checked(input)
        output = self._resize("output", targets.shape)
        output.fill(0)
        for parent, samples, chosen in self._steps(targets):
            output[samples] += self._logarithms(rows[samples], parent)[np.arange(len(samples)), chosen]
        return output

    def updateGradInput(self, input: list[Any], gradOutput: Tensor) -> Any:
        rows, targets = self._checked(input)
        gradRows = self._resizeTable("gradInput", [rows.shape])[0]
        gradRows.fill(0)
        for family, samples, gradients in self._gradients(rows, targets, gradOutput):
            gradRows[samples] += compute.matmul(gradients, self.weight[family])
        self.gradInput = [gradRows, np.zeros_like(targets)]
        return self.gradInput

    def accGradParameters(self, input: list[Any], gradOutput: Tensor, scale: float = 1.0) -> None:
        rows, targets = self._checked(input)
        # All of them first: the parameters may be in the place of their gradients (_updatesDirectly).
        steps = list(self._gradients(rows, targets, gradOutput))
        if self.gradWeight is None or self.gradBias is None:
            raise ValueRangeError(f"{self._typename}: gradWeight: expected one; with accUpdate call backwardUpdate")
        factor = self._dtype.type(scale)
        for family, samples, gradients in steps:
            self.gradWeight[family] += factor * compute.matmul(gradients.T, rows[samples])
            self.gradBias[family] += factor * compute.sum(gradients, 0)

    def getNodeParameters(self, parentId: int) -> tuple[list[Tensor], list[Tensor]]:
        """Views of weight and bias of the children of a node, and of their gradients."""
        family = self._family(parentId)
        gradients = [] if self.gradWeight is None or self.gradBias is None else [self.gradWeight[family], self.gradBias[family]]
        return [self.weight[family], self.bias[family]], gradients

    def clearState(self) -> Self:
        super().clearState()
        self.gradInput = [np.empty(0, self._dtype), np.empty(0, np.int64)]
        return self

    def _setTree(self, hierarchy: dict[int, Any]) -> None:
        families = {}
        for parent, children in hierarchy.items() if isinstance(hierarchy, dict) else ():
            found = np.asarray(children)
            if found.ndim != 1 or found.dtype.kind not in "iu" or not found.size:
                got = described(children)
                raise DtypeError(f"{self._typename}: hierarchy[{parent}]: expected a vector of integers, got {got}")
            families[parent] = found.astype(np.int32)
        if self.rootId not in families:
            raise ValueRangeError(f"{self._typename}: hierarchy: expected children of the root, {self.rootId}")
        self.parentIds = np.array([*families], np.int32)
        self.childIds = np.concatenate([*families.values()])
        if min(self.parentIds.min(), self.childIds.min()) < 0:
            raise ValueRangeError(f"{self._typename}: hierarchy: expected numbers of nodes that are not negative")
        if len({*self.childIds.tolist()}) != len(self.childIds) or self.rootId in self.childIds:
            raise ValueRangeError(f"{self._typename}: hierarchy: expected a tree: one parent for each node, none for the root")
        self.nChildNode, self.nParentNode = len(self.childIds), len(self.parentIds)
        self.maxParentId, self.maxChildId = int(self.parentIds.max()), int(self.childIds.max())
        self.maxNodeId = max(self.maxParentId, self.maxChildId)
        self.minNodeId = int(min(self.parentIds.min(), self.childIds.min()))
        self.maxFamily = max(map(len, families.values()))
        self.parentChildren = np.full((self.maxParentId + 1, 2), -1, np.int32)
        self.childParent = np.full((self.maxChildId + 1, 2), -1, np.int32)
        first = 0
        for parent, children in families.items():
            self.parentChildren[parent] = first, len(children)
            first += len(children)
            self.childParent[children, 0] = parent
            self.childParent[children, 1] = np.arange(len(children))
        self._measure()

    def _measure(self) -> None:
        """The longest way to a node, and the most siblings on it."""
        self.maxDept = self.maxFamilyPath = 0
        for parent in self.parentIds.tolist():
            steps, siblings, node = 1, int(self.parentChildren[parent, 1]), parent
            while node != self.rootId:
                if node > self.maxChildId or self.childParent[node, 0] < 0 or steps > self.nParentNode:
                    raise ValueRangeError(f"{self._typename}: hierarchy: expected a way from node {parent} to the root")
                node = int(self.childParent[node, 0])
                steps, siblings = steps + 1, siblings + int(self.parentChildren[node, 1])
            self.maxDept, self.maxFamilyPath = max(self.maxDept, steps), max(self.maxFamilyPath, siblings)

    def _family(self, parent: int) -> slice:
        """The rows of the children of a node."""
        known = 0 <= parent < len(self.parentChildren) and self.parentChildren[parent, 0] >= 0
        if not known:
            raise IndexRangeError.of(f"{self._typename}: node {{}} has no children", parent, isFromEnd=False)
        first, count = self.parentChildren[parent].tolist()
        return slice(first, first + count)

    def _steps(self, targets: Tensor) -> Any:
        """The ways up, step by step: a parent, the samples that pass it, and which of its children each one passes."""
        samples, nodes = np.arange(len(targets)), targets
        while samples.size:
            parents, places = self.childParent[nodes].T
            for parent in np.unique(parents):
                here = parents == parent
                yield self._family(int(parent)), samples[here], places[here]
            samples, nodes = samples[parents != self.rootId], parents[parents != self.rootId]

    def _logarithms(self, rows: Tensor, family: slice) -> Tensor:
        """The logarithms of the probabilities of the children of one node, N x children."""
        scores = compute.matmul(rows, self.weight[family].T) + self.bias[family]
        scores -= compute.max(scores, 1, keepdims=True)
        logarithms: Tensor = scores - compute.log(compute.sum(compute.exp(scores), 1, keepdims=True))
        return logarithms

    def _gradients(self, rows: Tensor, targets: Tensor, gradOutput: Tensor) -> Any:
        """For each step, the rows of the children, the samples, and the gradients of the children's scores."""
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), targets.shape)
        for family, samples, chosen in self._steps(targets):
            gradients = -compute.exp(self._logarithms(rows[samples], family))
            gradients[np.arange(len(samples)), chosen] += 1
            yield family, samples, gradients * gradOutput[samples, None]

    def _checked(self, input: list[Any]) -> tuple[Tensor, Tensor]:
        rows = check.tensor(self, "input[0]", check.table(self, "input", input, 2)[0], 2)
        if rows.shape[1] != self.inputSize:
            raise ShapeError(f"{self._typename}: input[0]: expected {self.inputSize} columns, got {sizes(rows.shape)}")
        targets = check.shape(self, "input[1]", check.labels(self, "input[1]", input[1]), rows.shape[:1])
        known = (targets >= 0) & (targets < len(self.childParent))
        known[known] = self.childParent[targets[known], 0] >= 0
        if not known.all():
            text = f"{self._typename}: input[1]: {{}} is no node below the root"
            raise IndexRangeError.of(text, int(targets[~known][0]), isFromEnd=False)
        return rows, targets

    def _fromTorch7(self, fields: dict[str, Any], version: int) -> None:
        """Node numbers stay; rows and places count from 0, and a node's own row is at its number."""
        super()._fromTorch7({"gradInput": []} | fields, version)
        self.gradInput = [np.empty(0, self._dtype), np.empty(0, np.int64)]
        self.parentChildren = _indexed(self.parentChildren, 0)
        self.childParent = _indexed(self.childParent, 1)

    def _toTorch7(self) -> dict[str, Any]:
        tables = {
            "parentChildren": _listed(self.parentChildren, 0),
            "childParent": _listed(self.childParent, 1),
            "updates": {},
            "batchSize": 0,
        }
        buffers = {name: np.empty(0, self._dtype) for name in ("_nodeBuffer", "_multiBuffer", "_gradInput")}
        target = np.empty(0, np.int32)
        ends = {"_gradTarget": target, "gradInput": [buffers["_gradInput"], target]}
        return super()._toTorch7() | tables | buffers | ends


def _indexed(table: Tensor, column: int) -> Tensor:
    """A table of Torch7, whose row for node n is n - 1, with row n for it, and with one column counted from 0."""
    if table.shape[1:] != (2,):
        raise FieldError(f"parentChildren, childParent: expected two columns, got {described(table)}")
    result = np.concatenate([np.full((1, 2), -1, np.int32), table.astype(np.int32)])
    result[result[:, 0] >= 0, column] -= 1
    return result


def _listed(table: Tensor, column: int) -> Tensor:
    """The opposite of `_indexed`."""
    result = table[1:].copy()
    result[result[:, 0] >= 0, column] += 1
    return result
