"""A reward for the right one of two classes."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.dpnn.ClassReward import ClassReward
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.nn import check
from pytorch_legacy.nn.utils import sizes


class BinaryClassReward(ClassReward):
    """As VRClassReward, for one probability per sample::

        reward = scale where (prediction > 0.5) == target, else 0
        output = -mean(reward)

    Parameters
    ----------
    module : Module
        The network with `Reinforce` layers.
    scale : float
        The reward.
    criterion : Criterion, optional
        Loss of the baseline, MSECriterion if not given.

    Notes
    -----
    Input: a table of predictions and baselines, each ``N`` or ``N x 1``; target: N numbers, 0 or 1. Attributes are those of
    VRClassReward. Source: Element-Research dpnn ``BinaryClassReward``.

    Examples
    --------
    >>> net = nn.Sequential(nn.ReinforceBernoulli())
    >>> loss = dpnn.BinaryClassReward(net)
    >>> prediction, baseline = np.float32([1, 0]), np.float32([0.5, 0.5])  # what was drawn, and what to expect
    >>> loss.forward([prediction, baseline], np.array([1, 1]))  # one of two is right
    -0.5
    >>> _ = loss.backward([prediction, baseline], np.array([1, 1]))
    >>> net.modules[0].reward  # (1 - 0.5) / 2 and (0 - 0.5) / 2
    array([ 0.25, -0.25], dtype=float32)
    """

    def _right(self, prediction: Tensor, target: Any) -> Tensor:
        classes = (target if is_tensor(target) else np.asarray(target)).reshape(-1)
        check.shape(self, "target", classes, (prediction.size,))
        return (prediction.reshape(-1) > 0.5) == classes

    def _samples(self, prediction: Tensor) -> int:
        if prediction.ndim != 1 and prediction.shape[1:] != (1,):
            raise ShapeError(f"{self._typename}: input[0]: expected N or N x 1, got {sizes(prediction.shape)}")
        return len(prediction)
