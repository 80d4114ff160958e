"""The base class of gated units."""

from collections.abc import Callable

from pytorch_legacy import nn
from pytorch_legacy.nn.Module import Module


def dropped(count: int, layer: Callable[[], Module], dropout: Callable[[], Module]) -> Module:
    """Several maps of one input, each behind a dropout of its own, joined: a batch N x n to N x (count * outputs)."""
    noises, maps = nn.ConcatTable(), nn.ParallelTable()
    for _ in range(count):
        noises.add(dropout())
    for _ in range(count):
        maps.add(layer())
    return nn.Sequential().add(noises).add(maps).add(nn.JoinTable(1))
