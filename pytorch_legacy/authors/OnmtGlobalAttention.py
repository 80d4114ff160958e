"""OpenNMT's attention."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.authors.OnmtNetwork import OnmtNetwork
from pytorch_legacy.nn import check
from pytorch_legacy.nngraph import gModule


class OnmtGlobalAttention(OnmtNetwork):
    """Joins a query with the mean of a context, weighed by how well each of its vectors fits to the query.

    .. math:: a = \\mathrm{softmax}(H W_1 q), \\qquad y = \\tanh(W_2 [a^T H;\\, q])

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
    The nn.SoftMax with the name softmaxAttn, softmax_attn in earlier files, has the weights ``N x T`` as its output.
    Files with another score (dot, dot_scaled, concat) or dropout run as well, because they contain its network.
    Source: OpenNMT ``onmt.GlobalAttention``; Luong et al. 2015.

    Examples
    --------
    >>> layer, query = authors.OnmtGlobalAttention(2), np.zeros((1, 2), np.float32)
    >>> layer.parameters()[0][1][...] = [[1, 0, 0, 0], [0, 1, 0, 0]]  # W2 selects the mean
    >>> context = np.float32([[[0.1, 0.2], [0.3, 0.4]]])
    >>> np.arctanh(layer.forward([query, context])).round(4)  # all scores are zero
    array([[0.2, 0.3]], dtype=float32)
    """

    _typename = "onmt.GlobalAttention"

    def __init__(self, dim: int) -> None:
        check.count(self, "dim", dim)
        query, context = nn.Identity()(), nn.Identity()()
        scores = nn.MM()([context, nn.Replicate(1, 2)(nn.Linear(dim, dim, False)(query))])
        softmax: Any = nn.SoftMax()
        softmax.name = "softmaxAttn"
        weights = softmax(nn.Sum(2)(scores))
        mean = nn.Sum(1)(nn.MM()([nn.Replicate(1, 1)(weights), context]))
        output = nn.Tanh()(nn.Linear(2 * dim, dim, False)(nn.JoinTable(1)([mean, query])))
        super().__init__(gModule([query, context], [output]))
