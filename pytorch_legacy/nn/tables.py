"""nn.tables of Torch7: which input planes feed which output planes in SpatialConvolutionMap and similar layers.

A table has a row (input plane, output plane) for each kernel; planes count from 0.

>>> from pytorch_legacy import nn
>>> nn.tables.full(2, 2).tolist()
[[0, 0], [1, 0], [0, 1], [1, 1]]
"""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.random import randperm

_lua = Lua(results=dict.fromkeys(("full", "oneToOne", "random"), "indices"))


def full(nin: int, nout: int) -> Tensor:
    """Every input plane feeds every output plane."""
    return np.stack([np.tile(np.arange(nin), nout), np.repeat(np.arange(nout), nin)], 1)


def oneToOne(nfeat: int) -> Tensor:
    """Each output plane is fed by the input plane of its number."""
    return np.stack([np.arange(nfeat)] * 2, 1)


def random(nin: int, nout: int, nto: int) -> Tensor:
    """Each output plane is fed by `nto` random input planes.

    The input planes are shuffled and dealt out `nto` at a time; when no hand is left they are shuffled anew. The draws
    are those of Torch7.
    """
    if not 1 <= nto <= nin:
        raise ValueRangeError(f"nn.tables.random: nto: expected 1 to {nin}, got {nto}")
    hands: list[Tensor] = []
    dealt = []
    order = randperm(nin)
    for _ in range(nout):
        if len(hands) == nin // nto:
            hands, order = [], randperm(nin)
        hands.append(order[len(hands) * nto : (len(hands) + 1) * nto])
        dealt.append(hands[-1])
    return np.stack([np.concatenate(dealt), np.repeat(np.arange(nout), nto)], 1)
