"""The peak signal-to-noise ratio of images."""

from math import inf, log
from typing import NoReturn

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class PSNRCriterion(Criterion):
    """The peak signal-to-noise ratio of an image in decibels, for elements from 0 to 1. It measures; it cannot be trained with.

    .. math:: -10 \\log_{10} \\Big(\\frac{1}{n} \\sum_i (\\mathrm{clip}(x_i) - t_i)^2\\Big)

    Raises
    ------
    ShapeError
        If the target has not as many elements as the input.
    UnsupportedError
        From ``backward``, as in the original.

    Notes
    -----
    Shapes: any. Elements of the input below 0 and above 1 count as 0 and 1. The ratio of equal images is infinite.
    Source: waifu2x ``PSNRCriterion``.

    Examples
    --------
    >>> authors.PSNRCriterion().forward(np.float32([0.5, 9]), np.float32([0.6, 0.9]))  # a mean squared error of 0.01
    20.0
    """

    _typename = "w2nn.PSNRCriterion"
    _file = Form(dropped=("image", "diff"))

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        goal = check.goal(self, target, check.tensor(self, "input", input).shape)
        squares = np.square(compute.clip(input, 0, 1) - goal, dtype=np.float64).ravel()
        self.output = compute.number(-10 / log(10) * compute.log(compute.mean(squares))) if input.size else inf
        return self.output

    def updateGradInput(self, input: Tensor, target: Tensor) -> NoReturn:
        raise UnsupportedError(f"{self._typename}: backward: this criterion has no gradient; it only measures")
