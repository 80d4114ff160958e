"""Cosines of angles between vectors."""

from pytorch_legacy.nn.math.RowPairs import RowPairs


class CosineDistance(RowPairs):
    """The cosine of the angle between two vectors, or the vectors of two batches: a likeness, despite the name.

    .. math:: c = \\frac{x \\cdot y}{\\sqrt{(x \\cdot x + \\epsilon)(y \\cdot y + \\epsilon)}}, \\quad
              \\frac{dc}{dx} = \\frac{y - x\\,(x \\cdot y) / (x \\cdot x + \\epsilon)}
                             {\\sqrt{(x \\cdot x + \\epsilon)(y \\cdot y + \\epsilon)}}

    Notes
    -----
    Shapes: a list of two ``(N x) D`` to ``N``, which is 1 for single vectors. The constant is 1e-12. Source: Torch7
    nn.CosineDistance; C: ``THNN/math/CosineDistance.c``.

    Examples
    --------
    >>> a, b = np.float32([[1, 0], [1, 0], [1, 0]]), np.float32([[5, 0], [0, 5], [-3, 4]])
    >>> np.round(nn.CosineDistance().forward([a, b]), 4)
    array([ 1. ,  0. , -0.6], dtype=float32)
    """

    _layer = "CosineDistance"
