"""Many draws from one distribution by the alias method, as torchx's AliasMultinomial makes them.

A table divides the unit of probability into as many equal columns as there are outcomes. A column belongs to its own outcome up
to the height q, and from there on to one other outcome J, so that a draw is a column and a height. The tables have the form in
which .t7 files hold them: an object with the fields J, which counts from 1 and is 0 where there is no other outcome, and q.
"""

from math import prod
from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor, are_whole
from pytorch_legacy.files import t7


def table(probabilities: Tensor) -> t7.TorchObject:
    """The table for a distribution."""
    heights = len(probabilities) * probabilities.astype(np.float64)
    others = np.zeros(len(heights), np.int64)
    low = [int(i) for i in np.flatnonzero(heights < 1)]
    high = [int(i) for i in np.flatnonzero(heights >= 1)]
    while low and high:
        small, large = low.pop(), high.pop()
        others[small] = large + 1
        heights[large] -= 1 - heights[small]
        (low if heights[large] < 1 else high).append(large)
    if heights.max(initial=0) > 1:
        heights /= heights.max()
    heights[others == 0] = 1  # rounding errors
    fields = {"J": others, "q": heights, "dpnn_parameters": ["J", "q"]}
    return t7.TorchObject("torch.AliasMultinomial", 1, fields)


def is_table(value: Any, outcomes: int) -> bool:
    """Returns True if a file's value is a table from which so many outcomes can be drawn."""
    fields = value.fields if isinstance(value, t7.TorchObject) else None
    others, heights = (fields.get(name) for name in ("J", "q")) if isinstance(fields, dict) else (None, None)
    if not isinstance(others, np.ndarray) or not isinstance(heights, np.ndarray):
        return False
    isRight = others.shape == heights.shape == (outcomes,) and others.dtype.kind in "iuf" and heights.dtype.kind == "f"
    return isRight and bool((are_whole(others, 0, np.int64) & (others <= outcomes)).all())


def draw(columns: t7.TorchObject, shape: tuple[int, ...]) -> Tensor:
    """Outcomes, which count from 0: first all columns, then all heights are drawn, as Torch7 did."""
    others, heights = columns.fields["J"], columns.fields["q"]
    count = prod(shape)
    chosen = random.uniform(0, 2**32, count, np.float64).astype(np.int64) % len(others)  # raw draws of the generator
    own = random.uniform(0, 1, count, np.float64) <= heights[chosen]
    outcomes: Tensor = np.where(own, chosen, others[chosen].astype(np.int64) - 1).reshape(shape)
    return outcomes
