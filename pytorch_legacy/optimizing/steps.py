"""Networks that compute the same in evaluation, in less time."""

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
from pytorch_legacy.nngraph.Node import list_inputs
from pytorch_legacy.optimizing.Fused import Fused, activation_of, freeze, is_convolution
from pytorch_legacy.optimizing.kinds import (
    CONTAINERS,
    DEEPEST,
    Log,
    along,
    axis_of,
    chain_of,
    copies_input,
    fusion,
    is_like,
    line_of,
    makes_memory,
    may_spoil,
    may_work_in_place,
    of_type,
    passing,
    place_of,
    works_in_place,
)


def optimize(net: Module, log: Log | None = None) -> Module:
    """Returns a network that gives what `net` gives in evaluation, but for rounding, and takes less time.

    - Batch normalization, and products and sums with a constant, are folded into the convolution or the linear layer before
      them. With s = gamma / sqrt(var + eps), the weights of an output are multiplied by s; its bias b is s (b - mean) + beta.
    - Dropout and nn.Identity are taken out; a nn.Sequential within another one becomes part of it. A Dropout stays whose copy of
      its input may protect that from a layer which works in place.
    - Activations and nn.CAddTable work in place where nothing else reads what they overwrite.
    - A convolution adds the other branch of a block and takes the activation behind it while its results are in the cache: a
      nn.Sequential of these layers that is computed by one function. As a file it is that nn.Sequential. Its weights cannot be
      written, so no call has to look whether they have changed; other arrays may take their place.

    This is done in nn.Sequential, nn.Concat, nn.DepthConcat, nn.ConcatTable, nn.ParallelTable, nn.DataParallelTable and
    graphs, at any depth. A module that stands in several places, and what stands in other containers, is left as it is.

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
    The result differs from `net` by less than 1e-5 of the outputs' scale in float32. Only its own ``output`` can be read after a
    pass: modules inside have none, or one that a layer in place has overwritten. That output may be the next input of
    ``forward``. Do not train it.

    Examples
    --------
    >>> import pytorch_legacy as pl
    >>> from pytorch_legacy import nn
    >>> net = nn.Sequential(nn.Linear(4, 3), nn.BatchNormalization(3), nn.ReLU(), nn.Dropout())
    >>> print(pl.optimize(net, print))
    module 2, nn.BatchNormalization (2D) (3): folded into nn.Linear(4 -> 3)
    module 4, nn.Dropout(0.500000): taken out
    module 3, nn.ReLU: works in place
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
    result = reduced(copy.deepcopy(net, {id(one): np.zeros(one.shape, one.dtype, like=one) for one in gradients}), log)
    result._copiesOwnOutput = True  # more layers work in place than in `net`
    return frozen(result)


def frozen(net: Module) -> Module:
    """`net` itself, with the weights of fused convolutions in memory that cannot be written. Copies of such a network need
    it again."""
    for module, _ in every(net):
        if type(module) is Fused:
            freeze(module)
    return net


def fused(net: Module) -> Module:
    """`net` itself, in which all convolutions are `Fused`, so that each has one algorithm for all batches.

    Those that stand in several places, or in other containers than `CONTAINERS`, are left as they are.
    """
    several = _several(net)
    taken = {id(module) for chain, _ in every(net) if type(chain) is Fused for module, _ in every(chain)}
    for module, container in [*every(net)]:
        if not is_convolution(module) or id(module) in several | taken:
            continue
        if module is net:
            return fusion(module)
        if is_like(container, nngraph.gModule):
            container._put(container.modules.index(module), fusion(module))
        elif any(is_like(container, kind) for kind in CONTAINERS):
            container.modules[container.modules.index(module)] = fusion(module)
    return net


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
        kept = self.fused(kept)
        own = False  # does a module before this one own the memory of what comes, which nothing else reads?
        for n, (at, child) in enumerate(kept):
            own = own or (n > 0 and is_like(child, nn.CAddTable) and self.ownsFirst(kept[n - 1][1]))
            if own:
                self.inPlace(child, at)
            own = id(child) not in self.several and (makes_memory(child) or (own and works_in_place(child)))
        net.modules[:] = [child for _, child in kept]

    def fused(self, chain: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        """The modules of a chain, where convolutions have taken in what follows them."""
        done: list[tuple[str, Any]] = []
        waiting = [*chain]
        while waiting:
            at, child = waiting.pop(0)
            if self.isFree(child) and is_convolution(child) and waiting and self.takes(child, *waiting[0]):
                child = fusion(child, waiting.pop(0)[1])
            elif waiting and (sides := self.sides(child, waiting[0][1])):
                rest = [self.took(sides, *waiting.pop(0))]
                if waiting and self.takes(sides, *waiting[0]):
                    rest.append(waiting.pop(0)[1])
                if sides is not child:
                    done.append((at, child))
                child = fusion(sides, *rest)
            done.append((at, child))
        return done

    def isFree(self, *modules: Any) -> bool:
        """Do they stand in one place each?"""
        return not any(id(module) in self.several for module in modules)

    def takes(self, layer: Any, where: str, module: Any) -> bool:
        """Can an activation be taken in by what is before it?"""
        mayBe = self.isFree(module) and activation_of(module) is not None
        mayBe = mayBe and (bool(getattr(module, "inplace", False)) or may_work_in_place(module) or is_like(module, nn.PReLU))
        if mayBe:
            self.took(layer, where, module)
        return mayBe

    def took(self, layer: Any, where: str, module: Any) -> Any:
        sides = layer.modules if is_like(layer, nn.ParallelTable) else [layer]
        place = next(i for i, side in enumerate(sides) if is_convolution(side))
        self.log(f"{place_of(where)}{module!r}: computed by {sides[place]!r}")
        if getattr(module, "inplace", None) is False and place == 0:
            module.inplace = True  # where the chain runs module by module
        return module

    def sides(self, table: Any, total: Any) -> Any:
        """Takes the convolution at the end of one of two branches that are added into an nn.ParallelTable, and returns that.

        It runs behind both branches then. So what it reads must be memory of its own, or nothing may write over that.
        """
        isTable = is_like(table, nn.ConcatTable) or is_like(table, nn.ParallelTable)
        if not isTable or len(table.modules) != 2 or not is_like(total, nn.CAddTable):
            return None
        if not self.isFree(table, total, *table.modules):
            return None
        first, last = table.modules
        if is_like(table, nn.ParallelTable):  # as this makes them
            isOne = any(is_convolution(one) and is_like(other, nn.Identity) for one, other in ((first, last), (last, first)))
            return table if isOne and not (total.inplace and is_convolution(last)) else None
        for place, branch in enumerate(table.modules):
            modules = branch.modules if is_like(branch, nn.Sequential) else [branch]
            if not modules or not self.isFree(modules[-1]) or not is_convolution(modules[-1]):
                continue
            isSafe = place == 1 or self.isOwn(modules[:-1]) or not any(may_spoil(module) for module, _ in every(last))
            if not isSafe or (place == 1 and total.inplace and not self.ownsFirst(table)):
                continue
            layer = modules[-1]
            table.modules[place] = chain_of(modules[:-1])
            sides = nn.ParallelTable(*((layer, nn.Identity()) if place == 0 else (nn.Identity(), layer)))
            return of_type(layer, sides)
        return None

    def isOwn(self, modules: list[Any]) -> bool:
        """Is the output of a chain memory of its own?"""
        own = False
        for child in modules:
            own = self.isFree(child) and (makes_memory(child) or (own and works_in_place(child)))
        return own

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
        self.fusedNodes(net, where, nodes, sources, self.owners(nodes, sources))
        self.owners(nodes, sources, where)

    def owners(self, nodes: list[Any], sources: dict[int, list[Any]], where: str | None = None) -> dict[int, bool]:
        """Which nodes of a graph give memory of their own, which nothing else reads? With `where`, some work in place then."""
        own: dict[int, bool] = {}
        for i, node in enumerate(nodes):
            module, only = node.module, _only_source(sources, node)
            owns = only is not None and own.get(id(only.data), False)
            if owns and where is not None and not is_like(module, nn.CAddTable):
                self.inPlace(module, f"{where}{i + 1}.")
            passes = is_like(module, nn.Identity) or works_in_place(module)
            own[id(node.data)] = self.isFree(module) and (makes_memory(module) or (owns and passes))
        return own

    def fusedNodes(self, net: Any, where: str, nodes: list[Any], sources: dict[int, list[Any]], own: dict[int, bool]) -> None:
        """The same for nodes. What a node has handed on to another one, an nn.Identity is left of."""
        index = {id(node.data): i for i, node in enumerate(nodes)}
        named = {id(node.data): node for node in net.forwardnodes}

        def origin(node: Any) -> Any:
            """The node whose output comes to the only reader of this one, if the two are alone."""
            while node.module is not None and len(node.children) == 1:
                if not is_like(node.module, nn.Identity) or not self.isFree(node.module):
                    return node if self.isFree(node.module) else None
                before = sources.get(id(node.data), [])
                if len(before) != 1:
                    return None
                node = before[0]
            return None

        for i, node in enumerate(nodes):
            place = f"{where}{i + 1}."
            origins = [origin(named[id(data)]) for data in list_inputs(node.data)]
            if len(origins) == 1 and origins[0] is not None:
                layer = origins[0].module
                isSum = type(layer) is Fused and len(layer.modules) == 2 and is_like(layer.modules[0], nn.ParallelTable)
                if isSum and self.takes(layer.modules[0], place, node.module):
                    net._put(index[id(origins[0].data)], fusion(*layer.modules, node.module))
                elif is_convolution(layer) and self.takes(layer, place, node.module):
                    net._put(index[id(origins[0].data)], fusion(layer, node.module))
                else:
                    continue
                net._put(i, nn.Identity())
            elif len(origins) == 2 and origins[0] is not origins[1] and is_like(node.module, nn.CAddTable):
                self.fusedSum(net, place, i, node, index, origins, sources, own)

    def fusedSum(
        self,
        net: Any,
        where: str,
        i: int,
        node: Any,
        index: dict[int, int],
        origins: list[Any],
        sources: dict[int, list[Any]],
        own: dict[int, bool],
    ) -> None:
        if not self.isFree(node.module):
            return
        for k, source in enumerate(origins):
            if source is None or not is_convolution(source.module) or (node.module.inplace and k == 1):
                continue
            before = _only_source(sources, source)
            if before is None or not own.get(id(before.data), False):
                continue  # others may write over what it reads, before its turn comes
            layer = source.module
            sides = of_type(layer, nn.ParallelTable(*((layer, nn.Identity()) if k == 0 else (nn.Identity(), layer))))
            net._put(i, fusion(sides, self.took(sides, where, node.module)))
            net._put(index[id(source.data)], nn.Identity())
            return

    def folded(self, layer: Any, module: Any, where: str) -> bool:
        """Has the layer taken in the module behind it?"""
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

    def inPlace(self, module: Any, where: str) -> None:
        if id(module) not in self.several and may_work_in_place(module):
            module.inplace = True
            self.log(f"{place_of(where)}{module!r}: works in place")

    def ownsFirst(self, table: Any) -> bool:
        """Is the first output of an nn.ConcatTable memory of its own?"""
        if not is_like(table, nn.ConcatTable) or not table.modules or id(table) in self.several:
            return False
        branch = table.modules[0]
        return self.isOwn(branch.modules if is_like(branch, nn.Sequential) and self.isFree(branch) else [branch])


def _only_source(sources: dict[int, list[Any]], node: Any) -> Any:
    """The node that alone gives a node its input, and gives its output to no other one; None if there is no such node."""
    before = sources.get(id(node.data), [])
    return before[0] if len(before) == 1 and len(before[0].children) == 1 and before[0].module is not None else None
