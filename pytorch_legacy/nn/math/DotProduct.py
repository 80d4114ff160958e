"""Dot products."""

import numpy as np

from pytorch_legacy.nn import blocks
from pytorch_legacy.nn.math.RowPairs import RowPairs
from pytorch_legacy.storage import Tensor


class DotProduct(RowPairs):
    """The dot product of two vectors, or of the vectors of two batches::

        output    = sum(x * y)
        gradInput = [gradOutput * y, gradOutput * x]

    Notes
    -----
    Shapes: a list of two ``(N x) D`` to ``N``, which is 1 for single vectors. Source: Torch7 nn.DotProduct.
    """

    def _values(self, x: Tensor, y: Tensor) -> Tensor:
        return (x * y).sum(1)

    def _send(self, x: Tensor, y: Tensor, g: Tensor, targets: list[Tensor]) -> None:
        blocks.apply(np.multiply, y, g, out=targets[0])
        blocks.apply(np.multiply, x, g, out=targets[1])
