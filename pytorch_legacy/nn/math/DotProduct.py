"""Dot products."""

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

    def _gradients(self, x: Tensor, y: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        return g * y, g * x
