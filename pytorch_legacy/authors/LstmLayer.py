"""The LSTM of crnn."""

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.SharedUnit import SharedUnit
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nngraph import gModule


class LstmLayer(SharedUnit):
    """Long short-term memory over a table of steps, from the first to the last one or back::

        i, f, o = sigmoid, g = tanh of the four parts of  W x(t) + b + R h(t-1) + b'
        c(t) = f * c(t-1) + i * g
        h(t) = o * tanh(c(t))

    Parameters
    ----------
    nIn, nHidden : int
        Number of elements of an input, and of a state.
    maxT : int
        Torch7's limit of the number of steps, which does not hold here.
    dropout : float
        Probability that an element of the input is dropped in training.
    reverse : bool
        Read the steps from the last to the first one. The output of step t is at t all the same.

    Attributes
    ----------
    lstmUnit : gModule
        Computes ``[c(t), h(t), h(t)]`` of ``[x(t), c(t-1), h(t-1)]``.

    Raises
    ------
    ShapeError, DtypeError
        If the input is no list of arrays ``N x nIn``.

    Notes
    -----
    Shapes: a list of T arrays ``N x nIn`` to a list of T arrays ``N x nHidden``. States begin with zeros.
    Source: crnn ``LstmLayer``; Hochreiter & Schmidhuber, "Long Short-Term Memory" (1997).

    Examples
    --------
    >>> layer = authors.LstmLayer(1, 1, maxT=10, reverse=True)
    >>> for weight, bias in [layer.parameters()[0][:2], layer.parameters()[0][2:]]:
    ...     _ = weight.fill(0), bias.fill(10)  # all gates are open, and g is 1: the cell counts the steps
    >>> [round(y.item(), 3) for y in layer.forward([np.zeros((1, 1), np.float32)] * 3)]  # tanh of 3, 2, 1
    [0.995, 0.964, 0.762]
    """

    _file = Form(
        properties=("lstmUnit",),
        scratch={"initState": lambda layer: [np.empty(0, layer._dtype), np.empty(0, layer._dtype)]},
        defaults={"modules": lambda fields: [fields["lstmUnit"]], "dropout": 0, "reverse": False},
        kinds={"lstmUnit": "a module", "nHidden": "a whole number from 1 on"},
    )

    def __init__(self, nIn: int, nHidden: int, maxT: int, dropout: float = 0, reverse: bool = False) -> None:
        check.count(self, "nIn", nIn)
        self.nHidden = check.count(self, "nHidden", nHidden)
        if not 0 <= dropout < 1:
            raise ValueRangeError(f"{self._typename}: dropout: expected 0 to less than 1, got {dropout}")
        self.dropout, self.reverse = dropout, reverse
        super().__init__(_unit(nIn, nHidden, dropout), maxT)

    @property
    def lstmUnit(self) -> Any:
        return self.modules[0]

    def updateOutput(self, input: list[Tensor]) -> list[Tensor]:
        steps = self._steps(input)
        self._begin()
        state = self._zeroStates(steps[0])
        outputs: list[Any] = [None] * len(steps)
        for t in self._order(len(steps)):
            *state, outputs[t] = self._forward(t, [steps[t], *state])
        self.output = outputs
        return outputs

    def updateGradInput(self, input: list[Tensor], gradOutput: list[Tensor]) -> list[Tensor]:
        gradients = check.like(self, "gradOutput", gradOutput, self.output)
        gradState = self._zeroStates(self._steps(input)[0])
        gradInput: list[Any] = [None] * len(gradients)
        for t in reversed(self._order(len(gradients))):
            gradInput[t], *gradState = self._backward(t, [*gradState, gradients[t]])
        self.gradInput = gradInput
        return gradInput

    def _steps(self, input: Any) -> list[Tensor]:
        return [check.tensor(self, f"input[{t}]", x, 2) for t, x in enumerate(check.table(self, "input", input))]

    def _order(self, count: int) -> range:
        return range(count - 1, -1, -1) if self.reverse else range(count)

    def _zeroStates(self, step: Tensor) -> list[Tensor]:
        return [np.zeros((len(step), self.nHidden), self._dtype, like=step) for _ in range(2)]


def _unit(inputs: int, size: int, dropout: float) -> Any:
    """Builds the graph of one step."""
    x, c, h = given = [nn.Identity()() for _ in range(3)]
    x = nn.Dropout(dropout)(x) if dropout else x
    sums = nn.CAddTable()([nn.Linear(inputs, 4 * size)(x), nn.Linear(size, 4 * size)(h)])
    gates = nn.Sigmoid()(nn.Narrow(1, 0, 3 * size)(sums))
    i, f, o = (nn.Narrow(1, place * size, size)(gates) for place in range(3))
    g = nn.Tanh()(nn.Narrow(1, 3 * size, size)(sums))
    nextC = nn.CAddTable()([nn.CMulTable()([f, c]), nn.CMulTable()([i, g])])
    nextH = nn.CMulTable()([o, nn.Tanh()(nextC)])
    return gModule(given, [nextC, nextH, nn.Identity()(nextH)])
