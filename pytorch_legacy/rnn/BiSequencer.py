"""Two recurrent networks, one in each direction."""

from typing import Any

from pytorch_legacy import nn
from pytorch_legacy.dpnn.ReverseTable import ReverseTable
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.Sequencer import Sequencer


class BiSequencer(nn.Decorator):
    """Runs a network along a sequence and another one against it, and merges their outputs of each step::

        output[t] = merge([forward(input)[t], reverse(backward(reverse(input)))[t]])

    Parameters
    ----------
    forward, backward : Module
        Recurrent or not; the second is a copy of the first with fresh parameters if it is not given.
    merge : Module or int
        From a table of two to anything: by default an nn.JoinTable along the first dimension of a sample. A number is
        the rank of the samples that it joins.

    Attributes
    ----------
    forwardModule, backwardModule, mergeModule : Module
    fwdSeq, bwdSeq, mergeSeq : Sequencer
        Those inside ``modules[0]``.

    Notes
    -----
    Shapes: a list of steps to a list of as many. Source: Element-Research rnn ``BiSequencer``; Schuster & Paliwal,
    "Bidirectional recurrent neural networks" (1997).

    Examples
    --------
    >>> layer = rnn.BiSequencer(rnn.Recurrence(nn.CAddTable(), 1, 1))  # sums so far, from both ends
    >>> output = layer.forward([np.float32([[1]]), np.float32([[10]]), np.float32([[100]])])
    >>> [step.tolist() for step in output]
    [[[1.0, 111.0]], [[11.0, 110.0]], [[111.0, 100.0]]]
    """

    _file = Form(properties=("module",))

    def __init__(self, forward: Module, backward: Module | None = None, merge: Module | int = 1) -> None:
        sequencers(self, forward, backward, merge)
        against = nn.Sequential().add(ReverseTable()).add(self.bwdSeq).add(ReverseTable())
        both = nn.Sequential().add(nn.ConcatTable().add(self.fwdSeq).add(against))
        super().__init__(both.add(nn.ZipTable()).add(self.mergeSeq))
        self.output, self.gradInput = [], []

    @property
    def module(self) -> Module:
        return self.modules[0]

    forwardModule: Module
    backwardModule: Module
    mergeModule: Module
    fwdSeq: Sequencer
    bwdSeq: Sequencer
    mergeSeq: Sequencer


def sequencers(self: Any, forward: Module, backward: Module | None, merge: Module | int) -> None:
    """Sets the fields of the three modules and of their sequencers."""
    if backward is None:
        backward = forward.clone()
        backward.reset()
    merge = nn.JoinTable(0, merge) if isinstance(merge, int) else merge
    self.forwardModule, self.backwardModule, self.mergeModule = forward, backward, merge
    self.fwdSeq, self.bwdSeq, self.mergeSeq = Sequencer(forward), Sequencer(backward), Sequencer(merge)
