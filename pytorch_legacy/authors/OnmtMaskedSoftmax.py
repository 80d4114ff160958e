"""OpenNMT's softmax of sentences of different lengths."""

from collections.abc import Sequence

from pytorch_legacy import nn
from pytorch_legacy.authors.OnmtNetwork import OnmtNetwork
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn import check
from pytorch_legacy.nngraph import gModule


class OnmtMaskedSoftmax(OnmtNetwork):
    """Softmax of the last elements of each row; those before them fill up the row and get 0.

    .. math:: y_{n,t} = \\frac{e^{x_{n,t}}}{\\sum_{s \\ge T - L_n} e^{x_{n,s}}} \\text{ if } t \\ge T - L_n \\text{ else } 0

    Parameters
    ----------
    sourceSizes : sequence of int
        For each row, the number of its elements that count, L.
    sourceLength : int
        The length of the rows, T.

    Raises
    ------
    ValueRangeError
        If a size is not in 1 .. sourceLength.
    ShapeError
        If the input has another shape.

    Notes
    -----
    Shapes: ``N x sourceLength`` with as many rows as sourceSizes to the same shape.
    The network computes the softmax of the whole row, sets elements to 0, and divides by the sum of the rest plus 1e-10.
    Source: OpenNMT ``onmt.MaskedSoftmax``.

    Examples
    --------
    >>> authors.OnmtMaskedSoftmax([2, 1], 2).forward(np.zeros((2, 2), np.float32))
    array([[0.5, 0.5],
           [0. , 1. ]], dtype=float32)
    """

    _typename = "onmt.MaskedSoftmax"

    def __init__(self, sourceSizes: Sequence[int], sourceLength: int) -> None:
        check.count(self, "sourceLength", sourceLength)
        lengths = [check.count(self, f"sourceSizes[{i}]", size) for i, size in enumerate(sourceSizes)]
        check.count(self, "the number of sourceSizes", len(lengths))
        masks = nn.ParallelTable()
        for i, length in enumerate(lengths):
            if length > sourceLength:
                raise ValueRangeError(f"{self._typename}: sourceSizes[{i}]: expected {sourceLength} or less, got {length}")
            rest = sourceLength - length
            masks.add(nn.Sequential().add(nn.Narrow(0, rest, length)).add(nn.Padding(0, -rest, 1, 0)))
        input = nn.Identity()()
        rows = masks(nn.SplitTable(0)(nn.SoftMax()(input)))
        output = nn.Normalize(1)(nn.View(len(lengths), sourceLength)(nn.JoinTable(0)(rows)))
        super().__init__(gModule([input], [output]))
