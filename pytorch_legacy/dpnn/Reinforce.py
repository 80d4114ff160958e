"""The base of layers that learn from a reward."""

from typing import Any, Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError, ValueRangeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import sizes


class Reinforce(Module):
    """Passes its input on; its gradient is the reward. Subclasses draw their output at random::

        output    = a draw from the distribution f that the input describes
        gradInput = -reward * d log f(output) / d input

    A loss like `VRClassReward` calls ``reinforce`` of the network before the pass backward, and every layer of this kind keeps
    the reward. gradOutput is not looked at.

    Parameters
    ----------
    stochastic : bool
        Draw in evaluation too; otherwise the layer then gives what is expected, or most probable.

    Attributes
    ----------
    reward : array of N
        A number for each sample of the batch; None before the first ``reinforce``.

    Raises
    ------
    ShapeError, ValueRangeError
        If there is no reward yet, or there are not as many numbers as samples.

    Notes
    -----
    Source: Element-Research dpnn ``Reinforce``; Williams, "Simple statistical gradient-following algorithms for connectionist
    reinforcement learning" (1992).

    Examples
    --------
    >>> _ = pl.manualSeed(1)
    >>> net, x = nn.Sequential(nn.ReinforceBernoulli()), np.float32([[0.5], [0.5]])
    >>> net.forward(x).tolist()
    [[1.0], [0.0]]
    >>> _ = net.reinforce(np.float32([1, 0]))  # the first draw was good
    >>> net.backward(x, x).tolist()  # a step against it makes that draw likelier
    [[-2.0], [0.0]]
    """

    _file = Form(dropped=("_reward", "__reward"), defaults={"stochastic": False}, kinds={"reward": "a tensor"})
    stochastic = False
    reward: Tensor | None = None

    def __init__(self, stochastic: bool = False) -> None:
        super().__init__()
        self.stochastic = stochastic

    def reinforce(self, reward: Tensor) -> Self:
        """Keeps the reward."""
        self.reward = check.tensor(self, "reward", reward, 1)
        return self

    def updateOutput(self, input: Any) -> Any:
        self.output = input
        return input

    def updateGradInput(self, input: Any, gradOutput: Any) -> Any:
        reward = self.rewardAs(input)
        gradInput = self._resize("gradInput", np.broadcast_shapes(reward.shape, input.shape))
        gradInput[...] = reward
        return gradInput

    def rewardAs(self, input: Tensor) -> Tensor:
        """The reward in a shape that spreads over `input`, whose first dimension counts the samples."""
        if self.reward is None:
            raise ValueRangeError(f"{self._typename}: reward: expected a call of reinforce() before the pass backward")
        if self.reward.shape == input.shape[: self.reward.ndim]:
            return self.reward.reshape(-1, *(1,) * (input.ndim - 1))
        if self.reward.shape != (1,):  # one number may also serve for one sample that is no batch
            raise ShapeError(
                f"{self._typename}: reward: expected a number for each sample of {sizes(input.shape)}, "
                f"got {sizes(self.reward.shape)}"
            )
        return self.reward

    def _draws(self) -> bool:
        return self.train or self.stochastic
