"""A reward for the right class."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.dpnn.ClassReward import ClassReward
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.counting import Lua
from pytorch_legacy.nn import check
from pytorch_legacy.nn.utils import sizes


class VRClassReward(ClassReward):
    """Rewards a network whose random layers led to the right class, less what was to be expected::

        reward = scale where argmax(prediction) == target, else 0
        output = -mean(reward)

    ``backward`` calls ``module.reinforce((reward - baseline) / N)``, gives the predictions a gradient of 0, and the baseline,
    which the network predicts too, that of `criterion` with the reward as target.

    Parameters
    ----------
    module : Module
        The network with `Reinforce` layers. It does not belong to the criterion: conversions leave it alone.
    scale : float
        The reward.
    criterion : Criterion, optional
        Loss of the baseline, MSECriterion if not given.

    Attributes
    ----------
    sizeAverage : bool
        Whether output and rewards are divided by N: True, until set.
    reward, vrReward : array of N
        The last reward, and what the network got.

    Raises
    ------
    ShapeError
        If sizes do not fit together.

    Notes
    -----
    Input: a table of predictions, ``N x C`` or C, and baselines, N numbers of any shape; target: N labels, which count from 0.
    Source: Element-Research dpnn ``VRClassReward``; Mnih et al., "Recurrent models of visual attention" (2014).

    Examples
    --------
    >>> net = nn.Sequential(nn.ReinforceCategorical())
    >>> loss = dpnn.VRClassReward(net)
    >>> prediction, baseline = np.float32([[0, 1], [1, 0]]), np.float32([0.5, 0.5])
    >>> target = np.array([1, 1])  # labels count from 0
    >>> loss.forward([prediction, baseline], target)  # one of two is right
    -0.5
    >>> _ = loss.backward([prediction, baseline], target)
    >>> net.modules[0].reward  # (1 - 0.5) / 2 and (0 - 0.5) / 2
    array([ 0.25, -0.25], dtype=float32)
    """

    _lua = Lua(targets="labels")

    def _right(self, prediction: Tensor, target: Any) -> Tensor:
        labels = check.labels(self, "target", target).reshape(-1)
        check.shape(self, "target", labels, (self._samples(prediction),))
        return prediction.reshape(len(labels), -1).argmax(1) == labels

    def _samples(self, prediction: Tensor) -> int:
        if prediction.ndim not in (1, 2) or not prediction.shape[-1]:
            raise ShapeError(f"{self._typename}: input[0]: expected N x C or C, got {sizes(prediction.shape)}")
        return len(prediction) if prediction.ndim == 2 else 1
