"""Networks that compute the same in evaluation, in less time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from pytorch_legacy import authors, nn, nngraph
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.nn.convolution.Convolution import Convolution
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.utils import described
from pytorch_legacy.nn.walks import every

Log = Callable[[str], object]

# Containers that do no more than to hand values to their modules. What stands in others is left alone.
_CONTAINERS = (nn.Sequential, nn.Concat, nn.DepthConcat, nn.ConcatTable, nn.ParallelTable, nn.Decorator, nngraph.gModule)
_DEEPEST = 100  # what lies in more containers than that is left alone, too
_PASSING = (nn.Identity, nn.GradientReversal)
_DENSE = {
    *("SpatialConvolutionMM", "SpatialDilatedConvolution"),
    *("VolumetricConvolution", "VolumetricConvolutionMM", "VolumetricDilatedConvolution"),
}
_FULL = {f"{space}{kind}" for space in ("Spatial", "Volumetric") for kind in ("FullConvolution", "FullDilatedConvolution")}
_MAKERS = (Native, nn.CAddTable, nn.JoinTable, nn.CMulTable)


def optimize(net: Module, log: Log | None = None) -> Module:
    """Returns a network that gives what `net` gives in evaluation, but for rounding, and takes less time.

    - Batch normalization, and products and sums with a constant, are folded into the convolution or the linear layer before
      them. With s = gamma / sqrt(var + eps), the weights of an output are multiplied by s; its bias b is s (b - mean) + beta.
    - Dropout and nn.Identity are taken out; a nn.Sequential within another one becomes part of it. A Dropout stays whose copy of
      its input may protect that from a layer which works in place.
    - Activations and nn.CAddTable work in place where nothing else reads what they overwrite.

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
    The result differs from `net` by less than 1e-5 of the outputs' scale in float32. Modules that it lacks have no ``output``;
    those before a layer that works in place have an ``output`` that was written over. Do not train it.

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
    return reduced(net.clone(), log)


def reduced(net: Module, log: Log | None = None) -> Module:
    """`net` itself, in evaluation mode, after all that `optimize` does; where it is a single layer that goes, an nn.Identity."""
    net.evaluate()
    return _Optimizer(net, log or (lambda text: None)).result


class _Optimizer:
    def __init__(self, net: Module, log: Log) -> None:
        self.log = log
        self.several = {place for place, count in Counter(id(module) for module, _ in every(net)).items() if count > 1}
        self.writes = any(_maySpoil(module) for module, _ in every(net))
        self.result = self.improved(net, "")

    def improved(self, module: Any, where: str, reader: Any = None) -> Any:
        """The module, or what takes its place. `reader` is the only one that gets its output, if that is known."""
        if not isinstance(module, Module) or id(module) in self.several or where.count(".") > _DEEPEST:
            return module
        if _is(module, nn.Sequential):
            self.chain(module, where)
        elif _is(module, nngraph.gModule):
            self.graph(module, where)
        elif any(_is(module, kind) for kind in _CONTAINERS):
            children: list[Any] = module.modules  # type: ignore[attr-defined]
            children[:] = [self.improved(child, f"{where}{i}.") for i, child in enumerate(children, 1)]
        elif (other := _passing(module)) is not module and not (_copies(module) and self.writes and not _makes(reader)):
            self.log(f"{_place(where)}{module!r}: {'taken out' if _is(other, nn.Identity) else f'is {other!r}'}")
            return other
        return module

    def chain(self, net: Any, where: str) -> None:
        """The modules of an nn.Sequential."""
        kept: list[tuple[str, Any]] = []
        for i, module in enumerate(net.modules, 1):
            place = f"{where}{i}."
            module = self.improved(module, place, net.modules[i] if i < len(net.modules) else None)
            inner = [(place, module)]
            if _is(module, nn.Sequential) and id(module) not in self.several:
                inner = [(f"{place}{k}.", child) for k, child in enumerate(module.modules, 1)]
            for at, child in inner:
                if _is(child, nn.Identity) and id(child) not in self.several:
                    if child is net.modules[i - 1]:
                        self.log(f"{_place(at)}{child}: taken out")
                elif not (kept and self.folded(kept[-1][1], child, at)):
                    kept.append((at, child))
        own = False  # does a module before this one own the memory of what comes, which nothing else reads?
        for n, (at, child) in enumerate(kept):
            own = own or (n > 0 and _is(child, nn.CAddTable) and self.ownsFirst(kept[n - 1][1]))
            if own:
                self.inPlace(child, at)
            own = id(child) not in self.several and (_makes(child) or (own and _worksInPlace(child)))
        net.modules[:] = [child for _, child in kept]

    def graph(self, net: Any, where: str) -> None:
        """The modules of a graph: who gives its output to a single node is as one in a chain."""
        nodes = [node for node in net.forwardnodes if node.module is not None]
        sources: dict[int, list[Any]] = {}
        for node in net.forwardnodes:
            for child in node.children:
                sources.setdefault(id(child.data), []).append(node)
        own: dict[int, bool] = {}
        for i, node in enumerate(nodes):
            place, before = f"{where}{i + 1}.", sources.get(id(node.data), [])
            module = self.improved(node.module, place)  # its reader may run after others have written over what a Dropout copied
            only = before[0] if len(before) == 1 and len(before[0].children) == 1 and before[0].module is not None else None
            target = only
            while target is not None and _is(target.module, nn.Identity) and id(target.module) not in self.several:
                target = sources[id(target.data)][0] if len(sources.get(id(target.data), [])) == 1 else None
                target = target if target is not None and len(target.children) == 1 and target.module is not None else None
            if target is not None and self.folded(target.module, module, place):
                module = nn.Identity()
            owns = only is not None and own.get(id(only.data), False)
            if owns and not _is(module, nn.CAddTable):
                self.inPlace(module, place)
            passes = _is(module, nn.Identity) or _worksInPlace(module)
            own[id(node.data)] = id(module) not in self.several and (_makes(module) or (owns and passes))
            net._put(i, module)

    def folded(self, layer: Any, module: Any, where: str) -> bool:
        """Has the layer taken in the module behind it?"""
        if id(layer) in self.several or id(module) in self.several:
            return False
        axis = _axis(layer)
        numbers = _line(module, layer) if axis is not None else None
        if axis is None or numbers is None:
            return False
        self.log(f"{_place(where)}{module!r}: folded into {layer!r}")
        factor, shift = numbers
        weight, bias = layer.weight.astype(np.float64), 0.0 if layer.bias is None else layer.bias.astype(np.float64)
        layer.weight = (weight * _along(factor, axis, weight.ndim)).astype(layer._dtype)
        layer.bias = np.broadcast_to(bias * factor + shift, weight.shape[axis]).astype(layer._dtype)
        if layer.gradBias is None:
            layer.gradBias = np.zeros_like(layer.bias)
        return True

    def inPlace(self, module: Any, where: str) -> None:
        if id(module) not in self.several and _mayWorkInPlace(module):
            module.inplace = True
            self.log(f"{_place(where)}{module!r}: works in place")

    def ownsFirst(self, table: Any) -> bool:
        """Is the first output of an nn.ConcatTable memory of its own?"""
        if not _is(table, nn.ConcatTable) or not table.modules or id(table) in self.several:
            return False
        branch = table.modules[0]
        if _is(branch, nn.Sequential) and id(branch) not in self.several:
            own = False
            for child in branch.modules:
                own = id(child) not in self.several and (_makes(child) or (own and _worksInPlace(child)))
            return own
        return id(branch) not in self.several and _makes(branch)


def _is(module: Any, kind: Any) -> bool:
    """Is it of this class, or of one that computes as it does?"""
    return isinstance(module, kind) and type(module).updateOutput is kind.updateOutput and "updateOutput" not in vars(module)


def _place(where: str) -> str:
    return f"module {where.rstrip('.')}, " if where else ""


def _passing(module: Any) -> Any:
    """What takes the place of a layer that does next to nothing in evaluation; else itself."""
    if any(_is(module, kind) for kind in _PASSING) and not _is(module, nn.Identity):
        return nn.Identity()
    if _is(module, nn.WhiteNoise):
        return nn.AddConstant(module.mean).type(module._type) if module.mean else nn.Identity()
    if isinstance(module, nn.Dropout) and type(module).updateOutput is nn.Dropout.updateOutput and not module._isRandom():
        isSame = module.v2 or module.p == 0
        return nn.Identity() if isSame else nn.MulConstant(1 - module.p, bool(module.inplace)).type(module._type)
    return module


def _copies(module: Any) -> bool:
    """Does a layer that passes its input on copy it?"""
    return not any(_is(module, kind) for kind in _PASSING) and not getattr(module, "inplace", False)


def _isOurs(module: Any) -> bool:
    """Is its class one of this package, and its pass that of the class?"""
    return type(module).__module__.startswith("pytorch_legacy.") and "updateOutput" not in vars(module)


def _maySpoil(module: Any) -> bool:
    """May it write over what it gets?"""
    return bool(getattr(module, "inplace", False)) or isinstance(module, authors.InplaceClip01) or not _isOurs(module)


def _makes(module: Any) -> bool:
    """Does it make its output in memory of its own, which no other module reads?"""
    return isinstance(module, _MAKERS) and not _maySpoil(module)


def _worksInPlace(module: Any) -> bool:
    return _isOurs(module) and isinstance(module, (Native, nn.CAddTable)) and bool(getattr(module, "inplace", False))


def _mayWorkInPlace(module: Any) -> bool:
    if getattr(module, "inplace", None) is not False:
        return False
    if _is(module, nn.LeakyReLU):
        return bool(module.negval >= 0)
    if _is(module, nn.ELU):
        return bool(module.alpha >= 0)
    if _is(module, nn.Threshold):  # nn.ReLU is one
        return bool(module.val <= module.threshold)
    return _is(module, nn.HardTanh) or _is(module, nn.CAddTable)


def _axis(layer: Any) -> int | None:
    """The axis of its weight that counts the outputs, of a layer that is linear; None of any other one."""
    if _is(layer, nn.Linear):
        return 0
    isOurs = type(layer).__module__.startswith(("pytorch_legacy.nn.", "pytorch_legacy.cudnn."))
    if not isinstance(layer, Convolution) or not isOurs or "updateOutput" in vars(layer):
        return None
    if layer._layer in _FULL and getattr(layer, "groups", 1) == 1:
        return 1
    return 0 if layer._layer in _DENSE else None


def _line(module: Any, layer: Any) -> tuple[Any, Any] | None:
    """Factor and shift of a module that does no more than to multiply and add, channel by channel, behind that layer."""
    if _is(module, nn.MulConstant) and np.isscalar(module.constant_scalar):
        return module.constant_scalar, 0.0
    if _is(module, nn.AddConstant) and np.isscalar(module.constant_scalar):
        return 1.0, module.constant_scalar
    outputs = layer.weight.shape[_axis(layer)]
    dims = 2 + (len(layer._axes) if isinstance(layer, Convolution) else 0)
    if not _is(module, nn.BatchNormalization) or module.nDim != dims or module.running_mean.size != outputs:
        return None
    mean, variance = module.running_mean.astype(np.float64), module.running_var.astype(np.float64)
    factor = 1 / np.sqrt(variance + module.eps)
    if module.weight is not None:
        factor = factor * module.weight
    return factor, (0.0 if module.bias is None else module.bias.astype(np.float64)) - mean * factor


def _along(factor: Any, axis: int, ndim: int) -> Tensor:
    """The numbers of the outputs, to be multiplied with a weight."""
    return np.reshape(factor, [-1 if i == axis else 1 for i in range(ndim)])
