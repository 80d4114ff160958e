"""Long short-term memory, built from layers."""

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.HiddenState import HiddenState
from pytorch_legacy.rnn.LinearNoBias import LinearNoBias


class LSTM(HiddenState):
    """A step of a network with a memory cell and three gates, which look at the cell too ("peepholes")::

        i = sigmoid(W_xi x + W_hi h(t-1) + w_ci * c(t-1) + b_i)        input gate
        f = sigmoid(W_xf x + W_hf h(t-1) + w_cf * c(t-1) + b_f)        forget gate
        g = tanh(W_xg x + W_hg h(t-1) + b_g)                           hidden layer
        c(t) = f * c(t-1) + i * g
        o = sigmoid(W_xo x + W_ho h(t-1) + w_co * c(t) + b_o)          output gate
        h(t) = o * tanh(c(t))

    Parameters
    ----------
    inputSize, outputSize : int
        Elements of an input and of an output; the latter is inputSize if it is not given.
    rho : int
        Steps to keep for the way back; an nn.Sequencer sets it.
    cell2gate : bool
        Whether there are the w_c terms.
    p : float
        Probability of lazy dropout of inputs and outputs at each gate: the same noise in all steps of a sequence.
    mono : bool
        The same noise for all samples of a batch.

    Attributes
    ----------
    inputGate, forgetGate, hiddenLayer, cellLayer, outputGate : Module
        Parts of ``recurrentModule``.
    cell : array
        The last c(t); ``cells`` holds those that are kept.

    Notes
    -----
    Shapes: ``(N x) inputSize`` to ``(N x) outputSize``; before the first step h and c are zero, or ``userPrevOutput`` and
    ``userPrevCell``. See `AbstractRecurrent` for how it runs through time, and nn.SeqLSTM for a faster one.
    Source: Element-Research rnn ``LSTM``; Hochreiter & Schmidhuber, "Long Short-Term Memory" (1997); Graves,
    "Generating Sequences with Recurrent Neural Networks" (2013); Gal, "A Theoretically Grounded Application of Dropout in
    Recurrent Neural Networks" (2015).

    Examples
    --------
    >>> layer = rnn.LSTM(1, 1)
    >>> layer.getParameters()[0].fill(0)  # all gates are 0.5 then, and g is 0
    >>> layer.userPrevCell = np.float32([[2]])
    >>> layer.forward(np.float32([[3]])), layer.cell  # tanh(1) / 2; half of the cell is forgotten
    (array([[0.3807971]], dtype=float32), array([[1.]], dtype=float32))
    >>> layer.forward(np.float32([[3]])), layer.cell
    (array([[0.23105858]], dtype=float32), array([[0.5]], dtype=float32))
    """

    _states = (
        ("outputs", "gradOutputs", "userPrevOutput", "userGradPrevOutput"),
        ("cells", "gradCells", "userPrevCell", "userGradPrevCell"),
    )
    _byStep = (*HiddenState._byStep, "cells", "gradCells")
    userPrevCell: Any = None
    userGradPrevCell: Any = None
    cell: Any
    cells: dict[int, Any]
    gradCells: dict[int, Any]
    p: float = 0
    mono = False
    cell2gate = True

    _file = Form(defaults={"outputSize": None, "rho": 9999, "cell2gate": True, "p": 0, "mono": False})
    _lua = Lua(fields={"cells": "keys", "gradCells": "keys"})

    def __init__(
        self,
        inputSize: int,
        outputSize: int | None = None,
        rho: int = 9999,
        cell2gate: bool = True,
        p: float = 0,
        mono: bool = False,
    ) -> None:
        super().__init__(rho)
        self.inputSize = check.count(self, "inputSize", inputSize)
        self.outputSize = inputSize if outputSize is None else check.count(self, "outputSize", outputSize)
        self.p = p
        self.mono = mono
        self.cell2gate = cell2gate
        self.zeroTensor = np.empty(0, self._dtype)
        self.modules.append(self.buildModel())
        self.forget()

    def buildModel(self) -> Module:
        """The module of a step: from [x, h, c] to [h, c]."""
        self.inputGate, self.forgetGate = self._gate(), self._gate()
        hidden = nn.Sequential().add(nn.NarrowTable(0, 2)).add(self._affine())
        self.hiddenLayer = hidden.add(nn.CAddTable()).add(nn.Tanh())
        kept = _product(self.forgetGate, nn.SelectTable(2))
        new = _product(self.inputGate, self.hiddenLayer)
        self.cellLayer = nn.Sequential().add(nn.ConcatTable().add(kept).add(new)).add(nn.CAddTable())
        self.outputGate = self._gate()
        output = _product(self.outputGate, nn.Sequential().add(nn.SelectTable(2)).add(nn.Tanh()))
        model = nn.Sequential().add(nn.ConcatTable().add(nn.NarrowTable(0, 2)).add(self.cellLayer))
        return model.add(nn.FlattenTable()).add(nn.ConcatTable().add(output).add(nn.SelectTable(2)))

    def _gate(self) -> Module:
        gate = nn.Sequential()
        if not self.cell2gate:
            gate.add(nn.NarrowTable(0, 2))
        inputs = self._affine()
        if self.cell2gate:
            inputs.add(nn.CMul(self.outputSize))
        return gate.add(inputs).add(nn.CAddTable()).add(nn.Sigmoid())

    def _affine(self) -> nn.ParallelTable:
        x = nn.Sequential().add(self._dropout()).add(nn.Linear(self.inputSize, self.outputSize))
        h = nn.Sequential().add(self._dropout()).add(LinearNoBias(self.outputSize, self.outputSize))
        return nn.ParallelTable().add(x).add(h)

    def _dropout(self) -> Module:
        return nn.Dropout(self.p, lazy=True, mono=self.mono)

    def _zeroState(self, input: Any) -> list[Any]:
        if input is not None:
            shape = check.tensor(self, "input", input, 1, 2).shape
            self._resize("zeroTensor", (*shape[:-1], self.outputSize)).fill(0)
        return [self.zeroTensor] * len(self._states)

    def _keep(self, step: int, output: Any) -> Any:
        self.cell = output[1]
        return super()._keep(step, output)

    def __repr__(self) -> str:
        return f"{self._typename}({self.inputSize} -> {self.outputSize})"


def _product(one: Module, other: Module) -> Module:
    """The product of what two modules make of the same table."""
    return nn.Sequential().add(nn.ConcatTable().add(one).add(other)).add(nn.CMulTable())
