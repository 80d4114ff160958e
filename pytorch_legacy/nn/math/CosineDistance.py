"""Cosines of angles between vectors."""

import numpy as np

from pytorch_legacy.nn.math.RowPairs import RowPairs
from pytorch_legacy.storage import Tensor


class CosineDistance(RowPairs):
    """The cosine of the angle between two vectors, or the vectors of two batches: a likeness, despite the name.

    .. math:: c = \\frac{x \\cdot y}{\\sqrt{(x \\cdot x + \\epsilon)(y \\cdot y + \\epsilon)}}, \\quad
              \\frac{dc}{dx} = \\frac{y - x\\,(x \\cdot y) / (x \\cdot x + \\epsilon)}
                             {\\sqrt{(x \\cdot x + \\epsilon)(y \\cdot y + \\epsilon)}}

    Notes
    -----
    Shapes: a list of two ``(N x) D`` to ``N``, which is 1 for single vectors. The constant is 1e-12. Source: Torch7
    nn.CosineDistance.
    """

    EPS = 1e-12

    def _values(self, x: Tensor, y: Tensor) -> Tensor:
        xx, xy, yy = self._products(x, y)
        return (xy / np.sqrt(xx * yy))[:, 0]

    def _gradients(self, x: Tensor, y: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        xx, xy, yy = self._products(x, y)
        g = g / np.sqrt(xx * yy)
        return g * (y - x * (xy / xx)), g * (x - y * (xy / yy))

    def _products(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        xx, xy, yy = ((a * b).sum(1, keepdims=True) for a, b in ((x, x), (x, y), (y, y)))
        return xx + self.EPS, xy, yy + self.EPS
