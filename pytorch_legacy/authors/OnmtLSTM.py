"""One step of OpenNMT's LSTM."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.authors.OnmtNetwork import OnmtNetwork
from pytorch_legacy.authors.recurrentStack import stack
from pytorch_legacy.files.form import Form
from pytorch_legacy.nngraph import gModule


class OnmtLSTM(OnmtNetwork):
    """One step of a stack of LSTM layers. The states are inputs and outputs::

        i, f, o = sigmoid, g = tanh of the four parts of  W x(t) + b + R h(t-1) + b'
        c(t) = f * c(t-1) + i * g
        h(t) = o * tanh(c(t))

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
        Number of states, 2 L.
    outputSize : int
        The hiddenSize.

    Raises
    ------
    ShapeError, DtypeError
        If the input is no list of 2 L + 1 arrays of these sizes.

    Notes
    -----
    Shapes: a list ``[c1, h1, ..., cL, hL, x]`` of arrays ``N x hiddenSize``, the last one ``N x inputSize``, to the list
    ``[c1, h1, ..., cL, hL]`` of the next step.
    Source: OpenNMT ``onmt.LSTM``; Hochreiter & Schmidhuber, "Long Short-Term Memory" (1997).

    Examples
    --------
    >>> layer, state = authors.OnmtLSTM(2, 3, 4), np.zeros((1, 4), np.float32)
    >>> [array.shape for array in layer.forward([state, state, state, state, np.ones((1, 3), np.float32)])]
    [(1, 4), (1, 4), (1, 4), (1, 4)]
    """

    _typename = "onmt.LSTM"
    _file = Form(kinds={"numEffectiveLayers": "a whole number", "outputSize": "a whole number", "dropout": "a number"})

    def __init__(self, layers: int, inputSize: int, hiddenSize: int, dropout: float = 0, residual: bool = False) -> None:
        super().__init__(stack(self, _layer, 2, layers, inputSize, hiddenSize, dropout, residual))
        self.dropout = dropout
        self.numEffectiveLayers = 2 * layers
        self.outputSize = hiddenSize


def _layer(inputs: int, size: int) -> Any:
    """Builds the graph of one layer: of ``[c, h, x]`` to ``[c, h]``."""
    c, h, x = given = [nn.Identity()() for _ in range(3)]
    sums = nn.CAddTable()([nn.Linear(inputs, 4 * size)(x), nn.Linear(size, 4 * size)(h)])
    *gates, write = nn.SplitTable(1)(nn.Reshape(4, size)(sums)).split(4)
    i, f, o = (nn.Sigmoid()(gate) for gate in gates)
    nextC = nn.CAddTable()([nn.CMulTable()([f, c]), nn.CMulTable()([i, nn.Tanh()(write)])])
    return gModule(given, [nextC, nn.CMulTable()([o, nn.Tanh()(nextC)])])
