"""Long short-term memory with all gates in one product."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.gates import dropped
from pytorch_legacy.rnn.LinearNoBias import LinearNoBias
from pytorch_legacy.rnn.LSTM import LSTM


class FastLSTM(LSTM):
    """A step of an LSTM without peepholes, whose four affine maps are one::

        i, g, f, o = W x + U h(t-1) + b                                        split into four
        c(t) = sigmoid(f) * c(t-1) + sigmoid(i) * tanh(g)
        h(t) = sigmoid(o) * tanh(c(t))

    Parameters
    ----------
    inputSize, outputSize, rho, p, mono
        As in `LSTM`.
    eps, momentum, affine
        Those of the nn.BatchNormalization layers, if there are any.

    Attributes
    ----------
    i2g, o2g : Module
        W and b, ``(4 * outputSize) x inputSize``, and U; rows in the order i, g, f, o.
    usenngraph : bool
        Set ``FastLSTM.usenngraph = True`` before making layers whose ``recurrentModule`` is an nn.gModule.
    bn : bool
        Set ``FastLSTM.bn = True`` before making layers (graphs too) that normalize W x, U h and, before its tanh, c over
        the batch; their scales start at 0.1.

    Notes
    -----
    Shapes: ``(N x) inputSize`` to ``(N x) outputSize``; with dropout or normalization the N must be there.
    Source: Element-Research rnn ``FastLSTM``; Cooijmans et al., "Recurrent Batch Normalization" (2016).

    Examples
    --------
    >>> layer = rnn.FastLSTM(1, 1)
    >>> layer.i2g.weight.fill(0)
    >>> layer.i2g.bias[:] = 20  # all gates are open then, and g is 1: the cell counts the steps
    >>> [round(layer.forward(np.float32([[5]])).item(), 4) for _ in range(3)]  # tanh of 1, 2, 3
    [0.7616, 0.964, 0.9951]
    >>> rnn.FastLSTM(3, 2).i2g.weight.shape  # four maps in one
    (8, 3)
    """

    usenngraph = False
    bn = False
    eps: float | None = None
    momentum: float | None = None
    affine = True

    _file = Form(defaults={"eps": None, "momentum": None, "affine": True}, kinds={"momentum": "a number"}, without=("cell2gate",))

    def __init__(
        self,
        inputSize: int,
        outputSize: int | None = None,
        rho: int = 9999,
        eps: float | None = None,
        momentum: float | None = None,
        affine: bool = True,
        p: float = 0,
        mono: bool = False,
    ) -> None:
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        super().__init__(inputSize, outputSize, rho, True, p, mono)

    def buildModel(self) -> Module:
        n = self.outputSize
        if self.p:
            self.i2g: Module = dropped(4, lambda: nn.Linear(self.inputSize, n), self._dropout)
            self.o2g: Module = dropped(4, lambda: LinearNoBias(n, n), self._dropout)
        else:
            self.i2g, self.o2g = nn.Linear(self.inputSize, 4 * n), LinearNoBias(n, 4 * n)
        if self.usenngraph or self.bn:
            return self.nngraphModel()
        gates = nn.Sequential().add(nn.NarrowTable(0, 2)).add(nn.ParallelTable().add(self.i2g).add(self.o2g))
        gates.add(nn.CAddTable()).add(nn.Reshape(4, n)).add(nn.SplitTable(0, 2))
        transfer = nn.ParallelTable()
        for activation in (nn.Sigmoid(), nn.Tanh(), nn.Sigmoid(), nn.Sigmoid()):
            transfer.add(activation)
        gates.add(transfer)  # to [i, g, f, o]
        new = nn.Sequential().add(nn.NarrowTable(0, 2)).add(nn.CMulTable())
        kept = nn.Sequential().add(nn.ConcatTable().add(nn.SelectTable(2)).add(nn.SelectTable(4))).add(nn.CMulTable())
        cell = nn.Sequential().add(nn.ConcatTable().add(new).add(kept)).add(nn.CAddTable())
        squashed = nn.Sequential().add(nn.SelectTable(0)).add(nn.Tanh())
        output = nn.Sequential().add(nn.ConcatTable().add(squashed).add(nn.SelectTable(1))).add(nn.CMulTable())
        model = nn.Sequential().add(nn.ConcatTable().add(gates).add(nn.SelectTable(2))).add(nn.FlattenTable())
        model.add(nn.ConcatTable().add(cell).add(nn.SelectTable(3))).add(nn.FlattenTable())  # [c(t), o]
        return model.add(nn.ConcatTable().add(output).add(nn.SelectTable(0)))

    def nngraphModel(self) -> Module:
        """The same as a graph, with the normalizations if there are to be any."""
        from pytorch_legacy.nngraph import gModule

        n = self.outputSize
        x, h, c = inputs = [nn.Identity()() for _ in range(3)]
        i2h: Any = self.i2g(x)
        h2h: Any = self.o2g(h)
        if self.bn:
            i2h = self._normalization(4 * n)(i2h)
            h2h = nn.Add(4 * n)(self._normalization(4 * n)(h2h))
        sums = nn.Reshape(4, n)(nn.CAddTable()([i2h, h2h]))
        i, g, f, o = nn.SplitTable(0, 2)(sums).split(4)
        products = [nn.CMulTable()([nn.Sigmoid()(f), c]), nn.CMulTable()([nn.Sigmoid()(i), nn.Tanh()(g)])]
        nextCell: Any = nn.CAddTable()(products)
        squashed: Any = nn.Tanh()(self._normalization(n)(nextCell) if self.bn else nextCell)
        return gModule(inputs, [nn.CMulTable()([nn.Sigmoid()(o), squashed]), nextCell])

    def _normalization(self, size: int) -> Any:
        given = {"eps": self.eps, "momentum": self.momentum}
        numbers = {key: value for key, value in given.items() if value is not None}
        layer = nn.BatchNormalization(size, affine=self.affine, **numbers)
        if layer.weight is not None:
            layer.weight.fill(0.1)
        return layer
