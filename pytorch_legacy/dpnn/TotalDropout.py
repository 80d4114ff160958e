"""All or nothing."""

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module


class TotalDropout(Module):
    """Sets the whole input to zero with probability p while training::

        output    = input * noise         noise = 0 with probability p, else 1, one number for all
        gradInput = gradOutput * noise

    In evaluation the input passes unchanged.

    Parameters
    ----------
    p : float
        Probability of zeros, 0 <= p < 1.

    Raises
    ------
    ValueRangeError
        If p is out of its range.

    Notes
    -----
    Any shape. Field ``noise`` holds the last noise. Unlike Torch7's, the layer also runs backward in evaluation. Source:
    Element-Research dpnn ``TotalDropout``.

    Examples
    --------
    >>> _ = pl.manualSeed(1)
    >>> layer = dpnn.TotalDropout(0.5)
    >>> [layer.forward(np.float32([1, 2])).tolist() for _ in range(4)]  # all or nothing
    [[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    """

    noise = 1.0

    _file = Form(defaults={"p": 0.5})

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        if not 0 <= p < 1:
            raise ValueRangeError(f"{self._typename}: p: expected 0 <= p < 1, got {p}")
        self.p = p
        self.train = True

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        if self.train:
            self.noise = float(random.bernoulli(1 - self.p, 1, np.float64)[0])
        return self._scale(input, output)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        gradOutput = check.gradient(self, gradOutput, check.tensor(self, "input", input))
        return self._scale(gradOutput, self._resize("gradInput", input.shape))

    def _scale(self, source: Tensor, target: Tensor) -> Tensor:
        return np.multiply(source, self._dtype.type(self.noise if self.train else 1), out=target)

    def __repr__(self) -> str:
        return f"{self._typename}({self.p:f})"
