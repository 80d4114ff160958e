"""One step of OpenNMT's GRU."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.authors.OnmtNetwork import OnmtNetwork
from pytorch_legacy.authors.recurrentStack import stack
from pytorch_legacy.files.form import Form
from pytorch_legacy.nngraph import gModule


class OnmtGRU(OnmtNetwork):
    """One step of a stack of GRU layers. The states are inputs and outputs::

        r = sigmoid(W_r x(t) + b_r + R_r h(t-1) + b'_r)
        i = sigmoid(W_i x(t) + b_i + R_i h(t-1) + b'_i)
        n = tanh(W_n x(t) + b_n + r * (R_n h(t-1) + b'_n))
        h(t) = n + i * (h(t-1) - n)

    The input x(t) of each layer but the first one is the h(t) of the layer before.

    Parameters
    ----------
    layers : int
        Number of layers, L.
    inputSize, hiddenSize : int
        Number of elements of the first layer's input, and of a state.
    dropout : float
        Probability that an element is dropped between two layers in training.
    residual : bool
        Add its input to the output of each layer that has another one after it. The first layer does so only if inputSize
        is hiddenSize.

    Attributes
    ----------
    numEffectiveLayers : int
        Number of states, L.
    outputSize : int
        The hiddenSize.

    Raises
    ------
    ShapeError, DtypeError
        If the input is no list of L + 1 arrays of these sizes.

    Notes
    -----
    Shapes: a list ``[h1, ..., hL, x]`` of arrays ``N x hiddenSize``, the last one ``N x inputSize``, to the list
    ``[h1, ..., hL]`` of the next step; with one layer, to an array instead of a list.
    Source: OpenNMT ``onmt.GRU``; Cho et al. 2014.

    Examples
    --------
    >>> layer, state = authors.OnmtGRU(2, 3, 4), np.zeros((1, 4), np.float32)
    >>> [array.shape for array in layer.forward([state, state, np.ones((1, 3), np.float32)])]
    [(1, 4), (1, 4)]
    """

    _typename = "onmt.GRU"
    _file = Form(kinds={"numEffectiveLayers": "a whole number", "outputSize": "a whole number", "dropout": "a number"})

    def __init__(self, layers: int, inputSize: int, hiddenSize: int, dropout: float = 0, residual: bool = False) -> None:
        super().__init__(stack(self, _layer, 1, layers, inputSize, hiddenSize, dropout, residual))
        self.dropout = dropout
        self.numEffectiveLayers = layers
        self.outputSize = hiddenSize


def _layer(inputs: int, size: int) -> Any:
    """Builds the graph of one layer: of ``[h, x]`` to h."""
    h, x = given = [nn.Identity()() for _ in range(2)]
    xr, xi, xn = nn.SplitTable(1)(nn.Reshape(3, size)(nn.Linear(inputs, 3 * size)(x))).split(3)
    hr, hi, hn = nn.SplitTable(1)(nn.Reshape(3, size)(nn.Linear(size, 3 * size)(h))).split(3)
    r, i = (nn.Sigmoid()(nn.CAddTable()(pair)) for pair in ([xr, hr], [xi, hi]))
    n = nn.Tanh()(nn.CAddTable()([xn, nn.CMulTable()([r, hn])]))
    nextH = nn.CAddTable()([n, nn.CMulTable()([i, nn.CAddTable()([h, nn.MulConstant(-1)(n)])])])
    return gModule(given, [nextH])
