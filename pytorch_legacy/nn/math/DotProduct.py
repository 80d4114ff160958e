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

    Examples
    --------
    >>> nn.DotProduct().forward([np.float32([[1, 2], [3, 4]]), np.float32([[10, 1], [1, 0]])])
    array([12.,  3.], dtype=float32)
    """

    _layer = "DotProduct"
