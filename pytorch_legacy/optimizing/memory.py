"""Memory that the layers of a network take in turn: what a layer has written is of no use once the next ones have read it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from pytorch_legacy import nn, nngraph
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.nn.convolution.FullConvolution import FullConvolution
from pytorch_legacy.nn.utils import clear
from pytorch_legacy.nn.walks import every
from pytorch_legacy.nngraph.Node import inputs_of
from pytorch_legacy.optimizing.Fused import Fused, is_convolution
from pytorch_legacy.optimizing.kinds import CONTAINERS, DEEPEST, Log, is_like, makes_memory

# The memories, by their numbers, in which an array, or the arrays of a table, may lie.
Places = frozenset[int]
_NOWHERE: Places = frozenset()


class _Table(Places):
    """Those of a table, and of each of its arrays."""

    parts: list[Places]

    @classmethod
    def of(cls, parts: list[Places]) -> _Table:
        table = cls(_NOWHERE.union(*parts))
        table.parts = parts
        return table


class Memory:
    """Memory of which one array is in use at a time. It grows; arrays that were made before keep what they have."""

    def __init__(self) -> None:
        self._whole = np.empty(0, np.uint8)

    def array(self, shape: tuple[int, ...], dtype: Any) -> Tensor:
        size = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
        if size > self._whole.size:
            self._whole = np.empty(max(size, 2 * self._whole.size), np.uint8)
        return self._whole[:size].view(dtype).reshape(shape)

    def holds(self, array: Any) -> bool:
        return type(array) is np.ndarray and array.base is self._whole


def share(net: Any, log: Log) -> None:
    """Lets layers of a network, which computes forward only, write their outputs into memories that they share.

    The network's own output is not in one of them, so that it may be the input of the next pass.
    """
    sharing = _Sharing({place for place, count in Counter(id(module) for module, _ in every(net)).items() if count > 1})
    result = sharing.run(net, _NOWHERE, _NOWHERE, 0)
    for place in result:  # what nobody has written over when the pass ends, and the sums that are added to it
        while type(sharing.writers[place].pop()) is Fused:
            continue
    lent = [writers for writers in sharing.writers if len(writers) > 1]
    sums = sum(type(layer) is Fused for writers in lent for layer in writers)
    for writers in lent:
        memory = Memory()
        for layer in writers:
            bindings = layer.__dict__.setdefault("_bindings", {})
            if type(layer) is Fused:
                bindings["overwrites"] = memory.holds
            else:
                clear(layer, "output")
                bindings["memory"] = memory.array
    if lent:
        log(f"{sum(map(len, lent)) - sums} outputs share {len(lent)} {'memory' if len(lent) == 1 else 'memories'}")
    if sums:
        log(f"{sums} {'sum is' if sums == 1 else 'sums are'} written over what is added")


class _Sharing:
    """Follows a pass and notes for each memory which layers write to it in turn, and which sums are added to that."""

    def __init__(self, several: set[int]) -> None:
        self.several = several
        self.writers: list[list[Any]] = []

    def run(self, module: Any, input: Places, kept: Places, depth: int) -> Places:
        """Where the output of a module may lie. It runs while its input and what lies in `kept` are still of use."""
        if id(module) in self.several or depth > DEEPEST:
            return input
        if type(module) is Fused:
            return self.fused(module, input, kept)
        if is_like(module, nngraph.gModule):
            return self.graph(module, input, kept, depth)
        if is_like(module, nn.Sequential) or is_like(module, nn.Decorator):
            for child in module.modules:
                input = self.run(child, input, kept, depth + 1)
            return input
        if any(is_like(module, kind) for kind in CONTAINERS):  # branches, whose outputs are read together
            outputs: list[Places] = []
            for child in module.modules:
                outputs.append(self.run(child, input, (kept | input).union(*outputs), depth + 1))
            isTable = is_like(module, nn.ConcatTable) or is_like(module, nn.ParallelTable)
            return _Table.of(outputs) if isTable else self.written(module, kept.union(*outputs))
        return self.written(module, input | kept) if makes_memory(module) else input

    def fused(self, module: Fused, input: Places, kept: Places) -> Places:
        modules: list[Any] = module.modules
        first, *others = modules
        layer: Any = next(layer for layer, _ in every(module) if is_convolution(layer))
        # Kernels of one cell are never transformed: then C adds where the summand is, and has all memory that it needs before it
        # writes. If it refuses, the modules run one by one, and the convolution has memory of its own.
        isStill = all(k == 1 for k in layer._kernel()) and not isinstance(layer, FullConvolution)
        if layer is not first and isStill and isinstance(input, _Table) and len(input.parts) == 2:
            place = first.modules.index(layer)
            added = input.parts[1 - place]
            if len(added) == 1 and not added & (input.parts[place] | kept):
                self.writers[min(added)].append(module)
                return added
        output = self.written(layer, input | kept)
        isSum = is_like(first, nn.ParallelTable) and not is_convolution(first.modules[0])
        mayBeInput = isSum and getattr(others[0], "inplace", False)  # where the modules run one by one
        return output | input if mayBeInput else output

    def written(self, layer: Any, kept: Places) -> Places:
        """The layer writes into a memory in which nothing lies that is still of use."""
        place = next((i for i in range(len(self.writers)) if i not in kept), len(self.writers))
        if place == len(self.writers):
            self.writers.append([])
        self.writers[place].append(layer)
        return frozenset([place])

    def graph(self, net: Any, input: Places, kept: Places, depth: int) -> Places:
        """The nodes in running order; what a node gives is of use until the last of its readers has run."""
        nodes = net.forwardnodes
        readers: dict[int, int] = {}
        for i, node in enumerate(nodes):
            readers.update((id(data), i) for data in inputs_of(node.data))
        found = {id(net.innode.data): input}
        for i, node in enumerate(nodes):
            given = [found.get(id(data), _NOWHERE) for data in inputs_of(node.data)]
            more = found.pop(id(node.data), _NOWHERE)
            taken = _Table.of(given) if not more else more.union(*given)
            alive = kept.union(*(places for data, places in found.items() if readers.get(data, -1) > i))
            found[id(node.data)] = taken if node.module is None else self.run(node.module, taken, alive, depth + 1)
        return found[id(net.outnode.data)]
