"""The structural similarity of two images."""

from typing import Any, NoReturn

import numpy as np

from pytorch_legacy import nn
from pytorch_legacy.arrays import Tensor
from pytorch_legacy.backend import compute
from pytorch_legacy.errors import UnsupportedError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Criterion import Criterion


class SSIMCriterion(Criterion):
    """The mean structural similarity of images, for elements from 0 to 1. It measures; it cannot be trained with.

    .. math:: \\frac{(2 \\mu \\mu' + c_1) (2 \\sigma_{xx'} + c_2)}
                    {(\\mu^2 + \\mu'^2 + c_1) (\\sigma^2 + \\sigma'^2 + c_2)}

    at each place, with means, variances and the covariance under a Gaussian window.

    Parameters
    ----------
    ch : int
        Number of channels.
    kernel_size : int
        Width and height of the window.
    sigma : float
        Standard deviation of the window, in cells.

    Attributes
    ----------
    c1, c2 : float
        ``0.01**2`` and ``0.03**2``.
    conv : SpatialConvolution
        The window, for each channel by itself.

    Raises
    ------
    ShapeError
        If the input is not ``(N x) ch x H x W`` with planes that hold the window, or the target has another shape.
    UnsupportedError
        From ``backward``, as in the original.

    Notes
    -----
    Source: waifu2x ``SSIMCriterion``; Wang et al. 2004.

    Examples
    --------
    >>> x = np.linspace(0, 1, 36, dtype=np.float32).reshape(1, 6, 6)
    >>> loss = authors.SSIMCriterion(1, 5)
    >>> round(loss.forward(x, x), 6), loss.forward(x, 1 - x) < 0
    (1.0, True)
    """

    _typename = "w2nn.SSIMCriterion"
    _file = Form(
        dropped=("mu1", "mu2", "mu1_sq", "mu2_sq", "mu1_mu2", "sigma1_sq", "sigma2_sq", "sigma12", "ssim_map"),
        defaults={"c1": 0.01**2, "c2": 0.03**2},
        kinds={"conv": "a module"},
    )

    def __init__(self, ch: int = 1, kernel_size: int = 11, sigma: float = 1.5) -> None:
        super().__init__()
        self.c1, self.c2 = 0.01**2, 0.03**2
        self.ch = check.count(self, "ch", ch)
        size = check.count(self, "kernel_size", kernel_size)
        self.conv: Any = nn.SpatialConvolution(ch, ch, size, size).noBias()
        line = np.exp(-((np.arange(size) - size // 2) ** 2) / (2 * sigma**2))
        window = np.outer(line, line) / np.outer(line, line).sum()
        self.conv.weight = self.conv._constant("weight", np.eye(ch)[:, :, None, None] * window)

    def updateOutput(self, input: Tensor, target: Tensor) -> float:
        x = check.tensor(self, "input", input, 3, 4)
        y = check.shape(self, "target", check.tensor(self, "target", target), x.shape)
        ofX, ofY, ofXX, ofYY, ofXY = (self.conv.updateOutput(image).copy() for image in (x, y, x * x, y * y, x * y))
        means, squares = ofX * ofY, ofX * ofX + ofY * ofY
        similarity = (2 * means + self.c1) * (2 * (ofXY - means) + self.c2)
        similarity /= (squares + self.c1) * (ofXX + ofYY - squares + self.c2)
        self.output = compute.number(compute.mean(similarity, dtype=np.float64)) if similarity.size else 0.0
        return self.output

    def updateGradInput(self, input: Tensor, target: Tensor) -> NoReturn:
        raise UnsupportedError(f"{self._typename}: backward: this criterion has no gradient; it only measures")
