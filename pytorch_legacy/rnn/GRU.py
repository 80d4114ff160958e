"""Gated recurrent unit, built from layers."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.gates import dropped
from pytorch_legacy.rnn.HiddenState import HiddenState
from pytorch_legacy.rnn.LinearNoBias import LinearNoBias
from pytorch_legacy.rnn.SAdd import SAdd


class GRU(HiddenState):
    """A step of a network with two gates and no cell::

        r = sigmoid(W_xr x + W_hr h(t-1) + b_r)                reset gate
        z = sigmoid(W_xz x + W_hz h(t-1) + b_z)                update gate
        g = tanh(W_xg x + W_hg (r * h(t-1)) + b_g)
        h(t) = (1 - z) * g + z * h(t-1)

    Parameters
    ----------
    inputSize, outputSize : int
        Elements of an input and of an output; the latter is inputSize if it is not given.
    rho : int
        Steps to keep for the way back; an nn.Sequencer sets it.
    p : float
        Probability of lazy dropout of inputs and outputs at each gate: the same noise in all steps of a sequence.
    mono : bool
        The same noise for all samples of a batch.

    Attributes
    ----------
    i2g, o2g : Module
        The maps of x and of h to both gates.

    Notes
    -----
    Shapes: ``(N x) inputSize`` to ``(N x) outputSize``; with dropout the N must be there. Before the first step h is
    zero, or ``userPrevOutput``. See `AbstractRecurrent` for how it runs through time, and nn.SeqGRU for a faster one.
    Source: Element-Research rnn ``GRU``; Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for
    Statistical Machine Translation" (2014); Moon et al., "RnnDrop" (2015).

    Examples
    --------
    >>> layer = rnn.GRU(1, 1)
    >>> layer.getParameters()[0].fill(0)  # all gates are 0.5 then, and g is 0
    >>> layer.userPrevOutput = np.float32([[8]])
    >>> layer.forward(np.float32([[1]])), layer.forward(np.float32([[1]]))  # half of the last h each time
    (array([[4.]], dtype=float32), array([[2.]], dtype=float32))
    >>> layer.step
    2
    """

    # Torch7's has them as nn.LSTM does.
    _byStep = (*HiddenState._byStep, "cells", "gradCells")
    p: float = 0
    mono = False

    _file = Form(defaults={"outputSize": None, "rho": 9999, "p": 0, "mono": False})
    _lua = Lua(fields={"cells": "keys", "gradCells": "keys"})

    def __init__(self, inputSize: int, outputSize: int | None = None, rho: int = 9999, p: float = 0, mono: bool = False) -> None:
        super().__init__(rho)
        self.inputSize = check.count(self, "inputSize", inputSize)
        self.outputSize = inputSize if outputSize is None else check.count(self, "outputSize", outputSize)
        self.p = p
        self.mono = mono
        self.zeroTensor = np.empty(0, self._dtype)
        self.modules.append(self.buildModel())
        self.forget()

    def buildModel(self) -> Module:
        """The module of a step: from [x, h] to h."""
        m, n = self.inputSize, self.outputSize
        x, h = nn.Sequential().add(nn.SelectTable(0)), nn.Sequential().add(nn.NarrowTable(1, 2)).add(nn.CMulTable())
        if self.p:
            self.i2g: Module = dropped(2, lambda: nn.Linear(m, n), self._dropout)
            self.o2g: Module = dropped(2, lambda: LinearNoBias(n, n), self._dropout)
            x.add(self._dropout())
            h.add(self._dropout())
        else:
            self.i2g, self.o2g = nn.Linear(m, 2 * n), LinearNoBias(n, 2 * n)
        gates = nn.Sequential().add(nn.ParallelTable().add(self.i2g).add(self.o2g)).add(nn.CAddTable())
        gates.add(nn.Reshape(2, n)).add(nn.SplitTable(0, 2)).add(nn.ParallelTable().add(nn.Sigmoid()).add(nn.Sigmoid()))
        model = nn.Sequential().add(nn.ConcatTable().add(nn.Identity()).add(gates)).add(nn.FlattenTable())  # [x, h, r, z]
        model.add(nn.ConcatTable().add(nn.NarrowTable(0, 4)).add(nn.SelectTable(1))).add(nn.FlattenTable())  # and h again
        hidden = nn.Sequential().add(nn.ConcatTable().add(x.add(nn.Linear(m, n))).add(h.add(LinearNoBias(n, n))))
        hidden.add(nn.CAddTable()).add(nn.Tanh())
        rest = nn.Sequential().add(nn.SelectTable(3)).add(SAdd(-1, True))  # 1 - z
        new = nn.Sequential().add(nn.ConcatTable().add(hidden).add(rest)).add(nn.CMulTable())
        kept = nn.Sequential().add(nn.NarrowTable(3, 2)).add(nn.CMulTable())
        return model.add(nn.Sequential().add(nn.ConcatTable().add(new).add(kept)).add(nn.CAddTable()))

    def migrate(self, params: Sequence[Tensor]) -> Self:
        """Takes over the parameters of a GRU without dropout into this one, which has some."""
        ours, n = (self.parameters() or ([], []))[0], self.outputSize
        if len(params) != 6 or len(ours) != 9:
            raise ShapeError(
                f"{self._typename}: migrate: expected the 6 parameters of a GRU without dropout for one with it, "
                f"got {len(params)} for one of {len(ours)}"
            )
        weights, biases, feedback, *rest = params
        sources = [weights[:n], biases[:n], weights[n:], biases[n:], feedback[:n], feedback[n:], *rest]
        for target, source in zip(ours, sources, strict=True):
            target[...] = source
        return self

    def _dropout(self) -> Module:
        return nn.Dropout(self.p, lazy=True, mono=self.mono)

    def _zeroState(self, input: Any) -> list[Any]:
        if input is not None:
            shape = check.tensor(self, "input", input, 1, 2).shape
            self._resize("zeroTensor", (*shape[:-1], self.outputSize)).fill(0)
        return [self.zeroTensor]

    def __repr__(self) -> str:
        return f"{self._typename}({self.inputSize} -> {self.outputSize}, {self.p:.2f})"
