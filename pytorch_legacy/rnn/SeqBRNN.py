"""Two LSTMs, one in each direction, for whole sequences."""

from pytorch_legacy import nn
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.SeqLSTM import SeqLSTM
from pytorch_legacy.rnn.SeqReverseSequence import SeqReverseSequence


class SeqBRNN(nn.Decorator):
    """Runs an nn.SeqLSTM along a sequence and another one against it, and merges their outputs::

        output = merge([forward(input), reverse(backward(reverse(input)))])

    Parameters
    ----------
    inputDim, hiddenDim : int
        Elements of an input and of an output of each.
    batchFirst : bool
        For arrays ``N x T x D`` instead of ``T x N x D``.
    merge : Module
        From a table of two arrays; nn.CAddTable if it is not given.

    Attributes
    ----------
    forwardModule, backwardModule : SeqLSTM
    merge : Module

    Notes
    -----
    Shapes: ``T x N x inputDim`` to, by default, ``T x N x hiddenDim``. Source: Element-Research rnn ``SeqBRNN``.

    Examples
    --------
    >>> _ = pl.manualSeed(1)
    >>> layer, x = rnn.SeqBRNN(3, 2), np.ones((5, 4, 3), np.float32)  # five steps of four sequences
    >>> layer.forward(x).shape  # the two directions are added
    (5, 4, 2)
    >>> rnn.SeqBRNN(3, 2, merge=nn.JoinTable(2)).forward(x).shape  # or joined
    (5, 4, 4)
    """

    _file = Form(oneBased=("dim",), properties=("module",), defaults={"merge": None}, kinds={"dim": "a whole number"})
    forwardModule: Module
    backwardModule: Module
    merge: Module

    def __init__(self, inputDim: int, hiddenDim: int, batchFirst: bool = False, merge: Module | None = None) -> None:
        self.forwardModule, self.backwardModule = SeqLSTM(inputDim, hiddenDim), SeqLSTM(inputDim, hiddenDim)
        self.merge = nn.CAddTable() if merge is None else merge
        self.dim = 0
        against = nn.Sequential().add(SeqReverseSequence(0)).add(self.backwardModule).add(SeqReverseSequence(0))
        both = nn.Sequential().add(nn.ConcatTable().add(self.forwardModule).add(against)).add(self.merge)
        if batchFirst:
            both.insert(nn.Transpose((0, 1)), 0)
            both.insert(nn.Transpose((0, 1)))
        super().__init__(both)

    @property
    def module(self) -> Module:
        return self.modules[0]
