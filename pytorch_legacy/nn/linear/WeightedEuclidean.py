"""Distances to learned points, in learned units."""

from typing import Self

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn.linear.Euclidean import Euclidean
from pytorch_legacy.objects import ArrayField


class WeightedEuclidean(Euclidean):
    """The distances between a vector, or each row of a batch, and the columns of the weight, each in units of its own.

    .. math:: y_o = \\|c_o * (x - w_o)\\|, \\quad
              dx = \\sum_o \\frac{c_o^2 (x - w_o)}{y_o + \\epsilon} dy_o, \\quad
              dw_o = -\\frac{c_o^2 (x - w_o)}{y_o + \\epsilon} dy_o, \\quad
              dc_o = \\frac{c_o (x - w_o)^2}{y_o + \\epsilon} dy_o

    Parameters
    ----------
    inputSize, outputSize : int
        Number of elements of a vector, and number of columns.

    Attributes
    ----------
    weight, gradWeight : array of inputSize x outputSize
    diagCov, gradDiagCov : array of inputSize x outputSize
        The columns c.

    Raises
    ------
    ShapeError
        If the input is not 1-D or 2-D with inputSize columns.

    Notes
    -----
    Shapes: ``(N x) inputSize`` to ``(N x) outputSize``. The constant is 1e-7. The weight starts as that of Euclidean,
    diagCov with ones. Unlike Torch7, the gradient of diagCov always obeys `scale`. Source: Torch7 nn.WeightedEuclidean.

    Examples
    --------
    >>> layer = nn.WeightedEuclidean(2, 2)
    >>> layer.weight[...] = 0
    >>> layer.diagCov[...] = np.transpose([[1, 1], [2, 0]])
    >>> layer.forward(np.float32([3, 4]))
    array([5., 6.], dtype=float32)
    """

    diagCov: Tensor
    gradDiagCov: Tensor
    _arrayFields = (ArrayField("diagCov", lambda layer: layer.weight.shape),)

    _heedsOldSeed = False
    _file = Form(without=("fastBackward",))
    _names = ("weight", "diagCov")

    def reset(self, stdv: float | None = None) -> Self:
        """Draws a new weight, uniform with standard deviation `stdv` if it is given, and fills diagCov with ones."""
        self.diagCov.fill(1)
        super().reset(stdv)
        return self

    def parameters(self) -> tuple[list[Tensor], list[Tensor]]:
        """weight and diagCov, and their gradients."""
        return [self.weight, self.diagCov], [self.gradWeight, self.gradDiagCov]

    def accGradParameters(self, input: Tensor, gradOutput: Tensor, scale: float = 1.0) -> None:
        differences = self._differences(input)
        slopes = self._slopes(differences, input, gradOutput)
        gradient = compute.sum(slopes * differences, 0, dtype=np.float64).T
        super().accGradParameters(input, gradOutput, scale)
        self.gradDiagCov += scale * gradient

    def _weighed(self, differences: Tensor) -> Tensor:
        with np.errstate(over="ignore"):
            return differences * self.diagCov.T  # type: ignore[no-any-return]
