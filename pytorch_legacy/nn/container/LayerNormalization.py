"""Rows of equal mean and length."""

from math import sqrt

from pytorch_legacy import nn
from pytorch_legacy.nn import check
from pytorch_legacy.nn.container.Sequential import Sequential
from pytorch_legacy.nn.shape.Identity import Identity
from pytorch_legacy.nn.table.ConcatTable import ConcatTable


class LayerNormalization(Sequential):
    """Brings each row to mean 0 and variance 1, then scales and shifts each column.

    .. math:: y = g \\cdot \\sqrt{n} \\frac{x - \\bar{x}}{|x - \\bar{x}|} + b

    The length is that of Normalize: the square root of the sum of squares, to which eps is added.

    Parameters
    ----------
    nOutput : int
        Number of columns, n.
    bias : float
        Every b at first.
    eps : float
    affine : bool
        Whether there are g, 1 at first, and b.

    Notes
    -----
    Shapes: ``N x nOutput`` to the same. The modules are those of Torch7: a mean subtracted, Normalize, MulConstant,
    CMul, Add. Torch7 lays the means out across the batch, and so does this class, for models were trained that way:
    element (r, c) loses the mean of row (r n + c) mod N. The formula above holds for a batch of one; for larger ones
    replace ``Replicate(n, 0, 1)`` by ``Replicate(n, 0, 0)``.
    Source: Torch7 nn.LayerNormalization; Ba et al., "Layer normalization" (2016).

    Examples
    --------
    >>> layer = nn.LayerNormalization(3, affine=False)
    >>> layer.forward(np.float32([[1, 2, 3], [10, 20, 30]])).round(4)
    array([[-0.0959, -1.7267,  0.0959],
           [-0.7566,  1.362 ,  0.7566]], dtype=float32)
    """

    def __init__(self, nOutput: int, bias: float = 0.0, eps: float = 1e-10, affine: bool = True) -> None:
        super().__init__()
        check.count(self, "nOutput", nOutput)
        mean = Sequential().add(nn.Mean(0, 1)).add(nn.Replicate(nOutput, 0, 1))
        self.add(ConcatTable().add(Identity()).add(mean))
        self.add(nn.CSubTable())
        self.add(nn.Normalize(2, eps))
        self.add(nn.MulConstant(sqrt(nOutput)))
        if affine:
            gain, shift = nn.CMul(nOutput), nn.Add(nOutput)
            gain.weight.fill(1)
            shift.bias.fill(bias)
            self.add(gain).add(shift)
