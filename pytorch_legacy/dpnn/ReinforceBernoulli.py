"""Random yes or no."""

from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.dpnn.Reinforce import Reinforce
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check


class ReinforceBernoulli(Reinforce):
    """Makes each element 1 with the probability that it is, else 0; in evaluation it passes the probabilities on.

    .. math:: dx = -r \\, \\frac{y - x}{x (1 - x)}

    with the reward r of the sample.

    Parameters
    ----------
    stochastic : bool
        Draw in evaluation too.

    Notes
    -----
    Any shape. Source: Element-Research dpnn ``ReinforceBernoulli``.

    Examples
    --------
    >>> _ = pl.manualSeed(2)
    >>> layer, x = dpnn.ReinforceBernoulli(), np.float32([[0.25, 0.5, 0.5, 0.75]])
    >>> layer.forward(x)
    array([[0., 1., 1., 0.]], dtype=float32)
    >>> _ = layer.reinforce(np.float32([3]))
    >>> layer.backward(x, x)  # a step against it makes this draw likelier
    array([[ 4., -6., -6., 12.]], dtype=float32)
    >>> layer.evaluate().forward(x)
    array([[0.25, 0.5 , 0.5 , 0.75]], dtype=float32)
    """

    _file = Form(dropped=("_uniform", "_div"))

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input).shape)
        output[...] = random.uniform(0, 1, input.shape, self._dtype, self._onDevice) < input if self._draws() else input
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Any) -> Tensor:
        reward = self.rewardAs(check.tensor(self, "input", input))
        check.shape(self, "output of the last forward", self.output, input.shape)
        gradInput = self._resize("gradInput", input.shape)
        np.subtract(input, self.output, out=gradInput)
        gradInput /= input * (1 - input)
        gradInput *= reward
        return gradInput
