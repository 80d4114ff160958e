"""The package ``optnet``, which let layers share buffers to save memory.

Here each layer keeps its own. The passes that the package made are made, so that draws, averages and gradients are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pytorch_legacy.arrays import tree
from pytorch_legacy.arrays.storage import base_storage
from pytorch_legacy.nn.Module import Module

from ..classes import Object, border_of
from ..language.arguments import wrong_type
from ..language.table import Table, fields
from .functions import functions
from .values import filled

if TYPE_CHECKING:
    from ..language.state import State

_MARK = "__memoryOptimized"
"""The field that an optimized network has: the mode."""
_PARAMETERS = ("weight", "bias", "gradWeight", "gradBias")
_KINDS = {"output": "outputs", "gradInput": "gradInputs", **dict.fromkeys(_PARAMETERS, "params")}
"""The kinds of fields of modules. All others are buffers."""


def _network(value: Any, position: int, name: str) -> Object:
    """Returns a module, as Lua has it."""
    if not isinstance(value, Object) or not isinstance(value.python, Module):
        wrong_type(value, position, name, "nn.Module")
    return value


def _used(net: Object) -> Table:
    """Returns the bytes of outputs, gradInputs, parameters and buffers. Memory that several tensors share is counted once."""
    found: dict[str, dict[int, int]] = {name: {} for name in ("outputs", "buffers", "params", "gradInputs")}
    for module in net.python.listModules():
        for name, value in module.__dict__.items():
            kind = _KINDS.get(name)
            for one in tree.leaves(value) if kind in ("outputs", "gradInputs") else [value]:
                if isinstance(one, np.ndarray) and one.ndim:
                    storage = base_storage(one)
                    found[kind or "buffers"][id(storage)] = storage.nbytes
    sizes = {kind: float(sum(own.values())) for kind, own in found.items()}
    return filled([*sizes.items(), ("total_size", sum(sizes.values()))])


def library(state: State) -> Table:
    """Returns the package's table."""
    border = border_of(state)

    def passes(net: Object, input: Any, mode: Any) -> None:
        output = state.index(net, "forward")(net, input)
        if mode == "training":
            gradient = border.lua(tree.map_arrays(np.copy, border.python(output)))
            state.index(net, "backward")(net, input, gradient)

    def optimize(net: Object, input: Any, options: Any) -> tuple[()]:
        if (done := state.index(net, _MARK)) is not None:
            state.write(f"Skipping memory optimization. Network is already optimized for {done} mode.\n")
            return ()
        mode = (None if options is None else state.index(options, "mode")) or "inference"
        for _ in range(2):  # the first prepares the buffers, the second sees who uses them
            passes(net, input, mode)
        state.setindex(net, _MARK, mode)
        return ()

    def remove(net: Object) -> tuple[()]:
        if state.index(net, _MARK) is None:
            state.write("Skipping memory optimization removal, as the network was not optimized.\n")
        state.setindex(net, _MARK, None)
        return ()

    return fields(**functions({
        "optimizeMemory": ("network any any", optimize),
        "removeOptimization": ("network", remove),
        "countUsedMemory": ("network", _used),
    }, network=_network))  # fmt: skip
