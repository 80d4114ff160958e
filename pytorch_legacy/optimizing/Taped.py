"""Networks that make the calls of a pass again, from a tape, as long as nothing has changed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np

from pytorch_legacy import nn, nngraph, rnn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend.tape import Tape, is_noted, is_plain, tapes
from pytorch_legacy.cudnn.Grouped import Grouped
from pytorch_legacy.errors import BusyError
from pytorch_legacy.nn.activation.Inplace import Inplace
from pytorch_legacy.nn.convolution.FullConvolution import FullConvolution
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.Native import Native
from pytorch_legacy.nn.walks import every
from pytorch_legacy.optimizing.Fused import Fused
from pytorch_legacy.optimizing.kinds import is_like, is_ours, of_type
from pytorch_legacy.passes import busy, holder

_CONSTANTS = ("weight", "bias", "running_mean", "running_var")


def _forgets(module: Any) -> bool:
    """Does a recurrent layer begin anew, and compute all steps in one call?"""
    isUsual = module.userPrevOutput is None and getattr(module, "userPrevCell", None) is None
    return isUsual and not (module._remembers() or module.maskzero or getattr(module, "_isProjected", False))


# What reads and writes elements of arrays in calls of libTHNN, or by nn.blocks, alone; and the numbers of whose calls follow from
# fields and the shape of the input: always,
_CALLERS: tuple[Any, ...] = (
    *(Native, Inplace, Grouped, FullConvolution, Fused, nn.PReLU, nn.SpatialCrossMapLRN),
    *(nn.Sequential, nn.Concat, nn.ConcatTable, nn.ParallelTable, nn.Decorator, nngraph.gModule),
    *(nn.Identity, nn.View, nn.Reshape, nn.Squeeze, nn.Unsqueeze, nn.SelectTable, nn.PixelShuffle),
    *(nn.CAddTable, nn.CMulTable, nn.JoinTable, nn.MulConstant, nn.CMul),
)
# or of some modules.
_PASSES: dict[Any, Callable[[Any], bool]] = {
    **dict.fromkeys((kind.updateOutput for kind in _CALLERS), lambda module: True),
    nn.BatchNormalization.updateOutput: lambda module: not module.train,
    nn.LogSoftMax.updateOutput: lambda module: not module.fastExp,
    nn.SpatialAveragePooling.updateOutput: attrgetter("divide"),
    nn.LookupTable.updateOutput: lambda module: type(module) is nn.LookupTable and module.maxNorm is None,
    rnn.SeqLSTM.updateOutput: _forgets,
    rnn.SeqGRU.updateOutput: _forgets,
    rnn.Sequencer.updateOutput: lambda module: not module._remembers(),
    rnn.Recursor.updateOutput: lambda module: type(module) is rnn.Recursor,  # others have its method, and a state
}


def may_be_taped(net: Any) -> bool:
    """Do all modules do nothing in a pass that a tape would miss?"""
    for module, _ in every(net):
        judge = _PASSES.get(_ordinary(module).updateOutput)
        if judge is None or not is_ours(module) or not judge(module):
            return False
    return True


def tape(net: Module) -> Module:
    """`net`, which computes forward only, with as many of its modules as can be on a tape."""
    if is_like(net, nngraph.gModule) and may_be_taped(net):
        net.__class__ = TapedGraph
    elif is_like(net, nn.Sequential):
        modules: list[Any] = net.modules  # type: ignore[attr-defined]
        first, end = _longest([may_be_taped(module) for module in modules])
        while end > first and isinstance(modules[end - 1], (nn.ConcatTable, nn.ParallelTable)):
            end -= 1  # a tape ends with an array
        if end - first == len(modules) > 0:
            net.__class__ = TapedChain
        elif end - first > 1:
            modules[first:end] = [of_type(modules[first], TapedChain(*modules[first:end]))]
    return net


def untape(net: Any) -> None:
    """Makes ordinary networks of those that `tape` has made."""
    for module, _ in every(net):
        if isinstance(module, Taped):
            module.__class__ = _ordinary(module)


def _ordinary(module: Any) -> Any:
    """The class of a module, or that which it had before it was taped."""
    return type(module).__bases__[1] if isinstance(module, Taped) else type(module)


def _longest(fit: list[bool]) -> tuple[int, int]:
    """Where the longest run of those that fit begins and ends."""
    runs, start = [(0, 0)], 0
    for i, one in enumerate([*fit, False]):
        if not one:
            runs.append((start, i))
            start = i + 1
    return max(runs, key=lambda run: run[1] - run[0])


def _attributes(net: Any) -> Iterator[tuple[Any, str, Any]]:
    """The methods of all classes, and the modules of graphs: an object, a name, and what is there."""
    for kind in {type(module) for module, _ in every(net)}:
        yield kind, "updateOutput", kind.updateOutput
    for module, _ in every(net):
        if isinstance(module, nngraph.gModule):
            for node in module.forwardnodes:
                yield node, "module", node.module


def _fields(net: Any) -> Iterator[tuple[Any, Any]]:
    """The fields of all modules, each with what to compare it with later on: lists may be changed in their place."""
    for module in {id(module): module for module, _ in every(net)}.values():
        fields = vars(module)
        yield fields, {**fields}
        yield from ((value, [*value]) for value in fields.values() if type(value) is list)
        if isinstance(module, nngraph.gModule):
            yield from ((node.children, [*node.children]) for node in module.forwardnodes)


class _Pass:
    """What is known of the last pass, and how to make it again if it was recorded."""

    def __init__(self) -> None:
        self.kind: Any = None  # of its input
        self.tape: Tape | None = None
        self.attributes: list[tuple[Any, str, Any]] = []
        self.fields: list[tuple[Any, Any]] = []
        self.output: Any = None
        self.isRefused = False  # is there work in a pass that a tape would miss?

    def isSame(self) -> bool:
        """Has nobody changed a field of a module since then?"""
        try:
            for thing, name, then in self.attributes:
                if getattr(thing, name) is not then:
                    return False
            for now, before in self.fields:  # noqa: SIM110  # a generator takes longer
                if now != before:
                    return False
            return True
        except Exception:  # arrays, of which nobody knows whether they are equal: one is not the other
            return False


class Taped(Module):
    """A network whose second pass with inputs of one shape is recorded; further ones are the calls of that.

    In files, and to whoever looks at it, it is the network that it was. Whoever puts another module, number or array into a field
    gets an ordinary pass, and so does an input of another shape.
    """

    def updateOutput(self, input: Any) -> Any:
        if tapes and is_noted():  # by a network that this one is a part of
            return super().updateOutput(input)
        passes = self.__dict__.setdefault("_bindings", {}).setdefault("passes", [_Pass()])
        try:
            last = passes.pop()
        except IndexError:  # a pass is under way
            if holder({Taped.updateOutput.__code__: "passes"}, passes, sys._getframe()) == "another":
                raise BusyError(busy(self._typename)) from None
            return super().updateOutput(input)
        try:
            if last.tape is not None:
                if last.isSame() and last.tape.run(input):
                    return last.output
                last = _Pass()
            kind = (input.shape, input.dtype) if is_plain(input) else None
            if kind is None or kind != last.kind or last.isRefused or not may_be_taped(self):
                last.kind = kind
                return super().updateOutput(input)
            return self._recorded(input, last)
        finally:
            passes.append(last)

    def _recorded(self, input: Tensor, last: _Pass) -> Any:
        constants = [getattr(module, name, None) for module, _ in every(self) for name in _CONSTANTS]
        tape = Tape(input, [array for array in constants if isinstance(array, np.ndarray)])
        with tape:
            output = super().updateOutput(input)
        last.isRefused = not tape.ends(output)
        if not last.isRefused:
            last.tape, last.output = tape, output
            last.attributes, last.fields = [*_attributes(self)], [*_fields(self)]
        return output


class TapedChain(Taped, nn.Sequential):
    _typename = "nn.Sequential"


class TapedGraph(Taped, nngraph.gModule):
    _typename = "nn.gModule"
