"""The places of a network's modules, as errors name them."""

from __future__ import annotations

from typing import Any

from pytorch_legacy.errors import THNNError
from pytorch_legacy.nngraph import gModule
from pytorch_legacy.recording.network import list_modules


def named_places(net: Any) -> list[tuple[list[str], str]]:
    """Returns how errors name the place, and the class, of each module in the order of `list_modules`."""
    found: dict[int, list[str]] = {id(net): []}
    waiting = [net]
    while waiting:
        container = waiting.pop()
        for index, child in enumerate(container._children()):
            if id(child) not in found:
                found[id(child)] = [*found[id(container)], *_place(container, index, child)]
                waiting.append(child)
    return [(found.get(id(module), []), module._typename) for module in list_modules(net)]


def origin(net: Any, number: int) -> str:
    """Returns the place and the class of a module of `list_modules`, such as "in module 2 of nn.Sequential, nn.Tanh"."""
    if number < 0:
        return ""
    places, name = named_places(net)[number]
    return ", ".join([*places, name]) if places else f"in {name}"


def _place(container: Any, index: int, child: Any) -> list[str]:
    """Returns how errors name the place of one module in another."""
    if isinstance(container, gModule):
        nodes = [node for node in container.forwardnodes if node.data.get("module") is child]
        return [f"in {node.name} of {container!r}" for node in nodes[:1]]
    probe = THNNError("")
    if hasattr(container, "_addErrorContext"):
        container._addErrorContext(probe, index)
    return probe.where
