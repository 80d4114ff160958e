"""Normal draws around the input."""

from typing import Any

import numpy as np

from pytorch_legacy import random
from pytorch_legacy.arguments import as_doubles
from pytorch_legacy.arrays import Tensor, is_tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.dpnn.Reinforce import Reinforce
from pytorch_legacy.errors import DtypeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.utils import described


class ReinforceNormal(Reinforce):
    """Draws each element from a normal distribution whose mean is the input; in evaluation it passes the mean on.

    .. math:: dm = -r \\, \\frac{y - m}{s^2}, \\quad ds = -r \\, \\frac{(y - m)^2 - s^2}{s^3 + 10^{-8}}

    with the reward r of the sample, the mean m and the standard deviation s.

    Parameters
    ----------
    stdev : float or array, optional
        The standard deviation: a number, or an array in the shape of the mean or of one of its samples. Without it the input is
        a table of mean and standard deviation, and so is gradInput.
    stochastic : bool
        Draw in evaluation too.

    Raises
    ------
    DtypeError, ShapeError
        If there is no standard deviation, or one of another shape.

    Notes
    -----
    Any shape. Source: Element-Research dpnn ``ReinforceNormal``.

    Examples
    --------
    >>> _ = pl.manualSeed(1)
    >>> layer, x = dpnn.ReinforceNormal(0.5), np.float32([[1, 2]])
    >>> output = layer.forward(x)
    >>> output.round(3)
    array([[-0.486,  2.853]], dtype=float32)
    >>> _ = layer.reinforce(np.float32([1]))
    >>> layer.backward(x, x).round(3)  # the mean goes towards what was drawn
    array([[ 5.944, -3.414]], dtype=float32)
    """

    _file = Form(dropped=("_stdev", "__stdev", "_stdev2"), defaults={"stdev": None}, kinds={"stdev": "a number or a tensor"})
    stdev: float | Tensor | None = None

    def __init__(self, stdev: float | Tensor | None = None, stochastic: bool = False) -> None:
        super().__init__(stochastic)
        self.stdev = as_doubles(self, "stdev", stdev).astype(self._dtype) if isinstance(stdev, (np.ndarray, list)) else stdev
        if stdev is None:
            self.gradInput = [np.empty(0, self._dtype), np.empty(0, self._dtype)]

    def updateOutput(self, input: Tensor | list[Tensor]) -> Tensor:
        mean, stdev = self._parts(input)
        output = self._resize("output", mean.shape)
        if not self._draws():
            output[...] = mean
            return output
        output[...] = random.normal(0, 1, mean.shape, self._dtype, self._onDevice)
        output *= stdev
        output += mean
        return output

    def updateGradInput(self, input: Tensor | list[Tensor], gradOutput: Any) -> Any:
        mean, stdev = self._parts(input)
        check.shape(self, "output of the last forward", self.output, mean.shape)
        distance = self.output - mean
        reward = self.rewardAs(mean)
        if not isinstance(input, list):
            gradMean = self._resize("gradInput", mean.shape)
        else:
            gradMean, gradStdev = self._resizeTable("gradInput", [mean.shape, mean.shape])
            gradStdev[...] = -(distance**2 - stdev**2) / (compute.power(stdev, 3) + self._dtype.type(1e-8)) * reward
        np.divide(distance, -(stdev**2), out=gradMean)
        gradMean *= reward
        return self.gradInput

    def _parts(self, input: Tensor | list[Tensor]) -> tuple[Tensor, Any]:
        """Mean and standard deviation."""
        if isinstance(input, list):
            mean, given = check.pair(self, "input", input)
            return mean, given
        mean = check.tensor(self, "input", input)
        if self.stdev is None:
            raise DtypeError(f"{self._typename}: input: expected a table of mean and standard deviation, got {described(input)}")
        if isinstance(self.stdev, np.ndarray) or is_tensor(self.stdev):
            return mean, check.spread(self, "stdev", self.stdev, mean.shape)
        return mean, self._dtype.type(self.stdev)
