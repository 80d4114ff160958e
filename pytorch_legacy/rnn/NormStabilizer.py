"""A penalty on changes of the norm from step to step."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.rnn.AbstractRecurrent import AbstractRecurrent
from pytorch_legacy.rnn.CopyGrad import CopyGrad


class NormStabilizer(AbstractRecurrent):
    """Passes its input on and adds the gradient of a loss that keeps the norms of the rows steady::

        output(t)    = input(t)
        loss         = beta * sum over t > 0 of the mean over rows of (|input(t)| - |input(t-1)|)^2
        gradInput(t) = gradOutput(t) + d loss / d input(t)                         in training

    Parameters
    ----------
    beta : float
        Factor of the loss; 1 by default.
    rho : int
        Steps to keep for the way back.

    Attributes
    ----------
    loss : float
        Last result of ``updateLoss()``; 0 at first.

    Notes
    -----
    Shapes: a batch ``N x D`` for each step. Unlike in Torch7, where the norms are added and the sum is divided by the
    number of steps, ``updateLoss`` gives the loss whose gradient is used, and a row of zeros has a gradient of zero.
    Source: Element-Research rnn ``NormStabilizer``; Krueger & Memisevic, "Regularizing RNNs by Stabilizing Activations"
    (2015).

    Examples
    --------
    >>> layer, zero = rnn.NormStabilizer(), np.zeros((1, 2), np.float32)
    >>> first, second = np.float32([[3, 4]]), np.float32([[6, 8]])  # norms 5 and 10
    >>> _ = layer.forward(first), layer.forward(second)
    >>> layer.updateLoss()  # (10 - 5)^2
    25.0
    >>> layer.backward(second, zero)  # along the second step, to make it shorter
    array([[6., 8.]], dtype=float32)
    """

    beta: float
    loss = 0.0

    _file = Form(defaults={"beta": 1.0, "rho": 9999})

    def __init__(self, beta: float = 1.0, rho: int = 9999) -> None:
        super().__init__(rho)
        self.beta = beta
        self.modules.append(CopyGrad())
        self.forget()

    def updateLoss(self) -> float:
        """The loss of the steps that are kept."""
        steps = range(self.step)
        pairs = [(self._norm(step - 1), self._norm(step)) for step in steps if step in self.outputs and step - 1 in self.outputs]
        self.loss = float(self.beta * sum(compute.mean((after - before) ** 2) for before, after in pairs))
        return self.loss

    def _forwardStep(self, module: Module, step: int, input: Any) -> Any:
        # A copy: its norm is asked for after later steps have run.
        return check.tensor(self, "input", module.updateOutput(input), 2).copy()

    def _backwardStep(self, module: Module, step: int, input: Any, gradOutput: Any) -> Any:
        gradInput = module.updateGradInput(input, gradOutput)
        norm, output = self._norm(step), self.outputs[step]
        change = np.zeros_like(norm)
        for neighbour in (step - 1, step + 1):
            if neighbour in self.outputs:
                change += norm - self._norm(neighbour)
        gradInput += 2 * self.beta * change / (np.where(norm != 0, norm, 1) * len(output)) * output  # a row of zeros gets none
        return gradInput

    def _norm(self, step: int) -> Tensor:
        """The norms of the rows, N x 1."""
        return compute.vector_norms(self.outputs[step], 1)
