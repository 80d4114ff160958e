"""A random choice."""

from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.dpnn.Reinforce import Reinforce
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check


class ReinforceCategorical(Reinforce):
    """Chooses one column in each row with the probabilities there, and gives 1 for it and 0 for the others.

    .. math:: dx = -r \\, \\frac{y}{x + 10^{-8}}

    with the reward r of the row. In evaluation the layer passes the probabilities on.

    Parameters
    ----------
    stochastic : bool
        Draw in evaluation too.

    Raises
    ------
    ValueRangeError
        If a probability is negative, or those of a row are all 0.

    Notes
    -----
    Shape ``N x C``; the probabilities of a row need not sum to 1. Source: Element-Research dpnn ``ReinforceCategorical``.

    Examples
    --------
    >>> _ = pl.manualSeed(1)
    >>> layer, x = dpnn.ReinforceCategorical(), np.float32([[0.25, 0.75], [0.5, 0.5]])
    >>> layer.forward(x)
    array([[0., 1.],
           [0., 1.]], dtype=float32)
    >>> _ = layer.reinforce(np.float32([3, 1]))
    >>> layer.backward(x, x) + 0.0  # a step against it makes what was chosen likelier
    array([[ 0., -4.],
           [ 0., -2.]], dtype=float32)
    """

    _file = Form(dropped=("_index", "_input"))

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", check.tensor(self, "input", input, 2).shape)
        if not self._draws():
            output[...] = input
            return output
        chosen = self._choose(input)
        output[...] = np.arange(input.shape[1], like=input) == chosen[:, None]
        return output

    def updateGradInput(self, input: Tensor, gradOutput: Any) -> Tensor:
        reward = self.rewardAs(check.tensor(self, "input", input))
        check.shape(self, "output of the last forward", self.output, input.shape)
        gradInput = self._resize("gradInput", input.shape)
        np.divide(self.output, input + self._dtype.type(1e-8), out=gradInput)
        gradInput *= -reward
        return gradInput

    def _choose(self, input: Tensor) -> Tensor:
        """A column for each row: where the sum of the probabilities reaches a uniform draw."""
        sums = compute.cumsum(input, 1, dtype=np.float64)
        if len(input) == 0:
            return np.empty(0, np.int64, like=input)
        if input.size == 0 or (check.looks(self) and not ((input >= 0).all() and (sums[:, -1] > 0).all())):
            raise ValueRangeError(f"{self._typename}: input: expected probabilities, at least one above 0 in each row")
        draws = random.uniform(0, 1, (len(input), 1), np.float64, self._onDevice)
        return (sums / sums[:, -1:] < draws).sum(1)
