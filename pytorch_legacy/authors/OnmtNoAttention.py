"""OpenNMT's substitute for attention."""

from pytorch_legacy import nn
from pytorch_legacy.authors.OnmtNetwork import OnmtNetwork
from pytorch_legacy.nn import check
from pytorch_legacy.nngraph import gModule


class OnmtNoAttention(OnmtNetwork):
    """Joins a query with the last vector of a context.

    .. math:: y = \\tanh(W [H_T;\\, q])

    Parameters
    ----------
    dim : int
        Number of elements of a vector.

    Raises
    ------
    ShapeError, DtypeError
        If the input is no list of two arrays of these shapes.

    Notes
    -----
    Shapes: a list of the query ``N x dim`` and the context ``N x T x dim`` to ``N x dim``.
    Source: OpenNMT ``onmt.NoAttention``.

    Examples
    --------
    >>> layer, query = authors.OnmtNoAttention(2), np.zeros((1, 2), np.float32)
    >>> layer.parameters()[0][0][...] = [[1, 0, 0, 0], [0, 1, 0, 0]]
    >>> np.arctanh(layer.forward([query, np.float32([[[0.1, 0.2], [0.3, 0.4]]])])).round(4)
    array([[0.3, 0.4]], dtype=float32)
    """

    _typename = "onmt.NoAttention"

    def __init__(self, dim: int) -> None:
        check.count(self, "dim", dim)
        query, context = nn.Identity()(), nn.Identity()()
        joined = nn.JoinTable(1)([nn.Select(1, -1)(context), query])
        super().__init__(gModule([query, context], [nn.Tanh()(nn.Linear(2 * dim, dim, False)(joined))]))
