"""Random zeros."""

from typing import Self

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import clear
from pytorch_legacy.storage import Tensor


class Dropout(Module):
    """Sets each element to zero with probability p while training::

        output    = input * noise         noise = 0 with probability p, else 1 / (1 - p)
        gradInput = gradOutput * noise

    In evaluation the input passes unchanged.

    Parameters
    ----------
    p : float
        Probability of a zero, 0 <= p < 1.
    v1 : bool
        The older scaling: noise is 0 or 1, and evaluation multiplies by 1 - p.
    inplace : bool
        Write into the input and the gradOutput.
    stochasticInference : bool
        Draw noise in evaluation too.

    Notes
    -----
    Any shape. Field ``noise`` holds the last noise. Files without field ``v2`` were saved when there was only the older
    scaling. Unlike Torch7, the gradient goes through the noise whenever the output did, in evaluation too. Source:
    Torch7 nn.Dropout; Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting" (2014).
    """

    v2 = False
    inplace = False
    stochastic_inference = False
    _ranks: tuple[int, ...] = ()

    def __init__(self, p: float = 0.5, v1: bool = False, inplace: bool = False, stochasticInference: bool = False) -> None:
        super().__init__()
        self.setp(p)
        self.v2 = not v1
        self.inplace = inplace
        self.stochastic_inference = stochasticInference
        self.noise = np.empty(0, np.float32)
        self.train = True

    def setp(self, p: float) -> None:
        """Sets another probability."""
        if not 0 <= p < 1:
            raise ValueRangeError(f"{self._typename}: p: expected 0 <= p < 1, got {p}")
        self.p = p

    def updateOutput(self, input: Tensor) -> Tensor:
        check.tensor(self, "input", input, *self._ranks)
        output = check.writable(self, "input", input) if self.inplace else self._resize("output", input.shape)
        self.output = output
        if self._isRandom():
            self.noise = self._sampleNoise(input.shape)
        self._scale(input, output)
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.tensor(self, "input", input, *self._ranks)
        check.shape(self, "gradOutput", check.tensor(self, "gradOutput", gradOutput), input.shape)
        if self._isRandom():
            check.shape(self, "noise of the last forward", self.noise, self._noiseShape(input.shape))
        gradInput = gradOutput if self.inplace else self._resize("gradInput", gradOutput.shape)
        self.gradInput = gradInput
        self._scale(gradOutput, gradInput)
        return gradInput

    def clearState(self) -> Self:
        clear(self, "noise")
        return super().clearState()

    def _isRandom(self) -> bool:
        return self.p > 0 and (self.train or self.stochastic_inference)

    def _scale(self, source: Tensor, target: Tensor) -> None:
        if self._isRandom():
            np.multiply(source, self.noise, out=target)
        elif self.v2 or self.p == 0:
            np.copyto(target, source)
        else:
            np.multiply(source, 1 - self.p, out=target)

    def _sampleNoise(self, shape: tuple[int, ...]) -> Tensor:
        """Fresh noise."""
        noise = random.bernoulli(1 - self.p, self._noiseShape(shape), self._dtype)
        if self.v2:
            noise /= 1 - self.p
        return noise

    def _noiseShape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the noise for an input of that shape."""
        return shape

    def __repr__(self) -> str:
        return f"{self._typename}({self.p:f})"
