"""Stacks of recurrent layers, as OpenNMT builds them."""

from collections.abc import Callable
from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn import check
from pytorch_legacy.nngraph import gModule


def stack(
    module: Any,
    build: Callable[[int, int], Any],
    states: int,
    layers: int,
    inputs: int,
    size: int,
    dropout: float,
    residual: bool,
) -> Any:
    """Builds the graph of one step, of the states of all layers and an input to the next states.

    `build` returns the graph of one layer for sizes of input and state. The last of its `states` states is its output.
    """
    for name, value in (("layers", layers), ("inputSize", inputs), ("hiddenSize", size)):
        check.count(module, name, value)
    if not 0 <= dropout < 1:
        raise ValueRangeError(f"{module._typename}: dropout: expected 0 to less than 1, got {dropout}")
    given = [nn.Identity()() for _ in range(states * layers + 1)]
    outputs: list[Any] = []
    x, before = given[-1], None
    for i in range(layers):
        if i:
            before, x = x, outputs[-1]
            if residual and (i > 1 or inputs == size):
                x = nn.CAddTable()([x, before])
            if dropout:
                x = nn.Dropout(dropout)(x)
        layer = build(size if i else inputs, size)([*given[i * states : (i + 1) * states], x])
        outputs += layer.split(states) if states > 1 else [layer]
    return gModule(given, outputs)
