"""A single forward pass that frees each output as soon as the next layer has read it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pytorch_legacy import nn, nngraph
from pytorch_legacy.nn.Criterion import Criterion
from pytorch_legacy.nn.utils import clear
from pytorch_legacy.nn.walks import every


def forward_freeing(net: Any, input: Any) -> Any:
    """Returns the result of ``net.forward(input)``. A layer of a chain frees its output when the next one has read it."""
    if isinstance(net, Criterion):
        return net.forward(*input)
    again = {place for place, count in Counter(id(module) for module, _ in every(net)).items() if count > 1}
    return _run(net, input, again)


def _run(module: Any, input: Any, again: set[int]) -> Any:
    """Runs a module. `again` has the ids of modules with several places: these overwrite their earlier results."""
    if id(module) not in again:

        def run(part: Any, value: Any) -> Any:
            return _run(part, value, again)

        if isinstance(module, nn.Container) and module.definesRoute():
            return module.route(run, input)
        if type(module).updateOutput is nngraph.gModule.updateOutput:
            output = module.runForwardFunction(run, input, keep=False)
            module.clearState()
            return output
    output = module.forward(input)
    if not getattr(module, "modules", None) and id(module) not in again:
        free_buffers(module)
    return output


def free_buffers(module: Any) -> None:
    """Frees the output of a layer, and the references to the arrays of its last call."""
    clear(module, "output")
    module.__dict__.pop("_bindings", None)
