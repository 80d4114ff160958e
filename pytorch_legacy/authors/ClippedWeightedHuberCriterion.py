"""The Huber loss of weighted differences in a range."""

from typing import Any

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.authors.WeightedHuberCriterion import WeightedHuberCriterion
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import ValueRangeError
from pytorch_legacy.files.form import Form


class ClippedWeightedHuberCriterion(WeightedHuberCriterion):
    """A WeightedHuberCriterion that limits its input to a range first.

    .. math:: loss = \\frac{1}{n} \\sum_i f(w_i (\\mathrm{clip}(x_i) - t_i))

    Parameters
    ----------
    w : array
        A factor for each element of a sample.
    gamma : float
        Differences from which on the loss is linear.
    clip : list of two float
        The lowest and the highest number.

    Raises
    ------
    ShapeError
        As for WeightedHuberCriterion.
    ValueRangeError
        If clip is no list of two numbers, the lower one first.

    Notes
    -----
    Shapes and gradient are those of WeightedHuberCriterion. As in the original, the gradient passes the limits, as if the
    input had not been limited: else elements that left the range would never come back.
    Source: waifu2x ``ClippedWeightedHuberCriterion``.

    Examples
    --------
    >>> loss = authors.ClippedWeightedHuberCriterion(np.float32([1, 1]), 1, [0, 1])
    >>> loss.forward(np.float32([[0.5, 9]]), np.float32([[0, 1]]))  # 9 counts as 1
    0.0625
    """

    _typename = "w2nn.ClippedWeightedHuberCriterion"
    _file = Form(defaults={"clip": lambda fields: [0.0, 1.0]}, kinds={"clip": "a list of numbers"})

    def __init__(self, w: Any, gamma: float = 1.0, clip: list[float] | tuple[float, float] = (0.0, 1.0)) -> None:
        super().__init__(w, gamma)
        self.clip = list(clip)
        self._limits()

    def _limited(self, input: Tensor) -> Tensor:
        low, high = self._limits()
        return compute.clip(input, low, high)

    def _limits(self) -> list[float]:
        clip: Any = self.clip
        if len(clip) != 2 or not clip[0] <= clip[1]:
            raise ValueRangeError(f"{self._typename}: clip: expected two numbers, the lower one first, got {clip}")
        return list(clip)
