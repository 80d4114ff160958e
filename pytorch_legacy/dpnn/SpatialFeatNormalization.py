"""Planes with a known mean and deviation taken out."""

from typing import Any

import numpy as np

from pytorch_legacy.arrays import Tensor
from pytorch_legacy.errors import ShapeError
from pytorch_legacy.files.form import Form
from pytorch_legacy.nn import check
from pytorch_legacy.nn.Module import Module
from pytorch_legacy.nn.utils import described, sizes
from pytorch_legacy.objects import ArrayField


class SpatialFeatNormalization(Module):
    """Subtracts from each plane its mean and divides by its standard deviation, both given once and for all.

    .. math:: y_{c,h,w} = \\frac{x_{c,h,w} - mean_c}{std_c}

    Parameters
    ----------
    mean, std : array
        A number for each plane; the deviations are 1 if not given.

    Attributes
    ----------
    noOfFeats : int
        The number of planes.

    Raises
    ------
    ShapeError
        If mean and std are not 1-D and of one size, or the input is not 3-D or 4-D with as many planes.

    Notes
    -----
    Shape ``(N x) C x H x W``. Source: Element-Research dpnn ``SpatialFeatNormalization``.

    Examples
    --------
    >>> layer = dpnn.SpatialFeatNormalization(np.float32([10, 20]), np.float32([1, 4]))
    >>> layer.forward(np.float32([[[11, 12]], [[24, 28]]])).tolist()
    [[[1.0, 2.0]], [[1.0, 2.0]]]
    """

    _file = Form(
        defaults={"std": lambda fields: np.ones_like(fields["mean"])},
        kinds={"noOfFeats": "a whole number", "mean": "a tensor", "std": "a tensor"},
        dimensions={"mean": 1},
    )
    _arrayFields = (ArrayField("mean", 1), ArrayField("std", lambda layer: layer.mean.shape))

    def __init__(self, mean: Any, std: Any = None) -> None:
        super().__init__()
        self.mean = self._constant("mean", mean)
        self.std = self._constant("std", np.ones(self.mean.shape) if std is None else std)
        if self.mean.ndim != 1:
            raise ShapeError(f"{self._typename}: mean: expected a 1-D array, got {described(self.mean)}")
        check.shape(self, "std", self.std, self.mean.shape)
        self.noOfFeats = len(self.mean)

    def updateOutput(self, input: Tensor) -> Tensor:
        output = self._resize("output", self._checked(input).shape)
        np.subtract(input, self.mean[:, None, None], out=output)
        return np.divide(output, self.std[:, None, None], out=output)

    def updateGradInput(self, input: Tensor, gradOutput: Tensor) -> Tensor:
        check.like(self, "gradOutput", gradOutput, self._checked(input))
        return np.divide(gradOutput, self.std[:, None, None], out=self._resize("gradInput", input.shape))

    def _checked(self, input: Tensor) -> Tensor:
        if check.tensor(self, "input", input, 3, 4).shape[-3] != len(self.mean):
            raise ShapeError(f"{self._typename}: input: expected {len(self.mean)} planes, got {sizes(input.shape)}")
        return input
