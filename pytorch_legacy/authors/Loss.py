"""The base class of the losses of neural-style."""

from typing import Any

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arguments import as_doubles
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class Loss(Module):
    """Passes everything through, compares what comes by with a target, and adds the gradient to what comes back.

    Parameters
    ----------
    strength : float
        Factor of the loss and its gradient.
    target : array, optional
        Array to compare with; without it the layer starts in mode "none".
    normalize : bool
        Divide the gradient by the sum of its absolute values first.

    Attributes
    ----------
    mode : {"none", "capture", "loss"}
        The action: none, taking what comes by as the target, or comparing with it. The first versions only compared.
    loss : float
        The last loss.
    crit : Criterion
        The criterion that compares; an nn.MSECriterion by default.
    """

    normalize = False
    mode = "loss"  # the field is younger than some files

    _file = Form(defaults={"target": None, "normalize": False}, kinds={"mode": "text"})

    def __init__(self, strength: float, target: Tensor | None = None, normalize: bool = False) -> None:
        super().__init__()
        self.strength = strength
        self.target = np.empty(0, self._dtype) if target is None else as_doubles(self, "target", target).astype(self._dtype)
        self.normalize = normalize
        self.loss = 0.0
        self.mode = "none" if target is None else "loss"
        self.crit: Any = nn.MSECriterion()

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input)
        if self.mode == "capture":
            self._capture(self._seen(input))
        elif self.mode == "loss":
            self.loss = self.strength * self.crit.forward(self._seen(input), self.target)
        elif self.mode != "none":
            raise ValueRangeError(f'{self._typename}: mode: expected "none", "capture" or "loss", got {self.mode!r}')
        self.output = input
        return input

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, input)
        gradInput = self._resize("gradInput", input.shape)
        if self.mode != "loss":
            gradInput[...] = gradOutput
            return gradInput
        gradInput[...] = self._gradient(input)
        if self.normalize:
            gradInput /= compute.sum(np.abs(gradInput)) + self._dtype.type(1e-8)
        gradInput *= self.strength
        gradInput += gradOutput
        return gradInput

    def _capture(self, seen: Tensor) -> None:
        self.target = seen.copy()

    def _seen(self, input: Tensor) -> Tensor:
        """Returns the features that are compared."""
        return input

    def _gradient(self, input: Tensor) -> Tensor:
        """The gradient of the comparison."""
        return self.crit.backward(input, self.target)
