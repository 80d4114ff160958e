"""A pass forward that keeps next to nothing: for a network that runs once, in no more memory than it needs."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pytorch_legacy import nn, nngraph
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import clear
from pytorch_legacy.nn.walks import every


def lean_forward(net: Any, input: Any) -> Any:
    """What ``net.forward(input)`` gives; layers in a row forget their outputs when the next one has read them."""
    if isinstance(net, Criterion):
        return net.forward(*input)
    again = {place for place, count in Counter(id(module) for module, _ in every(net)).items() if count > 1}
    return _run(net, input, again)


def _run(module: Any, input: Any, again: set[int]) -> Any:
    """`again` has the modules that stand at several places: they write over what they gave at the first one."""
    how = type(module).updateOutput
    if id(module) not in again:
        if how is nn.Sequential.updateOutput:
            for part in module.modules:
                input = _run(part, input, again)
            return input
        if how is nn.ConcatTable.updateOutput:
            return [_run(part, input, again) for part in module.modules]
        if how is nngraph.gModule.updateOutput:
            output = module.runForwardFunction(lambda part, value: _run(part, value, again), input, keep=False)
            module.clearState()
            return output
    output = module.forward(input)
    if not getattr(module, "modules", None) and id(module) not in again:
        let_go(module)
    return output


def let_go(module: Any) -> None:
    """A layer forgets its output, and what it keeps of the arrays of its last call."""
    clear(module, "output")
    module.__dict__.pop("_bindings", None)
