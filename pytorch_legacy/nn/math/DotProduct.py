"""Dot products."""

from pytorch_legacy.nn.math.RowPairs import RowPairs


class DotProduct(RowPairs):
    """The dot product of two vectors, or of the vectors of two batches::

        output    = sum(x * y)
        gradInput = [gradOutput * y, gradOutput * x]

    Notes
    -----
    Shapes: a list of two ``(N x) D`` to ``N``, which is 1 for single vectors. Source: Torch7 nn.DotProduct;
    C: ``THNN/math/DotProduct.c``.
    """

    _layer = "DotProduct"
