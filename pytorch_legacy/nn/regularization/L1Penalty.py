"""A penalty on the sum of magnitudes."""

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.arrays.device import Recorded
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class L1Penalty(Module):
    """Passes its input on, not a copy of it, and adds the gradient of a penalty on the way back::

        loss      = l1weight * sum(|input|)
        output    = input
        gradInput = gradOutput + l1weight * sign(input)

    Parameters
    ----------
    l1weight : float
        Weight of the penalty.
    sizeAverage : bool
        Divide the weight by the number of elements.
    provideOutput : bool
        False for a layer at the end of a branch that nobody reads: gradOutput then counts for nothing.

    Notes
    -----
    Any shape. Field ``loss`` holds the last penalty. Source: Torch7 nn.L1Penalty.

    Examples
    --------
    >>> layer, x = nn.L1Penalty(0.5), np.float32([-2, 0, 4])
    >>> layer.forward(x)
    array([-2.,  0.,  4.], dtype=float32)
    >>> layer.loss
    3.0
    >>> layer.backward(x, np.float32([1, 1, 1]))
    array([0.5, 1. , 1.5], dtype=float32)
    """

    sizeAverage = False
    provideOutput = True
    loss = 0.0

    _file = Form(defaults={"sizeAverage": False, "provideOutput": True})

    def __init__(self, l1weight: float, sizeAverage: bool = False, provideOutput: bool = True) -> None:
        super().__init__()
        self.l1weight = l1weight
        self.sizeAverage = sizeAverage
        self.provideOutput = provideOutput

    def updateOutput(self, input: Tensor) -> Tensor:
        self.output = check.tensor(self, "input", input)
        if not isinstance(input, Recorded):  # a program has no fields
            self.loss = self._weight(input) * compute.number(compute.sum(np.abs(input), dtype=np.float64))
        return input

    def updateGradInput(self, input: Tensor, gradOutput: Tensor | None = None) -> Tensor:
        check.tensor(self, "input", input)
        if self.provideOutput:
            gradient = check.gradient(self, gradOutput, input)
        gradInput = self._resize("gradInput", input.shape, mustNotOverlap=gradOutput)
        np.sign(input, out=gradInput)
        np.multiply(gradInput, self._dtype.type(self._weight(input)), out=gradInput)
        if self.provideOutput:
            np.add(gradInput, gradient, out=gradInput)
        return gradInput

    def _weight(self, input: Tensor) -> float:
        return self.l1weight / max(input.size, 1) if self.sizeAverage else self.l1weight
