"""Networks that compute the same in evaluation, with fewer layers."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any

import numpy as np

from pytorch_legacy import nn, nngraph
from pytorch_legacy.arrays import is_tensor
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described
from pytorch_legacy.nn.walks import every
from pytorch_legacy.optimizing.kinds import (
    CONTAINERS,
    DEEPEST,
    Log,
    along,
    axis_of,
    copies_input,
    is_like,
    line_of,
    makes_memory,
    may_spoil,
    passing,
    place_of,
)


def optimize(net: Module, log: Log | None = None) -> Module:
    """Returns a network that gives what `net` gives in evaluation, but for rounding, with fewer layers.

    - Batch normalization, and products and sums with a constant, are folded into the convolution or the linear layer before
      them. With s = gamma / sqrt(var + eps), the weights of an output are multiplied by s; its bias b is s (b - mean) + beta.
    - Dropout and nn.Identity are taken out; a nn.Sequential within another one becomes part of it. A Dropout stays whose copy of
      its input may protect that from a layer which works in place.

    This is done in nn.Sequential, nn.Concat, nn.DepthConcat, nn.ConcatTable, nn.ParallelTable, nn.DataParallelTable and
    graphs, at any depth. A module that stands in several places, and what stands in other containers, is left as it is. It is a
    step of `pl.compile`, whose programs take less time still.

    Parameters
    ----------
    net : Module
        Stays as it is: the result is a copy, in evaluation mode. It is an ordinary network, which can be saved.
    log : function, optional
        Called with a line of text for each step, for example ``print``.

    Raises
    ------
    DtypeError
        If `net` is no module.

    Notes
    -----
    The result differs from `net` by less than 1e-5 of the outputs' scale in float32. Do not train it.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> from pytorch_legacy import nn
    >>> net = nn.Sequential(nn.Linear(4, 3), nn.BatchNormalization(3), nn.ReLU(), nn.Dropout())
    >>> print(pl.optimize(net, print))
    module 2, nn.BatchNormalization (2D) (3): folded into nn.Linear(4 -> 3)
    module 4, nn.Dropout(0.500000): taken out
    nn.Sequential {
      [input -> (1) -> (2) -> output]
      (1): nn.Linear(4 -> 3)
      (2): nn.ReLU
    }
    (The picture is Torch7's: it counts from 1, Python from 0.)
    """
    if not isinstance(net, Module):
        raise DtypeError(f"optimize: net: expected a module, got {described(net)}")
    gradients = [one for one in (net.parameters() or ([], []))[1] if is_tensor(one)]  # replaced by zeros, which take no memory
    return reduced(copy.deepcopy(net, {id(one): np.zeros(one.shape, one.dtype, like=one) for one in gradients}), log)


def _several(net: Module) -> set[int]:
    """The modules that stand in several places."""
    return {place for place, count in Counter(id(module) for module, _ in every(net)).items() if count > 1}


def reduced(net: Module, log: Log | None = None) -> Module:
    """`net` itself, in evaluation mode, after all that `optimize` does; where it is a single layer that goes, an nn.Identity."""
    net.evaluate()
    return _Optimizer(net, log or (lambda text: None)).result


class _Optimizer:
    def __init__(self, net: Module, log: Log) -> None:
        self.log = log
        self.several = _several(net)
        self.around: set[int] = set()  # the chains that the walk is in; one may contain itself
        self.writes = any(may_spoil(module) for module, _ in every(net))
        self.result = self.improved(net, "")

    def improved(self, module: Any, where: str, reader: Any = None) -> Any:
        """The module, or what takes its place. `reader` is the only one that gets its output, if that is known."""
        if not isinstance(module, Module) or id(module) in self.several | self.around or where.count(".") > DEEPEST:
            return module
        if is_like(module, nn.Sequential):
            self.around.add(id(module))
            self.chain(module, where)
            self.around.remove(id(module))
        elif is_like(module, nngraph.gModule):
            self.graph(module, where)
        elif any(is_like(module, kind) for kind in CONTAINERS):
            children: list[Any] = module.modules  # type: ignore[attr-defined]
            children[:] = [self.improved(child, f"{where}{i}.") for i, child in enumerate(children, 1)]
        elif (other := passing(module)) is not module and not (copies_input(module) and self.writes and not makes_memory(reader)):
            self.log(f"{place_of(where)}{module!r}: {'taken out' if is_like(other, nn.Identity) else f'is {other!r}'}")
            return other
        return module

    def chain(self, net: Any, where: str) -> None:
        """The modules of an nn.Sequential."""
        kept: list[tuple[str, Any]] = []
        for i, module in enumerate(net.modules, 1):
            place = f"{where}{i}."
            module = self.improved(module, place, net.modules[i] if i < len(net.modules) else None)
            inner = [(place, module)]
            if is_like(module, nn.Sequential) and id(module) not in self.several:
                inner = [(f"{place}{k}.", child) for k, child in enumerate(module.modules, 1)]
            for at, child in inner:
                if is_like(child, nn.Identity) and id(child) not in self.several:
                    if child is net.modules[i - 1]:
                        self.log(f"{place_of(at)}{child}: taken out")
                elif not (kept and self.folded(kept[-1][1], child, at)):
                    kept.append((at, child))
        net.modules[:] = [child for _, child in kept]

    def graph(self, net: Any, where: str) -> None:
        """The modules of a graph: who gives its output to a single node is as one in a chain."""
        nodes = [node for node in net.forwardnodes if node.module is not None]
        sources: dict[int, list[Any]] = {}
        for node in net.forwardnodes:
            for child in node.children:
                sources.setdefault(id(child.data), []).append(node)
        for i, node in enumerate(nodes):
            place = f"{where}{i + 1}."
            module = self.improved(node.module, place)  # its reader may run after others have written over what a Dropout copied
            target = _only_source(sources, node)
            while target is not None and is_like(target.module, nn.Identity) and id(target.module) not in self.several:
                target = _only_source(sources, target)
            if target is not None and self.folded(target.module, module, place):
                module = nn.Identity()
            net._put(i, module)

    def folded(self, layer: Any, module: Any, where: str) -> bool:
        """Folds the module after a layer into it. Returns whether that was possible."""
        if id(layer) in self.several or id(module) in self.several:
            return False
        axis = axis_of(layer)
        numbers = line_of(module, layer) if axis is not None else None
        if axis is None or numbers is None:
            return False
        self.log(f"{place_of(where)}{module!r}: folded into {layer!r}")
        factor, shift = numbers
        weight, bias = layer.weight.astype(np.float64), 0.0 if layer.bias is None else layer.bias.astype(np.float64)
        layer.weight = (weight * along(factor, axis, weight.ndim)).astype(layer._dtype)
        layer.bias = np.broadcast_to(bias * factor + shift, weight.shape[axis]).astype(layer._dtype)
        if layer.gradBias is None:
            layer.gradBias = np.zeros_like(layer.bias)
        return True


def _only_source(sources: dict[int, list[Any]], node: Any) -> Any:
    """The node that alone gives a node its input, and gives its output to no other one; None if there is no such node."""
    before = sources.get(id(node.data), [])
    return before[0] if len(before) == 1 and len(before[0].children) == 1 and before[0].module is not None else None
